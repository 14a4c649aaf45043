import { containing, join, raw, type Sql, sql } from '../wire/sql.js'
import { castSql, isNumber } from './cast-sql.js'
import type { FunctionName, Value } from './expression.js'
import { expected, mapParameter } from './parameter.js'
import { firstInstant, lastInstant, type Scalar } from './scalars.js'
import { computedType } from './storage.js'

type Call = Extract<Value, { kind: 'call' }>
type Writer = (call: Call, args: readonly Sql[], write: (value: Value) => Sql) => Sql

const unicodeBlanks =
  "E' \\t\\n\\u000b\\f\\r\\u0085\\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'"

const pattern = (before: string, after: string) => (text: string) =>
  `${before}${containing(text).slice(1, -1)}${after}`

/** `like` for a constant, so that a trigram index serves; another function for what is only known in the row. */
function search(toPattern: (text: string) => string, otherwise: (a: Sql, b: Sql) => Sql): Writer {
  return ({ args: [, wanted] }, [a = raw(''), b = raw('')]) =>
    wanted?.kind === 'constant'
      ? sql`${a} like ${mapParameter(wanted.value, (text) => toPattern(String(text)))}`
      : otherwise(a, b)
}

const part =
  (field: string): Writer =>
  (call, operands) =>
    ofFinite(call, operands, (x) => sql`extract(${raw(field)} from ${x})::integer`)

/** A part of a time; an infinite one is what it is told as. */
function ofFinite({ args }: Call, operands: readonly Sql[], write: (x: Sql) => Sql): Sql {
  const type = args[0]?.type
  const ends =
    type === 'Date' ? [lastInstant, firstInstant].map((end) => end.slice(0, 10)) : [lastInstant, firstInstant]
  if (type !== 'Date' && type !== 'DateTimeOffset') return write(operands[0] ?? raw('null'))
  const [last, first] = ends.map((end) => raw(`'${end}'::${computedType(type)}`))
  return once(args, operands, ([x = raw('null')]) =>
    write(
      sql`(case when ${x} = 'infinity' then ${last} when ${x} = '-infinity' then ${first} else ${x} end)`,
    ),
  )
}

const infix =
  (operator: string): Writer =>
  ({ type, args }, operands) => {
    const [l, r] = operands.map((operand, index) => promoted(operand, args[index]?.type, type))
    return sql`(${l} ${raw(operator)} ${r})`
  }

/** A number in the type that the result is computed in; anything else as it is. */
function promoted(operand: Sql, from: Scalar | undefined, to: Scalar): Sql {
  const type = computedType(to)
  return isNumber(to) && from !== to ? sql`${operand}::${raw(type)}` : operand
}

const roundedBy =
  (name: string): Writer =>
  ({ type }, [x]) =>
    type === 'Decimal'
      ? sql`${raw(name)}(${x})`
      : sql`${raw(name)}(${x}::numeric)::${raw(computedType(type))}`

const writers: Readonly<Record<FunctionName, Writer>> = {
  contains: search(pattern('%', '%'), (a, b) => sql`(strpos(${a}, ${b}) > 0)`),
  startsWith: search(pattern('', '%'), (a, b) => sql`starts_with(${a}, ${b})`),
  endsWith: search(pattern('%', ''), (a, b) => sql`(right(${a}, length(${b})) = ${b})`),
  length: (_call, [x]) => sql`length(${x})`,
  indexOf: (_call, [a, b]) => sql`(strpos(${a}, ${b}) - 1)`,
  substring: ({ args }, operands) => once(args, operands, (names) => substring(args[1], names)),
  lower: (_call, [x]) => sql`lower(${x})`,
  upper: (_call, [x]) => sql`upper(${x})`,
  trim: (_call, [x]) => sql`btrim(${x}, ${raw(unicodeBlanks)})`,
  concat: (_call, [a, b]) => sql`(${a} || ${b})`,
  matches: (_call, [a, b]) => sql`(${a} ~ ${b})`,
  year: part('year'),
  month: part('month'),
  day: part('day'),
  hour: part('hour'),
  minute: part('minute'),
  second: (call, operands) => ofFinite(call, operands, (x) => sql`floor(extract(second from ${x}))::integer`),
  fractionalSeconds: (call, operands) =>
    ofFinite(call, operands, (x) => sql`mod(extract(second from ${x})::numeric, 1)`),
  dateOf: (_call, [x]) => sql`(${x} at time zone 'UTC')::date`,
  timeOf: (_call, [x]) => sql`(${x} at time zone 'UTC')::time`,
  totalSeconds: (_call, [x]) => sql`extract(epoch from ${x})::numeric`,
  totalOffsetMinutes: (_call, [x]) => sql`(case when ${x} is not null then 0 end)`,
  round: roundedBy('round'),
  floor: roundedBy('floor'),
  ceiling: roundedBy('ceil'),
  add: (call, operands, write) =>
    call.type === 'Date' ? sql`(${operands[0]} + ${operands[1]})::date` : infix('+')(call, operands, write),
  sub: (call, operands, write) =>
    call.type === 'Date' ? sql`(${operands[0]} - ${operands[1]})::date` : infix('-')(call, operands, write),
  mul: (call, operands, write) => withDuration('*', call, operands) ?? infix('*')(call, operands, write),
  div: (call, operands, write) => {
    const divide = infix('/')
    if (!isFloat(call.type)) return withDuration('/', call, operands) ?? divide(call, operands, write)
    return once(call.args, operands, (names) => byZero(call, names, 'quotient', divide(call, names, write)))
  },
  mod: (call, operands, write) => {
    if (!isFloat(call.type)) return infix('%')(call, operands, write)
    return once(call.args, operands, ([l, r]) => {
      const rest = sql`mod(${l}::numeric, ${r}::numeric)::${raw(computedType(call.type))}`
      return byZero(call, [l, r], 'rest', rest)
    })
  },
  neg: (_call, [x]) => sql`(- ${x})`,
  has: (_call, [a, b]) => sql`((${a} & ${b}) = ${b})`,
  dateDifference: (_call, [a, b]) => sql`((${a} - ${b}) * interval '1 day')`,
  cast: ({ type, args }, operands) =>
    once(args, operands, ([x = raw('null')]) => castSql(type, args[0]?.type ?? type, x)),
}

function substring(start: Value | undefined, [text, from, count]: readonly Sql[]): Sql {
  const sign = start?.kind === 'constant' ? expected(start.value, signOf) : undefined
  const some = count ? sql`, ${count}` : raw('')
  if (sign === '+') return sql`substr(${text}, ${from} + 1${some})`
  const fromEnd = sql`right(${text}, -${from})`
  const ending = count ? sql`left(${fromEnd}, ${count})` : fromEnd
  if (sign === '-') return ending
  return sql`(case when ${from} < 0 then ${ending} else substr(${text}, greatest(${from}, 0) + 1${some}) end)`
}

function signOf(number: string | boolean): '+' | '-' {
  return Number(number) >= 0 ? '+' : '-'
}

function isFloat(type: Scalar): boolean {
  return type === 'Single' || type === 'Double'
}

/** The IEEE 754 result of a division by zero, which PostgreSQL refuses; the quotient otherwise. */
function byZero(
  { type }: Call,
  [l, r]: readonly (Sql | undefined)[],
  what: 'quotient' | 'rest',
  otherwise: Sql,
): Sql {
  const [dividend, divisor] = [l, r].map((operand) => sql`${operand}::double precision`)
  const infinite = sql`case when ${dividend} = 0 or ${dividend} = 'NaN' then 'NaN' when (${dividend} > 0) = (${divisor}::text not like '-%') then 'Infinity' else '-Infinity' end`
  const result = what === 'rest' ? raw("'NaN'") : infinite
  return sql`(case when ${divisor} = 0 and ${dividend} is not null then (${result})::${raw(computedType(type))} else ${otherwise} end)`
}

/** A duration times or by a number. */
function withDuration(operator: string, { type, args }: Call, [l, r]: readonly Sql[]): Sql | undefined {
  if (type !== 'Duration') return undefined
  const [left, right] =
    args[0]?.type === 'Duration' ? [l, sql`${r}::double precision`] : [sql`${l}::double precision`, r]
  return sql`(${left} ${raw(operator)} ${right})`
}

/**
 * Operands that stand in SQL once, however often a function writes them: calls inside of calls would double the text with every level.
 * Short expressions without cost are written as they are.
 */
function once(args: readonly Value[], operands: readonly Sql[], write: (names: readonly Sql[]) => Sql): Sql {
  if (args.every(({ kind }) => atoms.has(kind))) return write(operands)
  const list = operands.map((operand, index) => sql`${operand} as v${raw(String(index))}`)
  const written = write(operands.map((_, index) => raw(`o.v${index}`)))
  return sql`(select ${written} from (select ${join(list, ', ')} offset 0) o)`
}

const atoms: ReadonlySet<Value['kind']> = new Set(['column', 'field', 'constant', 'null', 'now'])

/** A call as SQL. @param write writes the arguments, each in its computed type */
export function functionSql(call: Call, write: (value: Value) => Sql): Sql {
  return writers[call.name](
    call,
    call.args.map((arg) => write(arg)),
    write,
  )
}
