import { type AmbientRequest, Application, ambient, Logger, Provides } from '@keel/framework'
import { type Database, Databases, newStamp, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { type SecurityEvent, SecurityEvents } from '../contracts/index.js'
import { SecurityLog } from '../domain/security-log.js'

/** Writes `AbpSecurityLogs`. */
@Provides(SecurityEvents)
export class SecurityLogWriter implements SecurityEvents {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly application: Application,
    private readonly logger: Logger,
  ) {
    this.database = databases.of(SecurityLog)
  }

  async write(event: SecurityEvent): Promise<void> {
    try {
      await UnitOfWork.apart(() => this.insert(event))
    } catch (error) {
      this.logger.error({ err: error, action: event.action }, 'a security event could not be written')
    }
  }

  private async insert({
    action,
    identity = 'Identity',
    userId,
    userName,
    origin,
    extraProperties = {},
  }: SecurityEvent): Promise<void> {
    const { principal, correlationId, request } = ambient()
    const address = cut(origin?.ipAddress ?? request?.ip, 64)
    const browser = cut(origin?.browser ?? headerOf(request, 'user-agent'), 512)
    const clientId = cut(origin?.clientId ?? principal.clientId, 64)
    await this.database.execute(sql`
      insert into "AbpSecurityLogs" ("Id", "ApplicationName", "Identity", "Action", "UserId", "UserName", "ClientId", "CorrelationId",
        "ClientIpAddress", "BrowserInfo", "CreationTime", "ExtraProperties", "ConcurrencyStamp")
      values (${sequentialGuid()}, ${cut(this.application.name, 96)}, ${identity}, ${action}, ${userId ?? null},
        coalesce(${cut(userName, 256)}::text, (select "UserName" from "AbpUsers" where "Id" = ${userId ?? null}::uuid)), ${clientId},
        ${cut(correlationId, 64)}, ${address}, ${browser}, ${this.application.clock.now}::timestamptz at time zone 'utc', ${JSON.stringify(extraProperties)}, ${newStamp()})`)
  }
}

function headerOf(request: AmbientRequest | undefined, name: string): string | undefined {
  const value = request?.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** Shortens a text to a column's length and removes NUL characters, which PostgreSQL refuses. */
function cut(text: string | undefined, length: number): string | null {
  return text ? text.replaceAll('\0', '').slice(0, length) : null
}
