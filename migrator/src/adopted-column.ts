import type { ColumnSnapshot } from '@keel/framework/data'
import { isOnlyWider } from './analysis/column-types.js'

/** How a column of a database that others made becomes one of ours. */
export interface Fit {
  /** As it is while rows that are there get a value. */
  readonly filled: ColumnSnapshot
  /** As it is in the end. */
  readonly final: ColumnSnapshot
  /** Why it can't. */
  readonly fault?: string
}

/**
 * Fits a column that is there to the one that is wanted; either may be missing. A wider type stays, a narrower one is widened where that
 * writes no row, a column that we do not know stays as it is.
 */
export function fitColumn(
  own: ColumnSnapshot | undefined,
  wanted: ColumnSnapshot | undefined,
  isMade: boolean,
): Fit {
  if (own && wanted) return fitKnown(own, wanted)
  if (own) return fitUnknown(own, isMade)
  if (wanted) return fitMissing(wanted)
  throw new Error('there is no column to fit')
}

function fitKnown(own: ColumnSnapshot, wanted: ColumnSnapshot): Fit {
  const isWide = isOnlyWider(wanted.type, own.type)
  const fits = isWide || isOnlyWider(own.type, wanted.type)
  const value = wanted.default ?? own.default
  const final = {
    name: own.name,
    type: isWide ? own.type : wanted.type,
    nullable: wanted.nullable,
    ...(value !== undefined && { default: value }),
  }
  return { filled: final, final, ...(!fits && { fault: `is ${own.type}, and has to be ${wanted.type}` }) }
}

/** Our programs give it no value, so it must be able to go without. */
function fitUnknown(own: ColumnSnapshot, isMade: boolean): Fit {
  const isFree = own.nullable || own.default !== undefined || isMade
  return {
    filled: own,
    final: own,
    ...(!isFree && { fault: 'is required and not known here: give it a default, or let it be null' }),
  }
}

function fitMissing(wanted: ColumnSnapshot): Fit {
  if (wanted.nullable || wanted.default !== undefined) return { filled: wanted, final: wanted }
  const value = stopgapFor(wanted)
  if (value === undefined)
    return {
      filled: wanted,
      final: wanted,
      fault: `is missing, and nobody knows its value (${wanted.type}) for the rows that are there: add it`,
    }
  return { filled: { ...wanted, default: value }, final: wanted }
}

/**
 * The value of a new required column in existing rows, as EF Core fills it; undefined for types in which any
 * value has a meaning.
 */
function stopgapFor({ name, type }: ColumnSnapshot): string | undefined {
  if (name === 'ExtraProperties') return `'{}'`
  if (/^(varchar|char|text|citext)/.test(type)) return `''`
  if (/^(smallint|integer|bigint|numeric|real|double precision)/.test(type)) return '0'
  if (type === 'boolean') return 'false'
  if (type.startsWith('timestamp')) return 'now()'
  return undefined
}
