import { Clock, Injectable } from '@keel/framework'
import { emptyGuid } from '@keel/framework/contracts'
import { Databases, join, RowRules, type Sql, StoreOf, sequentialGuid, sql } from '@keel/framework/data'
import { liveNotice } from '@keel/framework/live'
import type { NotificationKind, NotificationMail } from '../contracts/index.js'
import { Notification, NotificationPreferences, NotificationSubscription } from '../domain/notification.js'

/** The kind of the events that browsers get of a person's inbox. */
export const notificationKind = 'notification'

/** A person who wants notifications of a kind, with when by mail. */
export interface Subscriber {
  readonly userId: string
  readonly mail: NotificationMail
  readonly quietFrom: string | null
  readonly quietUntil: string | null
  readonly digestTime: string
}

/** A notification to be. */
export type NewNotification = Pick<
  Notification,
  'userId' | 'eventId' | 'kind' | 'severity' | 'title' | 'entityType' | 'entityId' | 'mailDueTime'
>

/** The condition that a notification `t` is read, or is not; none without a wish. */
export function readState(isRead: boolean | null | undefined): Sql[] {
  return typeof isRead === 'boolean' ? [sql`t."IsRead" = ${isRead}`] : []
}

/** Notifications, with what programs do to those of everybody. */
@Injectable()
export class NotificationStore extends StoreOf(Notification) {
  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly clock: Clock,
  ) {
    super(databases, rules)
  }

  /** Adds a notification, unless the person has it of this event. */
  async add(row: NewNotification): Promise<void> {
    const added = await this.database.execute(sql`
      insert into "AppNotifications" ("Id", "UserId", "EventId", "Kind", "Severity", "Title", "EntityType", "EntityId", "IsRead", "MailDueTime", "CreationTime")
      values (${sequentialGuid()}, ${row.userId}, ${row.eventId}, ${row.kind}, ${row.severity}, ${row.title}, ${row.entityType}, ${row.entityId},
        false, ${row.mailDueTime}, ${this.clock.now})
      on conflict ("UserId", "EventId", "Kind") do nothing`)
    if (added) await this.tellBrowsers(row.userId)
  }

  /** Adds a notification for many people, which is not mailed, unless they have it of this event. */
  async addForMany(
    userIds: readonly string[],
    row: Omit<NewNotification, 'userId' | 'mailDueTime'>,
  ): Promise<void> {
    if (!userIds.length) return
    const ids = userIds.map(() => sequentialGuid())
    const added = await this.database.query<{ userId: string }>(sql`
      insert into "AppNotifications" ("Id", "UserId", "EventId", "Kind", "Severity", "Title", "EntityType", "EntityId", "IsRead", "CreationTime")
      select id, "userId", ${row.eventId}::uuid, ${row.kind}, ${row.severity}::smallint, ${row.title}, ${row.entityType}::text, ${row.entityId}::uuid,
        false, ${this.clock.now}::timestamptz
      from unnest(${ids}::uuid[], ${userIds}::uuid[]) as given(id, "userId")
      on conflict ("UserId", "EventId", "Kind") do nothing returning "UserId" as "userId"`)
    const notices = added.map(({ userId }) => liveNotice(notificationKind, { userId, key: '' }))
    if (notices.length) await this.database.execute(sql`select ${join(notices, ', ')}`)
  }

  /** Tells the browsers of a person that the inbox changed, from the commit of the transaction at hand. */
  async tellBrowsers(userId: string): Promise<void> {
    await this.database.execute(sql`select ${liveNotice(notificationKind, { userId, key: '' })}`)
  }

  /** Those who want a kind, in the order of their ids, after one of them. */
  subscribers(kind: NotificationKind, after: string | undefined, most: number): Promise<Subscriber[]> {
    return this.subscribersWhere(sql`
      s."Kind" = ${kind} and s."UserId" > ${after ?? emptyGuid}::uuid
      order by s."UserId" limit ${most}`)
  }

  private subscribersWhere(rest: Sql): Promise<Subscriber[]> {
    return this.database.query<Subscriber>(sql`
      select s."UserId" as "userId", s."Mail" as mail, p."QuietFrom" as "quietFrom", p."QuietUntil" as "quietUntil",
        coalesce(p."DigestTime", '07:00') as "digestTime"
      from "AppNotificationSubscriptions" s
      left join "AppNotificationPreferences" p on p."UserId" = s."UserId"
      where ${rest}`)
  }

  /** Those of some people who want mails of a kind. */
  subscribersAmong(kind: NotificationKind, userIds: readonly string[]): Promise<Subscriber[]> {
    return this.subscribersWhere(
      sql`s."Kind" = ${kind} and s."Mail" > 0 and s."UserId" = any(${userIds}::uuid[])`,
    )
  }

  async countUnread(userId: string): Promise<number> {
    return (await this.countUnreadOf([userId])).get(userId) ?? 0
  }

  /** The numbers of unread notifications by person. People without any are left out. */
  async countUnreadOf(userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.database.query<{ userId: string; count: number }>(sql`
      select "UserId" as "userId", count(*)::int as count from "AppNotifications"
      where "UserId" = any(${userIds}::uuid[]) and not "IsRead" group by "UserId"`)
    return new Map(found.map(({ userId, count }) => [userId, count]))
  }

  async markAllRead(userId: string): Promise<void> {
    const read = await this.database.execute(
      sql`update "AppNotifications" set "IsRead" = true, "ReadTime" = ${this.clock.now} where "UserId" = ${userId} and not "IsRead"`,
    )
    if (read) await this.tellBrowsers(userId)
  }

  /** People with notifications that are to be mailed by now. */
  async usersToMail(most: number): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(sql`
      select distinct "UserId" as "userId" from "AppNotifications" where "MailDueTime" <= ${this.clock.now} limit ${most}`)
    return rows.map(({ userId }) => userId)
  }

  /** Takes the notifications of a person that are to be mailed by now: in the unit of work that mails them, nobody else gets them. Oldest first. */
  async takeToMail(userId: string): Promise<string[]> {
    const { now } = this.clock
    const rows = await this.database.query<{ title: string; creationTime: Date }>(sql`
      update "AppNotifications" set "MailDueTime" = null, "MailTime" = ${now}
      where "UserId" = ${userId} and "MailDueTime" <= ${now}
      returning "Title" as title, "CreationTime" as "creationTime"`)
    return rows.sort((a, b) => a.creationTime.getTime() - b.creationTime.getTime()).map(({ title }) => title)
  }

  /** Mails nothing of what waits for a person. */
  async dropMails(userId: string): Promise<void> {
    await this.database.execute(
      sql`update "AppNotifications" set "MailDueTime" = null where "UserId" = ${userId} and "MailDueTime" is not null`,
    )
  }
}

@Injectable()
export class NotificationPreferencesStore extends StoreOf(NotificationPreferences) {
  async ofUser(userId: string): Promise<NotificationPreferences | undefined> {
    return (await this.where(sql`t."UserId" = ${userId}`))[0]
  }
}

@Injectable()
export class NotificationSubscriptionStore extends StoreOf(NotificationSubscription) {
  ofUser(userId: string): Promise<NotificationSubscription[]> {
    return this.where(sql`t."UserId" = ${userId}`)
  }
}
