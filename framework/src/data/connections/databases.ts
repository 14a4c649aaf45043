import type { Configuration } from '../../modularity/configuration.js'
import type { Logger } from '../../modularity/logging.js'
import { StartupError } from '../../modularity/startup-error.js'
import type { EntityClass } from '../entities/entity.js'
import { parseConnectionString } from '../wire/connection-string.js'
import { Database } from './database.js'
import { DatabaseSettings } from './database-settings.js'
import type { EntityEventSink } from './entity-event-sink.js'
import type { QueryLanes } from './query-lanes.js'

/** The databases of a host by connection name. Names that are not configured mean Default. */
export class Databases {
  /**
   * The listener for every row that a store writes, called inside the transaction; set by the events module.
   */
  entityEvents: EntityEventSink | undefined
  private readonly databases = new Map<string, Database>()
  private readonly homes = new Map<EntityClass, Database>()
  private readonly scripted = new Set<EntityClass>()

  constructor(
    configuration: Configuration,
    logger: Logger,
    modules: readonly {
      database?: string
      entities?: readonly object[]
      schema?: URL
      migrations?: readonly string[]
    }[],
    /** The clock of the stamps that stores write. */
    readonly now: () => Date = () => new Date(),
  ) {
    const entities = new Map<string, EntityClass[]>()
    const schemas = new Map<string, URL[]>()
    const migrations = modules.flatMap((module) => module.migrations ?? [])
    for (const { database = 'Default', entities: own = [], schema } of modules) {
      const name = configuration.get(`ConnectionStrings:${database}`) ? database : 'Default'
      entities.set(name, [...(entities.get(name) ?? []), ...(own as EntityClass[])])
      if (!schema) continue
      schemas.set(name, [...(schemas.get(name) ?? []), schema])
      for (const entity of own) this.scripted.add(entity as EntityClass)
    }
    const options = configuration.read(DatabaseSettings)
    const allQueries = new Set<QueryLanes>()
    for (const [name, own] of entities) {
      const key = `ConnectionStrings:${name}`
      const text = configuration.get(key)
      if (!text) {
        if (own.length === 0) continue
        throw new StartupError(
          `${key} is not set. Set it in appsettings.secrets.json or as the environment variable ConnectionStrings__${name}.`,
        )
      }
      const config = parseConnectionString(text, key)
      const direct = configuration.get(`${key}Direct`)
      const listener = direct ? parseConnectionString(direct, `${key}Direct`) : config
      const folders = schemas.get(name)
      const released = name === 'Default' ? migrations : []
      const database = new Database(
        name,
        config,
        listener,
        own,
        logger,
        options,
        allQueries,
        folders,
        released,
      )
      this.databases.set(name, database)
      for (const entity of own) this.homes.set(entity, database)
    }
  }

  /** Every database of the host. */
  get all(): readonly Database[] {
    return [...this.databases.values()]
  }

  /** The entities of a database whose tables schema scripts make; the migrator makes those of the others. */
  scriptedEntities({ entities }: Database): readonly EntityClass[] {
    return entities.filter((entity) => this.scripted.has(entity))
  }

  /** The database of a connection name. */
  named(name: string): Database {
    const database = this.databases.get(name) ?? this.databases.get('Default')
    if (!database) throw new StartupError(`No module of this host uses the database ${name}`)
    return database
  }

  /** The database an entity lives on. */
  of(entity: EntityClass): Database {
    const database = this.homes.get(entity)
    if (!database)
      throw new StartupError(
        `${entity.name} is not an entity of this host: list it in entities of its module`,
      )
    return database
  }
}
