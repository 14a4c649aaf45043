import type { Condition, RowPath, Value } from '../../data/query/expression.js'
import type { EntitySet } from '../model/entity-model.js'
import { allOf } from '../model/value-types.js'
import { say } from '../syntax/odata-error.js'
import type { KeyValue } from '../syntax/syntax.js'
import type { Binder } from './binder.js'

/** The keys of an entity, as a condition on it. */
export function bindKeys(
  binder: Binder,
  set: EntitySet,
  path: RowPath,
  keys: readonly KeyValue[],
  place: { readonly at: number },
): Condition {
  const wanted = set.type.keys
  if (keys.length !== wanted.length || (keys.length > 1 && keys.some(({ name }) => name === undefined)))
    binder.refuse(
      say`The key of '${set.type.fullName}' has ${wanted.length} values, each named if there are several.`,
      place,
    )
  const conditions = wanted.map((property): Condition => {
    const key =
      keys.length === 1 && keys[0]?.name === undefined
        ? keys[0]
        : keys.find(({ name }) => name?.toLowerCase() === property.name.toLowerCase())
    if (!key)
      binder.refuse(say`The key of '${set.type.fullName}' needs a value for '${property.name}'.`, place)
    const bound = binder.resolveAlias(key.value)
    if (bound.kind !== 'literal' || bound.type === 'null') binder.refuse('A key must be a literal.', key)
    const typed = binder.typed(bound, property.type)
    if (!typed) binder.mismatch(binder.typeOf(bound), property.type, key)
    if (typed.kind !== 'value') return { kind: 'constant', value: false }
    const left: Value = {
      kind: 'column',
      path,
      column: property.column,
      type: property.type,
      nullable: false,
    }
    return { kind: 'compare', comparison: 'eq', left, right: typed.value }
  })
  return allOf(conditions) as Condition
}
