import { ambient, Injectable, jsonOf } from '@keel/framework'
import {
  type AnyDto,
  EntityNotFoundError,
  ForbiddenError,
  fieldPermissionOf,
} from '@keel/framework/contracts'
import { DataFilters, SoftDelete } from '@keel/framework/data'
import { demandPermission, hasPermission, withoutRestricted } from '@keel/framework/security'
import {
  ConsolAppService,
  ConsolDto,
  DocumentAppService,
  DocumentDto,
  OrderAppService,
  OrderDeletedEto,
  OrderDto,
  OrderPermissions,
  OrganizationAppService,
  OrganizationDto,
  ShipmentAppService,
  ShipmentDeletedEto,
  ShipmentDto,
  ShipmentPermissions,
  webhookPing,
} from '../contracts/index.js'
import type { Webhook } from '../domain/webhook.js'
import { OrderStore, ShipmentStore } from '../persistence/stores.js'
import type { ClaimedDelivery } from '../persistence/webhook-stores.js'

/** How the thing that an event is about gets into a request. */
interface Subject {
  /** The member of the request. */
  readonly member: string
  readonly dto: AnyDto
  /** The thing as the caller at hand reads it. Refuses what the caller does not see. */
  read(id: string): Promise<object>
}

/** Members of events that requests have elsewhere, or that are not for others: the users of the platform. */
const left: ReadonlySet<string> = new Set(['userId', 'tenantId', 'occurredAt'])

/** Makes the bodies of requests to webhooks: the event, and what it is about as the caller at hand reads it at this moment. */
@Injectable()
export class WebhookPayloads {
  private readonly subjects: Readonly<Record<string, Subject>>
  private readonly deleted: Readonly<Record<string, (id: string) => Promise<object | undefined>>>

  constructor(
    shipments: ShipmentAppService,
    orders: OrderAppService,
    consols: ConsolAppService,
    documents: DocumentAppService,
    organizations: OrganizationAppService,
    shipmentRows: ShipmentStore,
    orderRows: OrderStore,
  ) {
    this.subjects = {
      Shipment: { member: 'shipment', dto: ShipmentDto, read: (id) => shipments.get(id) },
      Order: { member: 'order', dto: OrderDto, read: (id) => orders.get(id) },
      Consol: { member: 'consol', dto: ConsolDto, read: (id) => consols.get(id) },
      Document: { member: 'document', dto: DocumentDto, read: (id) => documents.get(id) },
      Organization: { member: 'organization', dto: OrganizationDto, read: (id) => organizations.get(id) },
    }
    this.deleted = {
      [ShipmentDeletedEto.eventName]: async (id) => {
        demandPermission(ShipmentPermissions.View)
        return shipmentRows.find(id)
      },
      [OrderDeletedEto.eventName]: async (id) => {
        demandPermission(OrderPermissions.View)
        return orderRows.find(id)
      },
    }
  }

  /** The body as JSON; undefined when the caller at hand may not see what the event is about. */
  async of(
    delivery: ClaimedDelivery,
    { id, name }: Pick<Webhook, 'id' | 'name'>,
  ): Promise<string | undefined> {
    const { eventType, eventTime, eventData, entityId } = delivery
    const bodyOf = (data: string) =>
      `{"type":${JSON.stringify(eventType)},"timestamp":${JSON.stringify(eventTime)},"data":${data}}`
    if (eventType === webhookPing) return bodyOf(JSON.stringify({ webhookId: id, name }))
    const subject = this.subjects[eventType.split('.')[1] ?? '']
    if (!subject || !entityId) return undefined
    try {
      const wasSeen = this.deleted[eventType]
      if (wasSeen) {
        const row = await DataFilters.disable(SoftDelete, () => wasSeen(entityId))
        return row && bodyOf(JSON.stringify(shownOf(eventData, subject.dto)))
      }
      const value = await subject.read(entityId)
      const members = JSON.stringify(shownOf(eventData, subject.dto)).slice(1, -1)
      return bodyOf(`{${members},"${subject.member}":${textOf(value, subject.dto)}}`)
    } catch (error) {
      if (error instanceof EntityNotFoundError || error instanceof ForbiddenError) return undefined
      throw error
    }
  }
}

/** The members of an event that the caller at hand may see. */
function shownOf(event: Readonly<Record<string, unknown>>, { shape }: AnyDto): object {
  const members = Object.entries(event).filter(([name]) => !left.has(name))
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      name === 'changedFields' && Array.isArray(value)
        ? value.filter((field) =>
            maySee(shape[String(field)] as Parameters<typeof fieldPermissionOf>[0] | undefined),
          )
        : value,
    ]),
  )
}

function maySee(schema: Parameters<typeof fieldPermissionOf>[0] | undefined): boolean {
  const permission = schema && fieldPermissionOf(schema)
  return permission === undefined || hasPermission(permission)
}

/** What a service answered, as it would go over the wire. */
function textOf(value: object, dto: AnyDto): string {
  const shown = withoutRestricted(dto, value, ambient().principal)
  return jsonOf(shown)?.toString() ?? JSON.stringify(shown)
}
