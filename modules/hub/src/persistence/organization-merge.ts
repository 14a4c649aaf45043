import { Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { type NewRow, Stores, sql, undeleted } from '@keel/framework/data'
import { HubErrors } from '../contracts/index.js'
import { Carrier } from '../domain/carrier.js'
import { Consol } from '../domain/consol.js'
import { Document } from '../domain/document.js'
import { Order } from '../domain/order.js'
import { type Organization, OrganizationMember } from '../domain/organization.js'
import { OrganizationAddress } from '../domain/organization-address.js'
import { OrganizationContact } from '../domain/organization-contact.js'
import { Shipment, ShipmentAddress } from '../domain/shipment.js'
import { Webhook } from '../domain/webhook.js'

/** Audit log and events tell of every row that moves. */
const told = { audit: 'rows', events: 'rows' } as const

/** The length of the codes of addresses. */
const mostCodeCharacters = 20

/** Gives everything that refers to an organization to another one, except what lies below it in the tree. */
@Injectable()
export class OrganizationMerge {
  constructor(private readonly stores: Stores) {}

  /** Runs in the unit of work at hand. Refuses orders between the two, and orders that would then have one number. */
  async run(source: Organization, target: Organization): Promise<void> {
    await this.refuseOrders(source, target)
    await this.moveMembers(source.id, target.id)
    await this.moveAddresses(source.id, target.id)
    await this.moveShipments(source.id, target.id)
    const [from, organizationId] = [source.id, target.id]
    const isOwn = sql`t."OrganizationId" = ${from}`
    await this.stores.of(OrganizationContact).updateEveryWhere(isOwn, { organizationId })
    await this.stores.of(ShipmentAddress).updateEveryWhere(isOwn, { organizationId })
    const orders = this.stores.of(Order)
    await orders.updateEveryWhere(sql`t."BuyerId" = ${from}`, { buyerId: organizationId })
    await orders.updateEveryWhere(sql`t."SupplierId" = ${from}`, { supplierId: organizationId })
    await this.stores.of(Document).updateEveryWhere(isOwn, { organizationId })
    const consols = this.stores.of(Consol)
    await consols.updateEveryWhere(sql`t."SendingAgentId" = ${from}`, { sendingAgentId: organizationId })
    await consols.updateEveryWhere(sql`t."ReceivingAgentId" = ${from}`, { receivingAgentId: organizationId })
    const carriers = this.stores.of(Carrier)
    for (const carrier of await carriers.everyWhere(sql`t."OrganizationId" = ${source.id}`))
      await carriers.update(carrier, { organizationId: target.id })
    const webhooks = this.stores.of(Webhook)
    for (const webhook of await webhooks.everyWhere(sql`t."OrganizationId" = ${source.id}`))
      await webhooks.update(webhook, { organizationId: target.id })
  }

  private async refuseOrders(source: Organization, target: Organization): Promise<void> {
    const { database } = this.stores.of(Order)
    const [found] = await database.query<{ orderNumber: string; isBetween: boolean }>(sql`
      select o."OrderNumber" as "orderNumber", o."SupplierId" in (${source.id}, ${target.id}) as "isBetween"
      from "HubOrders" o where ${undeleted(Order, 'o')} and (
        (o."BuyerId" = ${source.id} and o."SupplierId" = ${target.id})
        or (o."BuyerId" = ${target.id} and o."SupplierId" = ${source.id})
        or (o."BuyerId" = ${source.id} and exists (select from "HubOrders" same where ${undeleted(Order, 'same')}
          and same."BuyerId" = ${target.id} and same."OrderNumber" = o."OrderNumber" and same."SplitNumber" = o."SplitNumber")))
      order by "isBetween" desc limit 1`)
    if (!found) return
    const code = found.isBetween
      ? HubErrors.OrganizationsTradeWithEachOther
      : HubErrors.OrderNumberAlreadyExists
    throw new BusinessError(code, {
      orderNumber: found.orderNumber,
      source: source.code,
      target: target.code,
    })
  }

  /**
   * A user of both keeps the membership that lasts longer, of two that last equally long the wider one. The wider scope of the one
   * with the later end of the other would be more than the user ever had, or has any more.
   */
  private async moveMembers(sourceId: string, targetId: string): Promise<void> {
    const store = this.stores.of(OrganizationMember)
    const already = await store.everyWhere(sql`t."OrganizationId" = ${targetId}`)
    for (const member of await store.everyWhere(sql`t."OrganizationId" = ${sourceId}`)) {
      const same = already.find(({ userId }) => userId === member.userId)
      if (!same) {
        await store.update(member, { organizationId: targetId })
        continue
      }
      const { accessScope, validUntil } = longer(same, member)
      await store.remove(member)
      await store.update(same, { accessScope, validUntil, isDefault: same.isDefault || member.isDefault })
    }
  }

  /** The defaults of the organization that stays remain; a place whose code is taken gets the next free one. */
  private async moveAddresses(sourceId: string, targetId: string): Promise<void> {
    const store = this.stores.of(OrganizationAddress)
    const already = await store.everyWhere(sql`t."OrganizationId" = ${targetId}`)
    const codes = new Set(already.map(({ code }) => code))
    const defaults = new Set(already.flatMap((row) => (row.isDefault ? [row.addressType] : [])))
    for (const address of await store.everyWhere(sql`t."OrganizationId" = ${sourceId}`)) {
      const code = freeCode(address.code, codes)
      codes.add(code)
      const isDefault = address.isDefault && !defaults.has(address.addressType)
      await store.update(address, { organizationId: targetId, code, isDefault })
    }
  }

  /** Writes what shipments keep of their parties: who sees them, and who controls them. */
  private async moveShipments(sourceId: string, targetId: string): Promise<void> {
    const store = this.stores.of(Shipment)
    const rows = await store.database.query<NewRow<Shipment> & { id: string }>(sql`
      select "Id" as id,
        array(select distinct case when v = ${sourceId}::uuid then ${targetId}::uuid else v end
          from unnest("VisibleOrganizationIds") v)::text[] as "visibleOrganizationIds",
        case when "ControllingCustomerId" = ${sourceId} then ${targetId}::uuid else "ControllingCustomerId" end as "controllingCustomerId"
      from "HubShipments" where ${undeleted(Shipment)}
        and ("VisibleOrganizationIds" && array[${sourceId}::uuid] or "ControllingCustomerId" = ${sourceId})`)
    if (rows.length) await store.updateMany(rows, told)
  }
}

function longer(one: OrganizationMember, other: OrganizationMember): OrganizationMember {
  const [end, otherEnd] = [one, other].map(
    ({ validUntil }) => validUntil?.getTime() ?? Number.POSITIVE_INFINITY,
  )
  if (end !== otherEnd) return Number(end) > Number(otherEnd) ? one : other
  return one.accessScope >= other.accessScope ? one : other
}

/** The code itself, or with the lowest number behind it that makes it free: `RTM`, `RTM-2`. */
function freeCode(code: string, taken: ReadonlySet<string>): string {
  if (!taken.has(code)) return code
  for (let number = 2; ; number++) {
    const end = `-${number}`
    const numbered = code.slice(0, mostCodeCharacters - end.length) + end
    if (!taken.has(numbered)) return numbered
  }
}
