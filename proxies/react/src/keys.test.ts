import { createProxy } from '@keel/framework/client'
import { Hub, PortAppService, PortDto } from '@keel/hub/contracts'
import { expect, test } from 'vitest'
import { keyOf, nameOperations, serviceKeyOf } from './index.js'

const members = { ports: { service: PortAppService, rows: PortDto } } as const
const { ports } = createProxy(Hub, members, { baseUrl: 'http://hub.test' })

test('a cached answer is found by remote service, member, operation and input, and shares its start with those of its service', () => {
  expect(keyOf(ports.getList, { filter: 'DE' })).toEqual(['Hub', 'ports', 'getList', { filter: 'DE' }])
  expect(serviceKeyOf(ports.getList)).toEqual(['Hub', 'ports'])
  expect(serviceKeyOf(ports.query)).toEqual(serviceKeyOf(ports.get))
})

test('queries of an entity set are told apart by what they ask for', () => {
  const keyOfTop = (count: number) => keyOf(ports.query, (q) => q.top(count))
  expect(keyOfTop(5)).toEqual(keyOfTop(5))
  expect(keyOfTop(5)).not.toEqual(keyOfTop(6))
  expect(keyOf(ports.queryGroups, (g) => g.by('countryCode').count('ports'))).not.toEqual(
    keyOf(ports.queryGroups, (g) => g.by('name').count('ports')),
  )
  expect(keyOf(ports.queryOne, 'a', (q) => q.select('name'))).not.toEqual(
    keyOf(ports.queryOne, 'b', (q) => q.select('name')),
  )
})

test('a function of one’s own has a key once it has a name, and arguments that cannot be compared are refused', () => {
  const own = { find: async (_by: unknown) => [] }
  expect(() => keyOf(own.find, 1)).toThrow(/nameOperations/)
  nameOperations('Mine', 'things', own)
  expect(keyOf(own.find, 1)).toEqual(['Mine', 'things', 'find', 1])
  expect(() => keyOf(own.find, () => 1)).toThrow(/cannot be compared/)
})
