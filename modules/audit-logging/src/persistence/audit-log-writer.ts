import { setTimeout as delay } from 'node:timers/promises'
import { Application, Provides } from '@keel/framework'
import { type AuditLog as AuditLogInfo, AuditStore } from '@keel/framework/auditing'
import { UnavailableError } from '@keel/framework/contracts'
import { type Database, Databases, type EntityClass } from '@keel/framework/data'
import { AuditLog } from '../domain/audit-log.js'
import { entityTypeNames } from '../domain/entity-type-names.js'
import { rowsOf } from './audit-log-rows.js'

/** Requests are collected for so long, or until there are this many, and written together. */
const collectMs = 500
const batchSize = 250
/** Characters, about, that may wait to be written: what a database that is down can cost in memory. */
const mostWaiting = 16 * 1024 * 1024
const firstPauseMs = 500
const longestPauseMs = 30_000
/** How long a host that ends tries to write its last logs. */
const farewellMs = 5000
/** How often lost logs are told of. */
const tellEveryMs = 10_000

interface Waiting {
  readonly log: AuditLogInfo
  readonly size: number
}

/**
 * Writes the audit log beside the requests it tells of. When the database does not answer, logs wait and it is tried again; when too much
 * waits, the oldest are given up, counted and told in the host's log. Nothing of this ever reaches a caller.
 */
@Provides(AuditStore)
export class AuditLogWriter extends AuditStore {
  private readonly database: Database
  private readonly typeNames: ReadonlyMap<string, string>
  private waiting: Waiting[] = []
  private size = 0
  private lost = 0
  private toldAt = 0
  private pauseMs = 0
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> | undefined

  constructor(
    private readonly application: Application,
    databases: Databases,
  ) {
    super()
    this.database = databases.of(AuditLog)
    this.typeNames = entityTypeNames(
      application.modules.map(({ name, options }) => ({
        name,
        entities: (options.entities ?? []) as EntityClass[],
      })),
    )
  }

  override add(log: AuditLogInfo): void {
    const size = sizeOf(log)
    this.waiting.push({ log, size })
    this.size += size
    while (this.size > mostWaiting && this.waiting.length > 1) this.lose([this.waiting.shift() as Waiting])
    this.plan()
  }

  /** Writes what waits, for a few seconds at most. */
  async stop(): Promise<void> {
    const end = Date.now() + farewellMs
    while ((this.writing !== undefined || this.waiting.length) && Date.now() < end) {
      await Promise.race([this.write(), delay(end - Date.now(), undefined, { ref: false })])
      if (this.pauseMs) await delay(firstPauseMs)
    }
    clearTimeout(this.timer)
    this.toldAt = 0
    this.lose(this.waiting.splice(0))
  }

  private plan(): void {
    if (this.writing !== undefined) return
    if (this.waiting.length >= batchSize && this.pauseMs === 0) void this.write()
    else this.timer ??= setTimeout(() => void this.write(), this.pauseMs || collectMs).unref()
  }

  private write(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing ??= this.writeBatch().finally(() => {
      this.writing = undefined
      if (this.waiting.length) this.plan()
    })
    return this.writing
  }

  private async writeBatch(): Promise<void> {
    const batch = this.waiting.splice(0, batchSize)
    const undone = await this.insertOrRefuse(batch)
    for (const { size } of batch.slice(0, batch.length - undone.length)) this.size -= size
    this.waiting.unshift(...undone)
    this.pauseMs = undone.length ? Math.min(this.pauseMs * 2 || firstPauseMs, longestPauseMs) : 0
  }

  /** Answers those that were not written because the database does not answer. What it refuses is lost. */
  private async insertOrRefuse(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    try {
      // In one transaction: a log is there whole or not at all.
      await this.database.copyRows(
        rowsOf(
          batch.map(({ log }) => log),
          this.typeNames,
        ),
      )
      return []
    } catch (error) {
      const { logger } = this.application
      if (error instanceof UnavailableError) {
        logger.warn(
          { err: error, waiting: this.waiting.length + batch.length },
          'audit logs wait for their database',
        )
        return batch
      }
      if (batch.length === 1) {
        logger.warn({ err: error }, 'the database refused an audit log')
        return []
      }
      // One that is refused must not take the others with it.
      for (const [index, one] of batch.entries())
        if ((await this.insertOrRefuse([one])).length) return batch.slice(index)
      return []
    }
  }

  private lose(logs: readonly Waiting[]): void {
    for (const { size } of logs) this.size -= size
    this.lost += logs.length
    if (this.lost === 0 || Date.now() - this.toldAt < tellEveryMs) return
    this.application.logger.warn(
      { lost: this.lost },
      'audit logs are lost: the database takes too few of them',
    )
    this.lost = 0
    this.toldAt = Date.now()
  }
}

/** About how many characters a log takes. */
function sizeOf({ exceptions, actions, entityChanges }: AuditLogInfo): number {
  let size = 1000 + (exceptions?.length ?? 0)
  for (const { parameters } of actions) size += 200 + parameters.length
  for (const { properties } of entityChanges)
    for (const { original, current } of properties)
      size += 200 + (original?.length ?? 0) + (current?.length ?? 0)
  return size
}
