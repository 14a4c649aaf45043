import { Injectable } from '@keel/framework'
import { BusinessError, faultOf, ValidationError } from '@keel/framework/contracts'
import { ReferenceSets } from '@keel/framework/data'
import { HubErrors, OrderStatus, type UpdateOrderDto } from '../contracts/index.js'
import type { Order } from '../domain/order.js'
import { openOrderStatuses } from '../domain/order-lifecycle.js'
import { Organization } from '../domain/organization.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { KnownParties } from '../persistence/known-parties.js'
import { demandPortsAndCodes, type ReferenceMembers } from './reference-faults.js'
import { orderRefusal } from './refusals.js'

const references: ReferenceMembers = {
  ports: ['originPortId', 'destinationPortId'],
  codes: { incotermId: 'Incoterm', transportModeId: 'TransportMode' },
}
const parties = ['buyerId', 'supplierId'] as const
/** Terms that buyer and supplier agreed on when the order was placed. */
const fixedOncePlaced = ['buyerId', 'supplierId', 'currencyCode', 'orderNumber'] as const

type Trade = Pick<Order, (typeof parties)[number]>

/** The rules between an order, the things that it refers to, and its callers. */
@Injectable()
export class OrderRules {
  constructor(
    private readonly references: ReferenceSets,
    private readonly knownParties: KnownParties,
    private readonly context: OrganizationContext,
  ) {}

  /** Refuses unknown and deactivated ports and code entities that the order did not have before, and code entities of another list. */
  checkReferences(input: UpdateOrderDto, before?: Order): Promise<void> {
    return demandPortsAndCodes(this.references, references, input, before)
  }

  /**
   * Refuses an order of an organization with itself, one in which the caller has no part, and organizations that are not active. An organization that the
   * caller neither belongs to nor meets on shipments is refused like one that does not exist.
   */
  async checkTrade(trade: Trade, orderNumber: string, before?: Trade): Promise<void> {
    const ids = parties.map((member) => trade[member])
    if (trade.buyerId.toLowerCase() === trade.supplierId.toLowerCase())
      throw new BusinessError(HubErrors.BuyerEqualsSupplier, { orderNumber })
    const { all, organizationIds } = await this.context.current()
    const isOwn = (id: string) => all || organizationIds.includes(id.toLowerCase())
    const organizations = await this.references.rows(Organization, ids)
    const known = await this.knownParties.namesOf(ids.filter((id) => !isOwn(id)))
    const faults = parties
      .filter((member) => {
        const id = trade[member]
        if (before?.[member] === id) return false
        const isActive =
          organizations.value(id, 'isActive') === 't' && organizations.value(id, 'isDeleted') === 'f'
        return !isActive || !(isOwn(id) || known.has(id.toLowerCase()))
      })
      .map((member) => faultOf(member, 'Hub:Validation:NoActiveOrganization'))
    if (faults.length) throw new ValidationError(faults)
    await this.demandParty({ ...trade, orderNumber })
  }

  /** Refuses callers whose organizations neither buy nor supply, though they may see the order on a shipment. */
  async demandParty({ buyerId, supplierId, orderNumber }: Trade & Pick<Order, 'orderNumber'>): Promise<void> {
    if (!(await this.belongsTo(buyerId)) && !(await this.belongsTo(supplierId)))
      throw new BusinessError(HubErrors.NotPartyOfOrder, { orderNumber })
  }

  /** True for staff, and for callers of whose organizations this is one. */
  async belongsTo(organizationId: string): Promise<boolean> {
    const { all, organizationIds } = await this.context.current()
    return all || organizationIds.includes(organizationId.toLowerCase())
  }

  /** Refuses changes of an order that is shipped, received, closed or cancelled, and of what was fixed when it was placed. */
  checkChanges(order: Order, changes: UpdateOrderDto = {}): void {
    if (!openOrderStatuses.has(order.status)) throw orderRefusal(HubErrors.OrderNotEditable, order)
    if (order.status === OrderStatus.Draft) return
    const faults = fixedOncePlaced
      .filter((member) => changes[member] !== undefined && changes[member] !== order[member])
      .map((member) => faultOf(member, 'Hub:Validation:FixedOncePlaced'))
    if (faults.length) throw new ValidationError(faults)
  }
}
