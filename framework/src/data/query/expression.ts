import type { ColumnMeta, EntityMeta } from '../entities/entity.js'
import type { JsonField, JsonMember } from './json-items.js'
import type { Parameter } from './parameter.js'
import type { Scalar } from './scalars.js'

/** Stands for a row of a table, or of what a step of `$apply` made: the instance of a request, the variable of a lambda. */
export class RowVariable {
  /** @param entity undefined for rows that are no entities any more */
  constructor(readonly entity: EntityMeta | undefined) {}
}

/** How rows of one entity lead to rows of another. */
export interface Relation {
  /** Of the row at hand. */
  readonly own: ColumnMeta
  readonly target: EntityMeta
  /** Of the target: equals {@link own}. */
  readonly theirs: ColumnMeta
}

/** A row, or the one row that a chain of relations leads to from it; there may be none. */
export interface RowPath {
  readonly row: RowVariable
  readonly via: readonly Relation[]
}

/** The many rows that a relation leads to from a row; without one all rows of an entity. */
export interface RelatedRows {
  readonly from: RowPath
  readonly relation: Relation | undefined
  /** Instead of rows the values of an array of {@link from}, each a row with one field. */
  readonly items?: ColumnMeta | undefined
  /** Of {@link items} that are objects in a JSON array: the members that are the fields of the row. */
  readonly fields?: readonly JsonField[] | undefined
  /** Stands for each of them in {@link where}. */
  readonly row: RowVariable
  readonly where?: Condition | undefined
}

interface Typed {
  readonly type: Scalar
  readonly nullable: boolean
}

/** The value of a constant; a parameter where it may be another in every run of a plan. */
export type ConstantValue = string | boolean | Parameter<string | boolean>

/** An expression with a value. Types were checked when it was made. */
export type Value = Typed &
  (
    | { readonly kind: 'column'; readonly path: RowPath; readonly column: ColumnMeta }
    /** A column by its number, of rows that are no entities, or computed beside one. */
    | { readonly kind: 'field'; readonly row: RowVariable; readonly field: number }
    /** In PostgreSQL's text form, or a boolean. */
    | { readonly kind: 'constant'; readonly value: ConstantValue }
    | { readonly kind: 'null' }
    /** The time of the request, the same everywhere in it. */
    | { readonly kind: 'now' }
    | { readonly kind: 'call'; readonly name: FunctionName; readonly args: readonly Value[] }
    | {
        readonly kind: 'case'
        readonly branches: readonly { readonly when: Condition; readonly value: Value }[]
      }
    | { readonly kind: 'count'; readonly rows: RelatedRows }
    /** Over a value of rows. */
    | {
        readonly kind: 'aggregate'
        readonly rows: RelatedRows
        readonly method: 'sum' | 'min' | 'max' | 'average' | 'countdistinct'
        readonly of: Value
      }
    /** An array as a whole; its type is that of each value. */
    | { readonly kind: 'list'; readonly path: RowPath; readonly column: ColumnMeta }
    /** The objects of a JSON array as a whole; its type says nothing. */
    | {
        readonly kind: 'objects'
        readonly path: RowPath
        readonly column: ColumnMeta
        readonly shown: readonly JsonMember[]
      }
    /** Of the one row of an entity that meets a condition. */
    | { readonly kind: 'lookup'; readonly row: RowVariable; readonly where: Condition; readonly value: Value }
    | { readonly kind: 'condition'; readonly condition: Condition }
  )

/** How two values are compared. */
export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

/** A condition on a row. Comparisons are never null; a boolean value may be. */
export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | {
      readonly kind: 'compare'
      readonly comparison: Comparison
      readonly left: Value
      readonly right: Value
    }
  | { readonly kind: 'isNull'; readonly value: Value }
  | {
      readonly kind: 'in'
      readonly value: Value
      readonly values: readonly (string | Parameter<string>)[]
      readonly orNull: boolean
    }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  /** A boolean value; null makes it, and its negation, not true. */
  | { readonly kind: 'truth'; readonly value: Value }
  /** One of the columns contains the text, in any case. */
  | { readonly kind: 'search'; readonly columns: readonly Value[]; readonly text: string | Parameter<string> }
  | { readonly kind: 'any' | 'all'; readonly rows: RelatedRows; readonly predicate?: Condition | undefined }
  /** No row, or none that may be seen, is at the end of the path. */
  | { readonly kind: 'missing'; readonly path: RowPath }
  /** A page begins behind the row with these values, null or in PostgreSQL's text form, of the order's keys. */
  | {
      readonly kind: 'behind'
      readonly order: readonly OrderKey[]
      readonly last: readonly (string | null | Parameter<string | null>)[]
    }

/** A key of an order. */
export interface OrderKey {
  readonly value: Value
  readonly descending: boolean
}

/**
 * The functions that compute {@link Value}s. Every one is null exactly when an argument is, unless its value
 * says otherwise.
 */
export type FunctionName =
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'length'
  | 'indexOf'
  | 'substring'
  | 'lower'
  | 'upper'
  | 'trim'
  | 'concat'
  | 'matches'
  | 'year'
  | 'month'
  | 'day'
  | 'hour'
  | 'minute'
  | 'second'
  | 'fractionalSeconds'
  | 'dateOf'
  | 'timeOf'
  | 'totalSeconds'
  | 'totalOffsetMinutes'
  | 'round'
  | 'floor'
  | 'ceiling'
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'mod'
  | 'neg'
  | 'has'
  | 'dateDifference'
  | 'cast'

/** A column of a row itself. */
export function columnOf(row: RowVariable, column: ColumnMeta, type: Scalar): Value {
  return { kind: 'column', path: { row, via: [] }, column, type, nullable: column.nullable }
}
