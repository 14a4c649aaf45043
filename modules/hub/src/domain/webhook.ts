import { DisableAuditing } from '@keel/framework/auditing'
import {
  BaseEntity,
  Column,
  CreationAuditedEntity,
  DataType,
  Entity,
  OptionalColumn,
  rowRule,
  sql,
  Timestamp,
} from '@keel/framework/data'
import { WebhookDeliveryStatus, WebhookFailure, WebhookStatus } from '../contracts/index.js'
import { Organization } from './organization.js'
import { OrganizationContext, withItsOrganization } from './organization-context.js'

/** Minutes after which a failed attempt is repeated; about a day in all. The schedule of Standard Webhooks. */
export const webhookRetryMinutes = [1 / 12, 5, 30, 120, 300, 600, 600] as const

/** An address that gets the events of an organization, or of all organizations. */
@Entity('HubWebhooks', {
  watched: true,
  rules: [withItsOrganization],
  indexes: [{ attributes: ['organizationId'] }, { attributes: ['ownerId'] }],
  checks: { Status: '"Status" between 0 and 2' },
})
export class Webhook extends CreationAuditedEntity {
  // Without the organization the webhook would be about all organizations: it goes with it.
  @OptionalColumn(DataType.UUID, { references: () => Organization, onDelete: 'cascade' })
  declare organizationId: string | null
  @Column(DataType.UUID) declare ownerId: string
  /** The API key that the webhook was made or changed with last: requests have its limits, and end with it. */
  @OptionalColumn(DataType.UUID) declare apiKeyId: string | null
  /** The impersonator who made or changed it last: requests end when they may not sign in any more. */
  @OptionalColumn(DataType.UUID) declare impersonatorId: string | null
  @Column(DataType.STRING(100)) declare name: string
  @Column(DataType.STRING(500)) declare url: string
  @Column(DataType.JSONB) declare eventTypes: string[]
  @Column(DataType.SMALLINT, { enumeration: { WebhookStatus }, defaultValue: WebhookStatus.Active })
  declare status: WebhookStatus
  /** Encrypted. */
  @DisableAuditing()
  @Column(DataType.TEXT)
  declare secret: string
  /** Encrypted. */
  @DisableAuditing()
  @OptionalColumn(DataType.TEXT)
  declare previousSecret: string | null
  @OptionalColumn(Timestamp) declare previousSecretEndTime: Date | null
  @OptionalColumn(Timestamp) declare failingSince: Date | null
  @OptionalColumn(Timestamp) declare lastModificationTime: Date | null
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
}

/** Deliveries are visible with their webhook. */
const withItsWebhook = rowRule(OrganizationContext, ({ all, organizationIds }, t) =>
  all
    ? undefined
    : sql`exists (select from "HubWebhooks" w where w."Id" = ${t}."WebhookId" and w."OrganizationId" = any(${organizationIds}::uuid[]))`,
)

/** An event for a webhook. Written in the transaction of the event; its request is made of what the owner sees when it is sent. */
@Entity('HubWebhookDeliveries', {
  rules: [withItsWebhook],
  indexes: [
    { attributes: ['webhookId', { attribute: 'creationTime', order: 'desc' }] },
    { attributes: ['webhookId', 'nextAttemptTime'], name: 'Due', where: '"Status" = 0' },
    { attributes: ['creationTime'] },
  ],
  checks: { Status: '"Status" between 0 and 3', Failure: '"Failure" between 0 and 4' },
})
export class WebhookDelivery extends BaseEntity {
  @Column(DataType.UUID, { references: () => Webhook }) declare webhookId: string
  @Column(DataType.UUID) declare eventId: string
  @Column(DataType.STRING(100)) declare eventType: string
  @OptionalColumn(DataType.UUID) declare entityId: string | null
  @Column(Timestamp) declare eventTime: Date
  @Column(DataType.JSONB) declare eventData: Record<string, unknown>
  @Column(DataType.SMALLINT, { enumeration: { WebhookDeliveryStatus }, defaultValue: 0 })
  declare status: WebhookDeliveryStatus
  @Column(DataType.SMALLINT, { defaultValue: 0 }) declare attempt: number
  @OptionalColumn(Timestamp) declare nextAttemptTime: Date | null
  @OptionalColumn(Timestamp) declare lastAttemptTime: Date | null
  /** While a process sends it. */
  @OptionalColumn(Timestamp) declare lockedUntil: Date | null
  @OptionalColumn(DataType.SMALLINT) declare responseStatus: number | null
  @OptionalColumn(DataType.INTEGER) declare durationMs: number | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { WebhookFailure } })
  declare failure: WebhookFailure | null
  @Column(Timestamp) declare creationTime: Date
}
