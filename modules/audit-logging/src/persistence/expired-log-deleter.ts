import { Injectable, Logger, Settings } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { AuditLoggingSettings } from '../contracts/index.js'
import { AuditLog } from '../domain/audit-log.js'

const everyMs = 10 * 60_000
/** Audit logs that are deleted at once, with everything that belongs to them. */
const batch = 1000

/** Deletes expired audit logs, every few minutes on every copy of the host, where a setting says so; copies never wait for each other. */
@Injectable()
export class ExpiredLogDeleter {
  private readonly database: Database
  private timer: NodeJS.Timeout | undefined

  constructor(
    databases: Databases,
    private readonly settings: Settings,
    private readonly logger: Logger,
  ) {
    this.database = databases.of(AuditLog)
  }

  start(): void {
    this.timer = setInterval(() => {
      this.run().catch((error) =>
        this.logger.warn({ err: error }, 'expired audit logs were not deleted, it will be tried again'),
      )
    }, everyMs)
    this.timer.unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** One round; answers how many audit logs went. */
  async run(): Promise<number> {
    const days = await this.period()
    if (days === undefined) return 0
    let gone = 0
    for (let last = batch; last === batch; gone += last) {
      last = await this.database.execute(sql`
        delete from "AbpAuditLogs" where "Id" in (
          select "Id" from "AbpAuditLogs"
          where "TenantId" is null and "ExecutionTime" < (now() at time zone 'utc') - make_interval(days => ${days}::int)
          limit ${batch} for update skip locked)`)
    }
    if (gone) this.logger.info({ auditLogs: gone, days }, 'expired audit logs deleted')
    return gone
  }

  /** Days that audit logs are kept; undefined when they stay. */
  private async period(): Promise<number | undefined> {
    const { IsExpiredDeleterEnabled, ExpiredDeleterPeriod } = AuditLoggingSettings
    const isEnabled = await this.settings.valueOf(IsExpiredDeleterEnabled.name)
    return isEnabled === 'True' ? Number(await this.settings.valueOf(ExpiredDeleterPeriod.name)) : undefined
  }
}
