import { Injectable } from '../../modularity/injectable.js'
import type { Database } from '../connections/database.js'
import { Databases } from '../connections/databases.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import { type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import { identifier, quote, raw, type Sql, sql, toStatement } from '../wire/sql.js'
import type { TextRow } from '../wire/statement.js'

interface RowWriter {
  /** The same for all writers of the same JSON. */
  readonly form: object
  writeReference(row: TextRow): string
}

/** Rows of an entity, all of them or those that were asked for, as they were at one version of its table. Never changes. */
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

  /** True when there is a row with this id. */
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

/** A table that is joined instead of held, as it was at one version; undefined where that is not known. */
export class JoinedTable {
  constructor(readonly version: number | undefined) {}
}

/** Where rows that others refer to come from: from memory, or from their table. */
export type Referred = ReferenceSet | JoinedTable

interface KeptSet {
  readonly version: number
  set: Referred | Promise<Referred>
}

/**
 * Rows that others refer to. Of entities that are held, each process has a coherent copy, which is read again when the table has changed, in
 * whichever process; of those that are joined, and of held ones that outgrew `Database:MaxHeldRows`, only the rows that are asked for are read.
 */
@Injectable()
export class ReferenceSets {
  private readonly kept = new Map<EntityClass, KeptSet>()
  private readonly outgrown = new Set<EntityClass>()

  constructor(private readonly databases: Databases) {}

  /** Where the rows of an entity come from now. Costs nothing while the table is unchanged. */
  referred(entity: EntityClass): Referred | Promise<Referred> {
    const meta = entityMeta(entity)
    const database = this.databases.of(entity)
    const isJoined = meta.referred === 'joined' || this.outgrown.has(entity)
    if (!meta.watched) {
      if (isJoined) return new JoinedTable(undefined)
      throw new Error(
        `${meta.name} is shown by reference but is not watched: say watched: true and give its table the change trigger, or say referred: 'joined'`,
      )
    }
    if (UnitOfWork.current?.hasChanged(database, meta.table))
      return isJoined ? new JoinedTable(undefined) : this.load(entity, database, 'current')
    const watch = database.feed.watch([meta.table])
    if (watch.version !== undefined) return this.at(entity, database, watch.version)
    return watch.refresh().then(() => this.at(entity, database, watch.version))
  }

  /** A set in which the rows with these ids are, if they exist; there may be others. */
  async rows(entity: EntityClass, ids: Iterable<string | null | undefined>): Promise<ReferenceSet> {
    const referred = await this.referred(entity)
    if (referred instanceof ReferenceSet) return referred
    const wanted = [...new Set(ids)].filter((id) => id)
    return this.read(entity, wanted.length ? sql`"Id" = any(${wanted}::uuid[])` : undefined)
  }

  /** A set in which the rows are whose attribute is one of these texts, in any case; there may be others. */
  async matching(entity: EntityClass, attribute: string, texts: readonly string[]): Promise<ReferenceSet> {
    const referred = await this.referred(entity)
    if (referred instanceof ReferenceSet) return referred
    const column = entityMeta(entity).columns.get(attribute)
    if (!column) throw new Error(`${entityMeta(entity).name} has no ${attribute}`)
    const wanted = texts.map((text) => text.toLowerCase())
    return this.read(
      entity,
      wanted.length
        ? sql`lower(${identifier(column.column)}::text) = any(${wanted}::text[]) limit ${this.databases.of(entity).maxHeldRows}`
        : undefined,
    )
  }

  /** Rows of a joined table; none without a condition. */
  private async read(entity: EntityClass, condition: Sql | undefined): Promise<ReferenceSet> {
    const meta = entityMeta(entity)
    if (!condition) return new ReferenceSet(meta, [])
    const statement = sql`select ${columnsOf(meta)} from ${identifier(meta.table)} where ${condition}`
    return new ReferenceSet(meta, await this.databases.of(entity).queryText(toStatement(statement)))
  }

  /** @param version undefined while changes are not known: then nothing is kept */
  private at(
    entity: EntityClass,
    database: Database,
    version: number | undefined,
  ): Referred | Promise<Referred> {
    const kept = this.kept.get(entity)
    if (version !== undefined && kept?.version === version) return kept.set
    const isJoined = entityMeta(entity).referred === 'joined' || this.outgrown.has(entity)
    const set = isJoined ? new JoinedTable(version) : this.load(entity, database, 'committed', version)
    if (version === undefined) return set
    const entry: KeptSet = { version, set }
    this.kept.set(entity, entry)
    if (set instanceof JoinedTable) return set
    return Promise.resolve(entry.set).then(
      (set) => (entry.set = set),
      (error) => {
        if (this.kept.get(entity) === entry) this.kept.delete(entity)
        throw error
      },
    )
  }

  /** The whole table, unless it has too many rows. */
  private async load(
    entity: EntityClass,
    database: Database,
    view: 'current' | 'committed',
    version?: number,
  ): Promise<Referred> {
    const meta = entityMeta(entity)
    const table = identifier(meta.table)
    const { maxHeldRows } = database
    const counted = sql`select count(*) > ${maxHeldRows} from (select from ${table} limit ${maxHeldRows}::int + 1) c`
    const [[isTooLarge] = []] = await database.queryText(toStatement(counted), view)
    if (isTooLarge === 't') {
      if (!this.outgrown.has(entity))
        database.logger.warn(
          { table: meta.table, maxHeldRows },
          'a table that is held in memory has more than Database:MaxHeldRows rows: it is joined from now on',
        )
      this.outgrown.add(entity)
      return new JoinedTable(version)
    }
    const whole = sql`select ${columnsOf(meta)} from ${table}`
    return new ReferenceSet(meta, await database.queryText(toStatement(whole), view))
  }
}

/** All columns, in the order of a {@link ReferenceSet}. */
function columnsOf(meta: EntityMeta): Sql {
  return raw([...meta.columns.values()].map(({ column }) => quote(column)).join(', '))
}
