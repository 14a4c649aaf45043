import type { Condition, OrderKey, Value } from '../../data/query/expression.js'
import type { RowSource } from '../../data/query/query-tree.js'
import type { Instance, RecordInstance } from './expression-scope.js'

/** The rows that some transformations made of the rows of a set. */
export interface Stage {
  readonly source: RowSource
  readonly where?: Condition | undefined
  readonly instance: Instance
  /** Given by `orderby`, for what follows it. */
  readonly order: readonly OrderKey[]
  /** Keys that make the order of the rows definite, where they are no entities. */
  readonly keys: readonly Value[]
  /** All columns of the source, where its rows are no entities. */
  readonly fields: readonly Value[]
  /** Of a roll-up or `concat`: which rows have a value at all. */
  readonly presence: ReadonlyMap<Value, Value>
  /** Values of the rows that are properties of the model, whose types need not be told. */
  readonly declared: ReadonlySet<Value>
  /** Of objects in the rows: which rows have nothing there. */
  readonly missing: ReadonlyMap<RecordInstance, Value>
}

/** The stage of the rows of a table before any transformation. */
export const untransformed = {
  order: [],
  keys: [],
  fields: [],
  presence: new Map(),
  declared: new Set<Value>(),
  missing: new Map(),
} as const

/** Says whether a value is a property of the model: its type need not be told. */
export function isDeclared(value: Value | undefined, stage: Stage): boolean {
  return value?.kind === 'column' || (value !== undefined && stage.declared.has(value))
}

/** Puts a value where its path says, with objects on the way. */
export function setMember(
  members: Map<string, Value | RecordInstance>,
  path: readonly string[],
  value: Value,
): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    members.set(name, value)
    return
  }
  let inner = members.get(name)
  if (!inner || !('members' in inner)) {
    inner = { kind: 'record', members: new Map() }
    members.set(name, inner)
  }
  setMember(inner.members as Map<string, Value | RecordInstance>, rest, value)
}

/** The object that a path of names leads to. */
export function objectAt(
  members: ReadonlyMap<string, Value | RecordInstance>,
  path: readonly string[],
): RecordInstance | undefined {
  const [name = '', ...rest] = path
  const found = members.get(name)
  if (!found || !('members' in found)) return undefined
  return rest.length ? objectAt(found.members, rest) : found
}

/** All values of a record with their paths. */
export function valuesWithPaths(record: RecordInstance): { path: readonly string[]; value: Value }[] {
  return [...record.members].flatMap(([name, member]) =>
    'members' in member
      ? valuesWithPaths(member).map(({ path, value }) => ({ path: [name, ...path], value }))
      : [{ path: [name], value: member }],
  )
}
