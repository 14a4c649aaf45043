import { containing, raw, type Sql, sql } from '../sql.js'
import type { FunctionName, Value } from './expression.js'
import type { Scalar } from './scalars.js'
import { computedType, jsonForm } from './storage.js'

type Call = Extract<Value, { kind: 'call' }>
type Writer = (call: Call, args: readonly Sql[], write: (value: Value) => Sql) => Sql

const unicodeBlanks =
  "E' \\t\\n\\u000b\\f\\r\\u0085\\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'"

const pattern = (before: string, after: string) => (text: string) =>
  `${before}${containing(text).slice(1, -1)}${after}`

/** `like` for a constant, so that a trigram index serves; another function for what is only known in the row. */
function search(toPattern: (text: string) => string, otherwise: (a: Sql, b: Sql) => Sql): Writer {
  return ({ args: [, wanted] }, [a = raw(''), b = raw('')]) =>
    wanted?.kind === 'constant' ? sql`${a} like ${toPattern(String(wanted.value))}` : otherwise(a, b)
}

const part =
  (field: string): Writer =>
  (_call, [x]) =>
    sql`extract(${raw(field)} from ${x})::integer`

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

function isNumber(type: Scalar): boolean {
  return typeof type === 'string' && ['Int16', 'Int32', 'Int64', 'Decimal', 'Single', 'Double'].includes(type)
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
  substring: ({ args }, [text, from, count]) => {
    const start = args[1]
    const fixed = start?.kind === 'constant' ? Number(start.value) : undefined
    const some = count ? sql`, ${count}` : raw('')
    if (fixed !== undefined && fixed >= 0) return sql`substr(${text}, ${from} + 1${some})`
    const fromEnd = sql`right(${text}, -${from})`
    const ending = count ? sql`left(${fromEnd}, ${count})` : fromEnd
    if (fixed !== undefined) return ending
    return sql`(case when ${from} < 0 then ${ending} else substr(${text}, greatest(${from}, 0) + 1${some}) end)`
  },
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
  second: (_call, [x]) => sql`floor(extract(second from ${x}))::integer`,
  fractionalSeconds: (_call, [x]) => sql`mod(extract(second from ${x})::numeric, 1)`,
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
  div: (call, operands, write) => withDuration('/', call, operands) ?? infix('/')(call, operands, write),
  mod: (call, operands, write) => {
    if (call.type !== 'Double' && call.type !== 'Single') return infix('%')(call, operands, write)
    return sql`mod(${operands[0]}::numeric, ${operands[1]}::numeric)::${raw(computedType(call.type))}`
  },
  neg: (_call, [x]) => sql`(- ${x})`,
  has: (_call, [a, b]) => sql`((${a} & ${b}) = ${b})`,
  dateDifference: (_call, [a, b]) => sql`((${a} - ${b}) * interval '1 day')`,
  cast: ({ type, args: [from] }, [x = raw('null')]) => (from ? castSql(type, from.type, x) : x),
}

/** A duration times or by a number. */
function withDuration(operator: string, { type, args }: Call, [l, r]: readonly Sql[]): Sql | undefined {
  if (type !== 'Duration') return undefined
  const [left, right] =
    args[0]?.type === 'Duration' ? [l, sql`${r}::double precision`] : [sql`${l}::double precision`, r]
  return sql`(${left} ${raw(operator)} ${right})`
}

/** What does not fit becomes null. */
function castSql(to: Scalar, from: Scalar, x: Sql): Sql {
  if (to === 'String') {
    const text =
      typeof from === 'string' && isNumber(from) ? '#::text' : jsonForm(from, '#', { ieee754: false })
    return sql`(${splice(text, x)})::text`
  }
  const limits = typeof to === 'string' ? integerLimits[to] : undefined
  const target = raw(computedType(to))
  if (!limits || from === 'Int16') return sql`${x}::${target}`
  return sql`(case when trunc(${x}::numeric) between ${raw(limits)} then trunc(${x}::numeric)::${target} end)`
}

const integerLimits: Readonly<Record<string, string>> = {
  Int16: '-32768 and 32767',
  Int32: '-2147483648 and 2147483647',
  Int64: '-9223372036854775808 and 9223372036854775807',
}

/** Our own text with SQL in the places of `#`. */
function splice(text: string, x: Sql): Sql {
  const [first = '', ...rest] = text.split('#')
  return rest.reduce((all, next) => sql`${all}${x}${raw(next)}`, raw(first))
}

/** A call as SQL. @param write writes the arguments, each in its computed type */
export function functionSql(call: Call, write: (value: Value) => Sql): Sql {
  return writers[call.name](
    call,
    call.args.map((arg) => write(arg)),
    write,
  )
}
