import { setTimeout as delay } from 'node:timers/promises'
import { Clock, Injectable, Logger } from '@keel/framework'
import {
  countedChangeNotice,
  type Database,
  Databases,
  entityMeta,
  sql,
  toStatement,
} from '@keel/framework/data'
import { ApiKeyUsage } from '../domain/api-key.js'

/** How long uses are gathered before they are written together. */
const gatherMs = 2000
/** Pairs of key and permission that are gathered at most; while the database is away others are not counted. */
const mostGathered = 20_000
/** How long other processes may take to write what they gathered, once they are asked: those that hear no notifications look first. */
const settleMs = 1000

interface Use {
  readonly keyId: string
  readonly permission: string
  count: number
  lastMs: number
}

/** The uses of a key with one permission. */
export interface UsageRow {
  /** Empty for the requests themselves. */
  readonly permission: string
  readonly calls: number
  readonly lastUsedTime: Date
}

/**
 * Counts what keys are used for, away from the requests: gathered in memory and written every two seconds, as increments, so that any number
 * of processes count together. A process that is killed loses its last two seconds.
 */
@Injectable()
export class ApiKeyUsages {
  private readonly database: Database
  private gathered = new Map<string, Use>()
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()

  constructor(
    databases: Databases,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(ApiKeyUsage)
    this.database.feed.onChanged(entityMeta(ApiKeyUsage).table, () => void this.write())
  }

  /** Counts a request of a key or, with a permission, a use of that. */
  note(keyId: string, permission = ''): void {
    this.add({ keyId, permission, count: 1, lastMs: this.clock.nowMs })
    this.timer ??= setTimeout(() => void this.write(), gatherMs).unref()
  }

  /** Writes what is gathered. A failure is logged and what could not be written is kept for the next time. */
  write(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing = this.writing.then(() => this.writeNow())
    return this.writing
  }

  /** Has every process write what it gathered, and gives them a moment for it. */
  async settle(): Promise<void> {
    // On a connection of its own: in a transaction it would be told when that ends.
    await this.database.withConnection((connection) => {
      const { text, values } = toStatement(countedChangeNotice(entityMeta(ApiKeyUsage).table))
      return connection.query(text, [...values])
    })
    await delay(settleMs)
  }

  /** The uses of a key, including those that this process has not written yet. */
  async of(keyId: string): Promise<UsageRow[]> {
    await this.write()
    return this.database.query<UsageRow>(sql`
      select "PermissionName" as permission, "CallCount"::float8 as calls, "LastUsedTime" as "lastUsedTime"
      from "AppApiKeyUsages" where "ApiKeyId" = ${keyId}
      order by "CallCount" desc, "PermissionName"`)
  }

  private add(use: Use): void {
    const key = `${use.keyId} ${use.permission}`
    const known = this.gathered.get(key)
    if (known) {
      known.count += use.count
      known.lastMs = Math.max(known.lastMs, use.lastMs)
    } else if (this.gathered.size < mostGathered) this.gathered.set(key, use)
  }

  private async writeNow(): Promise<void> {
    const uses = [...this.gathered.values()]
    if (uses.length === 0) return
    this.gathered = new Map()
    try {
      // On a connection of its own: who asked for it may be in a transaction, which these do not belong to.
      await this.database.withConnection((connection) =>
        connection.query(insertUses, [
          uses.map(({ keyId }) => keyId),
          uses.map(({ permission }) => permission),
          uses.map(({ count }) => count),
          uses.map(({ lastMs }) => new Date(lastMs)),
        ]),
      )
    } catch (error) {
      this.logger.warn({ err: error, uses: uses.length }, 'uses of API keys could not be written')
      for (const use of uses) this.add(use)
    }
  }
}

/** In one order everywhere, so that no two processes wait for each other; keys that are gone meanwhile are left out. */
const insertUses = `
  insert into "AppApiKeyUsages" as known ("ApiKeyId", "PermissionName", "CallCount", "LastUsedTime")
  select used.key, used.permission, used.count, used.last
  from unnest($1::uuid[], $2::text[], $3::bigint[], $4::timestamptz[]) as used(key, permission, count, last)
  join "AppApiKeys" k on k."Id" = used.key
  order by used.key, used.permission
  on conflict ("ApiKeyId", "PermissionName") do update
  set "CallCount" = known."CallCount" + excluded."CallCount",
    "LastUsedTime" = greatest(known."LastUsedTime", excluded."LastUsedTime")`
