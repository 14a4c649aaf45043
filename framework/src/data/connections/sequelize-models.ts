import type { Socket } from 'node:net'
import pg, { type ClientConfig } from 'pg'
import type { Transaction } from 'sequelize'
import { type ModelCtor, Sequelize } from 'sequelize-typescript'
import type { EntityClass } from '../entities/entity.js'
import { SessionClient, type SessionSettings } from '../wire/session-client.js'

// Sequelize hands dates of columns without zone to pg as they are: they are written in UTC, whatever the machine's zone.
pg.defaults.parseInputDatesAsUTC = true

/** How the models of a database use it. */
export interface SequelizeOptions {
  /** Connections at most. */
  readonly max: number
  /** What every connection is set to. */
  readonly session: SessionSettings
  /** Hears of each statement that was run, and of the milliseconds that it took. */
  readonly took: (text: string, ms: number) => void
  /** Prepares each new connection. */
  readonly settle: (connection: SessionClient) => Promise<void>
  /** Takes the place of `pg`, for rehearsals. */
  readonly driver?: object | undefined
}

/**
 * Sequelize's models of the entities of a database, and its transactions. The only file that touches members of Sequelize and of its connections
 * which their types do not name: an upgrade that moves them is noticed here.
 */
export class SequelizeModels {
  private readonly orm: Sequelize
  private readonly models = new Map<EntityClass, ModelCtor>()

  constructor(entities: readonly EntityClass[], config: ClientConfig, options: SequelizeOptions) {
    const { max, session, took, settle, driver } = options
    class Client extends SessionClient {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, session })
      }
    }
    this.orm = new Sequelize({
      dialect: 'postgres',
      ...sequelizeAddress(config),
      pool: { max, idle: 30_000, acquire: 15_000, validate: isUsable },
      hooks: {
        afterConnect: async (connection: unknown) => {
          if (connection instanceof SessionClient) await settle(connection)
        },
      },
      benchmark: true,
      // Sequelize puts words of its own in front.
      logging: (text, ms) => took(text.replace(/^Executed \([^)]*\): /, ''), ms ?? 0),
      repositoryMode: true,
      ...keepTimeZone,
      dialectModule: driver ?? { ...pg, Client },
      // biome-ignore lint/suspicious/noExplicitAny: sequelize-typescript asks for its own model type
      models: entities as any[],
    })
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

  /** How many wait for a connection; Sequelize has no type for its pool. */
  get waitingCount(): number {
    return (this.orm as unknown as { connectionManager: { pool: { waiting: number } } }).connectionManager
      .pool.waiting
  }

  close(): Promise<void> {
    return this.orm.close()
  }
}

/** The connection that a transaction runs on. */
export function connectionOf(transaction: Transaction): pg.Client {
  return (transaction as unknown as { connection: pg.Client }).connection
}

/**
 * Whether a connection of Sequelize's pool can still be used. Sequelize's own check knows of a break that it heard of; one that breaks while it is
 * being set up is not, and would be handed out, and fail, for ever.
 */
function isUsable(connection: object): boolean {
  const { _queryable, _ending, connection: wire } = connection as BrokenOrNot
  return _queryable && !_ending && !wire.stream.destroyed
}

/** What a `pg.Client` knows of its state, without having types for it. */
interface BrokenOrNot {
  readonly _queryable: boolean
  readonly _ending: boolean
  readonly connection: { readonly stream: Socket }
}

/** The address for Sequelize, as `pg` understands it: both must reach the same server in the same way. */
function sequelizeAddress(config: ClientConfig): object {
  const { host, port, database, user, password, ssl } = new pg.Client(config)
  return {
    host,
    port,
    database,
    username: user,
    password,
    // It would set the level on the session.
    dialectOptions: { clientMinMessages: 'ignore', ...(ssl && { ssl }) },
  }
}

/** Sequelize would set the zone on the session. Its typings leave the option out. */
const keepTimeZone: object = { keepDefaultTimezone: true }
