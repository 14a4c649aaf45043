import {
  AppService,
  Dto,
  defineSetting,
  EntityDto,
  enumeration,
  guid,
  id,
  instant,
  listOf,
  op,
  PagedInput,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { clockTime } from './clock-time.js'
import { Core } from './core.js'

/** Error codes of notifications. */
export const NotificationErrors = {
  /** A sender has made as many broadcasts within an hour as {@link notificationLimits} allows. */
  TooManyBroadcasts: 'App:Notification:TooManyBroadcasts',
  NoSuchRole: 'App:Notification:NoSuchRole',
} as const

/** Bounds of notifications. */
export const notificationLimits = { broadcastsPerHour: 5 } as const

/** The kinds of notifications that are made of events, for people who subscribed to them. */
export const eventNotificationKinds = [
  'ShipmentBooked',
  'ShipmentDelayed',
  'ShipmentDelivered',
  'ShipmentStatusChanged',
  'ShipmentException',
  'OrderStatusChanged',
  'DocumentExpiring',
] as const

/** The kinds of notifications that people subscribe to. Broadcasts are in every inbox; a subscription decides about mail alone. */
export const notificationKinds = [...eventNotificationKinds, 'Broadcast'] as const

/** A kind of notifications that people subscribe to. */
export type NotificationKind = (typeof notificationKinds)[number]

/** The kinds of notifications that the owners of export schedules get without a subscription. */
export const exportNotificationKinds = ['ExportReady', 'ExportFailed', 'ExportScheduleFaulted'] as const

/** The kinds of notifications that the owners of webhooks get without a subscription. */
export const webhookNotificationKinds = ['WebhookStopped'] as const

/** The kinds of notifications that users get who asked for something about personal data. */
export const personalDataNotificationKinds = ['PersonalDataReady', 'PersonalDataFailed'] as const

/** All kinds of notifications. */
export const inboxKinds = [
  ...notificationKinds,
  ...exportNotificationKinds,
  ...webhookNotificationKinds,
  ...personalDataNotificationKinds,
] as const

/** A kind of notifications. */
export type InboxKind = (typeof inboxKinds)[number]

/** When the notifications of a kind are mailed. */
export enum NotificationMail {
  /** Only the inbox has them. */
  None = 0,
  /** Within a minute, or when the quiet hours end. */
  AtOnce = 1,
  /** Once a day, in one mail with all others. */
  Digest = 2,
}

/** How much a notification matters. */
export enum NotificationSeverity {
  Information = 0,
  Warning = 1,
  Error = 2,
}

/** How long notifications are kept. */
export const NotificationSettings = {
  /** Pages tell it before a notification is deleted. */
  RetentionDays: defineSetting('App.Notification.RetentionDays', {
    default: 90,
    range: [1, 36_500],
    displayName: 'Days that notifications are kept',
    isVisibleToClients: true,
  }),
} as const

/** Something that happened, as it was told to one person. */
export class NotificationDto extends EntityDto({
  kind: z.enum(inboxKinds),
  severity: enumeration('NotificationSeverity', NotificationSeverity),

  /** One sentence, in the language that the person had when it happened. */
  title: z.string(),

  /** The kind of the thing that it is about, e.g. `Shipment`. */
  entityType: z.string().nullable(),
  entityId: guid().nullable(),
  isRead: z.boolean(),
  readTime: instant().nullable(),
  creationTime: instant(),
}) {}

/** The input of the inbox. */
export class NotificationListInput extends Dto({
  ...PagedInput.shape,

  /** True for read notifications alone, false for the unread ones. */
  isRead: z.boolean().nullish(),
  kind: z.enum(inboxKinds).nullish(),
}) {}

/** A message to many users. Without role and organization it goes to all active users. */
export class BroadcastInput extends Dto({
  /** The message: one or two sentences, the same for everybody. */
  title: z.string().trim().min(1).max(200),
  severity: enumeration('NotificationSeverity', NotificationSeverity).default(
    NotificationSeverity.Information,
  ),

  /** Goes to those who hold the role directly. */
  roleName: z.string().trim().min(1).max(256).nullish(),

  /** Goes to the members of the organization; the sender must be allowed to see them. Not together with a role. */
  organizationId: guid().nullish(),
}) {}

/** A message that is on its way. */
export class BroadcastDto extends Dto({ id: guid() }) {}

/** The number of unread notifications. */
export class UnreadCountDto extends Dto({ count: z.int() }) {}

/** The caller's own notifications, newest first. They are deleted after `App.Notification.RetentionDays`. */
export abstract class NotificationAppService extends AppService(Core, 'NotificationAppService', {
  /** Gets a notification. */
  get: op(id).returns(NotificationDto),
  /** Lists notifications, in pages. */
  getList: op(NotificationListInput).returns(pageOf(NotificationDto)),
  /** Counts the unread ones. */
  getUnreadCount: op().returns(UnreadCountDto),
  /** Marks a notification as read. Idempotent. */
  markRead: op(id),
  /** Marks all notifications as read. */
  markAllRead: op(),
  /** Deletes a notification. */
  delete: op(id),
  /** Begins to send a message to all users, the holders of a role, or the members of an organization. */
  broadcast: op(BroadcastInput).returns(BroadcastDto),
}) {}

/** A subscription to a kind of notifications. */
export class NotificationSubscriptionDto extends Dto({
  kind: z.enum(notificationKinds),
  mail: enumeration('NotificationMail', NotificationMail).default(NotificationMail.None),
}) {}

/** What the caller wants to be notified of, and when by mail. Times are those of the caller's time zone. */
export class NotificationPreferencesDto extends Dto({
  /** The kinds that the inbox gets; each once. */
  subscriptions: listOf(NotificationSubscriptionDto).max(notificationKinds.length),

  /** Begin of the hours without mails, e.g. `22:00`; null for none. */
  quietFrom: clockTime.nullish(),

  /** Their end, on the next day where it is before the begin. Absent and present with the begin. */
  quietUntil: clockTime.nullish(),

  /** When the daily mail is sent. */
  digestTime: clockTime.default('07:00'),
}) {}

/** The caller's own preferences of notifications. */
export abstract class NotificationPreferencesAppService extends AppService(
  Core,
  'NotificationPreferencesAppService',
  {
    /** Gets the preferences. Without any there are no subscriptions. */
    get: op().returns(NotificationPreferencesDto).at('GET', '/api/app/notification-preferences'),
    /** Replaces the preferences. */
    update: op(NotificationPreferencesDto)
      .returns(NotificationPreferencesDto)
      .at('PUT', '/api/app/notification-preferences'),
  },
) {}
