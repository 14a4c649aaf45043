import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { type EntityChange, manyRows, mostEntityChanges } from '../../auditing/audit-log.js'
import { ambient } from '../../modularity/ambient.js'
import type { Interceptor } from '../../modularity/interceptor.js'
import { BatchError, BatchQuery, mayBeBatched } from '../wire/batch-query.js'
import type { Statement, TextRow } from '../wire/statement.js'
import { TextQuery } from '../wire/text-query.js'
import { asUnavailable } from '../wire/unavailable.js'
import type { HeldConnection, OpenTransaction } from './open-transaction.js'

interface Scope {
  readonly unit: UnitOfWork | undefined
  /** Connections that the work at hand holds beside those of the unit of work. */
  readonly held: number
  /** True inside {@link UnitOfWork.gathering}. */
  readonly gathers?: boolean
}

const storage = new AsyncLocalStorage<Scope>()

/** Rows that a statement adds to a table. */
export interface AddedRows {
  readonly table: string
  readonly rows: readonly { readonly id: string }[]
}

/** A write that waits to be sent together with the next statement. */
export interface GatheredWrite {
  readonly statement: Statement
  /** The rows that the statement adds, where that is known. */
  readonly added?: AddedRows | undefined
  /** Called when the statement has run. */
  readonly done: (ms: number) => void
  /** The error for the writer when the statement failed. */
  readonly failed: (error: unknown) => unknown
}

/** A database as a unit of work sees it. */
export interface TransactionalDatabase {
  readonly name: string
  /** Called with the written tables after the commit. */
  readonly feed: { wrote(table: string): void }
  begin(): Promise<OpenTransaction>
}

/**
 * One use case, one transaction on each database it touches, begun at the first touch. All are committed when
 * the use case ends well and rolled back when it does not. Databases are committed one after the other: a
 * failure between two commits is reported, not undone.
 */
export class UnitOfWork {
  private readonly transactions = new Map<TransactionalDatabase, Promise<OpenTransaction>>()
  /** The end of what was last asked of each transaction. */
  private readonly turns = new Map<TransactionalDatabase, Promise<void>>()
  private readonly gathered = new Map<TransactionalDatabase, GatheredWrite[]>()
  /** All writes on each database; null where there may be others than these. */
  private readonly allWrites = new Map<TransactionalDatabase, GatheredWrite[] | null>()
  private readonly changes = new Map<TransactionalDatabase, Set<string>>()
  private readonly entityChanges: EntityChange[] = []
  private furtherChanges = 0
  private readonly afterCommit: (() => void | Promise<void>)[] = []
  private readonly afterRollback: (() => Promise<void>)[] = []
  private hasCommitted = false

  /** The unit of work at hand, if any. */
  static get current(): UnitOfWork | undefined {
    return storage.getStore()?.unit
  }

  /** How many connections the work at hand holds: it may wait for another one while others wait for these. */
  static get heldConnections(): number {
    const scope = storage.getStore()
    return scope ? scope.held + (scope.unit?.transactions.size ?? 0) : 0
  }

  /** Runs `work`, which holds a connection beside those of the unit of work at hand. */
  static holding<T>(work: () => Promise<T>): Promise<T> {
    const { unit, held = 0 } = storage.getStore() ?? {}
    return storage.run({ unit, held: held + 1 }, work)
  }

  /** Runs `work` in the unit of work at hand, or in a new one that ends with it. */
  static async run<T>(work: () => Promise<T>): Promise<T> {
    const scope = storage.getStore()
    if (scope?.unit) return work()
    const unit = new UnitOfWork()
    try {
      const result = await storage.run({ unit, held: scope?.held ?? 0 }, work)
      await unit.commit()
      return result
    } catch (error) {
      await unit.rollback()
      throw asUnavailable(error, [...unit.transactions.keys()].map(({ name }) => name).join(', '))
    }
  }

  /**
   * Runs `work` in the unit of work at hand, or in a new one. Stores and event buses inside it send what they write together with the next
   * statement that has an answer, and the rest at the end of `work`: a row, its children, its events and reading it back take one round trip. So
   * the error of a write is thrown by a later statement. Not for work that handles errors of its own writes.
   */
  static gathering<T>(work: () => Promise<T>): Promise<T> {
    return UnitOfWork.run(async () => {
      const { unit, held = 0 } = storage.getStore() ?? {}
      const result = await storage.run({ unit, held, gathers: true }, work)
      await unit?.sendGathered()
      return result
    })
  }

  /** The unit of work at hand when it gathers what is written now. */
  static get gatherer(): UnitOfWork | undefined {
    const scope = storage.getStore()
    return scope?.gathers ? scope.unit : undefined
  }

  /** Runs `work` beside the unit of work at hand: what it writes stays when that one fails. */
  static apart<T>(work: () => Promise<T>): Promise<T> {
    return storage.run({ unit: undefined, held: UnitOfWork.heldConnections }, work)
  }

  /** Takes a write on a database that is sent together with the next statement. */
  gather(database: TransactionalDatabase, write: GatheredWrite): void {
    const writes = this.gathered.get(database)
    if (writes) writes.push(write)
    else this.gathered.set(database, [write])
    const all = this.allWrites.get(database)
    if (all) all.push(write)
    else if (all === undefined) this.allWrites.set(database, [write])
  }

  /**
   * The texts of all statements by which this unit of work wrote on a database, when one of them added a row; undefined for other rows, and when there may be
   * further writes. No other transaction can have added rows that refer to such a row: it is not committed.
   */
  writesWithRow(database: TransactionalDatabase, table: string, id: string): readonly string[] | undefined {
    const writes = this.allWrites.get(database)
    const isAdded = writes?.some(
      ({ added }) => added?.table === table && added.rows.some((row) => row.id === id),
    )
    return isAdded ? writes?.map(({ statement }) => statement.text) : undefined
  }

  /** The gathered writes on a database, which the caller sends; undefined when there are none. */
  takeGathered(database: TransactionalDatabase): readonly GatheredWrite[] | undefined {
    const writes = this.gathered.get(database)
    this.gathered.delete(database)
    return writes
  }

  private async sendGathered(): Promise<void> {
    for (const database of [...this.gathered.keys()])
      await this.inTurn(database, async () => undefined, 'reads')
  }

  /** The transaction on a database, begun when this is the first to ask, after all writes so far. */
  async transactionOn(database: TransactionalDatabase): Promise<OpenTransaction> {
    if (this.gathered.has(database)) await this.inTurn(database, async () => undefined)
    this.allWrites.set(database, null)
    return this.begun(database)
  }

  private begun(database: TransactionalDatabase): Promise<OpenTransaction> {
    let transaction = this.transactions.get(database)
    if (!transaction) {
      transaction = database.begin()
      this.transactions.set(database, transaction)
    }
    return transaction
  }

  /** The connection that the transaction on a database runs on. */
  private async connectionTo(database: TransactionalDatabase): Promise<pg.ClientBase> {
    return (await this.begun(database)).client
  }

  /**
   * Runs `work` on the connection of the transaction on a database, after what was asked of it before: a
   * connection does one thing at a time.
   * @param kind `reads` for work that writes nothing
   */
  inTurn<T>(
    database: TransactionalDatabase,
    work: (connection: pg.ClientBase) => Promise<T>,
    kind: 'reads' | 'writes' = 'writes',
  ): Promise<T> {
    if (kind === 'writes') this.allWrites.set(database, null)
    const before = this.turns.get(database) ?? Promise.resolve()
    const gathered = this.takeGathered(database)
    const turn = before.then(async () => {
      const connection = await this.connectionTo(database)
      if (gathered) await runGathered(connection, gathered)
      return work(connection)
    })
    // The next one waits for the end, whatever it was.
    this.turns.set(
      database,
      turn.then(
        () => undefined,
        () => undefined,
      ),
    )
    return turn
  }

  /**
   * The connection of the transaction on a database, when what was asked of it before has ended; it is in use
   * until it is released.
   */
  borrow(database: TransactionalDatabase): Promise<HeldConnection> {
    return new Promise((resolve, reject) => {
      const lend = (client: pg.ClientBase): Promise<void> =>
        new Promise((release) => resolve({ client, release, breaks: () => undefined }))
      this.inTurn(database, lend).catch(reject)
    })
  }

  /** Notes that a table was written: its cache entries are invalidated at the commit. */
  changed(database: TransactionalDatabase, table: string): void {
    this.changes.set(database, (this.changes.get(database) ?? new Set()).add(table))
  }

  /** True when this unit of work wrote a table. */
  hasChanged(database: TransactionalDatabase, table: string): boolean {
    return this.changes.get(database)?.has(table) ?? false
  }

  /**
   * Notes a change of a row for the audit log, which gets it at the commit. Changes beyond the log's limit
   * are only counted.
   */
  noteChange(change: EntityChange): void {
    if (change.entityId === manyRows && this.addToCount(change)) return
    if (this.entityChanges.length < mostEntityChanges) this.entityChanges.push(change)
    else this.furtherChanges += 1
  }

  /** Adds the number of an entry about many rows to an earlier one about the same table; false when there is none. */
  private addToCount({ table, type, properties: [further] }: EntityChange): boolean {
    const place = this.entityChanges.findIndex(
      (other) => other.entityId === manyRows && other.table === table && other.type === type,
    )
    const earlier = this.entityChanges[place]
    const [counted] = earlier?.properties ?? []
    if (!earlier || !counted) return false
    const current = String(Number(counted.current) + Number(further?.current))
    this.entityChanges[place] = { ...earlier, properties: [{ ...counted, current }] }
    return true
  }

  /** Runs `work` after all commits; its failure does not undo anything. */
  onCommitted(work: () => void | Promise<void>): void {
    this.afterCommit.push(work)
  }

  /**
   * Runs `work` after everything was rolled back, to undo effects outside of databases. Its own failure is
   * ignored: the error that caused the rollback is thrown. Not called when one of the databases was
   * committed.
   */
  onRolledBack(work: () => Promise<void>): void {
    this.afterRollback.push(work)
  }

  private async commit(): Promise<void> {
    await this.sendGathered()
    for (const [database, transaction] of this.transactions) {
      // A commit whose answer is lost may have happened.
      await (await transaction).commit().finally(() => this.tellChanges(database))
      this.hasCommitted = true
      ambient().written?.(database.name)
    }
    if (this.entityChanges.length) ambient().audit?.changed(this.entityChanges, this.furtherChanges)
    for (const work of this.afterCommit) await work()
  }

  private tellChanges(database: TransactionalDatabase): void {
    for (const table of this.changes.get(database) ?? []) database.feed.wrote(table)
  }

  private async rollback(): Promise<void> {
    const open = await Promise.allSettled(this.transactions.values())
    await Promise.allSettled(
      open.map((begun) => (begun.status === 'fulfilled' ? begun.value.rollback() : undefined)),
    )
    if (!this.hasCommitted) await Promise.allSettled(this.afterRollback.map((work) => work()))
  }
}

/** Sends writes as one message, and with them the statement whose rows are wanted, if any. */
export async function runGathered(
  connection: pg.ClientBase,
  writes: readonly GatheredWrite[],
  last?: Statement,
): Promise<TextRow[]> {
  const isTogether = last !== undefined && mayBeBatched(last)
  const statements = writes.map(({ statement }) => statement)
  const startedMs = performance.now()
  let rows: TextRow[]
  try {
    rows = await new BatchQuery(isTogether ? [...statements, last] : statements).runOn(connection)
  } catch (error) {
    if (!(error instanceof BatchError)) throw error
    throw writes[error.place]?.failed(error.cause) ?? error.cause
  }
  for (const { done } of writes) done(performance.now() - startedMs)
  return last && !isTogether ? new TextQuery(last).runOn(connection) : rows
}

/** Opens a unit of work around every operation that writes; reads run without a transaction. */
export const unitOfWork: Interceptor = {
  step: 'unit of work',
  intercept: ({ operation }) =>
    operation.route.verb === 'GET' ? undefined : (args, next) => UnitOfWork.run(() => next(args)),
}
