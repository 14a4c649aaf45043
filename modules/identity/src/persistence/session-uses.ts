import { atMost, Clock, Injectable, Logger } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { LRUCache } from 'lru-cache'
import { IdentitySession } from '../domain/session.js'

/**
 * A use is in the database that many milliseconds and {@link lookEveryMs} later at the most, so that other
 * processes know of it. Less than a session may be idle at least, which is a minute: a session that is in use
 * never looks idle to another process.
 */
const writeEveryMs = 45_000
const lookEveryMs = 1000
/** Sessions that are remembered in memory. */
const maxSessions = 50_000

/** When a session was used last, as far as this process knows; milliseconds since 1970. */
interface Use {
  usedAtMs: number
  /** The use that this process wrote last; 0 before the first. */
  writtenMs: number
}

/** Collects the last uses of sessions in memory and writes those that are due in one statement. */
@Injectable()
export class SessionUses {
  private readonly database: Database
  private readonly uses = new LRUCache<string, Use>(atMost(maxSessions))
  private readonly unwritten = new Map<string, Use>()
  private timer: NodeJS.Timeout | undefined
  private isFailing = false

  constructor(
    databases: Databases,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.database = databases.of(IdentitySession)
  }

  /** When a session was used last in this process; undefined when it was not. */
  lastOf(sessionId: string): number | undefined {
    return this.uses.get(sessionId)?.usedAtMs
  }

  /** Notes that a session is used now. */
  note(sessionId: string): void {
    const known = this.uses.get(sessionId)
    const use = known ?? { usedAtMs: 0, writtenMs: 0 }
    use.usedAtMs = this.clock.nowMs
    if (!known) this.uses.set(sessionId, use)
    this.unwritten.set(sessionId, use)
    this.timer ??= setInterval(() => void this.writeDue(), lookEveryMs).unref()
  }

  /** Writes what was noted and is not written yet, and looks no more. */
  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.write([...this.unwritten])
  }

  private async writeDue(): Promise<void> {
    const dueMs = this.clock.nowMs - writeEveryMs
    await this.write([...this.unwritten].filter(([, { writtenMs }]) => writtenMs <= dueMs))
    if (this.unwritten.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  private async write(due: readonly (readonly [string, Use])[]): Promise<void> {
    if (due.length === 0) return
    const written = due.map(([id, use]) => ({ id, use, usedAtMs: use.usedAtMs }))
    for (const { id } of written) this.unwritten.delete(id)
    try {
      // In one order, so that processes that write the same sessions wait for each other instead of locking
      // each other out.
      await this.database.execute(sql`
        with used as (
          select s."Id", u."UsedAt" from "AbpSessions" s
          join unnest(${written.map(({ id }) => id)}::text[], ${written.map(({ usedAtMs }) => new Date(usedAtMs).toISOString())}::timestamptz[])
            as u("SessionId", "UsedAt") on s."SessionId" = u."SessionId"
          order by s."Id" for no key update of s)
        update "AbpSessions" s set "LastAccessed" = greatest(s."LastAccessed", used."UsedAt" at time zone 'utc')
        from used where s."Id" = used."Id"`)
      for (const { use, usedAtMs } of written) use.writtenMs = usedAtMs
      this.isFailing = false
    } catch (error) {
      for (const { id, use } of written) this.unwritten.set(id, use)
      if (!this.isFailing) this.logger.warn({ err: error }, 'the last uses of sessions were not written')
      this.isFailing = true
    }
  }
}
