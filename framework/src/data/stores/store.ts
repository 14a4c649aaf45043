import 'reflect-metadata'
import type { EntityChange } from '../../auditing/audit-log.js'
import { ConcurrencyError, EntityNotFoundError } from '../../contracts/errors.js'
import type { EntityEventKind } from '../../contracts/events.js'
import { ambient } from '../../modularity/ambient.js'
import type { Class } from '../../modularity/class.js'
import type { Database } from '../connections/database.js'
import { Databases } from '../connections/databases.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import { DataFilters, SoftDelete } from '../entities/data-filters.js'
import { type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import type { BaseEntity } from '../entities/entity-bases.js'
import { EntityChanges } from '../entities/entity-changes.js'
import { newStamp, sequentialGuid } from '../entities/guid.js'
import { hasRaised } from '../entities/raised-events.js'
import { notDeleted, RowRules } from '../entities/row-rules.js'
import { typeKey } from '../entities/text-columns.js'
import { and, identifier, join, type Sql, sql } from '../wire/sql.js'
import {
  type InsertManyOptions,
  ManyRows,
  type ManyRowsOptions,
  type ManyWritten,
  type RowSource,
  type UpsertManyOptions,
} from './many-rows.js'
import type { NewRow } from './new-row.js'
import { completeRow, insertRowsStatement, insertStatement, updateStatement } from './row-statements.js'
import { translateWriteError } from './write-errors.js'

interface OwnValues {
  readonly extraProperties?: Readonly<Record<string, unknown>> | null
}

/** Rows that {@link Store.updateEveryWhere} changes at once. */
const rowsAtOnce = 1000

/** How rows are written, and what the audit log is told of each. */
interface RowsWrite<T> {
  readonly work: (unit: UnitOfWork) => Promise<void>
  readonly describe: (row: T) => EntityChange | undefined
}

interface SequelizeModel<T> {
  build(values: object, options?: object): T
  destroy(options: object): Promise<number>
}

/**
 * Loads and writes the rows of an entity. Everything it loads obeys the entity's row rules; everything it writes runs in the unit of work at
 * hand and carries who and when.
 */
export class Store<T extends BaseEntity> {
  readonly meta: EntityMeta
  readonly database: Database
  private readonly table: Sql
  private readonly columns: Sql
  private readonly changes: EntityChanges<T>

  constructor(
    private readonly entity: EntityClass<T>,
    private readonly databases: Databases,
    private readonly rules: RowRules,
  ) {
    this.meta = entityMeta(entity)
    this.database = databases.of(entity as EntityClass)
    this.table = identifier(this.meta.table)
    this.changes = new EntityChanges(entity, databases.now)
    this.columns = join(
      [...this.meta.columns.values()].map(
        ({ column, attribute }) => sql`t.${identifier(column)} as ${identifier(attribute)}`,
      ),
      ', ',
    )
  }

  /** The row with this id, or undefined when there is none that the caller may see. */
  async find(id: string): Promise<T | undefined> {
    return (await this.where(sql`t."Id" = ${id}`))[0]
  }

  /** The row with this id; {@link EntityNotFoundError} when there is none that the caller may see. */
  async get(id: string): Promise<T> {
    const row = await this.find(id)
    if (!row) throw new EntityNotFoundError(this.meta.name, id)
    return row
  }

  /** The rows (table alias `t`) that meet a condition. For sets that are small by nature; pages are the query engine's. */
  async where(condition: Sql): Promise<T[]> {
    return this.load([...(await this.rules.conditionsFor(this.meta, 't')), condition])
  }

  /**
   * The rows (table alias `t`) that meet a condition and are not deleted, also those that row rules hide from
   * the caller: for changes that follow from the change of another row.
   */
  async everyWhere(condition: Sql): Promise<T[]> {
    return this.load([...notDeleted(this.meta, identifier('t')), condition])
  }

  private async load(conditions: readonly Sql[]): Promise<T[]> {
    const visible = and(conditions)
    const rows = await this.database.query(sql`select ${this.columns} from ${this.table} t where ${visible}`)
    return rows.map((row) => this.rowOf(row))
  }

  /** Adds a row; gives it an id unless it has one. Throws the entity's conflict for a broken unique index. */
  async insert(values: NewRow<T>): Promise<T> {
    const [row] = await this.insertEach([values])
    return row as T
  }

  /**
   * Adds rows as {@link insert} adds each of them, with an entry in the audit log and events of its own, by one statement. All or none of them are
   * written. For the rows of one call, some thousand at most, which are in memory; {@link insertMany} takes any number, and names those at fault.
   */
  async insertEach(all: readonly NewRow<T>[]): Promise<T[]> {
    // Inputs were validated by their contract, and the rows have all that the database would give back: as if they were loaded.
    const rows = all.map((values) =>
      this.rowOf(
        completeRow(this.meta, { id: sequentialGuid(), ...this.created(), ...this.withOwnFields(values) }),
      ),
    )
    const [first, ...others] = rows
    if (!first) return rows
    const statement = others.length
      ? insertRowsStatement(
          this.meta,
          rows.map(({ dataValues }) => dataValues),
        )
      : insertStatement(this.meta, first.dataValues)
    await this.write(rows, 'Created', {
      work: () =>
        this.database.write(statement, (error) => translateWriteError(error, this.meta), {
          table: this.meta.table,
          rows,
        }),
      describe: (row) => this.changes.created(row),
    })
    return rows
  }

  /**
   * Changes a row that was loaded: only members that are not undefined. Null clears. Extra properties that are not given stay. Does nothing when
   * nothing differs.
   * Throws {@link ConcurrencyError} when somebody changed or deleted the row since.
   */
  async update(row: T, changes: NewRow<T>): Promise<void> {
    const given = Object.fromEntries(
      Object.entries(this.withOwnFields(changes, row)).filter(
        ([name, value]) => value !== undefined && name !== 'concurrencyStamp' && this.meta.columns.has(name),
      ),
    )
    const stamp = (row as { concurrencyStamp?: string }).concurrencyStamp
    row.set(given)
    if (!row.changed()) return this.tellRaised(row)
    row.set(this.modified())
    const names = row.changed() || []
    const values = Object.fromEntries(names.map((name) => [name, row.get(name)]))
    await this.write([row], 'Updated', {
      work: () => this.change(values, this.unchanged(row.id, stamp)),
      describe: () => this.changes.updated(row),
    })
  }

  /** Values with all extra properties that the row then has: the given ones over those of before, without those that are null. */
  private withOwnFields(values: NewRow<T>, before?: T): NewRow<T> {
    const { extraProperties: given } = values as OwnValues
    const column = this.meta.columns.get('extraProperties')
    if (!given || !column || typeKey(column) !== 'JSONB') return values
    const all = Object.entries({ ...(before as OwnValues | undefined)?.extraProperties, ...given })
    const kept = all.filter(([, value]) => value !== null && value !== undefined)
    return { ...values, extraProperties: Object.fromEntries(kept) }
  }

  /**
   * Adds many rows, in one statement for thousands of them: checked, filled in and stamped as by {@link insert}. All or none of them are
   * written. Rows are taken as they come, so that a stream of any length needs little memory. Throws `RowsRefusedError` with the faults of rows.
   */
  insertMany(rows: RowSource<NewRow<T>>, options: InsertManyOptions): Promise<ManyWritten> {
    return this.many().insert(rows, options)
  }

  /**
   * Changes many rows by their ids, as {@link update} does: members that are not undefined; null clears; a row with a `concurrencyStamp` must
   * still have it. Rows that the caller may not see are refused like rows that do not exist.
   */
  updateMany(
    rows: RowSource<NewRow<T> & { readonly id: string }>,
    options: ManyRowsOptions,
  ): Promise<ManyWritten> {
    return this.many().update(rows, options)
  }

  /**
   * Gives all rows (table alias `t`) that meet a condition and are not deleted the same values: for changes that follow from the change of another row, as
   * when the one that they refer to is merged. A thousand rows at a time in the order of their ids, in the unit of work at hand; audit log and events tell of
   * each. Rows that the caller may not see are refused, as by {@link updateMany}. Answers how many rows differed.
   * @example await this.quotes.updateEveryWhere(sql`t."OrganizationId" = ${sourceId}`, { organizationId })
   */
  updateEveryWhere(condition: Sql, values: NewRow<T>): Promise<number> {
    const conditions = [...notDeleted(this.meta, identifier('t')), condition]
    return UnitOfWork.run(async () => {
      let updated = 0
      for (let ids = await this.lockedIds(conditions); ids.length; ) {
        const rows = ids.map((id) => ({ ...values, id }))
        updated += (await this.updateMany(rows, { audit: 'rows', events: 'rows' })).updated
        ids =
          ids.length < rowsAtOnce ? [] : await this.lockedIds([...conditions, sql`t."Id" > ${ids.at(-1)}`])
      }
      return updated
    })
  }

  private async lockedIds(conditions: readonly Sql[]): Promise<string[]> {
    const statement = sql`
      select t."Id" as id from ${this.table} t where ${and(conditions)} order by t."Id" limit ${rowsAtOnce}::int for update of t`
    const rows = await this.database.query<{ id: string }>(statement).catch((error: unknown) => {
      throw translateWriteError(error, this.meta)
    })
    return rows.map(({ id }) => id)
  }

  /**
   * Changes the rows that are there by their key, and adds the others. Members that a row leaves out keep their values, and are defaults
   * in a new row. A row that the caller may not see counts as absent, and is then in conflict with the new one.
   */
  upsertMany(rows: RowSource<NewRow<T>>, options: UpsertManyOptions<T>): Promise<ManyWritten> {
    return this.many().upsert(rows, options)
  }

  private many(): ManyRows<T> {
    return new ManyRows(this.entity, this.databases, this.rules, this.changes, (values) => this.rowOf(values))
  }

  /** Deletes a row that was loaded: a mark where the entity is soft-deleted. */
  async remove(row: T): Promise<void> {
    const stamp = (row as { concurrencyStamp?: string }).concurrencyStamp
    const where = this.unchanged(row.id, stamp)
    await this.write([row], 'Deleted', {
      work: async (unit) => {
        if (this.meta.softDelete) return this.change(this.deleted(), where)
        const { ofModels: transaction } = await unit.transactionOn(this.database)
        const touched = await this.model.destroy({ where, transaction, hooks: false })
        if (touched !== 1) throw new ConcurrencyError()
        for (const table of this.database.deletedWith(this.meta.table)) unit.changed(this.database, table)
      },
      describe: () => this.changes.deleted(row, this.meta.softDelete),
    })
  }

  /**
   * Brings a row back that was marked as deleted. {@link EntityNotFoundError} when there is no such row that the caller may see.
   * Throws the entity's conflict when another row has its unique key by now.
   */
  async restore(id: string): Promise<T> {
    const deleted = () => this.where(sql`t."Id" = ${id} and t."IsDeleted"`)
    const [row] = this.meta.softDelete ? await DataFilters.disable(SoftDelete, deleted) : []
    if (!row) throw new EntityNotFoundError(this.meta.name, id)
    const where = {
      ...this.unchanged(id, (row as { concurrencyStamp?: string }).concurrencyStamp),
      isDeleted: true,
    }
    const values = { isDeleted: false, deletionTime: null, deleterId: null, ...this.modified() }
    row.set(Object.fromEntries(Object.entries(values).filter(([name]) => this.meta.columns.has(name))))
    await this.write([row], 'Updated', {
      work: () => this.change(values, where),
      describe: () => this.changes.restored(row),
    })
    return row
  }

  private rowOf(values: object): T {
    return this.model.build(values, { isNewRecord: false, raw: true })
  }

  private get model(): SequelizeModel<T> {
    return this.database.model<SequelizeModel<T>>(this.entity as EntityClass)
  }

  /** Changes the row that has some values. {@link ConcurrencyError} when there is none. */
  private async change(values: object, where: object): Promise<void> {
    const statement = updateStatement(
      this.meta,
      values as Readonly<Record<string, unknown>>,
      where as Readonly<Record<string, unknown>>,
    )
    const { length: touched } = await this.database.queryText(statement)
    if (touched !== 1) throw new ConcurrencyError()
  }

  private async write(
    rows: readonly T[],
    kind: EntityEventKind,
    { work, describe }: RowsWrite<T>,
  ): Promise<void> {
    return UnitOfWork.run(async () => {
      const unit = UnitOfWork.current as UnitOfWork
      await work(unit).catch((error: unknown) => {
        throw translateWriteError(error, this.meta)
      })
      unit.changed(this.database, this.meta.table)
      for (const row of rows) {
        const change = ambient().audit && describe(row)
        if (change) unit.noteChange(change)
      }
      for (const row of rows) await this.tell(kind, row)
    })
  }

  /** Tells who wants to know what was written, in the same transaction: their refusal undoes it. */
  private tell(kind: EntityEventKind, row: T): Promise<void> | undefined {
    const { entity, database } = this
    return this.databases.entityEvents?.written({ kind, row, entity: entity as EntityClass, database })
  }

  /** An aggregate may have something to tell without having changed. */
  private async tellRaised(row: T): Promise<void> {
    if (hasRaised(row))
      await UnitOfWork.run(async () => this.databases.entityEvents?.raised(row, this.database))
  }

  private unchanged(id: string, stamp: string | undefined): object {
    return {
      id,
      ...(stamp !== undefined && { concurrencyStamp: stamp }),
      ...(this.meta.softDelete && DataFilters.isEnabled(SoftDelete) && { isDeleted: false }),
    }
  }

  private created(): object {
    return this.stamped('creationTime', 'creatorId')
  }

  private modified(): object {
    return this.stamped('lastModificationTime', 'lastModifierId')
  }

  private deleted(): object {
    return { isDeleted: true, ...this.stamped('deletionTime', 'deleterId') }
  }

  /** The time, the caller and a new concurrency stamp, as far as the entity has columns for them. */
  private stamped(time: string, author: string): object {
    const { columns } = this.meta
    return {
      ...(columns.has(time) && { [time]: this.databases.now() }),
      ...(columns.has(author) && { [author]: ambient().principal.userId ?? null }),
      ...(columns.has('concurrencyStamp') && { concurrencyStamp: newStamp() }),
    }
  }
}

/** A store as a class of its own, so that it can be named in a constructor. @example export class PortStore extends StoreOf(Port) {} */
export function StoreOf<T extends BaseEntity>(
  entity: EntityClass<T>,
): new (
  databases: Databases,
  rules: RowRules,
) => Store<T> {
  class EntityStore extends Store<T> {
    constructor(databases: Databases, rules: RowRules) {
      super(entity, databases, rules)
    }
  }
  Reflect.defineMetadata('design:paramtypes', [Databases, RowRules] satisfies Class[], EntityStore)
  return EntityStore
}
