import type { Database, DatabaseSession, LockHolder } from '@keel/framework/data'
import { describeHolder } from './run-lock.js'
import type { Steps } from './steps.js'

/** A lock that is waited for in vain is to be seen before its time is over. */
const lookMs = 300

interface Sight {
  readonly blockers: readonly LockHolder[]
  readonly done: string | null
  readonly total: string | null
}

/** Looks now and then, on another connection, at what a long statement waits for and how far the index is that it builds. */
export class StatementWatch {
  /** The session that last blocked the current statement. */
  blockedBy: string | undefined

  constructor(
    private readonly database: Database,
    private readonly steps: Steps,
  ) {}

  async during<T>(session: DatabaseSession, name: string, work: () => Promise<T>): Promise<T> {
    this.blockedBy = undefined
    const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = rows[0]?.pid ?? 0
    let looking: Promise<void> | undefined
    const timer = setInterval(() => {
      // Only a help to whoever waits: that it fails says nothing of the migration.
      looking ??= this.look(pid, name)
        .catch(() => undefined)
        .finally(() => {
          looking = undefined
        })
    }, lookMs)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      await looking
    }
  }

  private async look(pid: number, name: string): Promise<void> {
    const [sight] = await this.database.query<Sight>({ text: sightSql, values: [pid] })
    if (!sight) return
    const blockers = sight.blockers.map((holder) =>
      describeHolder({ ...holder, since: holder.since && new Date(holder.since) }),
    )
    const blockedBy = blockers.length ? blockers.join(', ') : undefined
    if (blockedBy && blockedBy !== this.blockedBy)
      this.steps.tell({ step: 'migrate', state: 'waiting', message: `${name} waits for ${blockedBy}`, name })
    // A session that blocked the statement a moment ago stays the reason of a failure.
    this.blockedBy = blockedBy ?? this.blockedBy
    const total = Number(sight.total)
    if (total) this.steps.progress(`blocks of an index of ${name}`, Number(sight.done), total)
  }
}

const sightSql = `select
  (select coalesce(json_agg(json_build_object('pid', a.pid, 'application', a.application_name, 'since', coalesce(a.xact_start, a.backend_start))), '[]')
    from unnest(pg_blocking_pids($1::int)) b(pid) join pg_stat_activity a on a.pid = b.pid) as blockers,
  (select blocks_done from pg_stat_progress_create_index where pid = $1::int limit 1) as done,
  (select blocks_total from pg_stat_progress_create_index where pid = $1::int limit 1) as total`
