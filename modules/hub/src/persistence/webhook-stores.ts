import { Injectable } from '@keel/framework'
import {
  changeNotice,
  Databases,
  Locks,
  RowRules,
  type Sql,
  StoreOf,
  sequentialGuid,
  sql,
  UnitOfWork,
  undeleted,
} from '@keel/framework/data'
import {
  DocumentQuarantinedEto,
  WebhookDeliveryStatus,
  type WebhookFailure,
  WebhookStatus,
  webhookDeliveriesKept,
  webhookFailureDays,
  webhookPing,
} from '../contracts/index.js'
import { Organization } from '../domain/organization.js'
import { Webhook, WebhookDelivery } from '../domain/webhook.js'

/** The table of deliveries, for notices of changes. */
export const webhookDeliveryTable = 'HubWebhookDeliveries'
/** A process that sends for longer has lost the delivery to others. Longer than a request and what it is made of may take. */
const leaseSeconds = 60
const rowsAtOnce = 1000

/** A webhook that gets events. */
export interface ActiveWebhook {
  readonly id: string
  readonly eventTypes: readonly string[]
}

/** An event that happened to a shipment, an order, a consol, a document or an organization. */
export interface HappenedEvent {
  readonly eventType: string
  readonly eventId: string
  readonly entityId: string
  readonly occurredAt: string
  /** Its members as JSON. */
  readonly data: string
}

/** A delivery that this process sends, with its webhook. */
export interface ClaimedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly entityId: string | null
  readonly eventTime: Date
  readonly eventData: Readonly<Record<string, unknown>>
  readonly attempt: number
}

/** What became of an attempt. */
export interface AttemptOutcome {
  readonly status: WebhookDeliveryStatus
  readonly failure: WebhookFailure | null
  readonly responseStatus: number | null
  readonly durationMs: number
  /** Seconds until the next attempt; null when the delivery is over. */
  readonly pauseSeconds: number | null
}

/** The webhooks of all organizations. */
@Injectable()
export class WebhookStore extends StoreOf(Webhook) {
  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly locks: Locks,
  ) {
    super(databases, rules)
  }

  /** Lets one caller at a time add webhooks of a user, until the unit of work ends. */
  async lock(ownerId: string): Promise<void> {
    await this.locks.hold(`Hub.Webhooks ${ownerId}`, { database: this.database })
  }

  async countOf(ownerId: string): Promise<number> {
    const [found] = await this.database.query<{ count: number }>(
      sql`select count(*)::int as count from "HubWebhooks" where "OwnerId" = ${ownerId}`,
    )
    return found?.count ?? 0
  }

  /** Those that get events, whatever the caller sees. */
  async active(): Promise<readonly ActiveWebhook[]> {
    return this.database.query<ActiveWebhook>(
      sql`select "Id" as id, "EventTypes" as "eventTypes" from "HubWebhooks" where "Status" = ${WebhookStatus.Active}`,
    )
  }

  /** A webhook whatever the caller sees: for the program. Undefined when it was deleted. */
  async ofProgram(id: string): Promise<Webhook | undefined> {
    return (await this.everyWhere(sql`t."Id" = ${id}`))[0]
  }

  /** An organization and those below it. */
  async organizationsBelow(organizationId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(sql`
      select o."Id" as id from "HubOrganizations" own join "HubOrganizations" o on ${isOwnOrBelow}
      where own."Id" = ${organizationId} and ${undeleted(Organization, 'own')} and ${undeleted(Organization, 'o')}`)
    return rows.map(({ id }) => id)
  }

  /** Notes that the address took a request. */
  async noteTaken(id: string): Promise<void> {
    await this.amend(sql`update "HubWebhooks" set "FailingSince" = null where "Id" = ${id}`)
  }

  /** Notes since when the address takes nothing. */
  async noteFailing(id: string): Promise<void> {
    await this.amend(
      sql`update "HubWebhooks" set "FailingSince" = now() where "Id" = ${id} and "FailingSince" is null`,
    )
  }

  /** Stops a webhook whose address is gone, or failed for some days. False when it stays. */
  async stop(id: string, isGone: boolean): Promise<boolean> {
    const touched = await this.amend(sql`
      update "HubWebhooks" set "Status" = ${WebhookStatus.Stopped}
      where "Id" = ${id} and "Status" = ${WebhookStatus.Active}
        and (${isGone} or "FailingSince" < now() - make_interval(days => ${webhookFailureDays}::int))`)
    return touched > 0
  }

  private async amend(statement: Sql): Promise<number> {
    return UnitOfWork.run(async () => {
      const touched = await this.database.execute(statement)
      UnitOfWork.current?.changed(this.database, 'HubWebhooks')
      return touched
    })
  }
}

/** True of an organization `o` that is `own`, or below it. */
const isOwnOrBelow = sql`(o."Id" = own."Id" or starts_with(o."HierarchyPath", own."HierarchyPath"))`

/**
 * The organizations that an event `e` is about: those of its shipments, the parties of its order, or the organization itself. Documents that staff keep to
 * themselves concern none: the log of deliveries must not tell of them.
 */
const concerned = sql`
  select unnest(s."VisibleOrganizationIds") as id from "HubShipments" s where s."Id" = e."EntityId"
  union all
  select unnest(array["BuyerId", "SupplierId"] || (select s."VisibleOrganizationIds" from "HubShipments" s where s."Id" = r."ShipmentId"))
    from "HubOrders" r where r."Id" = e."EntityId"
  union all
  select unnest(s."VisibleOrganizationIds") from "HubConsolShipments" cs join "HubShipments" s on s."Id" = cs."ShipmentId"
    where cs."ConsolId" = e."EntityId" and not cs."IsDeleted"
  union all
  select unnest(array[d."OrganizationId", r."BuyerId", r."SupplierId"] || s."VisibleOrganizationIds") from "HubDocuments" d
    left join "HubOrders" r on r."Id" = d."OrderId" left join "HubShipments" s on s."Id" in (d."ShipmentId", r."ShipmentId")
    where d."Id" = e."EntityId" and d."IsCustomerVisible" and e."EventType" <> ${DocumentQuarantinedEto.eventName}
  union all
  select e."EntityId"`

/** The log of deliveries. Times of the queue are those of the database's clock, which all processes share. */
@Injectable()
export class WebhookDeliveryStore extends StoreOf(WebhookDelivery) {
  /** Adds deliveries of events to these webhooks, to each of those that are about one of its organizations; in the transaction at hand. */
  async addOf(events: readonly HappenedEvent[], webhookIds: readonly string[]): Promise<void> {
    await this.wake(sql`
      insert into "HubWebhookDeliveries" ("Id", "WebhookId", "EventId", "EventType", "EntityId", "EventTime", "EventData", "NextAttemptTime", "CreationTime")
      select gen_random_uuid(), w."Id", e."EventId", e."EventType", e."EntityId", e."EventTime", e."EventData", now(), clock_timestamp()
      from unnest(${events.map(({ eventId }) => eventId)}::uuid[], ${events.map(({ eventType }) => eventType)}::text[],
        ${events.map(({ entityId }) => entityId)}::uuid[], ${events.map(({ occurredAt }) => occurredAt)}::timestamptz[],
        ${events.map(({ data }) => data)}::jsonb[]) as e("EventId", "EventType", "EntityId", "EventTime", "EventData")
      join "HubWebhooks" w on w."Id" = any(${webhookIds}::uuid[]) and w."Status" = ${WebhookStatus.Active} and w."EventTypes" ? e."EventType"
      where w."OrganizationId" is null or exists (
        select from (${concerned}) c join "HubOrganizations" o on o."Id" = c.id
        join "HubOrganizations" own on own."Id" = w."OrganizationId" and ${isOwnOrBelow})`)
  }

  /** Adds a trial of a webhook. Answers its id. */
  async addPing(webhookId: string): Promise<string> {
    const id = sequentialGuid()
    await this.wake(sql`
      insert into "HubWebhookDeliveries" ("Id", "WebhookId", "EventId", "EventType", "EventTime", "EventData", "NextAttemptTime", "CreationTime")
      values (${id}, ${webhookId}, ${id}, ${webhookPing}, now(), '{}', now(), clock_timestamp())`)
    return id
  }

  /**
   * Takes the next delivery that is due, for a minute. One of a webhook at a time, as far as other processes are known to send it.
   * @param used what owners of webhooks had lately, by their ids: deliveries of those who had least come first
   * @param quickAlone leaves out webhooks whose last request was not taken, and these; else they come behind all others
   */
  async claim(
    used: ReadonlyMap<string, number>,
    quickAlone?: readonly string[],
  ): Promise<ClaimedDelivery | undefined> {
    const suits = quickAlone
      ? sql`w."FailingSince" is null and w."Id" <> all(${quickAlone}::uuid[])`
      : sql`true`
    const [claimed] = await this.database.query<ClaimedDelivery>(sql`
      with next as (
        select n."Id" from "HubWebhooks" w cross join lateral (
          select d."Id", d."NextAttemptTime" from "HubWebhookDeliveries" d
          where d."WebhookId" = w."Id" and d."Status" = 0 and d."NextAttemptTime" <= now()
          order by d."NextAttemptTime" limit 1) n
        left join unnest(${[...used.keys()]}::uuid[], ${[...used.values()]}::float8[]) u(owner, ms) on u.owner = w."OwnerId"
        where w."Status" = ${WebhookStatus.Active} and ${suits} and not exists (
          select from "HubWebhookDeliveries" b where b."WebhookId" = w."Id" and b."Status" = 0 and b."LockedUntil" > now())
        order by w."FailingSince" is not null, coalesce(u.ms, 0), n."NextAttemptTime" limit 1 for update of w skip locked)
      update "HubWebhookDeliveries" d set "Attempt" = least(d."Attempt" + 1, 32767), "LastAttemptTime" = now(),
        "LockedUntil" = now() + make_interval(secs => ${leaseSeconds}::int)
      from next where d."Id" = next."Id" and d."Status" = 0 and (d."LockedUntil" is null or d."LockedUntil" <= now())
      returning d."Id" as id, d."WebhookId" as "webhookId", d."EventId" as "eventId", d."EventType" as "eventType", d."EntityId" as "entityId",
        d."EventTime" as "eventTime", d."EventData" as "eventData", d."Attempt" as attempt`)
    return claimed
  }

  /** Writes down what became of an attempt. False when another process took the delivery in the meantime. */
  async end({ id, attempt }: ClaimedDelivery, outcome: AttemptOutcome): Promise<boolean> {
    const { status, failure, responseStatus, durationMs, pauseSeconds } = outcome
    const touched = await this.database.execute(sql`
      update "HubWebhookDeliveries" set "Status" = ${status}, "Failure" = ${failure}, "ResponseStatus" = ${responseStatus}, "DurationMs" = ${durationMs},
        "LockedUntil" = null, "NextAttemptTime" = now() + make_interval(secs => ${pauseSeconds}::float8)
      where "Id" = ${id} and "Status" = 0 and "Attempt" = ${attempt}`)
    return touched > 0
  }

  /** Sends a delivery again that is over. False when it waits. */
  async replay(id: string): Promise<boolean> {
    return (
      (await this.wake(sql`update "HubWebhookDeliveries" set ${anew} where "Id" = ${id} and "Status" <> 0`)) >
      0
    )
  }

  /** Sends deliveries of a webhook again that failed, and if wanted those that were delivered. Answers how many. */
  async replayMany(webhookId: string, since: Date, includeDelivered: boolean, most: number): Promise<number> {
    const { Delivered, Failed } = WebhookDeliveryStatus
    const wanted = includeDelivered ? [Delivered, Failed] : [Failed]
    return this.wake(sql`
      update "HubWebhookDeliveries" set ${anew} where "Id" in (
        select "Id" from "HubWebhookDeliveries"
        where "WebhookId" = ${webhookId} and "Status" = any(${wanted}::smallint[]) and "EventTime" >= ${since}
        order by "CreationTime" limit ${most} for update skip locked)`)
  }

  /** Deletes deliveries that are old enough, and of each webhook those beyond the most that are kept, some at once; answers how many. */
  async deleteOld(): Promise<number> {
    const { days, most } = webhookDeliveriesKept
    return this.database.execute(sql`
      delete from "HubWebhookDeliveries" where "Id" in (
        (select "Id" from "HubWebhookDeliveries" where "CreationTime" < now() - make_interval(days => ${days}::int) limit ${rowsAtOnce})
        union
        (select d."Id" from "HubWebhooks" w cross join lateral (
          select "Id" from "HubWebhookDeliveries" where "WebhookId" = w."Id" order by "CreationTime" desc offset ${most} limit ${rowsAtOnce}) d
          limit ${rowsAtOnce}))`)
  }

  /** Writes deliveries that are due, and wakes those who send them from the commit on. */
  private wake(statement: Sql): Promise<number> {
    return UnitOfWork.run(async () => {
      const touched = await this.database.execute(statement)
      if (touched) {
        await this.database.execute(sql`select ${changeNotice(webhookDeliveryTable)}`)
        UnitOfWork.current?.changed(this.database, webhookDeliveryTable)
      }
      return touched
    })
  }
}

/** The values of a delivery that begins anew. */
const anew = sql`"Status" = 0, "Attempt" = 0, "NextAttemptTime" = now(), "LockedUntil" = null, "Failure" = null`
