import { Injectable } from '../../modularity/injectable.js'
import type { Database } from '../connections/database.js'
import { Databases } from '../connections/databases.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import { type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import { quote } from '../wire/sql.js'
import type { TextRow } from '../wire/statement.js'

interface RowWriter {
  /** The same for all writers of the same JSON. */
  readonly form: object
  writeReference(row: TextRow): string
}

/** All rows of a small, rarely changing entity, as they were at one version of its table. Never changes. */
export class ReferenceSet {
  private readonly rows = new Map<string, TextRow>()
  private readonly positions: ReadonlyMap<string, number>
  private readonly fragments = new Map<object, Map<string, string>>()
  private readonly indexes = new Map<string, Map<string, string[]>>()

  constructor(
    private readonly meta: EntityMeta,
    rows: readonly TextRow[],
  ) {
    this.positions = new Map([...meta.columns.keys()].map((attribute, index) => [attribute, index]))
    const id = this.position('id')
    for (const row of rows) this.rows.set(row[id] as string, row)
  }

  /** A value of a row in PostgreSQL's text form; undefined when there is no such row, null when it has no value. */
  value(id: string, attribute: string): string | null | undefined {
    return this.rows.get(id)?.[this.position(attribute)]
  }

  /** Whether there is a row with this id. */
  has(id: string): boolean {
    return this.rows.has(id)
  }

  /** The ids of the rows whose attribute is this text, in any case. */
  idsBy(attribute: string, text: string): readonly string[] {
    let index = this.indexes.get(attribute)
    if (!index) {
      index = new Map()
      for (const id of this.rows.keys()) {
        const key = this.value(id, attribute)?.toLowerCase()
        if (key !== undefined) index.set(key, [...(index.get(key) ?? []), id])
      }
      this.indexes.set(attribute, index)
    }
    return index.get(text.toLowerCase()) ?? []
  }

  /** A row as the JSON of a view, written once; undefined when there is no such row. */
  json(id: string, view: RowWriter): string | undefined {
    let written = this.fragments.get(view.form)
    if (!written) {
      written = new Map()
      this.fragments.set(view.form, written)
    }
    let json = written.get(id)
    if (json === undefined) {
      const row = this.rows.get(id)
      if (!row) return undefined
      json = view.writeReference(row)
      written.set(id, json)
    }
    return json
  }

  private position(attribute: string): number {
    const position = this.positions.get(attribute)
    if (position === undefined) throw new Error(`${this.meta.name} has no ${attribute}`)
    return position
  }
}

interface KeptSet {
  readonly version: number
  set: ReferenceSet | Promise<ReferenceSet>
}

/**
 * The coherent in-process copies of reference entities: each is read again when its table has changed, in whichever process. Only for
 * entities that are `watched` and small enough to hold.
 */
@Injectable()
export class ReferenceSets {
  private readonly kept = new Map<EntityClass, KeptSet>()

  constructor(private readonly databases: Databases) {}

  /** The rows of an entity now. Costs nothing while the table is unchanged. */
  of(entity: EntityClass): ReferenceSet | Promise<ReferenceSet> {
    const meta = entityMeta(entity)
    if (!meta.watched)
      throw new Error(
        `${meta.name} is shown by reference but is not watched: say watched: true and give its table the change trigger`,
      )
    const database = this.databases.of(entity)
    if (UnitOfWork.current?.hasChanged(database, meta.table)) return load(database, meta, 'current')
    const watch = database.feed.watch([meta.table])
    if (watch.version !== undefined) return this.at(entity, meta, database, watch.version)
    return watch.refresh().then(() => this.at(entity, meta, database, watch.version))
  }

  /** @param version undefined while changes are not known: then nothing is kept */
  private at(
    entity: EntityClass,
    meta: EntityMeta,
    database: Database,
    version: number | undefined,
  ): ReferenceSet | Promise<ReferenceSet> {
    const kept = this.kept.get(entity)
    if (version !== undefined && kept?.version === version) return kept.set
    const set = load(database, meta, 'committed')
    if (version === undefined) return set
    const entry: KeptSet = { version, set }
    this.kept.set(entity, entry)
    return Promise.resolve(entry.set).then(
      (set) => (entry.set = set),
      (error) => {
        if (this.kept.get(entity) === entry) this.kept.delete(entity)
        throw error
      },
    )
  }
}

async function load(
  database: Database,
  meta: EntityMeta,
  view: 'current' | 'committed',
): Promise<ReferenceSet> {
  const columns = [...meta.columns.values()].map(({ column }) => quote(column)).join(', ')
  return new ReferenceSet(
    meta,
    await database.queryText({ text: `select ${columns} from ${quote(meta.table)}`, values: [] }, view),
  )
}
