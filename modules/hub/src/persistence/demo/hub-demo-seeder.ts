import { Clock, Injectable, InputError, StartupError } from '@keel/framework'
import {
  type DatabaseSession,
  Databases,
  inTransaction,
  type SeedContext,
  Seeder,
  sql,
  withoutStatementTimeout,
} from '@keel/framework/data'
import { Shipment } from '../../domain/shipment.js'
import { bulkLoad } from './bulk-load.js'
import { copyTable } from './copy-table.js'
import type { DemoTable } from './demo-data.js'
import { demoMembers } from './demo-members.js'

/** Fills an empty Hub with organizations, shipments, orders and documents (domain model, section 10). */
@Injectable()
export class HubDemoSeeder extends Seeder {
  static override readonly demo = true

  constructor(
    private readonly databases: Databases,
    private readonly clock: Clock,
  ) {
    super()
  }

  override check(options: SeedContext['options']): void {
    numbersOf(options)
  }

  /** Options: `shipments` (2,000), `seed` (1), `reset` (`true` deletes what is there first). */
  async seed({ logger, options, progress }: SeedContext): Promise<void> {
    const { shipments, seed } = numbersOf(options)
    const now = new Date(this.clock.now.toISOString().slice(0, 10))
    // A host that answers requests has this seeder too, and no use for these tables.
    const { demoTables } = await import('./demo-data.js')
    const tables = demoTables({ shipments, seed, now, userIds: demoMembers })
    const names = tables.map(({ table }) => table)
    const database = this.databases.of(Shipment)
    await database.withConnection(async (client) => {
      if (options.reset === 'true') await empty(client, names)
      const { rows } = await client.query<{ filled: boolean }>(
        'select exists (select from "HubShipments") as filled',
      )
      if (rows[0]?.filled)
        throw new StartupError('The Hub has shipments already. Say --reset to replace them.')
      await withoutStatementTimeout(client, () =>
        bulkLoad(
          client,
          names,
          () => this.load(client, tables, progress),
          (done, total) => progress('indexes', done, total),
        ),
      )
    })
    await database.execute(sql`select pg_notify('keel_changes', name) from unnest(${names}::text[]) as name`)
    logger.info({ shipments, seed }, 'demo data seeded')
  }

  private async load(
    client: DatabaseSession,
    tables: readonly DemoTable[],
    progress: SeedContext['progress'],
  ): Promise<void> {
    for (const table of tables)
      await copyTable(client, table, (done) => progress(table.table, done, table.count))
  }
}

/** Empties tables, and those with rows that belong to theirs. Carriers stay, though their companies go. */
async function empty(session: DatabaseSession, tables: readonly string[]): Promise<void> {
  await inTransaction(session, async () => {
    await session.query('create temporary table "KeptCarriers" on commit drop as table "HubCarriers"')
    await session.query(`truncate ${tables.map((name) => `"${name}"`).join(', ')} cascade`)
    await session.query('update "KeptCarriers" set "OrganizationId" = null')
    await session.query('insert into "HubCarriers" table "KeptCarriers"')
  })
}

function numbersOf({ shipments = '2000', seed = '1' }: SeedContext['options']) {
  return {
    shipments: wholeNumber('shipments', shipments, 1_000_000),
    seed: wholeNumber('seed', seed, 2 ** 31 - 1),
  }
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new InputError(`--${name} must be a whole number from 1 to ${most}, not ${text}`)
  return value
}
