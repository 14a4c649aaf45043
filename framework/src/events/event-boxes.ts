import { Column, DataType, Entity, OptionalColumn } from '../data/entities/entity.js'
import { BaseEntity, PlatformTimestamp } from '../data/entities/entity-bases.js'

/** The states of an event at a consumer, with ABP's numbers. */
export enum InboxStatus {
  Pending = 0,
  /** Given up after the last attempt: a dead letter, until somebody replays it. */
  Discarded = 1,
  Processed = 2,
}

/**
 * An event that was published and not sent yet: ABP's table, one in each database that events are published
 * from. Written in the transaction of what it tells of, deleted when it is sent.
 */
@Entity('AbpEventOutbox', { indexes: [{ attributes: ['creationTime'] }] })
export class OutgoingEvent extends BaseEntity {
  /** A JSON object: `X-Correlation-Id`, `Key` of an ordered event, `traceparent` and `tracestate`. */
  @Column(DataType.TEXT) declare extraProperties: string
  @Column(DataType.STRING(256)) declare eventName: string
  /** JSON in UTF-8. */
  @Column(DataType.BLOB) declare eventData: Buffer
  /** By the database's clock when it was written. */
  @Column(PlatformTimestamp) declare creationTime: Date
}

/**
 * An event on its way to one consumer: ABP's table with columns of ours, one in each database that consumers
 * write to. A row stays for a while after it was handled, so that the same event coming again is known.
 */
@Entity('AbpEventInbox', {
  indexes: [
    { attributes: ['status', 'creationTime'] },
    { attributes: ['messageId', 'consumer'], unique: true },
    { attributes: ['consumer', 'orderKey', 'creationTime'], where: '"Status" = 0' },
  ],
})
export class IncomingEvent extends BaseEntity {
  @Column(DataType.TEXT) declare extraProperties: string
  @Column(DataType.STRING(64)) declare messageId: string
  @Column(DataType.STRING(256)) declare eventName: string
  /** JSON in UTF-8; empty once it was handled. */
  @Column(DataType.BLOB) declare eventData: Buffer
  @Column(PlatformTimestamp) declare creationTime: Date
  @Column(DataType.INTEGER) declare status: InboxStatus
  @OptionalColumn(PlatformTimestamp) declare handledTime: Date | null
  @Column(DataType.INTEGER, { defaultValue: 0 }) declare retryCount: number
  @OptionalColumn(PlatformTimestamp) declare nextRetryTime: Date | null
  /** The handler: `<module>.<class>.<method>`. */
  @Column(DataType.STRING(256)) declare consumer: string
  /** Events of one key reach a consumer one after the other. */
  @OptionalColumn(DataType.STRING(128)) declare orderKey: string | null
  /** Why the last attempt failed. */
  @OptionalColumn(DataType.STRING(1000)) declare lastError: string | null
}

/** The subscriptions of all processes: consumer, event, and the database of the inbox. */
@Entity('AppEventSubscriptions', { indexes: [{ attributes: ['eventName', 'consumer'], unique: true }] })
export class EventSubscription extends BaseEntity {
  @Column(DataType.STRING(256)) declare eventName: string
  @Column(DataType.STRING(256)) declare consumer: string
  /** Connection name of the database that the consumer writes to. */
  @Column(DataType.STRING(64)) declare database: string
  /** The host that has the consumer. */
  @Column(DataType.STRING(128)) declare host: string
  /** A consumer that no host has had for a month is forgotten. */
  @Column(PlatformTimestamp) declare seenTime: Date
}

/** The outbox's name, for notices of changes. */
export const outboxTable = 'AbpEventOutbox'
/** The inbox' name, for notices of changes. */
export const inboxTable = 'AbpEventInbox'
