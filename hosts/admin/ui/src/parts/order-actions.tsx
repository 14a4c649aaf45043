import { OrderPermissions, OrderStatus, orderMoves, type StatusMove } from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import { ActionDialog, type ThingAction } from './action-dialog.js'
import { useFormats } from './formats.js'
import { orders, shipments } from './hub.js'
import type { Order } from './order-form.js'
import { isOrderOpen, orderName } from './shipment-orders.js'
import type { SeenOf } from './thing-conflict.js'

const { Edit, Cancel } = OrderPermissions
const by =
  (moves: readonly StatusMove<OrderStatus>[]) =>
  ({ status }: Order): boolean =>
    moves.some(([from]) => from === status)

/** What can be done with an order as a whole, the usual next step first. What concerns quantities of lines has dialogs of its own. */
export const orderActions: readonly ThingAction<Order>[] = [
  {
    name: 'place',
    isNext: true,
    title: 'Ops:PlaceOrder',
    hint: 'Ops:PlaceOrderHint',
    permission: Edit,
    isPossible: by(orderMoves.place),
    call: orders.place,
  },
  {
    name: 'confirm',
    isNext: true,
    title: 'Ops:ConfirmOrder',
    permission: Edit,
    isPossible: by(orderMoves.confirm),
    call: orders.confirm,
    fieldsOf: () => [
      { name: 'cargoReadyDate', title: 'Hub::DisplayName:CargoReadyDate', kind: 'date', isRequired: true },
    ],
    initial: ({ cargoReadyDate }) => ({ cargoReadyDate: cargoReadyDate ?? '' }),
  },
  {
    name: 'close',
    isNext: true,
    title: 'Ops:CloseOrder',
    permission: Edit,
    isPossible: by(orderMoves.close),
    call: orders.close,
  },
  {
    name: 'detach',
    title: 'Ops:Detach',
    hint: 'Ops:DetachOrderHint',
    isDangerous: true,
    permission: Edit,
    isPossible: (order) => isOrderOpen(order) && Boolean(order.shipmentId),
    call: orders.detach,
  },
  {
    name: 'cancel',
    title: 'Ops:CancelOrder',
    hint: 'Ops:CancelOrderHint',
    isDangerous: true,
    permission: Cancel,
    isPossible: by(orderMoves.cancel),
    call: orders.cancel,
    fieldsOf: () => [
      {
        name: 'reason',
        title: 'Hub::DisplayName:ShipmentStatusHistory:Reason',
        kind: 'area',
        isRequired: true,
      },
    ],
  },
]

/** Whether quantities of an order can arrive, or go into an order of their own. */
export const quantityActions = {
  receive: by(orderMoves.receive),
  split: ({ status }: Order) => status === OrderStatus.Confirmed || status === OrderStatus.PartiallyShipped,
} as const

/** Performs an action of an order. */
export function OrderActionDialog({
  action,
  order,
  onClose,
}: {
  readonly action: ThingAction<Order>
  readonly order: Order
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const formats = useFormats()
  const seenOf: SeenOf<Order> = (one) => ({
    State: t(`Hub::Enum:OrderStatus.${one.status}`),
    'Hub::DisplayName:CargoReadyDate': formats.date(one.cargoReadyDate),
    'Hub::DisplayName:Order:TotalAmount': formats.money(one.totalAmount, one.currencyCode),
  })
  return (
    <ActionDialog
      action={action}
      thing={order}
      name={orderName(order)}
      comparing={{ load: orders.get, seenOf }}
      alsoInvalidates={[shipments.get]}
      onClose={onClose}
    />
  )
}
