import { EntityChangeType } from '../../auditing/audit-log.js'
import type { EntityEventKind } from '../../contracts/events.js'
import type { AnyDto } from '../../contracts/index.js'
import { ambient } from '../../modularity/ambient.js'
import type { Database } from '../connections/database.js'
import type { Databases } from '../connections/databases.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import { type ColumnMeta, type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import type { BaseEntity } from '../entities/entity-bases.js'
import type { EntityChanges } from '../entities/entity-changes.js'
import { sequentialGuid } from '../entities/guid.js'
import type { RowRules } from '../entities/row-rules.js'
import { typeKey } from '../entities/text-columns.js'
import { and, identifier, join, raw, type Sql, sql } from '../wire/sql.js'
import { columnList, RowDiagnosis } from './row-diagnosis.js'
import { mostRowFaults, type RowFault, RowsRefusedError, rowFault } from './rows-refused.js'
import { type RowSource, StagedRows } from './staged-rows.js'
import { alreadyExists, translateWriteError } from './write-errors.js'

export type { RowSource } from './staged-rows.js'

/** Options of writing many rows at once. */
export interface ManyRowsOptions {
  /** `count`: the audit log has one entry with their number. `rows`: one for each, of which a request keeps the first thousand. */
  readonly audit: 'count' | 'rows'
  /**
   * `batch`: listeners get one event with their number (`EntitiesWritten`, `entitiesWritten`). `rows`: those of single writes, which
   * reads each row that has listeners.
   */
  readonly events: 'batch' | 'rows'
  /** Every row is checked by this input of a contract first, as one that comes over HTTP. Its other members are taken as they are. */
  readonly input?: AnyDto
}

/** How `insertMany` writes rows. */
export interface InsertManyOptions extends ManyRowsOptions {
  /** `keep`: rows whose id or unique key is there already are left out. Without it they are refused. */
  readonly existing?: 'keep'
}

/** How `upsertMany` writes rows. */
export interface UpsertManyOptions<T> extends ManyRowsOptions {
  /** The attributes of a unique key. A row without a value in one of them is new. */
  readonly by: readonly (keyof T & string)[]
}

/** How many rows were written. Rows that had their values already are not among the updated ones. */
export interface ManyWritten {
  readonly inserted: number
  readonly updated: number
}

/** For rows that a module ships: those that are there stay as people left them. */
export const missingRows: InsertManyOptions = { existing: 'keep', audit: 'count', events: 'batch' }

/** Rows of one statement. */
const rowsOfStatement = 10_000
/** Rows that are read to tell of each. */
const rowsToTell = 1000
const nothing: ManyWritten = { inserted: 0, updated: 0 }

/** Writes many rows of an entity in one unit of work, through a temporary table. */
export class ManyRows<T extends BaseEntity> {
  private readonly meta: EntityMeta
  private readonly database: Database
  private readonly table: Sql

  constructor(
    private readonly entity: EntityClass<T>,
    private readonly databases: Databases,
    private readonly rules: RowRules,
    private readonly changes: EntityChanges<T>,
    private readonly build: (values: object) => T,
  ) {
    this.meta = entityMeta(entity)
    this.database = databases.of(entity as EntityClass)
    this.table = identifier(this.meta.table)
  }

  insert(rows: RowSource<object>, options: InsertManyOptions): Promise<ManyWritten> {
    return this.write(rows, options, async (staged) => {
      if (options.existing === 'keep' && !(await this.hasAbsentIds(staged))) return nothing
      return { inserted: await this.insertStaged(staged, options), updated: 0 }
    })
  }

  update(rows: RowSource<object>, options: ManyRowsOptions): Promise<ManyWritten> {
    return this.write(
      rows,
      options,
      async (staged) => {
        return { inserted: 0, updated: await this.updateStaged(staged, options) }
      },
      true,
    )
  }

  upsert(rows: RowSource<object>, options: UpsertManyOptions<T>): Promise<ManyWritten> {
    return this.write(rows, options, async (staged) => {
      const updated = await this.updateStaged(staged, options)
      return { inserted: await this.insertStaged(staged, options), updated }
    })
  }

  /** Takes the rows and writes them. Transactions that wait for each other are told as by single writes: one of them is to be repeated. */
  private write(...given: Parameters<ManyRows<T>['writeStaged']>): Promise<ManyWritten> {
    return this.writeStaged(...given).catch((error: unknown) => {
      throw translateWriteError(error, this.meta)
    })
  }

  /** All faults are found before anything is refused. */
  private writeStaged(
    rows: RowSource<object>,
    options: ManyRowsOptions & { readonly existing?: 'keep'; readonly by?: readonly string[] },
    work: (staged: StagedRows) => Promise<ManyWritten>,
    changes = false,
  ): Promise<ManyWritten> {
    return UnitOfWork.run(async () => {
      const { database, meta } = this
      const staged = new StagedRows(database, meta)
      await staged.take(rows, { changes, filledIn: this.filledIn(), input: options.input })
      if (options.by) await this.matchTargets(staged, options.by)
      if (options.by || changes) staged.faults.push(...(await this.lockTargets(staged)))
      await database.execute(raw('savepoint keel_rows'))
      let refusal: unknown
      try {
        if (staged.faults.length === 0) {
          const written = await work(staged)
          await database.execute(raw('release savepoint keel_rows'))
          await staged.drop()
          return written
        }
      } catch (error) {
        if (!isConstraint(error)) throw error
        refusal = error
      }
      throw await this.explained(staged, refusal, options.existing === 'keep')
    })
  }

  /** The error that names all rows at fault. */
  private async explained(staged: StagedRows, refusal: unknown, keepsExisting: boolean): Promise<unknown> {
    const { database, meta } = this
    const otherwise = refusal === undefined ? undefined : translateWriteError(refusal, meta)
    await database.execute(raw('rollback to savepoint keel_rows'))
    await staged.complete('all')
    const found = await new RowDiagnosis(database, meta, staged.table).faults(keepsExisting)
    const known = new Set(staged.faults.map(({ index }) => index))
    const faults = [...staged.faults, ...found.filter(({ index }) => !known.has(index))]
    // Another writer may have been in the way, and be gone by now.
    return faults.length ? new RowsRefusedError(faults, refusal) : otherwise
  }

  /**
   * True when a row is not there yet by its id. A statement that inserts no row still runs the triggers of
   * its table.
   */
  private async hasAbsentIds(staged: StagedRows): Promise<boolean> {
    const absent = await this.database.query(sql`
      select from ${staged.table} s where not exists (select from ${this.table} t where t."Id" = s.keel_id) limit 1`)
    return absent.length > 0
  }

  private async insertStaged(staged: StagedRows, options: InsertManyOptions): Promise<number> {
    const columns = [...this.meta.columns.values()]
    const tells = this.tellsOf(options, 'Created')
    const existing = options.existing === 'keep' ? raw('on conflict do nothing') : raw('')
    const returned = tells ? raw('returning "Id" as id') : raw('')
    let inserted = 0
    for (const piece of pieces(staged.count, tells ? rowsToTell : rowsOfStatement)) {
      const statement = sql`
        insert into ${this.table} (${columnList(columns)})
        select ${columnList(columns, 's')} from ${staged.table} s where ${piece} and s.keel_new order by s.keel_row
        ${existing} ${returned}`
      if (!tells) inserted += await this.database.execute(statement)
      else {
        const ids = (await this.database.query<{ id: string }>(statement)).map(({ id }) => id)
        inserted += ids.length
        for (const row of await this.rowsOf(ids)) await this.tell('Created', this.build(row), options)
      }
    }
    await this.tellBatch('Created', inserted, options)
    return inserted
  }

  private async updateStaged(staged: StagedRows, options: ManyRowsOptions): Promise<number> {
    const columns = staged.changed
    if (columns.length === 0) return 0
    await staged.complete('given')
    const assignments = [
      ...columns.map(({ column }) => sql`${identifier(column)} = s.${identifier(column)}`),
      ...this.stamps(),
    ]
    const differs = join(columns.map(differsIn), ' or ')
    const tells = this.tellsOf(options, 'Updated')
    let updated = 0
    for (const piece of pieces(staged.count, tells ? rowsToTell : rowsOfStatement)) {
      const own = sql`${piece} and not s.keel_new`
      const before = tells ? await this.targets(staged, own) : []
      const statement = sql`
        update ${this.table} t set ${join(assignments, ', ')} from ${staged.table} s
        where ${own} and t."Id" = s.keel_id and (${differs})`
      if (!tells) updated += await this.database.execute(statement)
      else {
        const touched = await this.database.query<{ id: string }>(sql`${statement} returning t."Id" as id`)
        updated += touched.length
        const after = new Map((await this.rowsOf(touched.map(({ id }) => id))).map((row) => [row.id, row]))
        for (const row of before) {
          const now = after.get(row.id)
          if (now) await this.tell('Updated', this.build(row).set(now) as T, options)
        }
      }
    }
    await this.tellBatch('Updated', updated, options)
    return updated
  }

  /** Finds the rows that exist by their key. */
  private async matchTargets(staged: StagedRows, by: readonly string[]): Promise<void> {
    const same = by.map((attribute) => {
      const column = this.meta.columns.get(attribute)
      if (!column) throw new Error(`${this.meta.name} has no ${attribute}`)
      return sql`t.${identifier(column.column)} = s.${identifier(column.column)}`
    })
    await this.database.execute(sql`
      update ${staged.table} s set keel_id = t."Id", keel_new = false from ${this.table} t
      where ${and([...same, ...(await this.visible())])}`)
  }

  /** Locks the rows that are to be changed, in one order for all callers, and answers which are not there, given twice or changed since. */
  private async lockTargets(staged: StagedRows): Promise<RowFault[]> {
    const { database, table } = this
    const visible = and(await this.visible())
    await database.execute(sql`
      select from ${table} t join ${staged.table} s on t."Id" = s.keel_id and not s.keel_new
      where ${visible} order by t."Id" for update of t`)
    const hasStamp = this.meta.columns.has('concurrencyStamp')
    const changed = hasStamp
      ? sql`s.keel_stamp <> (select t."ConcurrencyStamp" from ${table} t where t."Id" = s.keel_id)`
      : raw('false')
    const faults = await database.query<{ index: number; twice: boolean; missing: boolean }>(sql`
      select * from (
        select s.keel_row as index, s.twice, ${changed} as changed,
          not exists (select from ${table} t where t."Id" = s.keel_id and ${visible}) as missing
        from (
          select *, row_number() over (partition by keel_id order by keel_row) > 1 as twice
          from ${staged.table} where not keel_new) s) f
      where twice or missing or changed order by index limit ${mostRowFaults}`)
    return faults.map(({ index, twice, missing }) => {
      if (missing) return rowFault(index, 'id', 'Validation:NoSuchEntity')
      return twice
        ? rowFault(index, 'id', alreadyExists, { entity: this.meta.name })
        : rowFault(index, 'concurrencyStamp', 'AbpDbConcurrencyErrorMessage')
    })
  }

  /** The conditions that rows must meet for the caller to see them. */
  private async visible(): Promise<readonly Sql[]> {
    return this.rules.conditionsFor(this.meta, 't')
  }

  private filledIn(): () => { readonly id: string } {
    const creationTime = this.databases.now()
    const creatorId = ambient().principal.userId ?? null
    return () => ({ id: sequentialGuid(), creationTime, creatorId })
  }

  /** The assignments of the columns that say when, by whom and at which version a row was changed. */
  private stamps(): Sql[] {
    const { columns } = this.meta
    return [
      ...(columns.has('lastModificationTime') ? [sql`"LastModificationTime" = ${this.databases.now()}`] : []),
      ...(columns.has('lastModifierId')
        ? [sql`"LastModifierId" = ${ambient().principal.userId ?? null}::uuid`]
        : []),
      ...(columns.has('concurrencyStamp') ? [sql`"ConcurrencyStamp" = s."ConcurrencyStamp"`] : []),
    ]
  }

  /** True when every row of a kind is read, for its audit entry or its events. */
  private tellsOf({ audit, events }: ManyRowsOptions, kind: EntityEventKind): boolean {
    const isHeard = this.databases.entityEvents?.hears(this.entity as EntityClass, kind) ?? false
    return (audit === 'rows' && ambient().audit !== undefined) || (events === 'rows' && isHeard)
  }

  private async tell(kind: 'Created' | 'Updated', row: T, { audit, events }: ManyRowsOptions): Promise<void> {
    const { entity, database, changes } = this
    const change =
      audit === 'rows' &&
      ambient().audit &&
      (kind === 'Created' ? changes.created(row) : changes.updated(row))
    if (change) UnitOfWork.current?.noteChange(change)
    if (events === 'rows')
      await this.databases.entityEvents?.written({ kind, row, entity: entity as EntityClass, database })
  }

  private async tellBatch(
    kind: 'Created' | 'Updated',
    count: number,
    { audit, events }: ManyRowsOptions,
  ): Promise<void> {
    if (count === 0) return
    const { entity, database } = this
    UnitOfWork.current?.changed(database, this.meta.table)
    const change = audit === 'count' && ambient().audit && this.changes.counted(EntityChangeType[kind], count)
    if (change) UnitOfWork.current?.noteChange(change)
    if (events === 'batch')
      await this.databases.entityEvents?.writtenMany({
        kind,
        count,
        entity: entity as EntityClass,
        database,
      })
  }

  private rowsOf(ids: readonly string[]): Promise<{ readonly id: string }[]> {
    return this.database.query(sql`
      select ${this.selected} from ${this.table} t where t."Id" = any(${ids}::uuid[]) order by t."Id"`)
  }

  private targets(staged: StagedRows, condition: Sql): Promise<{ readonly id: string }[]> {
    return this.database.query(sql`
      select ${this.selected} from ${staged.table} s join ${this.table} t on t."Id" = s.keel_id
      where ${condition} order by s.keel_row`)
  }

  private get selected(): Sql {
    return join(
      [...this.meta.columns.values()].map(
        ({ column, attribute }) => sql`t.${identifier(column)} as ${identifier(attribute)}`,
      ),
      ', ',
    )
  }
}

/** Conditions that divide staged rows, known by `s`, into pieces. */
function* pieces(count: number, size: number): Iterable<Sql> {
  for (let first = 0; first < count; first += size)
    yield sql`s.keel_row >= ${first} and s.keel_row < ${first + size}`
}

/** JSON as text has no equality. */
function differsIn(column: ColumnMeta): Sql {
  const name = identifier(column.column)
  const cast = raw(typeKey(column) === 'JSON' ? '::text' : '')
  return sql`t.${name}${cast} is distinct from s.${name}${cast}`
}

/** PostgreSQL's errors of constraints. */
function isConstraint(error: unknown): boolean {
  return /^23/.test(String((error as { code?: unknown }).code))
}
