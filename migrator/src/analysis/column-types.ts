import type { TypeName } from 'libpg-query'

/** The words in which PostgreSQL's parser and people name the same type. */
const names: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  float4: 'real',
  float8: 'double precision',
  bool: 'boolean',
  bpchar: 'char',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  time: 'time without time zone',
}

/** A type as models write it, e.g. `varchar(64)`. */
export function typeText({ names: parts = [], typmods = [], arrayBounds = [] }: TypeName): string {
  const last = parts.at(-1)
  const name = last && 'String' in last ? (last.String.sval ?? '') : ''
  const sizes = typmods.flatMap((size) => ('A_Const' in size ? [String(size.A_Const.ival?.ival ?? 0)] : []))
  return `${names[name] ?? name}${sizes.length ? `(${sizes.join(',')})` : ''}${arrayBounds.length ? '[]' : ''}`
}

interface SizedType {
  readonly name: string
  readonly sizes: readonly number[]
}

function parts(type: string): SizedType {
  const [, name = type, sizes = ''] = /^([^(]+)(?:\(([\d,]+)\))?/.exec(type) ?? []
  return { name, sizes: sizes ? sizes.split(',').map(Number) : [] }
}

/**
 * True when PostgreSQL only changes its catalog: rows of the old type are rows of the new one. `from` may be
 * unknown.
 */
export function isOnlyWider(from: string | undefined, to: string): boolean {
  if (from === undefined) return false
  if (from === to) return true
  const old = parts(from)
  const current = parts(to)
  const [limit] = current.sizes
  if (old.name === 'varchar' && (current.name === 'varchar' || current.name === 'text'))
    return limit === undefined || (old.sizes[0] !== undefined && limit >= old.sizes[0])
  if (old.name === 'text' && current.name === 'varchar') return limit === undefined
  if (old.name === 'numeric' && current.name === 'numeric')
    return (
      limit === undefined ||
      (old.sizes[0] !== undefined && limit >= old.sizes[0] && (old.sizes[1] ?? 0) === (current.sizes[1] ?? 0))
    )
  return false
}

/**
 * True when values of the old type may not fit the new one, so that PostgreSQL refuses the change. `from` may
 * be unknown: then a size is taken as less.
 */
export function isNarrower(from: string | undefined, to: string): boolean {
  const current = parts(to)
  const old = from === undefined ? undefined : parts(from)
  const [limit] = current.sizes
  if (['varchar', 'char', 'numeric'].includes(current.name) && limit !== undefined)
    return old?.name !== current.name || !(old.sizes[0] !== undefined && old.sizes[0] <= limit)
  const rank = wholeNumbers.indexOf(current.name)
  return rank >= 0 && old !== undefined && wholeNumbers.indexOf(old.name) > rank
}

const wholeNumbers = ['smallint', 'integer', 'bigint']
const lossless: Readonly<Record<string, readonly string[]>> = {
  smallint: ['integer', 'bigint', 'numeric', 'real', 'double precision'],
  integer: ['bigint', 'numeric', 'double precision'],
  bigint: ['numeric'],
  real: ['double precision'],
  date: ['timestamp without time zone', 'timestamp with time zone'],
  json: ['jsonb'],
  jsonb: ['json'],
}

/**
 * True when values may be cut or rounded without an error on the way to another type. `from` may be unknown,
 * then the worst is taken.
 */
export function mayLose(from: string | undefined, to: string, isConverted: boolean): boolean {
  if (isOnlyWider(from, to)) return false
  const current = parts(to)
  const old = from === undefined ? undefined : parts(from)
  // A cast that is written down cuts a text that is too long; without one PostgreSQL refuses.
  if (['text', 'varchar', 'char', 'citext'].includes(current.name))
    return isConverted && current.sizes.length > 0
  if (!old)
    return isConverted || !['bigint', 'jsonb', 'uuid', 'timestamp with time zone'].includes(current.name)
  if (current.name === 'numeric' && current.sizes.length > 0) {
    const [precision = 0, scale = 0] = current.sizes
    const [oldPrecision = Number.POSITIVE_INFINITY, oldScale = 0] = old.sizes
    // Too many digits before the point are refused; behind it they are rounded.
    if (wholeNumbers.includes(old.name)) return false
    return !(old.name === 'numeric' && oldPrecision <= precision && oldScale <= scale)
  }
  return !(lossless[old.name]?.includes(current.name) ?? false)
}
