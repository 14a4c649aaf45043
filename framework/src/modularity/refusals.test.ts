import { expect, test } from 'vitest'
import { withAmbient } from './ambient.js'
import { anonymous } from './principal.js'
import { recordRefusal, refusalsOf } from './refusals.js'

const refuse = (correlationId: string, permission: string): void =>
  withAmbient({ correlationId, principal: anonymous, culture: 'en' }, () =>
    recordRefusal(permission, anonymous),
  )
const permissionsOf = (correlationId: string) => refusalsOf(correlationId).map(({ permission }) => permission)

test('refusals are found by the id of their request, the last thousand of them', () => {
  refuse('early', 'Port.View')
  refuse('early', 'Port.Edit')
  const before = [permissionsOf('early'), permissionsOf('never')]
  for (let count = 0; count < 1000; count++) refuse('late', `${count}`)
  expect([...before, permissionsOf('early'), permissionsOf('late').length]).toEqual([
    ['Port.View', 'Port.Edit'],
    [],
    [],
    1000,
  ])
})
