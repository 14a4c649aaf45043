import { ambient, Injectable } from '@keel/framework'
import {
  BaseEntity,
  Column,
  CreationAuditedEntity,
  DataType,
  Entity,
  OptionalColumn,
  type RowScope,
  rowRule,
  sql,
  Timestamp,
} from '@keel/framework/data'
import {
  type InboxKind,
  type NotificationKind,
  NotificationMail,
  NotificationSeverity,
} from '../contracts/index.js'

/** The user who calls; null without one. */
@Injectable()
export class CallingUser implements RowScope<string | null> {
  current(): string | null {
    return ambient().principal.userId ?? null
  }
}

/** Rows that belong to the caller: no permission shows those of others. */
export const rowsOfCaller = rowRule(CallingUser, (userId, t) => sql`${t}."UserId" = ${userId}::uuid`)

/** Something that happened, as it was told to one person. */
@Entity('AppNotifications', {
  rules: [rowsOfCaller],
  indexes: [
    // One notification of one event, however often the event is handled.
    { attributes: ['userId', 'eventId', 'kind'], unique: true },
    { attributes: ['userId', 'creationTime'] },
    { attributes: ['userId'], name: 'Unread', where: 'not "IsRead"' },
    { attributes: ['mailDueTime'], where: '"MailDueTime" is not null' },
    { attributes: ['creationTime'] },
  ],
  checks: { Severity: '"Severity" between 0 and 2' },
})
export class Notification extends CreationAuditedEntity {
  @Column(DataType.UUID) declare userId: string
  @Column(DataType.UUID) declare eventId: string
  @Column(DataType.STRING(64)) declare kind: InboxKind
  @Column(DataType.SMALLINT, { enumeration: { NotificationSeverity }, defaultValue: 0 })
  declare severity: NotificationSeverity
  @Column(DataType.STRING(200)) declare title: string
  @OptionalColumn(DataType.STRING(64)) declare entityType: string | null
  @OptionalColumn(DataType.UUID) declare entityId: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isRead: boolean
  @OptionalColumn(Timestamp) declare readTime: Date | null
  /** When it is to be mailed; null for one that is not mailed, or was. */
  @OptionalColumn(Timestamp) declare mailDueTime: Date | null
  @OptionalColumn(Timestamp) declare mailTime: Date | null
}

/** When a person wants mails. */
@Entity('AppNotificationPreferences', {
  rules: [rowsOfCaller],
  indexes: [{ attributes: ['userId'], unique: true }],
})
export class NotificationPreferences extends BaseEntity {
  @Column(DataType.UUID) declare userId: string
  @OptionalColumn(DataType.STRING(5)) declare quietFrom: string | null
  @OptionalColumn(DataType.STRING(5)) declare quietUntil: string | null
  @Column(DataType.STRING(5)) declare digestTime: string
}

/** A kind of notifications that a person wants. */
@Entity('AppNotificationSubscriptions', {
  rules: [rowsOfCaller],
  indexes: [{ attributes: ['userId', 'kind'], unique: true }, { attributes: ['kind', 'userId'] }],
  checks: { Mail: '"Mail" between 0 and 2' },
})
export class NotificationSubscription extends BaseEntity {
  @Column(DataType.UUID) declare userId: string
  @Column(DataType.STRING(64)) declare kind: NotificationKind
  @Column(DataType.SMALLINT, { enumeration: { NotificationMail } }) declare mail: NotificationMail
}
