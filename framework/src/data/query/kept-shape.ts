import type { ColumnMeta, EntityMeta } from '../entities/entity.js'
import { typeKey } from '../entities/text-columns.js'
import type { RowVariable } from './expression.js'
import { type Member, type RowShape, rowVersion } from './query-tree.js'

/** Which row, and which version of it: what {@link versionsOf} shows of each. */
export interface VersionOfRow {
  readonly id: string
  readonly version: string
}

/** A shape that tells rows and their versions alone, as {@link VersionOfRow}. */
export function versionsOf(row: RowVariable, id: ColumnMeta): RowShape {
  const note = (name: keyof VersionOfRow, column: ColumnMeta): Member => ({
    kind: 'note',
    name,
    parts: [{ column, type: 'Int64' }],
  })
  return { row, members: [note('id', id), note('version', rowVersion)] }
}

/** The column that names rows of an entity: a GUID; undefined for entities with other keys. */
export function idOf({ columns }: EntityMeta): ColumnMeta | undefined {
  const keys = [...columns.values()].filter(({ primaryKey }) => primaryKey)
  const [id] = keys
  return id && keys.length === 1 && typeKey(id) === 'UUID' ? id : undefined
}

/**
 * The entities of which rows are shown inside a row; undefined when its JSON is not decided by the version of the row and the versions of their
 * tables alone: where values are computed, where several related rows are shown, and where related rows change often, are not watched in all
 * their columns, or are not shown to everybody.
 */
export function entitiesInside({ members }: Pick<RowShape, 'members'>): readonly EntityMeta[] | undefined {
  const found: EntityMeta[] = []
  for (const member of members) {
    const inside = entitiesInsideOf(member)
    if (!inside) return undefined
    found.push(...inside)
  }
  return found
}

function entitiesInsideOf(member: Member): readonly EntityMeta[] | undefined {
  switch (member.kind) {
    case 'column':
    case 'list':
    case 'objects':
      return []
    case 'note':
      return member.isDynamic || member.isPresent || member.ofRest ? undefined : []
    case 'object':
      return member.isNull || member.isPresent ? undefined : entitiesInside(member)
    case 'one': {
      const { target } = member.relation
      const { watched, unwatched, referred, rules } = target
      const isForAll = watched && !unwatched.length && referred === 'held' && !rules.length
      const inside = isForAll ? entitiesInside(member.shape) : undefined
      return inside && [target, ...inside]
    }
    default:
      return undefined
  }
}
