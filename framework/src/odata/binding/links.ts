import { type Condition, columnOf, type RowPath, RowVariable } from '../../data/query/expression.js'
import type { Links, Navigation } from '../model/entity-model.js'

/** The condition that a many-to-many navigation property leads from one row to another. */
export function isLinked(
  { own, theirs }: Pick<Navigation, 'own' | 'theirs'>,
  links: Links,
  from: RowPath,
  target: RowVariable,
): Condition {
  const link = new RowVariable(links.meta)
  const where: Condition = {
    kind: 'compare',
    comparison: 'eq',
    left: columnOf(link, links.own, own.type),
    right: { kind: 'column', path: from, column: own.column, type: own.type, nullable: from.via.length > 0 },
  }
  const relation = { own: theirs.column, target: links.meta, theirs: links.theirs }
  return { kind: 'any', rows: { from: { row: target, via: [] }, relation, row: link, where } }
}
