import type { FunctionName, Value } from './expression.js'
import type { Scalar } from './scalars.js'

/** The functions that compute whole numbers of whole numbers, as operators of PostgreSQL. */
export const wholeOperators: Readonly<Partial<Record<FunctionName, string>>> = {
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  mod: '%',
}

/** True for types of whole numbers. */
export function isWhole(type: Scalar): boolean {
  return type === 'Int64' || isSmall(type)
}

/**
 * True for arithmetic with numbers of at most 32 bits that never leaves 64 bits. Where it is compared it is computed in these, so that no value of a
 * column is too large for it.
 */
export function isWide(value: Value): value is Extract<Value, { kind: 'call' }> {
  return value.kind === 'call' && isArithmetic(value) && magnitudeOf(value) < 2 ** 63
}

function isArithmetic({ name, type }: Extract<Value, { kind: 'call' }>): boolean {
  return wholeOperators[name] !== undefined && isSmall(type)
}

/** A bound of a value above and below zero, in 64 bits. */
function magnitudeOf(value: Value): number {
  if (value.kind !== 'call' || !isArithmetic(value))
    return isSmall(value.type) ? 2 ** 31 : Number.POSITIVE_INFINITY
  const [left = 0, right = 0] = value.args.map(magnitudeOf)
  if (value.name === 'mul') return left * right
  return value.name === 'add' || value.name === 'sub' ? left + right : left
}

function isSmall(type: Scalar): boolean {
  return type === 'Int16' || type === 'Int32'
}
