import type { RelatedRows, RowPath, Value } from '../../data/query/expression.js'
import type { Scalar } from '../../data/query/scalars.js'
import type { ComplexType, EntitySet } from '../model/entity-model.js'
import type { Literal } from '../syntax/syntax.js'

/** An entity that names can be looked up on. */
export interface EntityInstance {
  readonly kind: 'entity'
  readonly set: EntitySet
  readonly path: RowPath
  /** Names given by `$compute`. */
  readonly computed: ReadonlyMap<string, Value>
}

/** A row after `groupby` and `aggregate`: names with values, or with further names inside. */
export interface RecordInstance {
  readonly kind: 'record'
  readonly members: ReadonlyMap<string, Value | RecordInstance>
  /** Of a complex property, and of the objects of a collection: their type. */
  readonly typeName?: string
  /** Of a complex property: all members of its type, also those that the caller may not see. */
  readonly declared?: ComplexType['members']
}

/** The start of a path. */
export type Instance = EntityInstance | RecordInstance

/** Where an expression stands. */
export interface Scope {
  /** `$it`. */
  readonly it: Instance
  /** The instance that names without a prefix belong to. */
  readonly current: Instance
  readonly variables?:
    | ReadonlyMap<string, EntityInstance | RecordInstance | Extract<Bound, { kind: 'value' }>>
    | undefined
  /** `$this`, where it is no entity but one of a list. */
  readonly self?: Item | undefined
}

/** A bound expression. */
export type Bound =
  | { readonly kind: 'value'; readonly value: Value }
  /** Its type may follow the other operand. */
  | { readonly kind: 'literal'; readonly literal: Literal }
  | { readonly kind: 'entity'; readonly instance: EntityInstance }
  | { readonly kind: 'rows'; readonly set: EntitySet; readonly rows: RelatedRows }
  /** The values of a list. */
  | { readonly kind: 'items'; readonly type: Scalar; readonly rows: RelatedRows }
  /** The objects of a collection. */
  | { readonly kind: 'objects'; readonly object: RecordInstance; readonly rows: RelatedRows }

/** One of a list: a value, or an object. */
export type Item = Extract<Bound, { kind: 'value' }> | RecordInstance

/** A list of values, or of objects. */
export type ListBound = Extract<Bound, { kind: 'items' | 'objects' }>

/** The member of this name, in any case when none is written exactly so. */
export function memberOf(record: RecordInstance, name: string): Value | RecordInstance | undefined {
  const exact = record.members.get(name)
  if (exact) return exact
  const lower = name.toLowerCase()
  return [...record.members].find(([known]) => known.toLowerCase() === lower)?.[1]
}

/** An instance as the start of a path. */
export function pathStart(instance: Instance): Bound | RecordInstance {
  return instance.kind === 'entity' ? { kind: 'entity', instance } : instance
}

/** The value that stands for each of a list. */
export function itemValue({ type, rows }: Extract<Bound, { kind: 'items' }>): Value {
  return { kind: 'field', row: rows.row, field: 0, type, nullable: true }
}

/**
 * The scope of an expression about each item of a list: `$this` is the item, and the members of objects are
 * known by their names.
 */
export function itemScope(list: ListBound, scope: Scope): Scope & { readonly self: Item } {
  if (list.kind === 'objects') return { ...scope, current: list.object, self: list.object }
  return { ...scope, self: { kind: 'value', value: itemValue(list) } }
}
