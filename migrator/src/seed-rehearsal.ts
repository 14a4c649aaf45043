import { createApplication, KeelModule, Module, type ModuleContext } from '@keel/framework'
import {
  bookkeeping,
  type DatabaseSession,
  Databases,
  type ModelSnapshot,
  Rehearsal,
  runSeeders,
  runSqlScript,
} from '@keel/framework/data'
import type { CommandCall } from './command.js'
import { meaningOf } from './error-text.js'
import { Refusal } from './exit-codes.js'
import type { Migration } from './migration.js'
import { limitsSql } from './run-settings.js'
import {
  compareWrites,
  readTableWrites,
  readWriteCounts,
  type SeedChange,
  type TableWrites,
} from './seed-changes.js'

/** The call, session and migrations of a rehearsal. */
export interface SeedRehearsal {
  readonly call: CommandCall
  /** Plays the run; nothing else may use it meanwhile. */
  readonly session: DatabaseSession
  readonly pending: readonly Migration[]
  readonly model: ModelSnapshot
}

/**
 * The rows that the seeders would write after the pending migrations. Both really run, in one transaction
 * that is rolled back. Other sessions see no change, but rows and tables that it locks stay locked until it
 * ends.
 */
export async function rehearseSeeds(rehearsal: SeedRehearsal): Promise<SeedChange[]> {
  const { session } = rehearsal
  await session.query('begin isolation level repeatable read')
  const writes = await playRun(rehearsal).finally(() =>
    // A broken connection can't roll back; the server has done it already.
    session.query('rollback').catch(() => undefined),
  )
  // Tables that the transaction locks cannot be read beside it: the rows of before are read after its end.
  return compareWrites(session, writes)
}

async function playRun(rehearsal: SeedRehearsal): Promise<TableWrites[]> {
  const { session, pending, model } = rehearsal
  // Short limits: a rehearsal gives up soon when other sessions hold locks that it needs.
  await session.query(limitsSql({ lock_timeout: 1000, statement_timeout: 60_000 }))
  const { rows } = await session.query<{ id: string }>('select pg_current_xact_id()::xid::text as id')
  for (const { name, up } of pending) await runSqlScript(session, name, up)
  const before = await readWriteCounts(session)
  await runRehearsedSeeders(rehearsal)
  const after = await readWriteCounts(session)
  const tables = [...after.keys()].filter(
    (table) => !bookkeeping.includes(table) && after.get(table) !== (before.get(table) ?? 0),
  )
  return readTableWrites(session, { tables, model, since: rows[0]?.id ?? '0' })
}

/** Starts the program on the session instead of connections of its own, and runs its seeders. */
async function runRehearsedSeeders({ call, session }: SeedRehearsal): Promise<void> {
  const { host } = await call.program.load()
  class RehearsedHost extends KeelModule {
    override async configureServices({ application }: ModuleContext): Promise<void> {
      await application.get(Databases).named('Default').rehearse(new Rehearsal(session))
    }
  }
  Module({ dependsOn: [host] })(RehearsedHost)
  const application = createApplication(RehearsedHost, call.configuration)
  await application.start()
  try {
    const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore }
    await runSeeders(application, {
      around: ({ module, name }, seed) =>
        seed(silent).catch((cause: unknown) => {
          throw new Refusal(
            'seedingFailed',
            `${name} of ${module} would fail${meaningOf(cause, application.localization)}`,
            { cause },
          )
        }),
    })
  } finally {
    await application.stop()
  }
}

const ignore = (): void => undefined
