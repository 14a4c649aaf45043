import { Clock, Injectable, Logger, Settings } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { RecurringJob } from '@keel/framework/jobs'
import { AuditLoggingSettings } from '../contracts/index.js'
import { AuditLog } from '../domain/audit-log.js'

/** Audit logs that are deleted at once, with everything that belongs to them. */
const batch = 1000
const dayMs = 86_400_000

/** Deletes expired audit logs every ten minutes, where a setting says so. */
@Injectable()
export class ExpiredLogDeleter {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly settings: Settings,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(AuditLog)
  }

  @RecurringJob('*/10 * * * *')
  async deleteExpired(): Promise<void> {
    await this.run()
  }

  /** One round; answers how many audit logs went. */
  async run(): Promise<number> {
    const days = await this.period()
    if (days === undefined) return 0
    const before = new Date(this.clock.nowMs - days * dayMs)
    let gone = 0
    for (let last = batch; last === batch; gone += last) {
      // A database that was ABP's still has its foreign keys, which find nothing left to do.
      last = await this.database.execute(sql`
        with expired as (
          select "Id" from "AbpAuditLogs"
          where "TenantId" is null and "ExecutionTime" < ${before}::timestamptz at time zone 'utc'
          limit ${batch} for update skip locked),
        actions as (delete from "AbpAuditLogActions" where "AuditLogId" in (select "Id" from expired)),
        changes as (delete from "AbpEntityChanges" where "AuditLogId" in (select "Id" from expired) returning "Id"),
        properties as (delete from "AbpEntityPropertyChanges" where "EntityChangeId" in (select "Id" from changes))
        delete from "AbpAuditLogs" where "Id" in (select "Id" from expired)`)
    }
    if (gone) this.logger.info({ auditLogs: gone, days }, 'expired audit logs deleted')
    return gone
  }

  /** Days that audit logs are kept; undefined when they stay. */
  private async period(): Promise<number | undefined> {
    const { IsExpiredDeleterEnabled, ExpiredDeleterPeriod } = AuditLoggingSettings
    if (!(await this.settings.isOn(IsExpiredDeleterEnabled))) return undefined
    return Number(await this.settings.valueOf(ExpiredDeleterPeriod.name))
  }
}
