import { setTimeout as delay } from 'node:timers/promises'
import { Application, Provides } from '@keel/framework'
import { type AuditLog as AuditLogInfo, AuditStore } from '@keel/framework/auditing'
import { UnavailableError } from '@keel/framework/contracts'
import { type Database, Databases, type EntityClass } from '@keel/framework/data'
import { AuditLog } from '../domain/audit-log.js'
import { entityTypeNames } from '../domain/entity-type-names.js'
import { AuditLogBatch } from './audit-log-batch.js'

/** Requests are collected for so long, or until a batch is full, and written together. */
const collectMs = 1000
/** Logs are turned into rows so many at once: those that wait, being objects, cost the garbage collector. */
const freshAtOnce = 16
/** One that holds more changes than this is not kept as objects. */
const mostFreshChanges = 16
/** Bytes that may wait to be written: what a database that is down can cost in memory. */
const mostWaiting = 16 * 1024 * 1024
/** Bytes that are held for the logs to come. */
const mostSpare = 4 * 1024 * 1024
const firstPauseMs = 500
const longestPauseMs = 30_000
/** How long a host that ends tries to write its last logs. */
const farewellMs = 5000
/** The time between two warnings about lost logs. */
const tellEveryMs = 10_000

/**
 * Writes the audit log beside the requests it tells of. When the database does not answer, logs wait and it is tried again; when too much
 * waits, the oldest are given up, counted and told in the host's log. Nothing of this ever reaches a caller.
 */
@Provides(AuditStore)
export class AuditLogWriter extends AuditStore {
  private readonly database: Database
  private readonly typeNames: ReadonlyMap<string, string>
  private fresh: AuditLogInfo[] = []
  /** In the order in which they are written; logs are added to the last. */
  private waiting: AuditLogBatch[] = []
  /** One that is written, for the next logs. */
  private spare: AuditLogBatch | undefined
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
    this.fresh.push(log)
    if (this.fresh.length >= freshAtOnce || log.entityChanges.length > mostFreshChanges) this.takeFresh()
    this.plan()
  }

  private takeFresh(): void {
    for (const log of this.fresh) {
      const batch = this.openBatch()
      const before = batch.bytes
      try {
        batch.add(log)
      } catch (error) {
        this.application.logger.warn({ err: error }, 'an audit log can not be written')
      }
      this.size += batch.bytes - before
    }
    this.fresh = []
    while (this.size > mostWaiting && this.waiting.length > 1)
      this.lose([this.waiting.shift() as AuditLogBatch])
  }

  private openBatch(): AuditLogBatch {
    const last = this.waiting.at(-1)
    if (last && !last.isFull) return last
    const batch = this.spare ?? new AuditLogBatch(this.typeNames)
    this.spare = undefined
    this.waiting.push(batch)
    this.size += batch.bytes
    return batch
  }

  /** Writes what waits, for a few seconds at most. */
  async stop(): Promise<void> {
    const end = Date.now() + farewellMs
    while ((this.writing !== undefined || this.fresh.length || this.waiting.length) && Date.now() < end) {
      await Promise.race([this.write(), delay(end - Date.now(), undefined, { ref: false })])
      if (this.pauseMs) await delay(firstPauseMs)
    }
    clearTimeout(this.timer)
    this.takeFresh()
    this.toldAt = 0
    this.lose(this.waiting.splice(0))
  }

  private plan(): void {
    if (this.writing !== undefined) return
    if (this.waiting[0]?.isFull && this.pauseMs === 0) void this.write()
    else this.timer ??= setTimeout(() => void this.write(), this.pauseMs || collectMs).unref()
  }

  private write(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing ??= this.writeBatch().finally(() => {
      this.writing = undefined
      if (this.fresh.length || this.waiting.length) this.plan()
    })
    return this.writing
  }

  private async writeBatch(): Promise<void> {
    this.takeFresh()
    const batch = this.waiting.shift()
    if (!batch) return
    const refusals: unknown[] = []
    const isDone = await this.copy(batch, batch.done, batch.count, refusals)
    if (refusals.length)
      this.application.logger.warn(
        { err: refusals[0], auditLogs: refusals.length },
        'the database refused audit logs',
      )
    if (isDone) this.release(batch)
    else this.waiting.unshift(batch)
    this.pauseMs = isDone ? 0 : Math.min(this.pauseMs * 2 || firstPauseMs, longestPauseMs)
  }

  private release(batch: AuditLogBatch): void {
    this.size -= batch.bytes
    if (batch.bytes > mostSpare) return
    batch.clear()
    this.spare = batch
  }

  /** Writes logs of a batch, each whole or not at all; false when the database does not answer. What it refuses is lost. */
  private async copy(batch: AuditLogBatch, from: number, to: number, refusals: unknown[]): Promise<boolean> {
    try {
      await this.database.copyRows(batch.rows(from, to))
    } catch (error) {
      if (error instanceof UnavailableError) {
        const waiting = this.waiting.reduce((sum, { count, done }) => sum + count - done, batch.count - from)
        this.application.logger.warn({ err: error, waiting }, 'audit logs wait for their database')
        return false
      }
      // One that is refused must not take the others with it.
      const middle = (from + to) >> 1
      if (middle > from)
        return (await this.copy(batch, from, middle, refusals)) && this.copy(batch, middle, to, refusals)
      refusals.push(error)
    }
    batch.done = to
    return true
  }

  private lose(batches: readonly AuditLogBatch[]): void {
    for (const { bytes, count, done } of batches) {
      this.size -= bytes
      this.lost += count - done
    }
    if (this.lost === 0 || Date.now() - this.toldAt < tellEveryMs) return
    this.application.logger.warn(
      { lost: this.lost },
      'audit logs are lost: the database takes too few of them',
    )
    this.lost = 0
    this.toldAt = Date.now()
  }
}
