import { type EntityClass, entityMeta } from '../entities/entity.js'
import { type TableWrite, tablesWritten } from './written-tables.js'

interface Watched {
  readonly tellsUpdates: boolean
  /** Columns whose updates invalidate no cache entry. */
  readonly unwatched: ReadonlySet<string>
}

/** Finds the watched tables of a database that a statement of our own changes. */
export class WatchedTables {
  private readonly watched = new Map<string, Watched>()
  /** From a table to the tables whose rows are deleted with its rows. */
  private children: ReadonlyMap<string, readonly string[]> | undefined

  constructor(private readonly entities: readonly EntityClass[]) {
    for (const entity of entities) {
      const { table, watched, tellsDeletes, unwatched, columns } = entityMeta(entity)
      if (watched || tellsDeletes)
        this.watched.set(table, {
          tellsUpdates: watched,
          unwatched: new Set(unwatched.map((attribute) => columns.get(attribute)?.column ?? attribute)),
        })
    }
  }

  /** The watched tables that a statement changes, including those that its deletes cascade to. */
  changedBy(text: string): readonly string[] {
    return tablesWritten(text).flatMap((write) => [
      ...(this.tells(write) ? [write.table] : []),
      ...(write.verb === 'delete' ? this.deletedWith(write.table) : []),
    ])
  }

  /** The watched tables whose rows are deleted with the rows of a table, by foreign keys that cascade. */
  deletedWith(table: string): readonly string[] {
    this.children ??= this.readChildren()
    const found = new Set<string>()
    const visit = (parent: string): void => {
      for (const child of this.children?.get(parent) ?? []) {
        if (found.has(child)) continue
        found.add(child)
        visit(child)
      }
    }
    visit(table)
    return [...found].filter((child) => this.watched.has(child))
  }

  private tells({ table, verb, columns }: TableWrite): boolean {
    const watched = this.watched.get(table)
    if (!watched) return false
    if (verb === 'delete') return true
    if (!watched.tellsUpdates) return false
    return !columns?.every((column) => watched.unwatched.has(column))
  }

  private readChildren(): ReadonlyMap<string, readonly string[]> {
    const children = new Map<string, string[]>()
    for (const { table, columns } of this.entities.map(entityMeta))
      for (const { references, onDelete, foreignKey } of columns.values()) {
        if (!references || onDelete !== 'cascade' || foreignKey === false) continue
        const parent = entityMeta(references()).table
        children.set(parent, [...(children.get(parent) ?? []), table])
      }
    return children
  }
}
