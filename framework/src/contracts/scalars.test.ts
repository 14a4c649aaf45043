import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  calendarDate,
  decimal,
  enumeration,
  enumerationName,
  guid,
  instant,
  membersOf,
  wireKind,
} from './scalars.js'

enum Mode {
  Sea = 0,
  Air = 1,
  Road = 5,
}

/** The value that a schema parses; `fault: …` when it refuses. */
const outcome = (schema: z.ZodType, value: unknown): unknown => {
  const { success, data, error } = schema.safeParse(value)
  return success ? data : `fault: ${error.issues.map(({ message }) => message).join('; ')}`
}
const instantFault = 'fault: Invalid date and time: expected ISO 8601, e.g. 2026-11-21T14:00:00Z'

test.each([
  ['2026-11-21T14:00:00Z', '2026-11-21T14:00:00.000Z'],
  ['2026-11-21T14:00:00z', '2026-11-21T14:00:00.000Z'],
  ['2026-11-21T14:00:00', '2026-11-21T14:00:00.000Z'],
  ['2026-11-21 14:00', '2026-11-21T14:00:00.000Z'],
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21T14:00:00+05:30', '2026-11-21T08:30:00.000Z'],
  ['2026-11-21T14:00:00-0800', '2026-11-21T22:00:00.000Z'],
  ['2026-11-21T01:00:00+02:00', '2026-11-20T23:00:00.000Z'],
  ['2026-11-21T14:00:00.1234567Z', '2026-11-21T14:00:00.123Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is the instant %s', (text, iso) => {
  expect(instant().parse(text).toISOString()).toBe(iso)
})

test.each([
  ['2026-02-29'],
  ['2026-13-01T00:00:00Z'],
  ['2026-11-21T25:00:00Z'],
  ['2026-11-21T14:00:00+99:00'],
  ['21.11.2026'],
  ['now'],
  [''],
  [1_795_000_000_000],
  [new Date(Number.NaN)],
  // PostgreSQL knows no year 0, .NET none beyond 9999; both count in UTC.
  ['0000-06-01T00:00:00Z'],
  ['0001-01-01T00:00:00+14:00'],
  ['9999-12-31T23:59:59-12:00'],
  [new Date('+010000-01-01T00:00:00Z')],
])('%j is no instant', (value) => {
  expect(outcome(instant(), value)).toBe(instantFault)
})

test('a Date is an instant as it is', () => {
  const date = new Date('2026-11-21T14:00:00Z')
  expect(instant().parse(date)).toBe(date)
})

test.each([
  ['2026-11-21', '2026-11-21'],
  ['2024-02-29', '2024-02-29'],
  ['0001-01-01', '0001-01-01'],
])('%s is a calendar date', (text, expected) => {
  expect(calendarDate().parse(text)).toBe(expected)
})

test.each([['2026-02-30'], ['2026-11-21T00:00:00Z'], ['26-11-21'], ['0000-01-01'], ['']])(
  '%s is no calendar date',
  (text) => {
    expect(outcome(calendarDate(), text)).toBe(
      'fault: Invalid date: expected a calendar date, e.g. 2026-11-21',
    )
  },
)

test.each([
  ['12.50', '12.50'],
  [' 12 ', '12'],
  [12.5, '12.5'],
  [-0.25, '-0.25'],
  [0, '0'],
  ['0.00010', '0.00010'],
  [1e-4, '0.0001'],
  ['99999999999999.9999', '99999999999999.9999'],
  ['0000000000000000001', '0000000000000000001'],
  [1e13, '10000000000000'],
  [3e-3, '0.003'],
])('%j is the decimal %s', (value, expected) => {
  expect(decimal(18, 4).parse(value)).toBe(expected)
})

test.each([
  ['0.00001', 'Too precise: at most 4 digits behind the point'],
  [0.00001, 'Too precise: at most 4 digits behind the point'],
  // JavaScript writes small and large numbers with an exponent.
  [1e-7, 'Too precise: at most 4 digits behind the point'],
  [1e-300, 'Too precise: at most 4 digits behind the point'],
  [1e21, 'Too big: at most 14 digits before the point'],
  [1.5e300, 'Too big: at most 14 digits before the point'],
  ['100000000000000', 'Too big: at most 14 digits before the point'],
  ['1e5', 'Invalid input: expected a decimal number'],
  ['', 'Invalid input: expected a decimal number'],
  ['1,5', 'Invalid input: expected a decimal number'],
  [Number.NaN, 'Invalid input: expected a decimal number'],
  [Number.POSITIVE_INFINITY, 'Invalid input: expected a decimal number'],
  [true, 'Invalid input: expected a decimal number'],
  [undefined, 'a value is required'],
  [null, 'a value is required'],
])('%j is no decimal with 4 digits behind the point: %s', (value, message) => {
  expect(outcome(decimal(18, 4), value)).toBe(`fault: ${message}`)
})

test.each([
  `0.${'0'.repeat(400)}1`,
  `0.${'0'.repeat(900_000)}1`,
  `${'0'.repeat(900_000)}x`,
  ' '.repeat(900_000),
])('a decimal of many zeros is refused in a moment', (text) => {
  const before = performance.now()
  expect(decimal(18, 4).safeParse(text).success).toBe(false)
  expect(performance.now() - before).toBeLessThan(200)
})

test('a small number with an exponent keeps every digit that fits', () => {
  expect(decimal(18, 9).parse(1.25e-7)).toBe('0.000000125')
})

test.each([
  ['-0.01', 'fault: Too small: expected number to be >=0'],
  ['0', '0'],
  ['100', '100'],
  ['100.01', 'fault: Too big: expected number to be <=100'],
])('a decimal from 0 to 100 of %s gives %s', (value, expected) => {
  expect(outcome(decimal(18, 2, { min: 0, max: 100 }), value)).toBe(expected)
})

test.each([
  [1, 1],
  [0, 0],
  ['5', 5],
  ['Air', 1],
  ['sea', 0],
])('%j is the member %d of an enumeration', (value, expected) => {
  expect(enumeration('Mode', Mode).parse(value)).toBe(expected)
})

test.each([
  [1, 'Air'],
  ['5', 'Road'],
  ['Air', 'Air'],
  ['sEA', 'Sea'],
])('%j is the member %s of an enumeration that travels by name', (value, expected) => {
  expect(enumerationName('Mode', Mode).parse(value)).toBe(expected)
})

test.each([
  [2, 'fault: Invalid option: expected one of 0 (Sea), 1 (Air), 5 (Road)'],
  ['Rail', 'fault: Invalid option: expected one of 0 (Sea), 1 (Air), 5 (Road)'],
  [null, 'fault: a value is required'],
])('%j is no member of an enumeration that travels by name', (value, message) => {
  expect(outcome(enumerationName('Mode', Mode), value)).toBe(message)
})

test.each([[2], ['2'], ['Rail'], [''], [1.5], [true], [false], [[]], [[1]], [{}], ['1.0'], ['toString']])(
  '%j is no member of an enumeration',
  (value) => {
    expect(outcome(enumeration('Mode', Mode), value)).toBe(
      'fault: Invalid option: expected one of 0 (Sea), 1 (Air), 5 (Road)',
    )
  },
)

test.each([[null], [undefined]])('%j does not stand for the member 0 of an enumeration', (value) => {
  expect(outcome(enumeration('Mode', Mode), value)).toBe('fault: a value is required')
})

test.each([
  ['instant', instant()],
  ['decimal', decimal(18, 2)],
  ['enumeration', enumeration('Mode', Mode)],
] as const)('an object without a required %s says so', (_name, schema) => {
  expect(outcome(z.object({ member: schema }), {})).toBe('fault: a value is required')
})

test('the members of an enumeration come without its reverse mapping', () => {
  expect(membersOf(Mode as unknown as Record<string, string | number>)).toEqual({ Sea: 0, Air: 1, Road: 5 })
})

test('a GUID is written in lower case', () => {
  expect(guid().parse('3F2504E0-4F89-41D3-9A0C-0305E82C3301')).toBe('3f2504e0-4f89-41d3-9a0c-0305e82c3301')
})

test('the wire kind is seen through optional, nullable and default wrappers', () => {
  const schema = instant().nullish().default(null).readonly()
  expect([wireKind(schema), wireKind(z.string())]).toEqual([{ kind: 'instant' }, undefined])
})
