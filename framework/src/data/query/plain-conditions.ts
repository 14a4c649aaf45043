import type { ColumnMeta } from '../entities/entity.js'
import type { Condition, FunctionName, RelatedRows, RowVariable, Value } from './expression.js'
import { expected, mapParameter, type Parameter } from './parameter.js'
import { type Scalar, sizeOf } from './scalars.js'
import { isWhole, isWide } from './whole-numbers.js'

/** Text columns of at most so many characters may be compared beside row rules; */
const mostTextLength = 4000
/** those of at most so many may be searched, */
const mostSearchedLength = 256
/** those of at most so many may be measured, character by character, */
const mostMeasuredLength = 100
/** for a constant of at most so many, */
const mostPatternLength = 100
/** and with at most so many constants in one condition. */
const mostPatterns = 8
/** Times may be moved by at most so much beside row rules: a thousand years. */
const mostShiftedSeconds = 31_557_600_000

/**
 * Which rows a condition may be evaluated on. `plain` and `total` ones fail on no row and take about the same time on every row, so that they may be
 * evaluated on rows that the caller may not see. Plain ones compare columns, which indexes serve. Total ones compute with columns first, by functions
 * that have a value for each value of the column. `guarded` is everything else, and all that is not named here.
 */
export type Grade = 'plain' | 'total' | 'guarded'

/** Splits a condition into parts that must all be true, by their grades. */
export function partsByGrade(where: Condition | undefined): Readonly<Record<Grade, readonly Condition[]>> {
  const patterns = { left: mostPatterns }
  const parts = { plain: [] as Condition[], total: [] as Condition[], guarded: [] as Condition[] }
  for (const part of where ? conjuncts(where) : []) parts[gradeAt(part, patterns)].push(part)
  return parts
}

/** The grade of a condition as a whole. */
export function gradeOf(condition: Condition): Grade {
  return gradeAt(condition, { left: mostPatterns })
}

function gradeAt(condition: Condition, patterns: Place['patterns']): Grade {
  const computed = { any: false }
  if (!isPlainAt(condition, { patterns, computed })) return 'guarded'
  return computed.any ? 'total' : 'plain'
}

/**
 * The same of the search for a text in columns, as `textIn` writes it: indexes on parts of texts serve for it, and without them it takes no time
 * worth speaking of to look through a short text.
 */
export function isPlainSearch(columns: readonly ColumnMeta[], text: string): boolean {
  const isFew = text.length <= mostPatternLength && columns.length <= mostPatterns
  return isFew && columns.every((column) => lengthOf(column) <= mostSearchedLength)
}

/** Where a condition stands. */
interface Place {
  /** How many more patterns may be looked for, and texts be computed with. */
  readonly patterns: { left: number }
  /** Tells whether total functions were met; undefined where none may stand. */
  readonly computed?: { any: boolean }
  /** In a condition on related rows: these alone may be looked at. */
  readonly only?: RowVariable
}

function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(conjuncts) : [condition]
}

function isPlainAt(condition: Condition, place: Place): boolean {
  switch (condition.kind) {
    case 'constant':
      return true
    case 'compare':
      return isPlainComparison(condition, place)
    case 'in':
    case 'truth':
      return isPlainValue(condition.value, place)
    case 'isNull':
      return isPlainValue(condition.value, place) || isColumn(condition.value, place)
    case 'missing':
      return isAt(condition.path.row, place)
    case 'not':
      return isPlainAt(condition.condition, place)
    case 'and':
    case 'or':
      return condition.conditions.every((part) => isPlainAt(part, place))
    case 'search':
      return condition.columns.every((column) => isSearchable(column, condition.text, place))
    case 'any':
    case 'all':
      return isPlainRelation(condition.rows, condition.predicate, place)
    case 'behind':
      return condition.order.every(({ value }) => isPlainValue(value, place))
    default:
      return false
  }
}

function isPlainValue(value: Value, place: Place): boolean {
  switch (value.kind) {
    case 'column':
      return isColumn(value, place) && isShort(value, mostTextLength)
    case 'field':
      return isAt(value.row, place)
    case 'condition':
      return isPlainAt(value.condition, place)
    case 'call':
      return isSameForAllRows(value) || isPattern(value, place) || isTotal(value, place)
    default:
      return isSameForAllRows(value)
  }
}

/** Numbers of different types are converted to be compared, which can fail; whole numbers always fit into larger ones, and constants are known. */
function isPlainComparison({ left, right }: Extract<Condition, { kind: 'compare' }>, place: Place): boolean {
  if (![left, right].every((side) => isPlainValue(side, place) || isTotalWide(side, place))) return false
  const isLiteral = left.kind === 'constant' || right.kind === 'constant'
  return isLiteral || left.type === right.type || (isWhole(left.type) && isWhole(right.type))
}

/** Rows that a key leads to, and a condition on these alone: a join that depends on nothing else of the row at hand. */
function isPlainRelation(
  { from, relation, row, where }: RelatedRows,
  predicate: Condition | undefined,
  place: Place,
): boolean {
  if (!relation || !isAt(from.row, place)) return false
  const inside: Place = { patterns: place.patterns, only: row }
  return [where, predicate].every((condition) => !condition || isPlainAt(condition, inside))
}

/** True when the value is the same for each row, and there, so that it can reveal nothing about one. */
function isSameForAllRows(value: Value): boolean {
  switch (value.kind) {
    case 'constant':
    case 'null':
    case 'now':
      return true
    case 'call':
      return isFixedTime(value) || isShiftedTime(value)
    default:
      return false
  }
}

/**
 * True for a time that no row decides about, and for a part of one. Other functions of constants may fail or take long, and PostgreSQL computes them
 * anew for each row that it comes to: whether they were computed would tell of that row.
 */
function isFixedTime(value: Value): boolean {
  if (value.kind !== 'call')
    return (value.kind === 'constant' || value.kind === 'now') && times.has(value.type)
  const [of] = value.args
  return timeFunctions.has(value.name) && of !== undefined && isFixedTime(of)
}

/** True for such a time that is moved by no more than some centuries: it stays within what PostgreSQL knows. */
function isShiftedTime({ name, args }: Extract<Value, { kind: 'call' }>): boolean {
  const [time, by] = args
  if ((name !== 'add' && name !== 'sub') || !time || !times.has(time.type) || !isFixedTime(time)) return false
  return by?.kind === 'constant' && by.type === 'Duration' && expected(by.value, isSomeCenturies)
}

/** Of a duration as PostgreSQL has it. */
function isSomeCenturies(duration: string | boolean): boolean {
  return Math.abs(Number.parseFloat(String(duration))) <= mostShiftedSeconds
}

const patterns: readonly FunctionName[] = ['contains', 'startsWith', 'endsWith']

function isPattern({ name, args }: Extract<Value, { kind: 'call' }>, place: Place): boolean {
  const [text, wanted] = args
  if (!patterns.includes(name) || text === undefined || wanted?.kind !== 'constant') return false
  return isSearchable(text, mapParameter(wanted.value, String), place)
}

/**
 * True when it takes no time worth speaking of to look for a text: indexes on parts of texts serve for it.
 */
function isSearchable(value: Value, text: string | Parameter<string>, place: Place): boolean {
  if (!isColumn(value, place) || !isShort(value, mostSearchedLength)) return false
  const isShortText = expected(text, ({ length }) => length <= mostPatternLength)
  return isShortText && --place.patterns.left >= 0
}

/**
 * True for functions that have a value for each value of the column that they are computed from, in a time that is about the same for all of them:
 * texts of these columns are short, and infinite times are taken as the last and the first ones (see `functionSql`). To change the case of a text
 * takes longer than most rules: such functions are cheaper behind these.
 */
function isTotal({ name, args }: Extract<Value, { kind: 'call' }>, place: Place): boolean {
  const [of] = args
  if (!place.computed || !of) return false
  const isOfText = name === 'length' && isMeasured(of, place) && --place.patterns.left >= 0
  const isOfTime = timeFunctions.has(name) && isColumn(of, place) && times.has(of.type)
  if (!isOfText && !isOfTime) return false
  place.computed.any = true
  return true
}

/** True for arithmetic with whole numbers that are compared: nothing but a division by zero can fail in 64 bits. */
function isTotalWide(value: Value, place: Place): boolean {
  if (value.kind !== 'call' || !place.computed || !isWide(value)) return false
  const [left, right] = value.args
  if (!left || !right || !isTotalWhole(left, place) || !isTotalWhole(right, place)) return false
  const divides = value.name === 'div' || value.name === 'mod'
  if (divides && (right.kind !== 'constant' || expected(right.value, (divisor) => Number(divisor) === 0)))
    return false
  place.computed.any = true
  return true
}

function isTotalWhole(value: Value, place: Place): boolean {
  if (value.kind === 'call') return isTotal(value, place) || isTotalWide(value, place)
  return value.kind === 'constant' || isColumn(value, place)
}

const timeFunctions: ReadonlySet<FunctionName> = new Set([
  'year',
  'month',
  'day',
  'hour',
  'minute',
  'second',
  'dateOf',
])
const times: ReadonlySet<Scalar> = new Set(['DateTimeOffset', 'Date', 'TimeOfDay'])

function isMeasured(value: Value, place: Place): boolean {
  return value.type === 'String' && isColumn(value, place) && isShort(value, mostMeasuredLength)
}

function isColumn(value: Value, place: Place): value is Extract<Value, { kind: 'column' }> {
  return value.kind === 'column' && isAt(value.path.row, place)
}

function isAt(row: RowVariable, { only }: Place): boolean {
  return only === undefined || row === only
}

function isShort({ type, column }: Extract<Value, { kind: 'column' }>, most: number): boolean {
  if (type === 'Binary') return false
  return type !== 'String' || lengthOf(column) <= most
}

/** The most characters that a column of texts takes. */
function lengthOf(column: ColumnMeta): number {
  return sizeOf(column).maxLength ?? Number.POSITIVE_INFINITY
}
