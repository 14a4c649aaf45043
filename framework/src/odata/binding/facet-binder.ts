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
  const fields = set.facets.flatMap(({ field, target, permission, column: own }) => {
    const column = own ?? set.meta.columns.get(field.attribute)
    return column && rights.maySee({ permission }) && (!target || rights.mayRead(target))
      ? [{ field, column }]
      : []
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
  const columns = new Set(columnsIn(condition))
  const [only] = columns
  return columns.size === 1 ? only : undefined
}

/** The columns that a condition is about. Undefined stands for anything that is no column of the row. */
function columnsIn(condition: Condition): readonly (ColumnMeta | undefined)[] {
  switch (condition.kind) {
    case 'compare':
      return [condition.left, condition.right].flatMap(columnsOf)
    case 'isNull':
    case 'in':
    case 'truth':
      return columnsOf(condition.value)
    case 'and':
    case 'or':
      return condition.conditions.flatMap(columnsIn)
    case 'not':
      return columnsIn(condition.condition)
    case 'missing':
      return [condition.path.via[0]?.own]
    case 'constant':
      return []
    default:
      return [undefined]
  }
}

function columnsOf(value: Value): readonly (ColumnMeta | undefined)[] {
  switch (value.kind) {
    case 'column':
      return [value.path.via[0]?.own ?? value.column]
    case 'call':
      return value.args.flatMap(columnsOf)
    case 'condition':
      return columnsIn(value.condition)
    case 'constant':
    case 'null':
    case 'now':
      return []
    default:
      return [undefined]
  }
}
