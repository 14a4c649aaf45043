import { type ColumnMeta, DataType, type EntityMeta } from '../entities/entity.js'
import type { Condition, OrderKey, RelatedRows, Relation, RowVariable, Value } from './expression.js'
import type { JsonMember } from './json-items.js'
import type { Parameter } from './parameter.js'
import type { Scalar } from './scalars.js'

/** A text that is put together in PostgreSQL: constants, columns of the row, and the address of the service. */
export type NotePart =
  | string
  | { readonly column: ColumnMeta; readonly type: Scalar }
  | { readonly late: string }
  /** Which version of the row it is: another text after every change, and after a restore or failover even for the same transaction. */
  | { readonly version: true }
  /** A text that did not come from our own code. */
  | { readonly bound: string | Parameter<string> }

/** The transaction that wrote a row as it is: another one after every change. A column of every table. */
export const rowVersion: ColumnMeta = {
  attribute: 'xmin',
  column: 'xmin',
  type: DataType.BIGINT,
  nullable: false,
  primaryKey: false,
  defaultValue: undefined,
  references: undefined,
  onDelete: 'no action',
  enumeration: undefined,
}

/** A member of the JSON object that a row becomes. Names are our own, except those of values, which a client may have chosen. */
export type Member =
  | { readonly kind: 'column'; readonly name: string; readonly column: ColumnMeta; readonly type: Scalar }
  /** An array; `type` is that of each value. */
  | { readonly kind: 'list'; readonly name: string; readonly column: ColumnMeta; readonly type: Scalar }
  /** The objects of a JSON array. */
  | {
      readonly kind: 'objects'
      readonly name: string
      readonly column: ColumnMeta
      readonly members: readonly JsonMember[]
    }
  /** `isPresent`: without it the member is left out. */
  | {
      readonly kind: 'value'
      readonly name: string
      readonly value: Value
      readonly isPresent?: Value | undefined
    }
  /** An object of values. `isPresent`: without any of these it is left out. `isText`: a text with the object's JSON instead. */
  | {
      readonly kind: 'object'
      readonly name: string
      readonly members: readonly Member[]
      readonly isText?: boolean
      readonly isNull?: Value | undefined
      readonly isPresent?: readonly Value[] | undefined
    }
  /** `isDynamic`: a client chose a part of the name. */
  | {
      readonly kind: 'note'
      readonly name: string
      readonly parts: readonly NotePart[] | null
      readonly isDynamic?: boolean
      readonly isPresent?: Value | undefined
      /** Only where the collection of this name, which stands before it, was cut. */
      readonly ofRest?: string
    }
  | {
      readonly kind: 'one'
      readonly name: string
      readonly relation: Relation
      readonly shape: RowShape
    }
  | {
      readonly kind: 'many'
      readonly name: string
      readonly relation: Relation
      readonly rows: NestedRows
    }
  | { readonly kind: 'count'; readonly name: string; readonly rows: RelatedRows }

/** The members of a row that are shown. */
export interface RowShape {
  readonly row: RowVariable
  readonly members: readonly Member[]
}

/** Related rows inside a row. */
export interface NestedRows {
  /** Where they are not simply the rows of the relation: what a step made of these. */
  readonly source?: RowSource | undefined
  readonly shape: RowShape
  readonly where?: Condition | undefined
  readonly order: readonly OrderKey[]
  readonly skip: number
  /** The most rows shown. */
  readonly limit: number
  /** True when a note `ofRest` is to tell where there are more than `limit`. */
  readonly tellsRest: boolean
}

/** The rows a query is about: of a table, or made by a step of `$apply`. Expressions know them by `row`. */
export type RowSource =
  | { readonly kind: 'table'; readonly row: RowVariable; readonly entity: EntityMeta }
  | { readonly kind: 'step'; readonly row: RowVariable; readonly step: Step }

/**
 * One step of `$apply`. Its values are fields, by position, of the row variable that the next step declares.
 */
export type Step =
  /** Some of the rows; entities stay entities, with all their columns. */
  | {
      readonly kind: 'some'
      readonly from: RowSource
      readonly where?: Condition | undefined
      readonly order: readonly OrderKey[]
      readonly skip?: number | undefined
      readonly top?: number | undefined
      /** As many as it takes for the sum of `by` to reach the amount, or that many per cent of the sum of all. */
      readonly until?: { readonly by: Value; readonly amount: Value; readonly percent: boolean } | undefined
      /** `order`, `top` and `until` are for each group of rows that are equal in these. */
      readonly per?: readonly Value[] | undefined
      readonly fields: readonly Value[]
    }
  /** One row for each group: fields are `by`, then the aggregates, then for a roll-up which of `by` the row is grouped by. */
  | {
      readonly kind: 'group'
      readonly from: RowSource
      readonly where?: Condition | undefined
      readonly by: readonly Value[]
      /** Positions of `by` that are grouped together, for each level of a roll-up; all of them when not given. */
      readonly levels?: readonly (readonly number[])[] | undefined
      readonly aggregates: readonly Aggregate[]
      /** Rows whose values the aggregates count; all when not given. */
      readonly counted?: Condition | undefined
    }
  /** Rows of all parts, of the same fields each, in the order of the parts: the last field says which part. */
  | { readonly kind: 'concat'; readonly parts: readonly ConcatPart[]; readonly types: readonly Scalar[] }

/** A part of `concat`: its rows, and what of them stands in each field; missing where it has nothing there. */
export interface ConcatPart {
  readonly from: RowSource
  readonly where?: Condition | undefined
  readonly fields: readonly (Value | undefined)[]
}

/** A value over many rows. */
export type Aggregate =
  | { readonly kind: 'count' }
  | {
      readonly kind: 'sum' | 'min' | 'max' | 'average' | 'countdistinct'
      readonly value: Value
      readonly type: Scalar
    }
  /** Over the rows that are related to the rows. */
  | {
      readonly kind: 'related'
      readonly method: 'count' | 'countdistinct' | 'sum' | 'min' | 'max' | 'average'
      readonly rows: RelatedRows
      readonly value?: Value | undefined
      readonly type: Scalar
    }

/** A whole query for many rows. */
export interface RowsQuery {
  readonly source: RowSource
  readonly where?: Condition | undefined
  readonly shape: RowShape
  readonly order: readonly OrderKey[]
  readonly skip: number
  readonly limit: number
  /** True to look for a row behind the last one, to say where the next page begins. */
  readonly hasNext: boolean
  /** Also count all rows, whatever the page. */
  readonly count?: { readonly where?: Condition | undefined } | undefined
  /** Counts by value, as JSON `[[field, value, count], …]`. */
  readonly facets?: FacetCounts | undefined
}

/**
 * The passes that count rows by value, and the most values per field: the most frequent ones are returned.
 */
export interface FacetCounts {
  readonly passes: readonly FacetPass[]
  readonly mostValues: number
}

/** One pass over the rows that counts them by the values of columns, each on its own. */
export interface FacetPass {
  readonly where?: Condition | undefined
  readonly columns: readonly { readonly field: number; readonly column: ColumnMeta }[]
}
