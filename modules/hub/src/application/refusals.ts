import { type BusinessError, refusalInWords } from '@keel/framework/contracts'
import { ConsolStatus, DocumentStatus, HubErrors, OrderStatus, ShipmentStatus } from '../contracts/index.js'
import type { Consol } from '../domain/consol.js'
import type { ConsolAction } from '../domain/consol-lifecycle.js'
import type { Refusal } from '../domain/lifecycle.js'
import type { Order } from '../domain/order.js'
import { type OrderAction, orderTransitions } from '../domain/order-lifecycle.js'
import type { Shipment } from '../domain/shipment.js'
import { type ShipmentAction, shipmentTransitions } from '../domain/shipment-lifecycle.js'

type NamedShipment = Pick<Shipment, 'shipmentReference' | 'status'>
type NamedOrder = Pick<Order, 'orderNumber' | 'status'>
type NamedConsol = Pick<Consol, 'consolNumber' | 'status'>

/** The error of an action that the status of a shipment does not allow. */
export function refusedShipmentAction(
  { shipmentReference, status }: NamedShipment,
  action: ShipmentAction,
): BusinessError {
  return refusedMove(HubErrors.ShipmentInvalidStatusTransition, {
    data: { shipmentReference, action },
    statuses: ShipmentStatus,
    enumeration: 'ShipmentStatus',
    from: status,
    to: targetsOf(shipmentTransitions[action].moves),
  })
}

/** The error of forcing a shipment into the status that it has. */
export function refusedForcing({ shipmentReference, status }: NamedShipment): BusinessError {
  return refusedMove(HubErrors.ShipmentInvalidStatusTransition, {
    data: { shipmentReference, action: 'forceStatus' },
    statuses: ShipmentStatus,
    enumeration: 'ShipmentStatus',
    from: status,
    to: [status],
  })
}

/** The error of an action that the status of an order does not allow. */
export function refusedOrderAction({ orderNumber, status }: NamedOrder, action: OrderAction): BusinessError {
  return refusedMove(HubErrors.OrderInvalidStatusTransition, {
    data: { orderNumber, action },
    statuses: OrderStatus,
    enumeration: 'OrderStatus',
    from: status,
    to: targetsOf(orderTransitions[action].moves),
  })
}

/** The error of an action that the status of a consol does not allow. */
export function refusedConsolAction(
  { consolNumber, status }: NamedConsol,
  action: ConsolAction,
  to: ConsolStatus,
): BusinessError {
  return refusedMove(HubErrors.ConsolInvalidStatusTransition, {
    data: { consolNumber, action },
    statuses: ConsolStatus,
    enumeration: 'ConsolStatus',
    from: status,
    to: [to],
  })
}

/** The error of a status that a document does not take from the one that it has. */
export function refusedDocumentStatus(from: DocumentStatus, to: DocumentStatus): BusinessError {
  return refusedMove(HubErrors.DocumentInvalidStatusTransition, {
    data: {},
    statuses: DocumentStatus,
    enumeration: 'DocumentStatus',
    from,
    to: [to],
  })
}

/** The error of a change that the status of a shipment does not allow. */
export function shipmentNotEditable({ shipmentReference, status }: NamedShipment): BusinessError {
  return refusalInWords(
    HubErrors.ShipmentNotEditable,
    { shipmentReference, status: ShipmentStatus[status] },
    { status: `Enum:ShipmentStatus.${status}` },
  )
}

/** An error that names an order and its status. */
export function orderRefusal(code: string, { orderNumber, status }: NamedOrder, data = {}): BusinessError {
  return refusalInWords(
    code,
    { orderNumber, status: OrderStatus[status], ...data },
    { status: `Enum:OrderStatus.${status}` },
  )
}

/** The error of a change that the status of a consol does not allow. */
export function consolNotEditable({ consolNumber, status }: NamedConsol): BusinessError {
  return refusalInWords(
    HubErrors.ConsolNotEditable,
    { consolNumber, status: ConsolStatus[status] },
    { status: `Enum:ConsolStatus.${status}` },
  )
}

/**
 * The error of what a guard refuses.
 * @param named the number or reference of the thing
 */
export function refusedByGuard({ code, data, words = {} }: Refusal, named: object): BusinessError {
  return refusalInWords(code, { ...named, ...data }, words)
}

function targetsOf<Status>(moves: readonly (readonly [from: Status, to: Status])[]): Status[] {
  return [...new Set(moves.map(([, target]) => target))]
}

function refusedMove<Status extends number>(
  code: string,
  {
    data,
    statuses,
    enumeration,
    from,
    to,
  }: {
    readonly data: object
    /** The names of the statuses. */
    readonly statuses: Readonly<Record<number, string>>
    /** The name of their enumeration, as its texts have it. */
    readonly enumeration: string
    readonly from: Status
    readonly to: readonly Status[]
  },
): BusinessError {
  const keyOf = (status: Status) => `Enum:${enumeration}.${status}`
  const names = to.map((status) => statuses[status]).join(', ')
  return refusalInWords(
    code,
    { ...data, from: statuses[from], to: names },
    { from: keyOf(from), to: to.map(keyOf) },
  )
}
