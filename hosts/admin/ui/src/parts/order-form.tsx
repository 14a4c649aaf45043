import { type OrderDto, OrderPermissions, OrderStatus } from '@keel/hub-proxy'
import { useQueryWhen } from '@keel/react'
import { useNavigate } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { type Field, today } from './fields.js'
import { orders } from './hub.js'
import { PortSelect, useCodes } from './hub-selects.js'
import { OrganizationSelect } from './organizations.js'

export type Order = InstanceType<typeof OrderDto>
const own = (name: string) => `Hub::DisplayName:Order:${name}`

function valuesOf(order?: Order) {
  return {
    orderNumber: order?.orderNumber ?? '',
    orderDate: order?.orderDate ?? today(),
    buyerId: order?.buyer?.id ?? null,
    supplierId: order?.supplier?.id ?? null,
    currencyCode: order?.currencyCode ?? '',
    description: order?.description ?? '',
    requiredExWorksDate: order?.requiredExWorksDate ?? '',
    requiredInStoreDate: order?.requiredInStoreDate ?? '',
    cargoReadyDate: order?.cargoReadyDate ?? '',
    incotermId: order?.incotermId ?? null,
    transportModeId: order?.transportModeId ?? null,
    originPortId: order?.originPortId ?? null,
    destinationPortId: order?.destinationPortId ?? null,
    externalId: order?.externalId ?? '',
    concurrencyStamp: order?.concurrencyStamp ?? '',
  }
}
type Values = ReturnType<typeof valuesOf>

/** Creates an order, and opens its page; or changes one. Parties and currency are fixed once it is placed. */
export function OrderDialog({
  id,
  onClose,
}: {
  readonly id: string | undefined
  readonly onClose: () => void
}) {
  const { t, may } = useApplication()
  const navigate = useNavigate()
  const order = useQueryWhen(id !== undefined, orders.get, id ?? '')
  const isFixed = order.data !== undefined && order.data.status !== OrderStatus.Draft
  const fields: readonly Field<Values>[] = [
    { name: 'orderNumber', title: own('OrderNumber'), isRequired: true },
    { name: 'orderDate', title: own('OrderDate'), kind: 'date', isRequired: true },
    {
      name: 'buyerId',
      title: own('Buyer'),
      kind: 'pick',
      pick: OrganizationSelect,
      isRequired: true,
      isDisabled: isFixed,
    },
    {
      name: 'supplierId',
      title: own('Supplier'),
      kind: 'pick',
      pick: OrganizationSelect,
      isRequired: true,
      isDisabled: isFixed,
    },
    { name: 'currencyCode', title: 'Hub::DisplayName:CurrencyCode', isRequired: true, isDisabled: isFixed },
    { name: 'cargoReadyDate', title: 'Hub::DisplayName:CargoReadyDate', kind: 'date' },
    { name: 'requiredExWorksDate', title: own('RequiredExWorksDate'), kind: 'date' },
    { name: 'requiredInStoreDate', title: own('RequiredInStoreDate'), kind: 'date' },
    {
      name: 'transportModeId',
      title: 'Hub::DisplayName:TransportMode',
      kind: 'choice',
      options: useCodes('TransportMode'),
    },
    { name: 'incotermId', title: 'Hub::DisplayName:Incoterm', kind: 'choice', options: useCodes('Incoterm') },
    { name: 'originPortId', title: 'Hub::DisplayName:OriginPort', kind: 'pick', pick: PortSelect },
    { name: 'destinationPortId', title: 'Hub::DisplayName:DestinationPort', kind: 'pick', pick: PortSelect },
    { name: 'description', title: 'AbpUi::DisplayName:Description', kind: 'area' },
    { name: 'externalId', title: own('ExternalId') },
  ]
  const editing: Editing<Order, Values> = {
    draft: 'order',
    ownFields: 'Hub.Order',
    get: orders.get,
    create: orders.create as never,
    update: orders.update as never,
    valuesOf,
    fields,
    sendsChangesOnly: true,
    fieldOfCode: { NumberAlreadyExists: 'orderNumber', BuyerEqualsSupplier: 'supplierId' },
  }
  return (
    <EditDialog
      id={id}
      title={t(id ? 'Ops:EditOrder' : 'Ops:NewOrder')}
      editing={editing}
      mayChange={may(id ? OrderPermissions.Edit : OrderPermissions.Create)}
      onClose={onClose}
      {...(id === undefined && {
        onSaved: (created) => void navigate({ to: `/orders/${(created as Order).id}` as never }),
      })}
    />
  )
}
