import { Injectable } from '@keel/framework'
import { pageOf } from '@keel/framework/contracts'
import { type Database, Databases, identifier, JsonView, PageReader, sql } from '@keel/framework/data'
import type { GrantHolder } from '@keel/framework/security'
import {
  type GrantChangeCause,
  type GrantChangeKind,
  PermissionGrantChangeDto,
  type PermissionHistoryInput,
} from '../contracts/index.js'
import { PermissionGrantChange } from '../domain/permission-grant-change.js'

/** A change as it was written down. */
export interface RecordedChange extends GrantHolder {
  readonly id: string
  readonly changeTime: Date
  readonly permissionName: string
  readonly resourceName: string | null
  readonly resourceKey: string | null
  readonly kind: keyof typeof GrantChangeKind
  readonly cause: keyof typeof GrantChangeCause
  readonly userId: string | null
  readonly userName: string | null
  readonly clientId: string | null
  readonly correlationId: string | null
}

const columns = sql`"Id" as id, "ChangeTime" as "changeTime", "PermissionName" as "permissionName", "ProviderName" as "providerName",
  "ProviderKey" as "providerKey", "ResourceName" as "resourceName", "ResourceKey" as "resourceKey", "Kind" as kind, "Cause" as cause, "UserId" as "userId", "UserName" as "userName",
  "ClientId" as "clientId", "CorrelationId" as "correlationId"`
const Page = pageOf(PermissionGrantChangeDto)
const view = new JsonView(PermissionGrantChange, PermissionGrantChangeDto, {
  sortBy: [
    'changeTime',
    'permissionName',
    'resourceName',
    'resourceKey',
    'providerName',
    'providerKey',
    'kind',
    'cause',
    'userName',
    'id',
  ],
})

/** Reads what was written down of grants. */
@Injectable()
export class GrantHistory {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly pages: PageReader,
  ) {
    this.database = databases.of(PermissionGrantChange)
  }

  /** A page of changes, newest first unless sorted otherwise. */
  page(input: PermissionHistoryInput): Promise<InstanceType<typeof Page>> {
    const { startTime, endTime, providerName, providerKey, permissionName, resourceName, resourceKey } = input
    const { kind, cause, userId, ...page } = input
    return this.pages.page(Page, view, {
      ...page,
      defaultSorting: 'changeTime DESC, id DESC',
      equal: { providerName, providerKey, permissionName, resourceName, resourceKey, kind, cause, userId },
      conditions: [
        startTime ? sql`t."ChangeTime" >= ${startTime}` : undefined,
        endTime ? sql`t."ChangeTime" < ${endTime}` : undefined,
      ],
    })
  }

  /** The last change of a permission at each of the holders that gave or prohibited it. */
  lastGiven(permission: string, holders: readonly GrantHolder[]): Promise<RecordedChange[]> {
    const names = holders.map(({ providerName }) => providerName)
    const keys = holders.map(({ providerKey }) => providerKey)
    return this.database.query<RecordedChange>(sql`
      select distinct on ("ProviderName", "ProviderKey", "Kind") ${columns}
      from "AppPermissionGrantChanges" join unnest(${names}::text[], ${keys}::text[]) as holder(provider, key)
        on "ProviderName" = provider and "ProviderKey" = key
      where "PermissionName" = ${permission} and "ResourceName" is null and "Kind" in ('Granted', 'Prohibited')
      order by "ProviderName", "ProviderKey", "Kind", "ChangeTime" desc, "Id" desc`)
  }

  /**
   * The own grants and prohibitions of a holder at a moment: the current ones, minus the changes since. So
   * grants that are older than their history are included.
   */
  async stateAt(
    { providerName, providerKey }: GrantHolder,
    time: Date,
  ): Promise<{ granted: string[]; prohibited: string[] }> {
    const stands = (table: string, gave: string, took: string) => sql`
      select coalesce(array_agg(name order by name collate "C"), '{}') from (
        select "Name" as name from ${identifier(table)}
        where "TenantId" is null and "ProviderName" = ${providerName} and "ProviderKey" = ${providerKey}
          and "Name" not in (select name from since where first = ${gave})
        union select name from since where first = ${took}) standing`
    const [state] = await this.database.query<{ granted: string[]; prohibited: string[] }>(sql`
      with since as (
        select distinct on ("PermissionName", "Kind" in ('Prohibited', 'Allowed')) "PermissionName" as name, "Kind" as first
        from "AppPermissionGrantChanges"
        where "ProviderName" = ${providerName} and "ProviderKey" = ${providerKey} and "ResourceName" is null and "ChangeTime" > ${time}
        order by "PermissionName", "Kind" in ('Prohibited', 'Allowed'), "ChangeTime", "Id")
      select (${stands('AbpPermissionGrants', 'Granted', 'Revoked')}) as granted,
        (${stands('AppPermissionProhibitions', 'Prohibited', 'Allowed')}) as prohibited`)
    return state ?? { granted: [], prohibited: [] }
  }
}
