import { Provides } from '@keel/framework'
import { EntityNotFoundError, pageOf } from '@keel/framework/contracts'
import { JsonView, PageReader, raw, type Sql, sql } from '@keel/framework/data'
import {
  type GetIdentitySecurityLogListInput,
  IdentitySecurityLogDto,
  type SecurityLogPage,
  SecurityLogs,
} from '../contracts/index.js'
import { SecurityLog } from '../domain/security-log.js'

const view = new JsonView(SecurityLog, IdentitySecurityLogDto, {
  sortBy: [
    'creationTime',
    'applicationName',
    'identity',
    'action',
    'userName',
    'clientId',
    'clientIpAddress',
    'correlationId',
  ],
})
const Page = pageOf(IdentitySecurityLogDto)

/** Reads `AbpSecurityLogs`. */
@Provides(SecurityLogs)
export class StoredSecurityLogs implements SecurityLogs {
  constructor(private readonly pages: PageReader) {}

  getList(input: GetIdentitySecurityLogListInput, userId?: string): Promise<SecurityLogPage> {
    const { sorting, skipCount, maxResultCount } = input
    return this.pages.page(Page, view, {
      ...{ sorting, skipCount, maxResultCount },
      defaultSorting: 'creationTime desc',
      equal: { userId },
      conditions: conditionsOf(input),
    })
  }

  async get(id: string): Promise<IdentitySecurityLogDto> {
    const found = await this.pages.find(IdentitySecurityLogDto, view, sql`t."Id" = ${id}`)
    if (!found) throw new EntityNotFoundError('IdentitySecurityLog', id)
    return found
  }
}

function conditionsOf(input: GetIdentitySecurityLogListInput): (Sql | undefined)[] {
  const is = (column: string, text: string | null | undefined): Sql | undefined =>
    text ? sql`lower(${raw(`t."${column}"`)}) = lower(${text})` : undefined
  const { startTime, endTime } = input
  return [
    startTime ? sql`t."CreationTime" >= ${startTime}::timestamptz at time zone 'utc'` : undefined,
    endTime ? sql`t."CreationTime" <= ${endTime}::timestamptz at time zone 'utc'` : undefined,
    is('ApplicationName', input.applicationName),
    is('Identity', input.identity),
    is('Action', input.action),
    is('UserName', input.userName),
    is('ClientId', input.clientId),
    is('CorrelationId', input.correlationId),
    is('ClientIpAddress', input.clientIpAddress),
  ]
}
