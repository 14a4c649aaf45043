import { OrderPermissions, OrderStatus } from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { enumOptions } from '../parts/fields.js'
import { useFormats } from '../parts/formats.js'
import { orders } from '../parts/hub.js'
import { ListPage } from '../parts/list-page.js'
import { type Order, OrderDialog } from '../parts/order-form.js'
import { OrganizationSelect } from '../parts/organizations.js'
import { isOrderOpen, orderName } from '../parts/shipment-orders.js'
import { OrderState } from '../parts/statuses.js'

const own = (name: string) => `Hub::DisplayName:Order:${name}`

/** Purchase orders that the caller sees. */
export function Page() {
  const { t, may, formatInstant } = useApplication()
  const formats = useFormats()
  const columns: Column<Order>[] = [
    { id: 'number', title: own('OrderNumber'), sort: 'orderNumber', isEssential: true, cell: orderName },
    {
      id: 'status',
      title: 'State',
      sort: 'status',
      isEssential: true,
      cell: ({ status }) => <OrderState status={status} />,
    },
    { id: 'buyer', title: own('Buyer'), cell: ({ buyer }) => buyer?.fullName },
    { id: 'supplier', title: own('Supplier'), cell: ({ supplier }) => supplier?.fullName },
    {
      id: 'date',
      title: own('OrderDate'),
      sort: 'orderDate',
      cell: ({ orderDate }) => formats.date(orderDate),
    },
    {
      id: 'ready',
      title: 'Hub::DisplayName:CargoReadyDate',
      sort: 'cargoReadyDate',
      cell: ({ cargoReadyDate }) => formats.date(cargoReadyDate),
    },
    {
      id: 'amount',
      title: own('TotalAmount'),
      sort: 'totalAmount',
      isFigure: true,
      cell: ({ totalAmount, currencyCode }) => formats.money(totalAmount, currencyCode),
    },
    {
      id: 'quantity',
      title: own('TotalQuantity'),
      isExtra: true,
      isFigure: true,
      cell: ({ totalQuantity }) => formats.decimal(totalQuantity),
    },
    {
      id: 'exWorks',
      title: own('RequiredExWorksDate'),
      sort: 'requiredExWorksDate',
      isExtra: true,
      cell: ({ requiredExWorksDate }) => formats.date(requiredExWorksDate),
    },
    {
      id: 'inStore',
      title: own('RequiredInStoreDate'),
      sort: 'requiredInStoreDate',
      isExtra: true,
      cell: ({ requiredInStoreDate }) => formats.date(requiredInStoreDate),
    },
    {
      id: 'created',
      title: 'AbpUi::DisplayName:CreationTime',
      sort: 'creationTime',
      isExtra: true,
      cell: ({ creationTime }) => formatInstant(creationTime),
    },
  ]
  return (
    <ListPage
      title="Ops:Orders"
      hint="Ops:OrdersHint"
      icon="list"
      emptyHint="Ops:NoOrdersHint"
      views="Orders"
      list={orders.getList}
      columns={columns}
      hrefOf={({ id }) => `/orders/${id}`}
      filters={[
        {
          name: 'status',
          title: 'State',
          kind: 'enum',
          options: enumOptions(t, 'Hub::Enum:OrderStatus', OrderStatus),
        },
        { name: 'buyerId', title: own('Buyer'), kind: 'pick', pick: OrganizationSelect },
        { name: 'supplierId', title: own('Supplier'), kind: 'pick', pick: OrganizationSelect, isExtra: true },
        { name: 'hasShipment', title: 'Ops:OnShipment', kind: 'flag', isExtra: true },
      ]}
      work={{
        newTitle: may(OrderPermissions.Create) && 'Ops:NewOrder',
        mayEdit: may(OrderPermissions.Edit),
        isEditable: isOrderOpen,
        dialog: (id, onClose) => <OrderDialog id={id} onClose={onClose} />,
      }}
      removal={
        may(OrderPermissions.Delete) && {
          call: orders.delete,
          warn: (order) => t('Ops:DeleteOrderHint', { name: orderName(order) }),
        }
      }
    />
  )
}
