import { OrderPermissions, OrderStatus, ShipmentPermissions, ShipmentStatus } from '@keel/hub-proxy'
import { useMutation } from '@keel/react'
import { Anchor, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { Confirm } from './confirm.js'
import { useFormats } from './formats.js'
import { orders, shipments } from './hub.js'
import { Icon } from './icons.js'
import type { Order } from './order-form.js'
import { RowChooser } from './row-chooser.js'
import type { Shipment } from './shipment-actions.js'
import { SmallList } from './small-list.js'
import { OrderState } from './statuses.js'

/** The name of an order, or of a part of one. */
export function orderName({ orderNumber, splitNumber }: Pick<Order, 'orderNumber' | 'splitNumber'>): string {
  return splitNumber ? `${orderNumber}/${splitNumber}` : orderNumber
}

/** True while an order can be put on a shipment, and taken from it. */
export function isOrderOpen({ status }: Pick<Order, 'status'>): boolean {
  return status <= OrderStatus.Confirmed
}

/** The purchase orders that travel on a shipment. */
export function ShipmentOrders({ shipment }: { readonly shipment: Shipment }) {
  const { t, may } = useApplication()
  const { money } = useFormats()
  const [isAttaching, attach] = useState(false)
  const [detached, detach] = useState<Order>()
  const { run } = useMutation(shipments.get)
  const mayAttach =
    may(OrderPermissions.Edit) && may(ShipmentPermissions.Edit) && shipment.status < ShipmentStatus.InTransit
  return (
    <>
      <SmallList
        title="Hub::DisplayName:Shipment:Orders"
        list={orders.getList}
        input={{ shipmentId: shipment.id }}
        emptyHint="Ops:NoOrdersOnShipmentHint"
        commands={
          mayAttach && (
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => attach(true)}
            >
              {t('Ops:AttachOrder')}
            </Button>
          )
        }
        columns={[
          {
            id: 'number',
            title: 'Hub::DisplayName:Order:OrderNumber',
            isEssential: true,
            cell: (order) => (
              <Anchor component={Link} to={`/orders/${order.id}` as never} size="sm" fw={550}>
                {orderName(order)}
              </Anchor>
            ),
          },
          {
            id: 'status',
            title: 'State',
            isEssential: true,
            cell: ({ status }) => <OrderState status={status} />,
          },
          { id: 'buyer', title: 'Hub::DisplayName:Order:Buyer', cell: ({ buyer }) => buyer?.fullName },
          {
            id: 'supplier',
            title: 'Hub::DisplayName:Order:Supplier',
            cell: ({ supplier }) => supplier?.fullName,
          },
          {
            id: 'amount',
            title: 'Hub::DisplayName:Order:TotalAmount',
            isFigure: true,
            cell: ({ totalAmount, currencyCode }) => money(totalAmount, currencyCode),
          },
        ]}
        actions={mayAttach ? [{ title: 'Ops:Detach', icon: 'close', isShown: isOrderOpen, run: detach }] : []}
      />
      {isAttaching && <AttachDialog shipment={shipment} onClose={() => attach(false)} />}
      {detached && (
        <Confirm
          title={t('Ops:Detach')}
          action={t('Ops:Detach')}
          onConfirm={() => run(orders.detach, detached.id, { concurrencyStamp: detached.concurrencyStamp })}
          onClose={() => detach(undefined)}
        >
          {t('Ops:DetachHint', { order: orderName(detached), shipment: shipment.shipmentReference })}
        </Confirm>
      )}
    </>
  )
}

/** Puts an order on a shipment. */
function AttachDialog({ shipment, onClose }: { readonly shipment: Shipment; readonly onClose: () => void }) {
  const { run } = useMutation(shipments.get)
  return (
    <RowChooser
      title="Ops:AttachOrder"
      label="Hub::Entity:Order"
      hint="Ops:AttachOrderHint"
      list={orders.getList}
      input={{ hasShipment: false, isOpen: true }}
      labelOf={(order) => [orderName(order), order.buyer?.fullName]}
      onChoose={({ id, concurrencyStamp }) =>
        run(orders.attachToShipment, id, { shipmentId: shipment.id, concurrencyStamp })
      }
      onClose={onClose}
    />
  )
}
