import { expect, test } from 'vitest'
import { mostPairs, parseQuery, QueryLimitError } from './query-string.js'

test.each([
  ['', {}],
  ['a=1&b=2', { a: '1', b: '2' }],
  ['a=1&a=2&A=3', { a: ['1', '2', '3'] }],
  ['a=x%20y+z&b=%2B', { a: 'x y z', b: '+' }],
  ['a=1=2', { a: '1=2' }],
  ['a=&b&c=1', { c: '1' }],
  ['=1&a=2', { a: '2' }],
  ['&&a=1&&', { a: '1' }],
  ['%C3%A9=%E2%82%AC', { é: '€' }],
  ['Filters[TransportMode]=Air&filters[transportMode]=Sea', { Filters: { TransportMode: ['Air', 'Sea'] } }],
  ['Filters.TransportMode=Air', { Filters: { TransportMode: 'Air' } }],
  [
    'Filters[TransportMode][0]=Air&Filters[TransportMode][1]=Sea',
    { Filters: { TransportMode: ['Air', 'Sea'] } },
  ],
  ['Filters%5BTransportMode%5D=Air', { Filters: { TransportMode: 'Air' } }],
  ['a[1]=y&a[0]=x', { a: ['x', 'y'] }],
  ['a[]=x&a[]=y', { a: ['x', 'y'] }],
  ['a[0].b=1&a[1].b=2', { a: [{ b: '1' }, { b: '2' }] }],
  ['a[10]=k&a[9]=j', { a: ['j', 'k'] }],
  ['a.b=1&a.c.d=2', { a: { b: '1', c: { d: '2' } } }],
  ['a=1&a.b=2', { a: '1' }],
  ['a.b=2&a=1', { a: { b: '2' } }],
])('%s', (text, expected) => {
  expect(parseQuery(text)).toEqual(expected)
})

test('names of Object.prototype are names as any other', () => {
  const query = parseQuery('__proto__[polluted]=1&constructor=2')
  expect(Object.keys(query)).toEqual(['__proto__', 'constructor'])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test.each(['a=%', 'a=%ZZ', '%E0%A4=1', 'a=%80'])(
  'the broken percent-encoding %s throws a URIError',
  (text) => {
    expect(() => parseQuery(text)).toThrow(URIError)
  },
)

test('more pairs than allowed throw a QueryLimitError', () => {
  expect(() => parseQuery('a=1&'.repeat(mostPairs))).not.toThrow()
  expect(() => parseQuery('a=1&'.repeat(mostPairs + 1))).toThrow(QueryLimitError)
})

test.each([`a${'[b]'.repeat(6)}=1`, `a${'.b'.repeat(5000)}=1`])(
  'a name that is nested too deep throws a QueryLimitError',
  (text) => {
    expect(() => parseQuery(text)).toThrow(QueryLimitError)
  },
)
