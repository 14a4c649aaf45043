import {
  forcedCancellations,
  type ShipmentDto,
  ShipmentPermissions,
  ShipmentStatus,
  type StatusMove,
  shipmentMoves,
} from '@keel/hub-proxy'
import { useQuery } from '@keel/react'
import { Select } from '@mantine/core'
import { type Translate, useApplication } from '../application.js'
import { ActionDialog, type ActionValues, type ThingAction } from './action-dialog.js'
import { enumOptions, type Field, localTime, type PickProps } from './fields.js'
import {
  documents,
  orders,
  shipmentExceptions,
  shipmentMilestones,
  shipmentReferenceNumbers,
  shipmentStatusHistories,
  shipments,
} from './hub.js'
import { PortSelect } from './hub-selects.js'
import type { SeenOf } from './thing-conflict.js'

export type Shipment = InstanceType<typeof ShipmentDto>
type ActionField = Field<ActionValues>

const { ChangeStatus, Cancel, Reopen, ForceStatus } = ShipmentPermissions
const own = (name: string) => `Hub::DisplayName:Shipment:${name}`

const booking: ActionField = { name: 'bookingReference', title: own('BookingReference') }
const note: ActionField = { name: 'note', title: 'Ops:Note', kind: 'area' }
const reason: ActionField = {
  name: 'reason',
  title: 'Hub::DisplayName:ShipmentStatusHistory:Reason',
  kind: 'area',
  isRequired: true,
}
/** When and where something happened. */
const happened: readonly ActionField[] = [
  { name: 'actualTime', title: 'Ops:ActualTime', kind: 'instant', hint: 'Ops:NowWhenEmpty' },
  { name: 'portId', title: 'Hub::Entity:Port', kind: 'pick', pick: PortSelect },
]

const by =
  (moves: readonly StatusMove<ShipmentStatus>[], isBarredByHold = false) =>
  ({ status, isOnHold }: Shipment): boolean =>
    !(isOnHold && isBarredByHold) && moves.some(([from]) => from === status)

/** False for shipments of which nothing can be changed any more. */
export function isShipmentOpen({ status }: Pick<Shipment, 'status'>): boolean {
  return status !== ShipmentStatus.Completed && status !== ShipmentStatus.Cancelled
}

/** What can be done with a shipment, the usual next step first. */
export const shipmentActions: readonly ThingAction<Shipment>[] = [
  {
    name: 'releaseHold',
    isNext: true,
    title: 'Ops:ReleaseHold',
    permission: ChangeStatus,
    isPossible: ({ isOnHold }) => isOnHold,
    call: shipments.releaseHold,
  },
  {
    name: 'book',
    isNext: true,
    title: 'Ops:Book',
    hint: 'Ops:BookHint',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.book),
    call: shipments.book,
    fieldsOf: () => [booking],
    initial: ({ bookingReference }) => ({ bookingReference: bookingReference ?? '' }),
  },
  {
    name: 'confirm',
    isNext: true,
    title: 'Ops:Confirm',
    hint: 'Ops:ConfirmHint',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.confirm),
    call: shipments.confirm,
    fieldsOf: () => [booking],
    initial: ({ bookingReference }) => ({ bookingReference: bookingReference ?? '' }),
  },
  {
    name: 'receiveCargo',
    isNext: true,
    title: 'Ops:ReceiveCargo',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.receiveCargo),
    call: shipments.receiveCargo,
    fieldsOf: () => [...happened, note],
  },
  {
    name: 'depart',
    isNext: true,
    title: 'Ops:Depart',
    hint: 'Ops:DepartHint',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.depart, true),
    call: shipments.depart,
    fieldsOf: () => [...happened, note],
  },
  {
    name: 'arrive',
    isNext: true,
    title: 'Ops:Arrive',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.arrive),
    call: shipments.arrive,
    fieldsOf: () => [...happened, note],
  },
  {
    name: 'clearCustoms',
    isNext: true,
    title: 'Ops:ClearCustoms',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.clearCustoms),
    call: shipments.clearCustoms,
    fieldsOf: () => [...happened, { name: 'entryNumber', title: 'Ops:EntryNumber' }, note],
  },
  {
    name: 'dispatchDelivery',
    isNext: true,
    title: 'Ops:DispatchDelivery',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.dispatchDelivery, true),
    call: shipments.dispatchDelivery,
    fieldsOf: () => [{ name: 'estimatedDelivery', title: own('EstimatedDelivery'), kind: 'instant' }],
    initial: ({ estimatedDelivery }) => ({ estimatedDelivery: localTime(estimatedDelivery) }),
  },
  {
    name: 'deliver',
    isNext: true,
    title: 'Ops:Deliver',
    hint: 'Ops:DeliverHint',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.deliver),
    call: shipments.deliver,
    fieldsOf: ({ id }) => [
      ...happened,
      { name: 'podDocumentId', title: 'Ops:ProofOfDelivery', kind: 'pick', pick: proofOf(id) },
      note,
    ],
  },
  {
    name: 'complete',
    isNext: true,
    title: 'Ops:Complete',
    hint: 'Ops:CompleteHint',
    permission: ChangeStatus,
    isPossible: by(shipmentMoves.complete),
    call: shipments.complete,
  },
  {
    name: 'reopen',
    title: 'Ops:Reopen',
    permission: Reopen,
    isPossible: by(shipmentMoves.reopen),
    call: shipments.reopen,
    fieldsOf: () => [reason],
  },
  {
    name: 'setHold',
    title: 'Ops:SetHold',
    hint: 'Ops:SetHoldHint',
    permission: ChangeStatus,
    isPossible: (shipment) => isShipmentOpen(shipment) && !shipment.isOnHold,
    call: shipments.setHold,
    fieldsOf: () => [reason],
  },
  {
    name: 'forceStatus',
    title: 'Ops:ForceStatus',
    hint: 'Ops:ForceStatusHint',
    permission: ForceStatus,
    isPossible: () => true,
    call: shipments.forceStatus,
    fieldsOf: ({ status }, t) => [
      {
        name: 'status',
        title: own('Status'),
        kind: 'enum',
        isRequired: true,
        options: statusOptions(t).filter(({ value }) => value !== String(status)),
      },
      reason,
    ],
  },
  {
    name: 'cancel',
    title: 'Ops:CancelShipment',
    hint: 'Ops:CancelShipmentHint',
    isDangerous: true,
    permission: Cancel,
    isPossible: (shipment, may) =>
      by([...shipmentMoves.cancel, ...(may(ForceStatus) ? forcedCancellations : [])])(shipment),
    call: shipments.cancel,
    fieldsOf: () => [reason],
  },
]

/** The words for all statuses of shipments. */
export function statusOptions(t: Translate) {
  return enumOptions(t, 'Hub::Enum:ShipmentStatus', ShipmentStatus)
}

/** Picks one of the documents of a shipment. */
function proofOf(shipmentId: string) {
  return function ProofOfDelivery({ label, value, onChange, error }: PickProps) {
    const { data } = useQuery(documents.getList, { shipmentId, maxResultCount: 100 })
    return (
      <Select
        label={label}
        clearable
        data={
          data?.items.map(({ id, documentType, fileName }) => ({
            value: id,
            label: [documentType?.name, fileName].filter(Boolean).join(' · '),
          })) ?? []
        }
        value={value}
        onChange={onChange}
        error={error}
      />
    )
  }
}

/** Whose answers an action of a shipment touches. */
export const touchedByShipments = [
  shipmentMilestones.getList,
  shipmentStatusHistories.getList,
  shipmentReferenceNumbers.getList,
  shipmentExceptions.getList,
  orders.getList,
] as const

/** Performs an action of a shipment. */
export function ShipmentActionDialog({
  action,
  shipment,
  onClose,
}: {
  readonly action: ThingAction<Shipment>
  readonly shipment: Shipment
  readonly onClose: () => void
}) {
  const { t, formatInstant } = useApplication()
  const seenOf: SeenOf<Shipment> = (one) => ({
    [own('Status')]: t(`Hub::Enum:ShipmentStatus.${one.status}`),
    [own('HoldReason')]: one.holdReason ?? '',
    [own('EstimatedDeparture')]: formatInstant(one.estimatedDeparture),
    [own('EstimatedArrival')]: formatInstant(one.estimatedArrival),
  })
  return (
    <ActionDialog
      action={action}
      thing={shipment}
      name={shipment.shipmentReference}
      comparing={{ load: shipments.get, seenOf }}
      alsoInvalidates={touchedByShipments}
      onClose={onClose}
    />
  )
}
