import pg from 'pg'
import { type ModelStatic, Op, Transaction } from 'sequelize'
import { type Model, type Repository, Sequelize } from 'sequelize-typescript'
import { type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import type { CallerRules } from '../entities/row-rules.js'
import { and, identifier, type Sql, sql } from '../wire/sql.js'
import { type HeldConnection, OpenTransaction } from './open-transaction.js'

// Sequelize hands dates of columns without zone to pg as they are: they are written in UTC, whatever the
// machine's zone.
pg.defaults.parseInputDatesAsUTC = true

/** How the models of a database use it. */
export interface SequelizeOptions {
  /** A connection for a transaction. */
  readonly borrow: () => Promise<HeldConnection>
  /** The connection for one statement: that of the unit of work at hand, when its turn has come, else any. */
  readonly borrowForStatement: () => Promise<HeldConnection>
  /** Called after each statement, with its text and duration in ms. */
  readonly took: (text: string, ms: number) => void
}

/**
 * Sequelize's models of the entities of a database, and its transactions, on connections of the pool instead
 * of Sequelize's own. Every read of a model obeys soft delete and row rules, in its includes too. The only
 * file that touches members of Sequelize which its types do not name, or that it does not expect to be
 * replaced; `test/src/data/models.test.ts` fails when an upgrade moves them.
 */
export class SequelizeModels {
  private readonly orm: Sequelize
  private made: Map<EntityClass, Repository<Model>> | undefined
  private rules: CallerRules | undefined

  constructor(
    private readonly entities: readonly EntityClass[],
    private readonly options: SequelizeOptions,
  ) {
    this.orm = new Sequelize({
      dialect: 'postgres',
      dialectModule: pg,
      benchmark: true,
      // Sequelize puts words of its own in front.
      logging: (text, ms) => options.took(text.replace(/^Executed \([^)]*\): /, ''), ms ?? 0),
      repositoryMode: true,
    })
    lendConnections(this.orm, options)
  }

  /** Made when one is first needed: it takes a tenth of a second, and a transaction of plain statements needs none. */
  private get models(): ReadonlyMap<EntityClass, Repository<Model>> {
    if (this.made) return this.made
    const { orm, entities } = this
    // biome-ignore lint/suspicious/noExplicitAny: sequelize-typescript asks for its own model type
    orm.addModels(entities as any[])
    this.made = new Map(entities.map((entity) => [entity, orm.getRepository(entity as never)]))
    for (const [entity, model] of this.made) this.describe(entityMeta(entity), model)
    return this.made
  }

  /** The model of an entity; undefined for one of another database. */
  of(entity: EntityClass): Repository<Model> | undefined {
    return this.models.get(entity)
  }

  /** Lets models be read by the rules of the caller at hand. */
  readBy(rules: CallerRules): void {
    this.rules = rules
  }

  /** Begins a transaction, which statements of models may run in. */
  async begin(): Promise<OpenTransaction> {
    const connection = await this.options.borrow()
    return OpenTransaction.begin(
      connection,
      (client) => joinedTransaction(this.orm, client),
      this.options.took,
    )
  }

  /**
   * Associates a model with those that its columns refer to, by the name of the column without `Id`, and
   * hides rows.
   */
  private describe(meta: EntityMeta, model: Repository<Model>): void {
    for (const { attribute, references } of meta.columns.values()) {
      const target = references && this.models.get(references())
      const as = attribute.replace(/Id$/, '')
      if (target && as !== attribute && !model.associations[as])
        model.belongsTo(target, { as, foreignKey: attribute, constraints: false })
    }
    hideRows(model, meta, (entities) => this.visible(entities))
    refuseUnguardedWrites(model, meta)
  }

  private async visible(reached: ReadonlySet<ModelStatic<Model>>): Promise<VisibleRows> {
    const conditions = new Map<ModelStatic<Model>, Sql[]>()
    for (const [entity, model] of this.models) {
      const meta = entityMeta(entity)
      if (!reached.has(model) || !(meta.rules.length || meta.softDelete)) continue
      if (!this.rules) throw new Error(`${entity.name} has row rules: take its model from Models`)
      conditions.set(model, await this.rules.conditionsFor(meta, 'visible'))
    }
    return new VisibleRows(conditions)
  }
}

/**
 * Lends our pool's connections to Sequelize, in place of Sequelize's connection manager, which has a pool of
 * its own.
 */
interface ConnectionLender {
  getConnection(options?: StatementOptions): Promise<object>
  releaseConnection(connection: object): void
  destroyConnection(connection: object): Promise<void>
}

/** Options of a statement, or of a transaction that begins, which has a `uuid`. */
interface StatementOptions {
  readonly uuid?: string
  readonly visible?: VisibleRows
}

function lendConnections(orm: Sequelize, { borrow, borrowForStatement }: SequelizeOptions): void {
  const lent = new Map<object, HeldConnection>()
  const giveBack = (handle: object, broken?: Error): void => {
    const connection = lent.get(handle)
    lent.delete(handle)
    if (broken) connection?.breaks(broken)
    connection?.release()
  }
  const lender: ConnectionLender = {
    getConnection: async ({ uuid, visible } = {}) => {
      const connection = await (uuid ? borrow() : borrowForStatement())
      const handle = new StatementConnection(connection.client, visible?.values)
      lent.set(handle, connection)
      return handle
    },
    releaseConnection: (handle) => giveBack(handle),
    // The end of the transaction failed: its state is unknown.
    destroyConnection: async (handle) => giveBack(handle, new Error('a transaction did not end')),
  }
  Object.assign(orm.connectionManager, lender)
}

/** A transaction for statements of models, on a connection where one has begun. */
function joinedTransaction(orm: Sequelize, client: pg.ClientBase): Transaction {
  return Object.assign(new Transaction(orm, {}), { connection: new StatementConnection(client) })
}

/**
 * A connection as one of Sequelize's statements sees it; the parameters of row rules are added to those of
 * the statement, which has none.
 */
class StatementConnection {
  constructor(
    private readonly client: pg.ClientBase,
    private readonly values: readonly unknown[] = [],
  ) {}

  query(text: string, ...rest: readonly unknown[]): void {
    const send = this.client.query as (...words: unknown[]) => void
    send.call(this.client, text, ...(this.values.length ? [this.values] : []), ...rest)
  }
}

/**
 * The rows that the caller at hand may see, as conditions of one statement and the values of its parameters.
 */
class VisibleRows {
  readonly values: unknown[] = []

  constructor(private readonly conditions: ReadonlyMap<ModelStatic<Model>, Sql[]>) {}

  /**
   * The condition for rows of a model, wherever it stands in the statement; undefined where all are visible.
   */
  of(model: ModelStatic<Model>): object | undefined {
    // A model with a scope is a class that extends the model.
    const known = [...this.conditions].find(
      ([base]) => model === base || model.prototype instanceof base,
    )?.[1]
    if (!known?.length) return undefined
    const table = identifier(String(model.getTableName()))
    const { texts, values } = sql`(select visible."Id" from ${table} visible where ${and(known)})`
    const offset = this.values.length
    this.values.push(...values)
    const text = texts.reduce((all, part, index) => (index ? `${all}$${offset + index}${part}` : part), '')
    return { Id: { [Op.in]: Sequelize.literal(text) } }
  }
}

/** Options of a find as Sequelize has them when it is about to write SQL. */
interface FindOptions {
  where?: object
  readonly include?: readonly (FindOptions & { readonly model: ModelStatic<Model> })[]
  readonly transaction?: Transaction
  visible?: VisibleRows
}

/**
 * The members of a model that read rows: all finds and aggregates of Sequelize end in the first two, and add
 * what is hidden by the third.
 */
interface Reading {
  findAll(options?: FindOptions): Promise<unknown>
  aggregate(attribute: string, name: string, options?: FindOptions): Promise<unknown>
  _paranoidClause(model: ModelStatic<Model>, options?: FindOptions): FindOptions
}

function hideRows(
  model: Repository<Model>,
  { name }: EntityMeta,
  visibleOf: (reached: ReadonlySet<ModelStatic<Model>>) => Promise<VisibleRows>,
): void {
  const { findAll, aggregate } = model as unknown as Reading
  const prepare = async (options: FindOptions = {}): Promise<FindOptions> => {
    if (options.transaction)
      throw new Error(`A read of ${name} takes no transaction: it is the unit of work's`)
    return { ...options, visible: await visibleOf(reachedFrom(model)) }
  }
  const hiding: Reading = {
    async findAll(options) {
      return findAll.call(this, await prepare(options))
    },
    async aggregate(attribute, fn, options) {
      return aggregate.call(this, attribute, fn, await prepare(options))
    },
    _paranoidClause: (of, options = {}) => {
      if (options.visible) hideIn(of, options, options.visible)
      return options
    },
  }
  Object.assign(model, hiding)
}

function hideIn(model: ModelStatic<Model>, options: FindOptions, visible: VisibleRows): void {
  const condition = visible.of(model)
  if (condition) options.where = options.where ? { [Op.and]: [condition, options.where] } : condition
  for (const include of options.include ?? []) hideIn(include.model, include, visible)
}

/** A model and those that its includes can reach. */
function reachedFrom(
  model: ModelStatic<Model>,
  reached: Set<ModelStatic<Model>> = new Set(),
): ReadonlySet<ModelStatic<Model>> {
  if (reached.has(model)) return reached
  reached.add(model)
  for (const { target } of Object.values(model.associations))
    reachedFrom(target as ModelStatic<Model>, reached)
  return reached
}

/**
 * Rows with stamps, marks and rules are written by their store, which keeps them, the audit log and events.
 * It asks for no hooks.
 */
function refuseUnguardedWrites(model: Repository<Model>, meta: EntityMeta): void {
  if (!meta.softDelete && !meta.rules.length && !meta.columns.has('concurrencyStamp')) return
  const refuse = (): never => {
    throw new Error(`Rows of ${meta.name} are written by its store, which keeps stamps, marks and row rules`)
  }
  for (const hook of [
    'beforeSave',
    'beforeDestroy',
    'beforeBulkCreate',
    'beforeBulkUpdate',
    'beforeBulkDestroy',
  ])
    model.addHook(hook as 'beforeSave', refuse)
}
