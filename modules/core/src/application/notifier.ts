import { Application, ambient, Clock, Injectable } from '@keel/framework'
import { BusinessError, EntityNotFoundError, ForbiddenError, guid, z } from '@keel/framework/contracts'
import { EventHandler } from '@keel/framework/events'
import { BackgroundJobs, JobAbandoned, JobArgs, type JobContext, JobHandler } from '@keel/framework/jobs'
import { demandPermission, UserContext } from '@keel/framework/security'
import {
  DocumentAppService,
  DocumentExpiringEto,
  DocumentPermissions,
  OrderAppService,
  OrderPermissions,
  OrderStatusChangedEto,
  Severity,
  ShipmentAppService,
  ShipmentBookedEto,
  ShipmentDeliveredEto,
  ShipmentExceptionRaisedEto,
  ShipmentPermissions,
  ShipmentScheduleChangedEto,
  ShipmentStatus,
  ShipmentStatusChangedEto,
} from '@keel/hub/contracts'
import { eventNotificationKinds, NotificationPermissions, NotificationSeverity } from '../contracts/index.js'
import { mailTime } from '../domain/mail-time.js'
import { NotificationStore, type Subscriber } from '../persistence/notifications.js'

/** Notifies all subscribers of a kind who see the shipment, the order or the document. */
export class NotifyArgs extends JobArgs('App.Notify', {
  kind: z.enum(eventNotificationKinds),
  eventId: guid(),
  shipmentId: guid().nullish(),
  documentId: guid().nullish(),
  orderId: guid().nullish(),
  reference: z.string(),
  /** Calendar date when a document expires. */
  expiryDate: z.string().nullish(),
  /** The key of the text for the status that it has now. */
  statusText: z.string().nullish(),
  severity: z.enum(NotificationSeverity).nullish(),
  /** Nobody is notified of what they did themselves. */
  causedBy: guid().nullish(),
}) {}

type EventKind = (typeof eventNotificationKinds)[number]

/** The members of Hub's events that notifications are made of. */
interface Happened {
  readonly eventId: string
  readonly entityId: string
  readonly reference: string
  readonly userId?: string | null | undefined
}

const subscribersAtOnce = 200

const severityOf: Readonly<Record<Severity, NotificationSeverity>> = {
  [Severity.Info]: NotificationSeverity.Information,
  [Severity.Warning]: NotificationSeverity.Warning,
  [Severity.Critical]: NotificationSeverity.Error,
}

const severities: Readonly<Record<EventKind, NotificationSeverity>> = {
  ShipmentBooked: NotificationSeverity.Information,
  ShipmentDelayed: NotificationSeverity.Warning,
  ShipmentDelivered: NotificationSeverity.Information,
  ShipmentStatusChanged: NotificationSeverity.Information,
  ShipmentException: NotificationSeverity.Warning,
  OrderStatusChanged: NotificationSeverity.Information,
  DocumentExpiring: NotificationSeverity.Warning,
}

/**
 * Makes notifications of Hub's events. A job asks for each subscriber, in the subscriber's name, whether they see the shipment or the document: with
 * the rights of the moment, so that nobody learns of what they do not see.
 */
@Injectable()
export class Notifier {
  constructor(
    private readonly jobs: BackgroundJobs,
    private readonly people: UserContext,
    private readonly shipments: ShipmentAppService,
    private readonly documents: DocumentAppService,
    private readonly orders: OrderAppService,
    private readonly notifications: NotificationStore,
    private readonly application: Application,
    private readonly clock: Clock,
  ) {}

  @EventHandler(ShipmentBookedEto)
  async booked(event: ShipmentBookedEto): Promise<void> {
    await this.enqueue('ShipmentBooked', event)
  }

  @EventHandler(ShipmentScheduleChangedEto)
  async rescheduled(event: ShipmentScheduleChangedEto): Promise<void> {
    if (event.newEta > event.oldEta) await this.enqueue('ShipmentDelayed', event)
  }

  @EventHandler(ShipmentDeliveredEto)
  async delivered(event: ShipmentDeliveredEto): Promise<void> {
    await this.enqueue('ShipmentDelivered', event)
  }

  /** Of bookings and deliveries there are kinds of their own. */
  @EventHandler(ShipmentStatusChangedEto)
  async statusChanged(event: ShipmentStatusChangedEto): Promise<void> {
    if (event.to === ShipmentStatus.Booked || event.to === ShipmentStatus.Delivered) return
    if (await this.isWanted('ShipmentStatusChanged'))
      await this.enqueue('ShipmentStatusChanged', event, { statusText: `Enum:ShipmentStatus.${event.to}` })
  }

  @EventHandler(ShipmentExceptionRaisedEto)
  async exceptionRaised(event: ShipmentExceptionRaisedEto): Promise<void> {
    if (await this.isWanted('ShipmentException'))
      await this.enqueue('ShipmentException', event, { severity: severityOf[event.severity] })
  }

  @EventHandler(OrderStatusChangedEto)
  async orderStatusChanged({
    eventId,
    entityId,
    reference,
    userId,
    to,
  }: OrderStatusChangedEto): Promise<void> {
    const [kind, statusText] = ['OrderStatusChanged', `Enum:OrderStatus.${to}`] as const
    if (!(await this.isWanted(kind))) return
    await this.jobs.enqueue(
      new NotifyArgs({ kind, eventId, orderId: entityId, reference, causedBy: userId, statusText }),
    )
  }

  @EventHandler(DocumentExpiringEto)
  async expiring({ eventId, entityId, reference, expiryDate }: DocumentExpiringEto): Promise<void> {
    const kind = 'DocumentExpiring'
    await this.jobs.enqueue(new NotifyArgs({ kind, eventId, documentId: entityId, reference, expiryDate }))
  }

  /** These happen often, and mostly nobody is subscribed to them: then there is no job. */
  private async isWanted(kind: EventKind): Promise<boolean> {
    return (await this.notifications.subscribers(kind, undefined, 1)).length > 0
  }

  private async enqueue(
    kind: EventKind,
    { eventId, entityId, reference, userId }: Happened,
    more: Partial<Pick<NotifyArgs, 'statusText' | 'severity'>> = {},
  ): Promise<void> {
    await this.jobs.enqueue(
      new NotifyArgs({ kind, eventId, shipmentId: entityId, reference, causedBy: userId, ...more }),
    )
  }

  @JobHandler(NotifyArgs)
  async notify(args: NotifyArgs, { signal }: JobContext): Promise<void> {
    let after: string | undefined
    do {
      signal.throwIfAborted()
      const subscribers = await this.notifications.subscribers(args.kind, after, subscribersAtOnce)
      for (const one of subscribers) if (one.userId !== args.causedBy) await this.notifyOne(one, args)
      after = subscribers.length === subscribersAtOnce ? subscribers.at(-1)?.userId : undefined
    } while (after)
  }

  private async notifyOne({ userId, mail, ...times }: Subscriber, args: NotifyArgs): Promise<void> {
    const { kind, eventId, reference } = args
    const work = async (): Promise<void> => {
      demandPermission(NotificationPermissions.View)
      const entity = await this.seen(args)
      const { culture, timeZone = 'UTC' } = ambient()
      const data = {
        reference,
        date: args.expiryDate ? dateIn(culture, args.expiryDate) : '',
        status: (args.statusText && this.application.localization.find(args.statusText, culture)) || '',
      }
      const title = this.application.localization.find(`Notification:${kind}`, culture, data) ?? reference
      await this.notifications.add({
        ...{ userId, eventId, kind, title: title.slice(0, 200), ...entity },
        severity: args.severity ?? severities[kind],
        mailDueTime: mailTime(this.clock.now, mail, { ...times, timeZone }) ?? null,
      })
    }
    try {
      await this.people.runAs(userId, work, `job ${NotifyArgs.jobName}`)
    } catch (error) {
      // A person who may not sign in, or does not see the shipment, hears nothing of it.
      const isHidden =
        error instanceof BusinessError ||
        error instanceof ForbiddenError ||
        error instanceof EntityNotFoundError
      if (!isHidden) throw error
    }
  }

  /** The row that a notification is about; refused to callers who do not see it. */
  private async seen({
    shipmentId,
    documentId,
    orderId,
  }: NotifyArgs): Promise<{ entityType: string; entityId: string }> {
    if (documentId) {
      demandPermission(DocumentPermissions.View)
      await this.documents.get(documentId)
      return { entityType: 'Document', entityId: documentId }
    }
    if (orderId) {
      demandPermission(OrderPermissions.View)
      await this.orders.get(orderId)
      return { entityType: 'Order', entityId: orderId }
    }
    if (!shipmentId) throw new JobAbandoned('A notification is about a shipment, an order or a document.')
    demandPermission(ShipmentPermissions.View)
    await this.shipments.get(shipmentId)
    return { entityType: 'Shipment', entityId: shipmentId }
  }
}

/** A calendar date as people write it. */
function dateIn(culture: string, date: string): string {
  return new Intl.DateTimeFormat(culture, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date))
}
