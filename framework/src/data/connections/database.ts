import { performance } from 'node:perf_hooks'
import pg, { type ClientConfig, type PoolClient, type QueryResult } from 'pg'
import type { Model, Repository } from 'sequelize-typescript'
import { LimitReachedError } from '../../contracts/errors.js'
import { ambient, callerKey } from '../../modularity/ambient.js'
import type { Logger } from '../../modularity/logging.js'
import { ChangeFeed } from '../change-feed/change-feed.js'
import { WatchedTables } from '../change-feed/watched-tables.js'
import { mayWrite } from '../change-feed/written-tables.js'
import type { EntityClass } from '../entities/entity.js'
import type { CallerRules } from '../entities/row-rules.js'
import { mayBeBatched } from '../wire/batch-query.js'
import { ByteClient, ByteQuery, type ByteRow } from '../wire/byte-rows.js'
import type { LentConnection } from '../wire/lent-connection.js'
import { cutConnection } from '../wire/pg-internals.js'
import { rowStream } from '../wire/row-stream.js'
import type { SessionClient } from '../wire/session-client.js'
import { type Sql, toStatement } from '../wire/sql.js'
import type { Statement, StatementObserver, TextRow } from '../wire/statement.js'
import { TextQuery } from '../wire/text-query.js'
import { asUnavailable, crowded } from '../wire/unavailable.js'
import {
  ConnectionPool,
  connectionTimeoutMs,
  type Purpose,
  poolShares,
  sessionSettings,
  sparesListener,
} from './connection-pool.js'
import { type CopiedRows, copyRows } from './copy-rows.js'
import type { DatabaseOptions } from './database-settings.js'
import type { OpenTransaction } from './open-transaction.js'
import { QueryLanes, type Told } from './query-lanes.js'
import type { Rehearsal } from './rehearsal.js'
import { rowTypes } from './row-types.js'
import { SequelizeModels } from './sequelize-models.js'
import { type AddedRows, runGathered, UnitOfWork } from './unit-of-work.js'

/**
 * One of the databases of a host: its statements on the connections of one pool, Sequelize's models, and the
 * feed of what changed.
 */
export class Database {
  readonly feed: ChangeFeed
  private pool: ConnectionPool
  private queries: QueryLanes | undefined
  /** Callers with a streamed answer under way. */
  private readonly streaming = new Set<string>()
  private orm: SequelizeModels | undefined
  private readonly watched: WatchedTables
  private observer: StatementObserver | undefined
  private rehearsal: Rehearsal | undefined

  constructor(
    readonly name: string,
    readonly config: ClientConfig,
    /**
     * Where the connection that listens for changes goes: past a pooler, with
     * `ConnectionStrings:<name>Direct`.
     */
    readonly listenerConfig: ClientConfig,
    readonly entities: readonly EntityClass[],
    readonly logger: Logger,
    private readonly options: DatabaseOptions,
    /** The lanes of all databases of the host. */
    private readonly allQueries = new Set<QueryLanes>(),
    /** The folders of the schema scripts of the modules that live on it. */
    readonly schemas: readonly URL[] = [],
    /** The migrations that the host was released with, by the names that its history has. */
    readonly migrations: readonly string[] = [],
  ) {
    this.watched = new WatchedTables(entities)
    this.feed = new ChangeFeed(listenerConfig, name, logger, {
      pollMs: options.changePollMs,
      maxAgeMs: options.maxCacheAgeMs,
      listens: sparesListener(options.maxPoolSize),
      send: (text, values, timeoutMs) =>
        this.lending('statement', (client) => {
          const late = setTimeout(() => cutConnection(client), timeoutMs)
          return client.query(text, values).finally(() => clearTimeout(late))
        }),
    })
    this.pool = new ConnectionPool(name, this.startPool(), options, poolShares(options))
    this.pool.reclaimIdle = () => this.queries?.giveBackIdle()
  }

  /**
   * Rows of a statement as objects; dates as `Date`, decimals as text. Inside a unit of work it runs in its
   * transaction.
   */
  async query<R extends object = Record<string, unknown>>(statement: Sql | Statement): Promise<R[]> {
    return (await this.send(statement, { types: rowTypes })).rows as R[]
  }

  /**
   * How many rows a statement touched. Once it is committed, cache entries of the watched tables that it
   * names are invalidated.
   */
  async execute(statement: Sql | Statement): Promise<number> {
    return (await this.send(statement, {})).rowCount ?? 0
  }

  /**
   * Rows of a named statement as arrays of PostgreSQL's own text: the fastest way to read what is only passed
   * on. `committed` reads beside the unit of work at hand: what is cached must not hold what may be rolled
   * back.
   */
  async queryText(statement: Statement, view: 'current' | 'committed' = 'current'): Promise<TextRow[]> {
    const ready = this.sendable(statement)
    const writes = view === 'current' ? UnitOfWork.current?.takeGathered(this) : undefined
    const run = () =>
      this.on(
        view,
        (target) => (writes ? runGathered(target, writes, ready) : new TextQuery(ready).runOn(target)),
        // To look through a long text costs more than to know of what comes after it.
        () => (writes || mayWrite(statement.text) ? 'writes' : 'reads'),
      )
    return this.observer ? this.observer.around(statement.text, run) : run()
  }

  /**
   * Runs a statement that writes, in the unit of work at hand, and whose answer nobody needs. Inside of {@link UnitOfWork.gathering} it is
   * sent later, and the statement that it is sent with throws its error.
   * @param failed makes the error for the caller of an error of the database
   * @param added the rows that the statement adds, where it does nothing else
   */
  async write(
    statement: Statement,
    failed: (error: unknown) => unknown = (error) => error,
    added?: AddedRows,
  ): Promise<void> {
    const unit = this.rehearsal ? undefined : UnitOfWork.gatherer
    if (unit && mayBeBatched(statement)) {
      const done = (ms: number) => this.observer?.took(statement.text, ms)
      unit.gather(this, { statement: this.sendable(statement), added, done, failed })
      return
    }
    await this.queryText(statement).catch((error: unknown) => {
      throw failed(error)
    })
  }

  /**
   * Rows of a statement that was made up for a caller, as the bytes that PostgreSQL sends: on connections
   * where nothing can be written and nothing takes long, shared fairly among callers. PostgreSQL's error
   * 57014 says that it took too long.
   */
  queryForCaller(statement: Statement): Promise<readonly ByteRow[]> {
    return this.inLane(statement, (ready, client, done) => new ByteQuery(ready).sendOn(client, done))
  }

  /**
   * Rows of a list that its caller filters or sorts, as {@link query} gives them. Inside a unit of work it
   * runs in its transaction, else on the connections of {@link queryForCaller}, so that costly lists of one
   * caller do not delay others.
   */
  async queryList<R extends object = Record<string, unknown>>(statement: Sql): Promise<R[]> {
    if (this.hasOwnView) return this.query(statement)
    const send = (ready: Statement, client: pg.ClientBase, done: Told<pg.QueryResult<R>>) =>
      client.query({ ...ready, types: rowTypes } as pg.QueryConfig, done)
    return (await this.inLane(toStatement(statement), send)).rows
  }

  /** Rows of a list as {@link queryText} gives them, where {@link queryList} runs it. */
  queryListText(statement: Statement): Promise<TextRow[]> {
    if (this.hasOwnView) return this.queryText(statement)
    return this.inLane(statement, (ready, client, done) => new TextQuery(ready).sendOn(client, done))
  }

  /**
   * Rows of a statement as {@link queryText} gives them, any number of them, piece by piece: no piece is read
   * before the reader asks for it, and leaving the loop gives the connection back. On few connections of the
   * pool, beside the unit of work at hand; nothing can be written. `UnavailableError` when none gets free in
   * time, when the caller at hand has another, and when they take the rows too slowly.
   * @example for await (const rows of database.stream(sql`select "Id" from "HubShipments"`)) for (const [id]
   * of rows) …
   */
  async *stream(statement: Sql | Statement): AsyncGenerator<readonly TextRow[], void, undefined> {
    const { streamTimeoutMs: timeoutMs, minStreamBytesPerSecond: minBytesPerSecond } = this.options
    const caller = callerKey()
    if (this.streaming.has(caller))
      throw new LimitReachedError('Another streamed answer to the same caller is still under way.', 5, {
        text: { key: 'Stream:UnderWay' },
      })
    const ready = 'texts' in statement ? toStatement(statement) : statement
    // The program itself may have several.
    if (caller) this.streaming.add(caller)
    try {
      yield* rowStream(await this.pool.borrow('stream', UnitOfWork.heldConnections), ready, {
        timeoutMs,
        minBytesPerSecond,
      })
    } catch (error) {
      throw asUnavailable(error, this.name)
    } finally {
      this.streaming.delete(caller)
    }
  }

  /**
   * Sends all statements through a rehearsal, which rolls every write back in the end. Called before the
   * first use.
   */
  async rehearse(rehearsal: Rehearsal): Promise<void> {
    this.rehearsal = rehearsal
    this.feed.expectNoEchoes()
    await this.pool.end()
    const unlimited = { size: Infinity, list: Infinity, stream: Infinity }
    this.pool = new ConnectionPool(this.name, rehearsal.pool(rowTypes), this.options, unlimited)
  }

  /** Calls the observer for every statement from now on. */
  observe(observer: StatementObserver): void {
    this.observer = observer
  }

  /** The connections of the pool, and how many callers wait for one. */
  get connectionsNow(): { readonly idle: number; readonly used: number; readonly pending: number } {
    const { idle, used, pending } = this.pool.now
    return { idle, used, pending: pending + (this.queries?.waitingCount ?? 0) }
  }

  /** Sequelize's model of an entity on this database, for stores: they check rules and keep stamps. */
  model<T>(entity: EntityClass): T {
    const model = this.models.of(entity)
    if (!model)
      throw new Error(
        `${entity.name} is not an entity of the database ${this.name}: list it in entities of its module`,
      )
    return model as T
  }

  /** The same, read by rules. */
  readableModel<T extends Model>(entity: EntityClass<T>, rules: CallerRules): Repository<T> {
    this.models.readBy(rules)
    return this.model(entity as EntityClass)
  }

  /** The watched tables whose rows go with the rows of a table. */
  deletedWith(table: string): readonly string[] {
    return this.watched.deletedWith(table)
  }

  /** Begins a transaction; the unit of work ends it. */
  async begin(): Promise<OpenTransaction> {
    try {
      return await this.models.begin()
    } catch (error) {
      throw asUnavailable(error, this.name)
    }
  }

  /**
   * Adds many rows in a transaction of their own, or in the unit of work at hand, for the least that it can
   * cost. Nothing is checked or filled in: no stamps, no defaults, no entity events. `Store.insertMany` does
   * all of these.
   */
  async copyRows(tables: readonly CopiedRows[], view: 'apart' | 'current' = 'apart'): Promise<void> {
    const send = (client: pg.ClientBase) => copyRows(client, tables)
    const run = () => (view === 'apart' ? this.withConnection(send) : this.on('current', send))
    await (this.observer ? this.observer.around('copy', run) : run())
  }

  /** Runs `work` on one connection of its own, e.g. for a lock that belongs to the session or for COPY. What it writes is announced by the database. */
  withConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.lending('hold', (client) => UnitOfWork.holding(() => work(client)))
  }

  /** Milliseconds that one row took to come. Throws when the database does not answer. */
  async probe(): Promise<number> {
    const before = performance.now()
    await this.lending('statement', (client) => client.query('select 1'))
    return performance.now() - before
  }

  async stop(): Promise<void> {
    // It may have something to announce yet, on a connection of the pool.
    await this.feed.stop()
    // In one turn: a list that comes between the two would keep its connection.
    this.queries?.end()
    await this.pool.end()
  }

  /** The most rows of a table of which a copy is held. */
  get maxHeldRows(): number {
    return this.options.maxHeldRows
  }

  /** True while uncommitted rows are visible on one connection only: reads must run on it. */
  private get hasOwnView(): boolean {
    return UnitOfWork.current !== undefined || this.rehearsal !== undefined
  }

  /** Runs a statement when it is its caller's turn. */
  private async inLane<T>(
    statement: Statement,
    send: (ready: Statement, client: pg.ClientBase, done: Told<T>) => void,
  ): Promise<T> {
    this.queries ??= this.startQueries()
    const { queries } = this
    const caller = callerKey()
    const isFull = queries.waitingCount >= this.options.maxWaiting
    if (isFull && !queries.makeRoomFor(caller, crowded(this.name))) throw crowded(this.name)
    const ready = this.sendable(statement)
    const run = () => queries.run<T>(statement.text, caller, (client, done) => send(ready, client, done))
    try {
      return await (this.observer ? this.observer.around(statement.text, run) : run())
    } catch (error) {
      throw asUnavailable(error, this.name)
    }
  }

  private startQueries(): QueryLanes {
    const { list: lanes } = poolShares(this.options)
    const limits = { lanes, slow: this.options.maxSlowQueries, waitMs: connectionTimeoutMs }
    return new QueryLanes(this.pool, limits, this.allQueries)
  }

  private startPool(): pg.Pool {
    const options = {
      ...this.config,
      Client: ByteClient as never,
      max: poolShares(this.options).size,
      application_name: 'keel',
      connectionTimeoutMillis: connectionTimeoutMs,
      keepAlive: true,
      types: rowTypes,
      session: sessionSettings(this.options).statement,
      preparesThroughPoolers: this.options.preparedStatements === true,
      onConnect: async (connected: pg.ClientBase) => {
        const client = connected as SessionClient
        await client.settle()
        this.feed.answeredBy(client.serverStart)
      },
    }
    const pool = new pg.Pool(options)
    pool.on('error', (error) =>
      this.logger.warn({ database: this.name, err: error }, 'an idle database connection failed'),
    )
    return pool
  }

  private async send(statement: Sql | Statement, options: object): Promise<QueryResult> {
    const ready = 'texts' in statement ? toStatement(statement) : statement
    const run = () =>
      this.on(
        'current',
        (target) => target.query({ ...this.sendable(ready), ...options } as pg.QueryConfig),
        () => (mayWrite(ready.text) ? 'writes' : 'reads'),
      )
    const result = await (this.observer ? this.observer.around(ready.text, run) : run())
    this.noteChanges(this.watched.changedBy(ready.text))
    return result
  }

  /**
   * Invalidates cache entries of tables when the unit of work at hand commits; without one at once, because
   * the statement has committed.
   */
  private noteChanges(tables: readonly string[]): void {
    if (tables.length && !UnitOfWork.current) ambient().written?.(this.name)
    for (const table of tables)
      if (UnitOfWork.current) UnitOfWork.current.changed(this, table)
      else this.feed.wrote(table)
  }

  private sendable(statement: Statement): Statement {
    return this.options.preparedStatements !== false
      ? statement
      : { text: statement.text, values: statement.values }
  }

  /**
   * Runs `work` where it belongs: in the transaction of the unit of work at hand, else on any free
   * connection.
   */
  private async on<T>(
    view: 'current' | 'committed',
    work: (target: pg.ClientBase) => Promise<T>,
    kind: () => 'reads' | 'writes' = () => 'writes',
  ): Promise<T> {
    const unit = view === 'current' ? UnitOfWork.current : undefined
    if (!unit) return this.lending('statement', work)
    try {
      return await unit.inTurn(this, work, kind())
    } catch (error) {
      throw asUnavailable(error, this.name)
    }
  }

  /** Runs `work` on a connection that is lent for it. */
  private async lending<T>(purpose: Purpose, work: (client: PoolClient) => Promise<T>): Promise<T> {
    let connection: LentConnection | undefined
    try {
      connection = await this.pool.borrow(purpose, UnitOfWork.heldConnections)
      return await work(connection.client)
    } catch (error) {
      if (purpose === 'statement') connection?.judge(error)
      throw asUnavailable(error, this.name)
    } finally {
      connection?.release()
    }
  }

  /** Made when they are first needed. */
  private get models(): SequelizeModels {
    this.orm ??= new SequelizeModels(this.entities, {
      borrow: () => this.pool.borrow('transaction', UnitOfWork.heldConnections),
      borrowForStatement: () => UnitOfWork.current?.borrow(this) ?? this.pool.borrow('statement'),
      took: (text, ms) => {
        this.observer?.took(text, ms)
        this.noteChanges(this.watched.changedBy(text))
      },
    })
    return this.orm
  }
}
