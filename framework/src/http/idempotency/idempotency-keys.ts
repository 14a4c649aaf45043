import { createHash, createHmac } from 'node:crypto'
import { Databases } from '../../data/connections/databases.js'
import { Locks } from '../../data/connections/locks.js'
import { UnitOfWork } from '../../data/connections/unit-of-work.js'
import { sql } from '../../data/wire/sql.js'
import { RecurringJob } from '../../jobs/job-handler.js'
import { ambient, callerKey } from '../../modularity/ambient.js'
import { Application } from '../../modularity/application.js'
import { Injectable } from '../../modularity/injectable.js'
import {
  IdempotencyKeyInUseError,
  IdempotencyKeyReusedError,
  IdempotentOutcomeUnknownError,
  TooManyIdempotencyKeysError,
} from './idempotency-errors.js'
import { IdempotencySettings } from './idempotency-settings.js'

const keptMs = 86_400_000
/** A creation that has not ended after this time was cut off: hosts give no request as long. */
const longestRunMs = 600_000
/** Of callers with too many keys, who have to wait for the oldest ones to end. */
const retrySeconds = 3600

/** A creation as it is remembered. */
interface Remembered {
  readonly fingerprint: string
  readonly creationTime: Date
  readonly isCompleted: boolean
  readonly answer: string | null
}

/** A creation that has begun under a key. */
export interface Begun {
  readonly id: string
  /** The answer of an earlier creation under the same key; undefined when this one is the first. */
  readonly replay: { readonly json: string | null } | undefined
}

/**
 * Remembers for a day which creations callers named by an idempotency key. The record is written before the work begins,
 * and completed after its commits: a creation runs at most once, also when a process ends in the middle of it.
 */
@Injectable()
export class IdempotencyKeys {
  private readonly settings

  constructor(
    private readonly databases: Databases,
    private readonly locks: Locks,
    private readonly application: Application,
  ) {
    this.settings = application.configuration.read(IdempotencySettings)
  }

  /**
   * Begins a creation of the caller at hand. Throws when the key stands for another request, while the earlier one runs,
   * when nobody knows how it ended, and when the caller has too many keys.
   * @param request the operation and its input, without secrets
   */
  async begin(key: string, request: string): Promise<Begun> {
    const now = this.application.clock.now
    const oldest = new Date(now.getTime() - keptMs)
    const { mostKeysPerCaller } = this.settings
    const id = idOf(key)
    const callerId = guidOf(callerKey())
    const fingerprint = createHmac('sha256', key).update(request).digest('hex')
    const keysOfCaller = sql`(select count(*) from (
      select 1 from "KeelIdempotencyKeys" where "CallerId" = ${callerId} and "CreationTime" >= ${oldest} limit ${mostKeysPerCaller}) k)`
    const isFirst = await UnitOfWork.run(async () => {
      // Keys that come at the same time are counted one after the other, or all of them would be let in at the limit.
      await this.locks.hold(`KeelIdempotencyKeys ${callerId}`)
      return this.database.execute(sql`
        insert into "KeelIdempotencyKeys" as k ("Id", "CallerId", "Fingerprint", "CreationTime", "IsCompleted")
        select ${id}::uuid, ${callerId}::uuid, ${fingerprint}, ${now}::timestamptz, false where ${keysOfCaller} < ${mostKeysPerCaller}
        on conflict ("Id") do update set "Fingerprint" = excluded."Fingerprint", "CreationTime" = excluded."CreationTime",
          "IsCompleted" = false, "Answer" = null
        where k."CreationTime" < ${oldest}`)
    })
    if (isFirst) return { id, replay: undefined }
    const [found] = await this.database.query<Remembered>(sql`
      select "Fingerprint" as fingerprint, "CreationTime" as "creationTime", "IsCompleted" as "isCompleted", "Answer" as answer
      from "KeelIdempotencyKeys" where "Id" = ${id} and "CreationTime" >= ${oldest}`)
    if (!found) {
      const [held] = await this.database.query<{ full: boolean }>(
        sql`select ${keysOfCaller} >= ${mostKeysPerCaller} as full`,
      )
      if (held?.full) throw new TooManyIdempotencyKeysError(retrySeconds, mostKeysPerCaller)
      // Given up between the statements: the next attempt is the first one.
      throw new IdempotencyKeyInUseError()
    }
    if (found.fingerprint !== fingerprint) throw new IdempotencyKeyReusedError()
    if (found.isCompleted) return { id, replay: { json: found.answer } }
    throw found.creationTime.getTime() < now.getTime() - longestRunMs
      ? new IdempotentOutcomeUnknownError()
      : new IdempotencyKeyInUseError()
  }

  /**
   * Notes that a creation is done, with its answer; undefined for one that is not kept. A failure is only logged: the
   * creation has worked, and its key stays in use.
   */
  async complete(id: string, json: string | undefined): Promise<void> {
    const isKept = json !== undefined && Buffer.byteLength(json) <= this.settings.mostAnswerBytes
    try {
      await this.database.execute(
        sql`update "KeelIdempotencyKeys" set "IsCompleted" = true, "Answer" = ${isKept ? json : null} where "Id" = ${id}`,
      )
    } catch (error) {
      this.application.logger.warn(
        { err: error },
        'the answer of a creation was not kept for its idempotency key',
      )
    }
  }

  /** Forgets a creation that failed: nothing was written, and the key may be used again. */
  async giveUp(id: string): Promise<void> {
    await this.database.execute(
      sql`delete from "KeelIdempotencyKeys" where "Id" = ${id} and not "IsCompleted"`,
    )
  }

  /** Forgets the creations of more than a day ago. */
  @RecurringJob('41 * * * *')
  async deleteOld(): Promise<void> {
    const before = new Date(this.application.clock.nowMs - keptMs)
    await this.database.execute(sql`delete from "KeelIdempotencyKeys" where "CreationTime" < ${before}`)
  }

  private get database() {
    return this.databases.named('Default')
  }
}

/** The same user with another API key, another client or another impersonator may have other rights: keys are theirs alone. */
function idOf(key: string): string {
  const { userId, clientId, tenantId, apiKeyId, impersonator } = ambient().principal
  return guidOf(JSON.stringify([userId, clientId, tenantId, apiKeyId, impersonator?.userId, key]))
}

/** 128 bits of a hash. */
function guidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}
