import fc from 'fast-check'
import { type Entity, type EntityKind, kinds, type World } from './world.js'

/** What a row is evaluated with: itself, and the rows that relations lead to. */
export interface Context {
  readonly world: World
  readonly row: Entity | null
}

/** A generated expression: as OData writes it, and what it means. */
export interface Generated<T> {
  readonly text: string
  readonly evaluate: (context: Context) => T
}

/** True, false, or null where OData says so. */
export type Truth = boolean | null
type NumberOrNull = number | null
type TextOrNull = string | null

/** The row that a property to one leads to. */
export function one(world: World, set: string, name: string, row: Entity | null): Entity | null {
  const target = kinds[set]?.ones[name] ?? ''
  const id = row?.[`${name}Id`]
  return world[target]?.find((other) => other.Id === id) ?? null
}

/** The rows that a property to many leads to. */
export function many(world: World, set: string, name: string, row: Entity | null): readonly Entity[] {
  const [target = '', by = ''] = kinds[set]?.manys[name] ?? []
  return row ? (world[target]?.filter((other) => other[by] === row.Id) ?? []) : []
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const oneOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values)

const textLiterals = oneOf([
  '',
  'S0',
  'S00',
  'HB1',
  'hb',
  'MSC',
  "O'Neil",
  '%',
  '_',
  '\\',
  'ü',
  'a',
  'pdf',
  'Sea',
  '"',
])
const integerLiterals = oneOf([0, 1, 2, 3, 7, -1, 40, 1000])
const numberLiterals = oneOf([
  '0',
  '1',
  '2.5',
  '7.75',
  '-1',
  '1000',
  '99999999999',
  '-99999999999999999999',
  '3.25',
  '1e3',
])

/** Paths to values: a property, or one behind a property to one. `prefix` is the lambda variable with its slash. */
function paths<T>(
  set: string,
  names: (kind: EntityKind) => readonly string[],
  prefix: string,
): fc.Arbitrary<Generated<T>>[] {
  const kind = kinds[set] as EntityKind
  const direct = names(kind)
  const found: fc.Arbitrary<Generated<T>>[] = []
  if (direct.length)
    found.push(
      oneOf(direct).map((name) => ({
        text: prefix + name,
        evaluate: ({ row }) => (row?.[name] ?? null) as T,
      })),
    )
  for (const [relation, target] of Object.entries(kind.ones)) {
    const behind = names(kinds[target] as EntityKind)
    if (behind.length)
      found.push(
        oneOf(behind).map((name) => ({
          text: `${prefix}${relation}/${name}`,
          evaluate: ({ world, row }) => (one(world, set, relation, row)?.[name] ?? null) as T,
        })),
      )
  }
  return found
}

const lift =
  <A, B, R>(compute: (a: A, b: B) => R) =>
  (a: A | null, b: B | null): R | null =>
    a === null || b === null ? null : compute(a, b)

function integers(set: string, prefix: string): fc.Arbitrary<Generated<NumberOrNull>> | undefined {
  const plain = paths<NumberOrNull>(set, (kind) => kind.integers, prefix)
  const lengths = texts(set, prefix).map((text) => ({
    text: `length(${text.text})`,
    evaluate: (context: Context) => {
      const value = text.evaluate(context)
      return value === null ? null : [...value].length
    },
  }))
  const years = paths<TextOrNull>(set, (kind) => [...kind.instants, ...kind.dates], prefix).map((path) =>
    path.map((instant) => ({
      text: `year(${instant.text})`,
      evaluate: (context: Context) => {
        const value = instant.evaluate(context)
        return value === null ? null : Number(value.slice(0, 4))
      },
    })),
  )
  const base = fc.oneof(...plain, lengths, ...years)
  const computed = fc
    .tuple(base, oneOf(['add', 'sub', 'mul', 'div', 'mod'] as const), oneOf([1, 2, 3, 7]))
    .map(([left, operator, right]) => ({
      text: `${left.text} ${operator} ${right}`,
      evaluate: (context: Context) =>
        lift((a: number, b: number) => arithmetic[operator](a, b))(left.evaluate(context), right),
    }))
  return fc.oneof({ weight: 3, arbitrary: base }, { weight: 1, arbitrary: computed })
}

const arithmetic = {
  add: (a: number, b: number) => a + b,
  sub: (a: number, b: number) => a - b,
  mul: (a: number, b: number) => a * b,
  div: (a: number, b: number) => Math.trunc(a / b),
  mod: (a: number, b: number) => a % b,
}

function texts(set: string, prefix: string): fc.Arbitrary<Generated<TextOrNull>> {
  const base = fc.oneof(...paths<TextOrNull>(set, (kind) => kind.texts, prefix))
  const changed = fc.tuple(base, oneOf(['tolower', 'toupper', 'trim'] as const)).map(([text, name]) => ({
    text: `${name}(${text.text})`,
    evaluate: (context: Context) => {
      const value = text.evaluate(context)
      if (value === null) return null
      return name === 'trim' ? value.trim() : name === 'tolower' ? value.toLowerCase() : value.toUpperCase()
    },
  }))
  const joined = fc.tuple(base, textLiterals).map(([text, literal]) => ({
    text: `concat(${text.text},${quoted(literal)})`,
    evaluate: (context: Context) => lift((a: string, b: string) => a + b)(text.evaluate(context), literal),
  }))
  const cut = fc
    .tuple(base, fc.integer({ min: -3, max: 5 }), fc.option(fc.integer({ min: 0, max: 3 })))
    .map(([text, from, count]) => ({
      text: `substring(${text.text},${from}${count === null ? '' : `,${count}`})`,
      evaluate: (context: Context) => {
        const value = text.evaluate(context)
        if (value === null) return null
        const rest = [...value].slice(from)
        return (count === null ? rest : rest.slice(0, count)).join('')
      },
    }))
  return fc.oneof({ weight: 6, arbitrary: base }, changed, joined, cut)
}

const compare: Readonly<Record<string, (a: number | string, b: number | string) => boolean>> = {
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
}

/** Comparisons are never null: null equals null alone, and is neither less nor greater. */
function compared<T extends number | string | boolean>(operator: string, a: T | null, b: T | null): boolean {
  if (operator === 'eq') return a === b
  if (operator === 'ne') return a !== b
  return a !== null && b !== null && (compare[operator]?.(a as number, b as number) ?? false)
}

const operators = oneOf(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])
const equality = oneOf(['eq', 'ne'])

/** Conditions without others inside. */
function leaves(set: string, prefix: string): fc.Arbitrary<Generated<Truth>> {
  const kind = kinds[set] as EntityKind
  const found: fc.Arbitrary<Generated<Truth>>[] = []
  const text = texts(set, prefix)
  found.push(
    fc.tuple(text, equality, fc.option(textLiterals)).map(([left, operator, right]) => ({
      text: `${left.text} ${operator} ${right === null ? 'null' : quoted(right)}`,
      evaluate: (context) => compared(operator, left.evaluate(context), right),
    })),
    fc.tuple(text, equality, text).map(([left, operator, right]) => ({
      text: `${left.text} ${operator} ${right.text}`,
      evaluate: (context) => compared(operator, left.evaluate(context), right.evaluate(context)),
    })),
    fc
      .tuple(oneOf(['contains', 'startswith', 'endswith'] as const), text, textLiterals)
      .map(([name, left, right]) => ({
        text: `${name}(${left.text},${quoted(right)})`,
        evaluate: (context) =>
          lift((a: string, b: string) =>
            name === 'contains' ? a.includes(b) : name === 'startswith' ? a.startsWith(b) : a.endsWith(b),
          )(left.evaluate(context), right),
      })),
    fc.tuple(text, fc.uniqueArray(fc.option(textLiterals), { maxLength: 4 })).map(([left, list]) => ({
      text: `${left.text} in (${list.map((item) => (item === null ? 'null' : quoted(item))).join(',')})`,
      evaluate: (context) => list.includes(left.evaluate(context)),
    })),
    fc.tuple(text, oneOf(['Code', 'Name'])).map(([left, name]) => ({
      text: `${left.text} in $root/Countries/${name}`,
      evaluate: (context) =>
        (context.world.Countries ?? []).some((country) => country[name] === left.evaluate(context)),
    })),
    fc.tuple(operators, fc.integer({ min: 0, max: 300 })).map(([operator, count]) => ({
      text: `$root/CodeEntities/$count ${operator} ${count}`,
      evaluate: (context) => compared(operator, context.world.CodeEntities?.length ?? 0, count),
    })),
  )
  const whole = integers(set, prefix)
  if (whole)
    found.push(
      fc.tuple(whole, operators, integerLiterals).map(([left, operator, right]) => ({
        text: `${left.text} ${operator} ${right}`,
        evaluate: (context) => compared(operator, left.evaluate(context), right),
      })),
    )
  const numbers = paths<NumberOrNull>(set, (one) => [...one.numbers, ...one.integers], prefix)
  if (numbers.length) {
    const number = fc.oneof(...numbers)
    found.push(
      fc.tuple(number, operators, numberLiterals).map(([left, operator, right]) => ({
        text: `${left.text} ${operator} ${right}`,
        evaluate: (context) => compared(operator, left.evaluate(context), Number(right)),
      })),
      fc.tuple(number, operators, number).map(([left, operator, right]) => ({
        text: `${left.text} ${operator} ${right.text}`,
        evaluate: (context) => compared(operator, left.evaluate(context), right.evaluate(context)),
      })),
      fc.tuple(number, fc.boolean()).map(([left, isNull]) => ({
        text: `${left.text} ${isNull ? 'eq' : 'ne'} null`,
        evaluate: (context) => (left.evaluate(context) === null) === isNull,
      })),
    )
  }
  const instants = paths<TextOrNull>(set, (one) => one.instants, prefix)
  if (instants.length)
    found.push(
      fc
        .tuple(
          fc.oneof(...instants),
          operators,
          oneOf([
            '2026-01-01T00:00:00Z',
            '2026-01-01T01:00:00%2B01:00',
            '2025-12-31T12:00:00Z',
            '2026-03-01T06:30:00Z',
          ]),
        )
        .map(([left, operator, right]) => ({
          text: `${left.text} ${operator} ${right}`,
          evaluate: (context) => {
            const value = left.evaluate(context)
            const moment = Date.parse(decodeURIComponent(right))
            return compared(operator, value === null ? null : Date.parse(value), moment)
          },
        })),
    )
  const dates = paths<TextOrNull>(set, (one) => one.dates, prefix)
  if (dates.length)
    found.push(
      fc
        .tuple(fc.oneof(...dates), operators, oneOf(['2026-01-01', '2026-06-30']))
        .map(([left, operator, right]) => ({
          text: `${left.text} ${operator} ${right}`,
          evaluate: (context) => compared(operator, left.evaluate(context), right),
        })),
    )
  const booleans = paths<boolean | null>(set, (one) => one.booleans, prefix)
  if (booleans.length)
    found.push(
      fc.oneof(...booleans),
      fc.tuple(fc.oneof(...booleans), equality, fc.boolean()).map(([left, operator, right]) => ({
        text: `${left.text} ${operator} ${right}`,
        evaluate: (context) => compared(operator, left.evaluate(context), right),
      })),
    )
  for (const [name, members] of Object.entries(kind.enums)) {
    const rank = (value: string | null) => (value === null ? null : members.indexOf(value))
    found.push(
      fc.tuple(operators, oneOf(members)).map(([operator, member]) => ({
        text: `${prefix}${name} ${operator} '${member}'`,
        evaluate: ({ row }) => compared(operator, rank((row?.[name] ?? null) as string | null), rank(member)),
      })),
      fc.uniqueArray(oneOf(members), { minLength: 1, maxLength: 3 }).map((list) => ({
        text: `${prefix}${name} in (${list.map((member) => `'${member}'`).join(',')})`,
        evaluate: ({ row }) => list.includes((row?.[name] ?? '') as string),
      })),
    )
  }
  for (const name of Object.keys(kind.ones))
    found.push(
      fc.boolean().map((isNull) => ({
        text: `${prefix}${name} ${isNull ? 'eq' : 'ne'} null`,
        evaluate: ({ world, row }) => (one(world, set, name, row) === null) === isNull,
      })),
    )
  return fc.oneof(...found)
}

let variables = 0

/** Conditions about related rows. */
function lambdas(set: string, prefix: string, depth: number): fc.Arbitrary<Generated<Truth>>[] {
  const kind = kinds[set] as EntityKind
  return Object.entries(kind.manys).flatMap(([name, [target]]) => {
    const variable = `x${variables++}`
    const inner = conditions(target, `${variable}/`, depth - 1)
    return [
      fc.tuple(oneOf(['any', 'all'] as const), inner).map(([operator, predicate]) => ({
        text: `${prefix}${name}/${operator}(${variable}:${predicate.text})`,
        evaluate: ({ world, row }: Context): Truth => {
          const rows = many(world, set, name, row)
          const holds = (other: Entity) => predicate.evaluate({ world, row: other }) === true
          return operator === 'any' ? rows.some(holds) : rows.every(holds)
        },
      })),
      ...(kinds[target]?.texts ?? []).map((property) =>
        texts(set, prefix).map((left) => ({
          text: `${left.text} in ${prefix}${name}/${property}`,
          evaluate: (context: Context): Truth =>
            many(context.world, set, name, context.row).some(
              (other) => (other[property] ?? null) === left.evaluate(context),
            ),
        })),
      ),
      fc.constant({
        text: `${prefix}${name}/any()`,
        evaluate: ({ world, row }: Context): Truth => many(world, set, name, row).length > 0,
      }),
      fc.tuple(operators, fc.integer({ min: 0, max: 3 })).map(([operator, count]) => ({
        text: `${prefix}${name}/$count ${operator} ${count}`,
        evaluate: ({ world, row }: Context): Truth =>
          compared(operator, many(world, set, name, row).length, count),
      })),
    ]
  })
}

/** Conditions on rows of a set, up to some depth. */
export function conditions(set: string, prefix = '', depth = 2): fc.Arbitrary<Generated<Truth>> {
  const leaf = leaves(set, prefix)
  if (depth <= 0) return leaf
  const inner = conditions(set, prefix, depth - 1)
  const both = fc.tuple(inner, oneOf(['and', 'or'] as const), inner).map(([left, operator, right]) => ({
    text: `(${left.text} ${operator} ${right.text})`,
    evaluate: (context: Context) => combine(operator, left.evaluate(context), right.evaluate(context)),
  }))
  const negated = inner.map((operand) => ({
    text: `not (${operand.text})`,
    evaluate: (context: Context): Truth => {
      const value = operand.evaluate(context)
      return value === null ? null : !value
    },
  }))
  return fc.oneof(leaf, leaf, both, both, negated, ...lambdas(set, prefix, depth))
}

function combine(operator: 'and' | 'or', a: Truth, b: Truth): Truth {
  const decides = operator === 'or'
  if (a === decides || b === decides) return decides
  return a === null || b === null ? null : !decides
}
