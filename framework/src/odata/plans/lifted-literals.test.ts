import { describe, expect, test } from 'vitest'
import { LiteralExchange, liftLiterals } from './lifted-literals.js'

const textsOf = (query: string) => liftLiterals('/Orders', query).literals.map(({ text }) => text)
const shapeOf = (query: string) => liftLiterals('/Orders', query).shape

describe('literals of a request', () => {
  test.for([
    ["$filter=A%20eq%20'x%20y'", ['x y']],
    ['$filter=A%20eq%20%27x%27', ['x']],
    ['$filter=A%20gt%205%20and%20B%20lt%2012.50', ['5', '12.50']],
    ['$filter=A+ge+2024-02-29+and+B+lt+2024-05-01T10%3A00%3A00.5Z', ['2024-02-29', '2024-05-01T10:00:00.5Z']],
    ["$filter=contains(A%2C'x')", ['x']],
    ['$filter=A%20in%20(1,2,1)', ['1', '2']],
    ["$filter=A%20eq%20@a&@a='x'", ['x']],
  ] as const)('%s has %j', ([query, texts]) => {
    expect(textsOf(query)).toEqual(texts)
  })

  test.for([
    ['in $top and $skip decide', '$top=5&$skip=10'],
    ['behind a type are of that type', "$filter=A%20eq%20duration'PT1H'%20or%20B%20eq%20Ns.Kind'X'"],
    [
      'with symbols that mean something',
      "$filter=A%20eq%20'50%25'%20or%20B%20eq%20'it''s'%20or%20C%20eq%20''",
    ],
    ['inside of texts', "$filter=A%20eq%20'%C3%BC%20eq%205%20or%202024-01-01'"],
    ['of days that are none', '$filter=A%20eq%202023-02-29'],
    ['with signs, zeros or exponents', '$filter=A%20eq%20-5%20or%20A%20eq%20007%20or%20A%20eq%201e3'],
    ['inside of phrases', '$search="a%20\'b\'%205"'],
    ['encoded where nobody encodes', '$filter=A%20eq%20%35'],
    ['that the statement could not tell apart', "$filter=A%20eq%205%20or%20B%20eq%20'5'"],
  ] as const)('%s stay where they are', ([, query]) => {
    expect(textsOf(query)).toEqual([])
    expect(shapeOf(query)).toBe(`/Orders?${query}`)
  })

  test('are places of the same shape for requests that differ in them alone', () => {
    expect(shapeOf("$filter=A%20eq%20'x'%20or%20B%20eq%205")).toBe(
      shapeOf("$filter=A%20eq%20'yy'%20or%20B%20eq%207"),
    )
    expect(shapeOf('$filter=A%20eq%205%20or%20B%20eq%205')).not.toBe(
      shapeOf('$filter=A%20eq%205%20or%20B%20eq%207'),
    )
    expect(shapeOf('$filter=A%20eq%205')).not.toBe(shapeOf("$filter=A%20eq%20'5'"))
  })

  test('are exchanged in texts, in values and in patterns', () => {
    const { literals } = liftLiterals('/Orders', "$filter=A%20eq%20'x'%20or%20B%20gt%202024-05-01T10:00:00Z")
    const { literals: others } = liftLiterals(
      '/Orders',
      "$filter=A%20eq%20'y_z'%20or%20B%20gt%202025-05-01T10:00:00.5Z",
    )
    const exchange = new LiteralExchange(literals, others)
    expect(exchange.text("A eq 'x' or B gt 2024-05-01T10:00:00Z or C eq 'xx'")).toBe(
      "A eq 'y_z' or B gt 2025-05-01T10:00:00.5Z or C eq 'xx'",
    )
    expect(exchange.value('2024-05-01T10:00:00.000000Z')).toBe('2025-05-01T10:00:00.500000Z')
    expect(['x', '%x%', 'x%', '%x', 'xx', 5, ['x']].map((value) => exchange.value(value))).toEqual([
      'y_z',
      '%y\\_z%',
      'y\\_z%',
      '%y\\_z',
      'xx',
      5,
      ['y_z'],
    ])
  })
})
