import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { Application } from '../../modularity/application.js'
import { Configuration } from '../../modularity/configuration.js'
import {
  compareClocks,
  Diagnosis,
  type Finding,
  healthy,
  problem,
  warning,
} from '../../modularity/diagnosis.js'
import { Injectable } from '../../modularity/injectable.js'
import { StartupError } from '../../modularity/startup-error.js'
import { changeChannel, cureOfSilence } from '../change-feed/change-feed.js'
import type { Database } from '../connections/database.js'
import { Databases } from '../connections/databases.js'
import { entityMeta } from '../entities/entity.js'
import { SessionClient } from '../wire/session-client.js'
import { sql } from '../wire/sql.js'
import { compareKeptTriggers } from './kept-triggers.js'
import { modelSnapshot } from './model-snapshot.js'
import { missingOwnFieldIndexes } from './own-field-indexes.js'
import { findDrift } from './schema-drift.js'
import { findLacks, schemaCure, tellLacks } from './schema-state.js'

/** `unique nulls not distinct` came with it. */
const oldestServer = 150_000
const echoWithinMs = 1000
const connectWithinMs = 10_000
const insufficientPrivilege = '42501'
/** The most differences of a schema that are listed one by one. */
const shownDifferences = 20

/** Looks at the databases of a host: reachable, new enough, up to date, writable, on time, and telling of changes. */
@Injectable()
export class DatabaseDiagnosis extends Diagnosis {
  constructor(
    private readonly databases: Databases,
    private readonly configuration: Configuration,
    private readonly application: Application,
  ) {
    super()
  }

  async examine(): Promise<readonly Finding[]> {
    return (await Promise.all(this.databases.all.map((database) => this.examineOne(database)))).flat()
  }

  private async examineOne(database: Database): Promise<readonly Finding[]> {
    const subject = `${database.name} database`
    try {
      return await database.withConnection(async (client) => [
        await this.server(subject, client),
        await this.clock(subject, client),
        ...(await this.tables(database, client)),
        await this.textOrder(subject, client),
        await this.notifications(database),
      ])
    } catch (error) {
      const cure = `Set ConnectionStrings:${database.name} to a database that answers and lets this user in.`
      return [problem(subject, (error as Error).message || String(error), cure)]
    }
  }

  private async server(subject: string, client: PoolClient): Promise<Finding> {
    const { rows } = await client.query<{ version: string; number: number; superuser: boolean }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
         current_setting('is_superuser') = 'on' as superuser`,
    )
    const { version = '', number = 0, superuser = false } = rows[0] ?? {}
    if (number < oldestServer) return problem(subject, `PostgreSQL ${version}`, 'Use PostgreSQL 15 or newer.')
    if (superuser && !this.configuration.isDevelopment)
      return warning(
        subject,
        `PostgreSQL ${version}, and the host is a superuser there`,
        'Give it a user that owns nothing but its tables.',
      )
    return healthy(subject, `PostgreSQL ${version}`)
  }

  private async clock(subject: string, client: PoolClient): Promise<Finding> {
    const before = Date.now()
    const { rows } = await client.query<{ now: string }>(
      'select extract(epoch from clock_timestamp()) * 1000 as now',
    )
    return compareClocks(`${subject}, clock`, Number(rows[0]?.now), before, Date.now())
  }

  /** Texts are sorted by the database's collation, which is chosen when it is created. Indexes are in the order that it had then. */
  private async textOrder(subject: string, client: PoolClient): Promise<Finding> {
    const { rows } = await client.query<{ peoples: boolean; outdated: boolean }>(
      `select 'a' < 'B' and 'ä' < 'z' as peoples,
         coalesce(datcollversion <> pg_database_collation_actual_version(oid), false) as outdated
       from pg_database where datname = current_database()`,
    )
    const { peoples = true, outdated = false } = rows[0] ?? {}
    const about = `${subject}, order of texts`
    if (outdated)
      return warning(
        about,
        'the collation is of another version than when the indexes were built: rows may not be found',
        'Run reindex database, then alter database … refresh collation version.',
      )
    if (peoples) return healthy(about, 'as people sort')
    return warning(
      about,
      'by code points: B before a, Z before Ä',
      "Restore it into a database that was created with template template0 locale_provider icu icu_locale 'und'.",
    )
  }

  private async tables(database: Database, client: PoolClient): Promise<readonly Finding[]> {
    const subject = `${database.name} database, tables`
    const names = database.entities.map((entity) => entityMeta(entity).table)
    const { rows } = await client.query<{ name: string; writable: boolean | null }>(
      `select name, has_table_privilege(to_regclass(quote_ident(name)), 'select')
         and has_table_privilege(to_regclass(quote_ident(name)), 'insert')
         and has_table_privilege(to_regclass(quote_ident(name)), 'update')
         and has_table_privilege(to_regclass(quote_ident(name)), 'delete') as writable
       from unnest($1::text[]) as name order by name`,
      [names],
    )
    const lacks = await findLacks(client, database).then(tellLacks, (error: unknown) => {
      if (error instanceof StartupError) return error.message
      throw error
    })
    if (lacks) return [problem(subject, lacks, schemaCure(database.name))]
    const closed = rows.filter(({ writable }) => !writable).map(({ name }) => name)
    if (closed.length)
      return [
        problem(
          subject,
          `no right to read or write ${someOf(closed)}`,
          `Grant select, insert, update and delete to the user of ConnectionStrings:${database.name}.`,
        ),
      ]
    const there = healthy(subject, `${rows.length}, all there and writable`)
    return [
      there,
      ...(await this.differences(database, client)),
      ...(await this.keptColumns(database, client)),
      ...(await this.ownFields(database, client)),
    ]
  }

  /** Row rules may read columns that triggers keep: without its trigger such a column shows rows to callers who lost them. */
  private async keptColumns(database: Database, client: PoolClient): Promise<readonly Finding[]> {
    const subject = `${database.name} database, kept columns`
    const { scripted, faults } = await compareKeptTriggers(client, database.schemas)
    if (scripted === 0) return []
    if (faults.length === 0)
      return [healthy(subject, `${scripted} triggers, as the schema scripts make them`)]
    return faults.map(({ told, cure }) =>
      problem(
        subject,
        told,
        `${cure} Then compute the values of all rows anew (README of the module): callers may see rows that they lost.`,
      ),
    )
  }

  /** The indexes of own fields that are missing. */
  private async ownFields(database: Database, client: PoolClient): Promise<readonly Finding[]> {
    const missing = await missingOwnFieldIndexes(this.application, database, client)
    const cure = 'Build them: npx keel own-fields <host>'
    return missing.map(({ field, name }) =>
      warning(`${database.name} database, own fields`, `${field} has no index ${name}`, cure),
    )
  }

  /** The differences between the tables of schema scripts and the entity classes. `npm run migrate -- drift` tells those of the migrator's tables. */
  private async differences(database: Database, client: PoolClient): Promise<readonly Finding[]> {
    const entities = this.databases.scriptedEntities(database)
    if (entities.length === 0) return []
    const subject = `${database.name} database, schema`
    try {
      const { told } = await findDrift(client, modelSnapshot(entities))
      if (told.length === 0) return [healthy(subject, 'as the entity classes declare')]
      const cure = `Write a script that makes it so (npm run schema -- add ${database.name.toLowerCase()} what-changes), or take back changes that were made by hand.`
      const shown = told.slice(0, shownDifferences).map((sentence) => warning(subject, sentence, cure))
      const rest = told.length - shown.length
      return rest ? [...shown, warning(subject, `There are ${rest} more differences.`, cure)] : shown
    } catch (error) {
      if ((error as { code?: string }).code !== insufficientPrivilege) throw error
      return [
        healthy(subject, 'not compared with the entity classes: that takes the right to create a schema'),
      ]
    }
  }

  /** Listens on a connection as the change feed has one. */
  private async notifications(database: Database): Promise<Finding> {
    const client = new SessionClient({ ...database.listenerConfig, connectionTimeoutMillis: connectWithinMs })
    const subject = `${database.name} database`
    const echo = `echo:${randomUUID()}`
    let hear: (heard: boolean) => void = () => undefined
    const heard = new Promise<boolean>((resolve) => {
      hear = resolve
    })
    const listener = ({ payload }: { payload?: string }) => payload === echo && hear(true)
    const timer = setTimeout(() => hear(false), echoWithinMs)
    client.on('notification', listener)
    client.on('error', () => hear(false))
    try {
      await client.connect()
      await client.settle()
      if (!client.ownsSession)
        return warning(
          `${subject}, notifications`,
          'do not arrive through a pooler: changes are found by looking (Database:ChangePollMs)',
          `${cureOfSilence(database.name)} Or accept that changes are seen up to a second later, and that caches without tables keep nothing.`,
        )
      await client.query(`listen ${changeChannel}`)
      // On another connection: what one tells itself is heard through a pooler too.
      await database.execute(sql`select pg_notify(${changeChannel}, ${echo})`)
      return (await heard)
        ? healthy(`${subject}, notifications`, 'arrive')
        : warning(
            `${subject}, notifications`,
            'do not arrive: changes are found by looking (Database:ChangePollMs)',
            'Look for what keeps the connections of this database from hearing each other.',
          )
    } finally {
      clearTimeout(timer)
      await client.end()
    }
  }
}

function someOf(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} …` : names.join(', ')
}
