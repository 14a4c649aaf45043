import type { FunctionName } from '../../data/query/expression.js'
import type { Scalar, ScalarName } from '../../data/query/scalars.js'

/** The types that a function's argument may have. */
export type ArgumentKind = 'text' | 'integer' | 'number' | 'instant' | 'day' | 'time' | 'duration'

/** How a function is called. */
export interface Signature {
  readonly name: FunctionName
  readonly args: readonly ArgumentKind[]
  /** How many of the arguments may be left out, from the end. */
  readonly optional?: number
  readonly result: ScalarName | 'same'
}

/** The types that an argument of a kind may have. */
export const argumentTypes: Readonly<Record<ArgumentKind, readonly Scalar[]>> = {
  text: ['String'],
  integer: ['Int16', 'Int32', 'Int64'],
  number: ['Int16', 'Int32', 'Int64', 'Decimal', 'Single', 'Double'],
  instant: ['DateTimeOffset'],
  day: ['DateTimeOffset', 'Date'],
  time: ['DateTimeOffset', 'TimeOfDay'],
  duration: ['Duration'],
}

/** The functions of texts, times and numbers by their names in OData. */
export const signatures: Readonly<Record<string, Signature>> = {
  contains: { name: 'contains', args: ['text', 'text'], result: 'Boolean' },
  startswith: { name: 'startsWith', args: ['text', 'text'], result: 'Boolean' },
  endswith: { name: 'endsWith', args: ['text', 'text'], result: 'Boolean' },
  length: { name: 'length', args: ['text'], result: 'Int32' },
  indexof: { name: 'indexOf', args: ['text', 'text'], result: 'Int32' },
  substring: { name: 'substring', args: ['text', 'integer', 'integer'], optional: 1, result: 'String' },
  tolower: { name: 'lower', args: ['text'], result: 'String' },
  toupper: { name: 'upper', args: ['text'], result: 'String' },
  trim: { name: 'trim', args: ['text'], result: 'String' },
  concat: { name: 'concat', args: ['text', 'text'], result: 'String' },
  matchespattern: { name: 'matches', args: ['text', 'text'], result: 'Boolean' },
  year: { name: 'year', args: ['day'], result: 'Int32' },
  month: { name: 'month', args: ['day'], result: 'Int32' },
  day: { name: 'day', args: ['day'], result: 'Int32' },
  hour: { name: 'hour', args: ['time'], result: 'Int32' },
  minute: { name: 'minute', args: ['time'], result: 'Int32' },
  second: { name: 'second', args: ['time'], result: 'Int32' },
  fractionalseconds: { name: 'fractionalSeconds', args: ['time'], result: 'Decimal' },
  date: { name: 'dateOf', args: ['instant'], result: 'Date' },
  time: { name: 'timeOf', args: ['instant'], result: 'TimeOfDay' },
  totaloffsetminutes: { name: 'totalOffsetMinutes', args: ['instant'], result: 'Int32' },
  totalseconds: { name: 'totalSeconds', args: ['duration'], result: 'Decimal' },
  round: { name: 'round', args: ['number'], result: 'same' },
  floor: { name: 'floor', args: ['number'], result: 'same' },
  ceiling: { name: 'ceiling', args: ['number'], result: 'same' },
}

/** Every function that expressions may call, but `isof`. */
export const functionNames: readonly string[] = [
  ...Object.keys(signatures),
  'now',
  'mindatetime',
  'maxdatetime',
  'cast',
  'case',
  'hassubset',
]
