import { Provides } from '@keel/framework'
import { EntityNotFoundError, pageOf } from '@keel/framework/contracts'
import { and, type Database, Databases, raw, Sorting, type Sql, sql } from '@keel/framework/data'
import {
  type GetIdentitySecurityLogListInput,
  IdentitySecurityLogDto,
  type SecurityLogPage,
  SecurityLogs,
} from '../contracts/index.js'
import { SecurityLog } from '../domain/security-log.js'
import { extraPropertiesJson, instantJson, readOne, readPage } from './json-reads.js'

const logs = raw('"AbpSecurityLogs" l')
const columns = sql`l."Id" as id, l."TenantId" as "tenantId", l."ApplicationName" as "applicationName", l."Identity" as identity,
  l."Action" as action, l."UserId" as "userId", l."UserName" as "userName", l."TenantName" as "tenantName", l."ClientId" as "clientId",
  l."CorrelationId" as "correlationId", l."ClientIpAddress" as "clientIpAddress", l."BrowserInfo" as "browserInfo",
  ${instantJson('l."CreationTime"')} as "creationTime", ${extraPropertiesJson('l')} as "extraProperties"`
const sorting = new Sorting(
  {
    creationTime: 'l."CreationTime"',
    applicationName: 'l."ApplicationName"',
    identity: 'l."Identity"',
    action: 'l."Action"',
    userName: 'l."UserName"',
    clientId: 'l."ClientId"',
    clientIpAddress: 'l."ClientIpAddress"',
    correlationId: 'l."CorrelationId"',
  },
  'l."Id"',
)

/** Reads `AbpSecurityLogs`. */
@Provides(SecurityLogs)
export class StoredSecurityLogs implements SecurityLogs {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(SecurityLog)
  }

  async getList(input: GetIdentitySecurityLogListInput, userId?: string): Promise<SecurityLogPage> {
    return readPage(this.database, pageOf(IdentitySecurityLogDto), {
      columns,
      from: logs,
      where: conditionOf(input, userId),
      order: sorting.orderBy(input.sorting?.trim() || 'creationTime desc'),
      skipCount: input.skipCount,
      maxResultCount: input.maxResultCount,
    })
  }

  async get(id: string): Promise<IdentitySecurityLogDto> {
    const where = sql`l."Id" = ${id}`
    const found = await readOne(this.database, IdentitySecurityLogDto, { columns, from: logs, where })
    if (!found) throw new EntityNotFoundError('IdentitySecurityLog', id)
    return found
  }
}

function conditionOf(input: GetIdentitySecurityLogListInput, userId: string | undefined): Sql {
  const is = (column: string, text: string | null | undefined): Sql | undefined =>
    text ? sql`lower(${raw(`l."${column}"`)}) = lower(${text})` : undefined
  const { startTime, endTime } = input
  return and([
    userId ? sql`l."UserId" = ${userId}` : undefined,
    startTime ? sql`l."CreationTime" >= ${startTime}::timestamptz at time zone 'utc'` : undefined,
    endTime ? sql`l."CreationTime" <= ${endTime}::timestamptz at time zone 'utc'` : undefined,
    is('ApplicationName', input.applicationName),
    is('Identity', input.identity),
    is('Action', input.action),
    is('UserName', input.userName),
    is('ClientId', input.clientId),
    is('CorrelationId', input.correlationId),
    is('ClientIpAddress', input.clientIpAddress),
  ])
}
