import {
  type ConsolDto,
  ConsolPermissions,
  type ConsolStatus,
  consolMoves,
  type StatusMove,
} from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import { ActionDialog, type ActionValues, type ThingAction } from './action-dialog.js'
import type { Field } from './fields.js'
import { consols, containers, shipments } from './hub.js'
import type { SeenOf } from './thing-conflict.js'

export type Consol = InstanceType<typeof ConsolDto>

const { ChangeStatus } = ConsolPermissions
const by =
  (moves: readonly StatusMove<ConsolStatus>[]) =>
  ({ status }: Consol): boolean =>
    moves.some(([from]) => from === status)
const actualTime: Field<ActionValues> = {
  name: 'actualTime',
  title: 'Ops:ActualTime',
  kind: 'instant',
  hint: 'Ops:NowWhenEmpty',
}

/** What can be done with a consol, the usual next step first. */
export const consolActions: readonly ThingAction<Consol>[] = [
  {
    name: 'book',
    isNext: true,
    title: 'Ops:BookConsol',
    hint: 'Ops:BookConsolHint',
    permission: ChangeStatus,
    isPossible: by(consolMoves.book),
    call: consols.book,
    fieldsOf: () => [
      { name: 'bookingReference', title: 'Hub::DisplayName:Shipment:BookingReference', isRequired: true },
    ],
    initial: ({ bookingReference }) => ({ bookingReference: bookingReference ?? '' }),
  },
  {
    name: 'close',
    isNext: true,
    title: 'Ops:CloseConsol',
    hint: 'Ops:CloseConsolHint',
    permission: ChangeStatus,
    isPossible: by(consolMoves.close),
    call: consols.close,
  },
  {
    name: 'depart',
    isNext: true,
    title: 'Ops:Depart',
    hint: 'Ops:DepartConsolHint',
    permission: ChangeStatus,
    isPossible: by(consolMoves.depart),
    call: consols.depart,
    fieldsOf: () => [actualTime],
  },
  {
    name: 'arrive',
    isNext: true,
    title: 'Ops:Arrive',
    hint: 'Ops:ArriveConsolHint',
    permission: ChangeStatus,
    isPossible: by(consolMoves.arrive),
    call: consols.arrive,
    fieldsOf: () => [actualTime],
  },
  {
    name: 'complete',
    isNext: true,
    title: 'Ops:Complete',
    permission: ChangeStatus,
    isPossible: by(consolMoves.complete),
    call: consols.complete,
  },
  {
    name: 'cancel',
    title: 'Ops:CancelConsol',
    hint: 'Ops:CancelConsolHint',
    isDangerous: true,
    permission: ChangeStatus,
    isPossible: by(consolMoves.cancel),
    call: consols.cancel,
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

/** Performs an action of a consol. */
export function ConsolActionDialog({
  action,
  consol,
  onClose,
}: {
  readonly action: ThingAction<Consol>
  readonly consol: Consol
  readonly onClose: () => void
}) {
  const { t, formatInstant } = useApplication()
  const seenOf: SeenOf<Consol> = (one) => ({
    State: t(`Hub::Enum:ConsolStatus.${one.status}`),
    'Ops:Departure': formatInstant(one.estimatedDeparture),
    'Ops:Arrival': formatInstant(one.estimatedArrival),
  })
  return (
    <ActionDialog
      action={action}
      thing={consol}
      name={consol.consolNumber}
      comparing={{ load: consols.get, seenOf }}
      alsoInvalidates={[shipments.get, containers.getList]}
      onClose={onClose}
    />
  )
}
