import {
  AppService,
  crud,
  Dto,
  EntityDto,
  EventDto,
  enumeration,
  FilteredPagedInput,
  guid,
  id,
  instant,
  op,
  PagedInput,
  pageOf,
  secret,
  z,
} from '@keel/framework/contracts'
import { consolEvents } from './consol-events.js'
import { documentEvents } from './document-events.js'
import { WebhookDeliveryStatus, WebhookFailure, WebhookStatus } from './enumerations.js'
import { Hub } from './hub.js'
import { orderEvents } from './order-events.js'
import { organizationEvents } from './organization-events.js'
import { shipmentEvents } from './shipment-events.js'
import { ShipmentRequestAnsweredEto } from './shipment-requests.js'

/** The events that webhooks can subscribe to. */
export const webhookEvents = [
  ...shipmentEvents.filter((event) => event !== ShipmentRequestAnsweredEto),
  ...orderEvents,
  ...consolEvents,
  ...documentEvents,
  ...organizationEvents,
]

/** The type of the request that a webhook is tried with. */
export const webhookPing = 'Hub.Webhook.Ping'

/** The most webhooks of a user. */
export const mostWebhooks = 25

/** Days for which deliveries are kept, and how many of a webhook at the most. */
export const webhookDeliveriesKept = { days: 30, most: 10_000 } as const

/** Days without a request that was taken, after which a webhook is stopped. */
export const webhookFailureDays = 5

/** Hours for which the secret before a rotation signs as well. */
export const webhookOverlapHours = { default: 24, most: 7 * 24 } as const

/** The most deliveries that one call sends again. */
export const mostReplayed = 1000

const eventType = z.enum(webhookEvents.map(({ eventName }) => eventName) as [string, ...string[]])

const fields = {
  name: z.string().trim().min(1).max(100),

  /** An https address without user name and password. */
  url: z.url().max(500),

  /**
   * The names of the events that are sent.
   * @example ["Hub.Shipment.StatusChanged"]
   */
  eventTypes: z.array(eventType).min(1).max(webhookEvents.length),
}

/** A webhook: an address that gets the events of an organization's shipments, orders, consols and documents. */
export class WebhookDto extends EntityDto({
  /** The organization whose data it is about, with those below it; null for the data of all. */
  organizationId: guid().nullable(),

  /** The user with whose rights of the moment requests are made: what the owner does not see is not sent. */
  ownerId: guid(),
  ...fields,
  status: enumeration('WebhookStatus', WebhookStatus),

  /** Since when no request was taken; null when the last one was. */
  failingSince: instant().nullable(),

  /** Until when the secret before the last rotation signs as well; null when it does not. */
  previousSecretEndTime: instant().nullable(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** A webhook with its secret, which no later answer contains. */
export class WebhookWithSecretDto extends Dto({
  ...WebhookDto.shape,

  /** The key of the signatures, as Standard Webhooks has it. */
  secret: secret(z.string()),
}) {}

/** The input for a new webhook, which the caller owns. */
export class CreateWebhookDto extends Dto({
  /** One of the caller's organizations. Callers who see all organizations may leave it out, for the data of all. */
  organizationId: guid().nullish(),
  ...fields,
}) {}

/** The input for changing a webhook; absent members stay. A given stamp must be the one last seen. */
export class UpdateWebhookDto extends Dto({
  ...Dto(fields).schema.partial().shape,
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The input for replacing the secret of a webhook. */
export class RotateWebhookSecretDto extends Dto({
  /** Hours for which the secret of before signs as well; 0 ends it at once. */
  overlapHours: z.int().min(0).max(webhookOverlapHours.most).default(webhookOverlapHours.default),
}) {}

/** The input of the list of webhooks. */
export class WebhookListInput extends Dto({
  ...FilteredPagedInput.shape,
  organizationId: guid().nullish(),
  status: enumeration('WebhookStatus', WebhookStatus).nullish(),
}) {}

/** An event on its way to a webhook. */
export class WebhookDeliveryDto extends EntityDto({
  webhookId: guid(),
  eventId: guid(),
  eventType: z.string(),

  /** The id of the shipment, order, consol, document or organization; null for a trial. */
  entityId: guid().nullable(),
  eventTime: instant(),
  status: enumeration('WebhookDeliveryStatus', WebhookDeliveryStatus),

  /** The attempts so far. */
  attempt: z.int(),

  /** When it is tried next; null when it is over. */
  nextAttemptTime: instant().nullable(),
  lastAttemptTime: instant().nullable(),

  /** The HTTP status of the last answer; null without one. */
  responseStatus: z.int().nullable(),

  /** How long the last attempt took, in milliseconds. */
  durationMs: z.int().nullable(),

  /** Why the last attempt failed; null when it did not. */
  failure: enumeration('WebhookFailure', WebhookFailure).nullable(),
  creationTime: instant(),
}) {}

/** The input of the log of deliveries. */
export class WebhookDeliveryListInput extends Dto({
  ...PagedInput.shape,
  webhookId: guid().nullish(),
  status: enumeration('WebhookDeliveryStatus', WebhookDeliveryStatus).nullish(),
}) {}

/** The deliveries that are sent again. */
export class ReplayDeliveriesDto extends Dto({
  webhookId: guid(),

  /** Deliveries of events from this time on. */
  since: instant(),

  /** True to send those again, too, that were delivered. */
  includeDelivered: z.boolean().default(false),
}) {}

/** How many deliveries are sent again. */
export class ReplayedDeliveriesDto extends Dto({ count: z.int() }) {}

/** Webhooks of organizations. Their owners change them; everybody who sees one may disable or delete it. */
export abstract class WebhookAppService extends AppService(Hub, 'WebhookAppService', {
  ...crud(WebhookDto, CreateWebhookDto, UpdateWebhookDto, WebhookListInput),
  /** Creates a webhook. The answer is the only one that has the secret. */
  create: op(CreateWebhookDto).returns(WebhookWithSecretDto),
  /** Gives a webhook another secret. The answer is the only one that has it. */
  rotateSecret: op(id, RotateWebhookSecretDto).returns(WebhookWithSecretDto),
  /** Sends a request of the type `Hub.Webhook.Ping`, to try the address. */
  ping: op(id).returns(WebhookDeliveryDto),
  /** Lets a webhook get events again that was disabled or stopped. */
  enable: op(id).returns(WebhookDto),
  /** Stops a webhook: what happens from then on is not sent, what waits is kept. */
  disable: op(id).returns(WebhookDto),
}) {}

/** The log of what webhooks got. Deliveries are kept for 30 days, at most 10,000 of a webhook. */
export abstract class WebhookDeliveryAppService extends AppService(Hub, 'WebhookDeliveryAppService', {
  /** Gets a delivery. */
  get: op(id).returns(WebhookDeliveryDto),
  /** Lists deliveries, in pages, newest first. */
  getList: op(WebhookDeliveryListInput).returns(pageOf(WebhookDeliveryDto)),
  /** Sends a delivery again that is over, with the same `webhook-id`. */
  replay: op(id).returns(WebhookDeliveryDto),
  /** Sends the deliveries of a webhook again that failed, oldest first, 1000 at the most. */
  replayMany: op(ReplayDeliveriesDto).returns(ReplayedDeliveriesDto).at('POST', 'replay'),
}) {}

/** A webhook was stopped, because its address took nothing for some days, or said that it is gone. */
export class WebhookStoppedEto extends EventDto('Hub.Webhook.Stopped', {
  eventId: guid(),
  webhookId: guid(),
  name: z.string(),
  ownerId: guid(),
  occurredAt: instant(),
}) {}
