import type { ColumnMeta } from '../../data/entities/entity.js'
import type { FacetField } from '../../data/entities/facet-field.js'
import type { Condition, Value } from '../../data/query/expression.js'
import { passesOf } from '../../data/query/facet-counts.js'
import type { FacetCounts, FacetPass } from '../../data/query/query-tree.js'
import type { EntitySet } from '../model/entity-model.js'
import { allOf } from '../model/value-types.js'
import type { CallerRights } from './caller-rights.js'
import type { Instance } from './expression-scope.js'

/** How many values of one field an answer holds at most; the most frequent ones stay. */
const mostValues = 50

/** The facets of a request: what is counted, in as few passes as the filter allows. */
export interface BoundFacets extends FacetCounts {
  readonly fields: readonly { readonly field: FacetField; readonly column: ColumnMeta }[]
}

/** Each field is counted over the rows that meet all conditions but those on that field alone. */
export function bindFacets(
  set: EntitySet,
  rights: CallerRights,
  instance: Instance,
  where: Condition | undefined,
): BoundFacets | undefined {
  if (!set.facets.length || instance.kind !== 'entity') return undefined
  const fields = set.facets.flatMap(({ field, target }) => {
    const column = set.meta.columns.get(field.attribute)
    return column && (!target || rights.mayRead(target)) ? [{ field, column }] : []
  })
  if (!fields.length) return undefined
  const conjuncts = where?.kind === 'and' ? where.conditions.flatMap(flatten) : where ? [where] : []
  const owned = conjuncts.map((condition) => ({ condition, column: onlyColumn(condition) }))
  const free: { field: number; column: ColumnMeta; hasManyValues?: boolean | undefined }[] = []
  const passes: FacetPass[] = []
  for (const [index, { field, column }] of fields.entries()) {
    const others = owned.filter((one) => one.column !== column)
    if (others.length === owned.length)
      free.push({ field: index, column, hasManyValues: field.hasManyValues })
    else
      passes.push({
        where: allOf(others.map(({ condition }) => condition)),
        columns: [{ field: index, column }],
      })
  }
  for (const columns of passesOf(free)) passes.push({ where: allOf(conjuncts), columns })
  return { fields, passes, mostValues }
}

function flatten(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(flatten) : [condition]
}

/**
 * The only column that a condition is about; undefined when there are several. A condition on the one row
 * that a column leads to is about that column.
 */
function onlyColumn(condition: Condition): ColumnMeta | undefined {
  const seen = new Set<ColumnMeta | undefined>()
  visit(condition)
  const [only] = seen
  return seen.size === 1 ? only : undefined

  function visit(part: Condition): void {
    switch (part.kind) {
      case 'compare':
        visitValue(part.left)
        visitValue(part.right)
        return
      case 'isNull':
      case 'in':
      case 'truth':
        visitValue(part.value)
        return
      case 'and':
      case 'or':
        for (const one of part.conditions) visit(one)
        return
      case 'not':
        visit(part.condition)
        return
      case 'missing':
        seen.add(part.path.via[0]?.own)
        return
      case 'constant':
        return
      default:
        seen.add(undefined)
    }
  }

  function visitValue(value: Value): void {
    switch (value.kind) {
      case 'column':
        seen.add(value.path.via[0]?.own ?? value.column)
        return
      case 'call':
        for (const one of value.args) visitValue(one)
        return
      case 'condition':
        visit(value.condition)
        return
      case 'constant':
      case 'null':
      case 'now':
        return
      default:
        seen.add(undefined)
    }
  }
}
