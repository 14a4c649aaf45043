import pg from 'pg'
import type { Transaction } from 'sequelize'
import { type ModelCtor, Sequelize } from 'sequelize-typescript'
import type { EntityClass } from '../entities/entity.js'
import type { LentConnection } from '../wire/lent-connection.js'

// Sequelize hands dates of columns without zone to pg as they are: they are written in UTC, whatever the machine's zone.
pg.defaults.parseInputDatesAsUTC = true

/** How the models of a database use it. */
export interface SequelizeOptions {
  /** A connection of the pool, for a transaction or a statement. */
  readonly borrow: () => Promise<LentConnection>
  /** Hears of each statement that was run, and of the milliseconds that it took. */
  readonly took: (text: string, ms: number) => void
}

/**
 * Sequelize's models of the entities of a database, and its transactions, on connections of the pool instead of Sequelize's own. The only file
 * that touches members of Sequelize which its types do not name, or that it does not expect to be replaced.
 */
export class SequelizeModels {
  private readonly orm: Sequelize
  private readonly models = new Map<EntityClass, ModelCtor>()

  constructor(entities: readonly EntityClass[], { borrow, took }: SequelizeOptions) {
    this.orm = new Sequelize({
      dialect: 'postgres',
      dialectModule: pg,
      benchmark: true,
      // Sequelize puts words of its own in front.
      logging: (text, ms) => took(text.replace(/^Executed \([^)]*\): /, ''), ms ?? 0),
      repositoryMode: true,
      // biome-ignore lint/suspicious/noExplicitAny: sequelize-typescript asks for its own model type
      models: entities as any[],
    })
    lendConnections(this.orm, borrow)
    for (const entity of entities)
      this.models.set(entity, this.orm.getRepository(entity as never) as unknown as ModelCtor)
  }

  /** The model of an entity; undefined for one of another database. */
  of(entity: EntityClass): ModelCtor | undefined {
    return this.models.get(entity)
  }

  begin(): Promise<Transaction> {
    return this.orm.transaction()
  }
}

/** What lends connections to Sequelize. Its own makes a pool of its own. */
interface ConnectionLender {
  getConnection(): Promise<object>
  releaseConnection(client: object): void
  destroyConnection(client: object): Promise<void>
}

function lendConnections(orm: Sequelize, borrow: SequelizeOptions['borrow']): void {
  const lent = new Map<object, LentConnection>()
  const giveBack = (client: object, broken?: Error): void => {
    const connection = lent.get(client)
    lent.delete(client)
    if (broken) connection?.breaks(broken)
    connection?.release()
  }
  const lender: ConnectionLender = {
    getConnection: async () => {
      const connection = await borrow()
      lent.set(connection.client, connection)
      return connection.client
    },
    releaseConnection: (client) => giveBack(client),
    // A transaction whose end failed: nobody knows how.
    destroyConnection: async (client) => giveBack(client, new Error('a transaction did not end')),
  }
  Object.assign(orm.connectionManager, lender)
}

/** The connection that a transaction runs on. */
export function connectionOf(transaction: Transaction): pg.Client {
  return (transaction as unknown as { connection: pg.Client }).connection
}
