import {
  SailingScheduleAppService,
  type SailingScheduleDto,
  SailingSchedulePermissions,
} from '@keel/hub-proxy'
import { useMutation } from '@keel/react'
import { Badge } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { ActionDialog, possibleActions, type ThingAction } from '../parts/action-dialog.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { localTime } from '../parts/fields.js'
import { shipments } from '../parts/hub.js'
import { CarrierSelect, PortSelect, useCodes, VesselSelect } from '../parts/hub-selects.js'
import { ListPage } from '../parts/list-page.js'
import { useAct } from '../parts/notices.js'

type Sailing = InstanceType<typeof SailingScheduleDto>
const { sailingSchedules } = openProxy({ sailingSchedules: { service: SailingScheduleAppService } })
const own = (name: string) => `Ops:Sailing:${name}`
const ofShipment = (name: string) => `Hub::DisplayName:Shipment:${name}`

const valuesOf = (sailing?: Sailing) => ({
  carrierId: sailing?.carrierId ?? null,
  transportModeId: sailing?.transportModeId ?? null,
  voyageFlightNumber: sailing?.voyageFlightNumber ?? '',
  serviceCode: sailing?.serviceCode ?? '',
  vesselId: sailing?.vesselId ?? null,
  transshipmentCount: sailing?.transshipmentCount ?? (0 as number | null),
  departurePortId: sailing?.departurePortId ?? null,
  arrivalPortId: sailing?.arrivalPortId ?? null,
  estimatedDeparture: localTime(sailing?.estimatedDeparture),
  estimatedArrival: localTime(sailing?.estimatedArrival),
  cargoCutOff: localTime(sailing?.cargoCutOff),
  documentCutOff: localTime(sailing?.documentCutOff),
  vgmCutOff: localTime(sailing?.vgmCutOff),
})
type Values = ReturnType<typeof valuesOf>

/** Records that the carrier leaves a departure out. */
const cancelling: ThingAction<Sailing> = {
  name: 'cancel-sailing',
  title: 'Ops:CancelSailing',
  hint: 'Ops:CancelSailingHint',
  isDangerous: true,
  permission: SailingSchedulePermissions.Edit,
  isPossible: ({ isCancelled }) => !isCancelled,
  call: sailingSchedules.cancelSailing,
  fieldsOf: () => [
    {
      name: 'reason',
      title: 'Hub::DisplayName:ShipmentStatusHistory:Reason',
      kind: 'area',
      isRequired: true,
    },
  ],
}

/** Departures of ships, aircraft and trains that can be booked. */
export function Page() {
  const { t, may, formatInstant, formatNumber } = useApplication()
  const { Create, Edit, Delete } = SailingSchedulePermissions
  const modes = useCodes('TransportMode')
  const [cancelled, cancel] = useState<Sailing>()
  const { run } = useMutation()
  const act = useAct()
  const editing: Editing<Sailing, Values> = {
    draft: 'sailing-schedule',
    get: sailingSchedules.get,
    create: sailingSchedules.create as never,
    update: sailingSchedules.update as never,
    valuesOf,
    sendsChangesOnly: true,
    fields: [
      {
        name: 'carrierId',
        title: 'Hub::Entity:Carrier',
        kind: 'pick',
        pick: CarrierSelect,
        isRequired: true,
      },
      {
        name: 'transportModeId',
        title: 'Hub::DisplayName:TransportMode',
        kind: 'choice',
        options: modes,
        isRequired: true,
      },
      { name: 'voyageFlightNumber', title: ofShipment('VoyageFlightNumber'), isRequired: true },
      { name: 'serviceCode', title: own('ServiceCode'), hint: own('ServiceCodeHint') },
      { name: 'vesselId', title: 'Hub::Entity:Vessel', kind: 'pick', pick: VesselSelect },
      { name: 'transshipmentCount', title: own('TransshipmentCount'), kind: 'number', isRequired: true },
      {
        name: 'departurePortId',
        title: ofShipment('DeparturePort'),
        kind: 'pick',
        pick: PortSelect,
        isRequired: true,
      },
      {
        name: 'arrivalPortId',
        title: ofShipment('ArrivalPort'),
        kind: 'pick',
        pick: PortSelect,
        isRequired: true,
      },
      {
        name: 'estimatedDeparture',
        title: ofShipment('EstimatedDeparture'),
        kind: 'instant',
        isRequired: true,
      },
      { name: 'estimatedArrival', title: ofShipment('EstimatedArrival'), kind: 'instant', isRequired: true },
      { name: 'cargoCutOff', title: 'Ops:Consol:CargoCutOff', kind: 'instant' },
      { name: 'documentCutOff', title: 'Ops:Consol:DocumentCutOff', kind: 'instant' },
      { name: 'vgmCutOff', title: 'Ops:Consol:VgmCutOff', kind: 'instant' },
    ],
    fieldOfCode: { DuplicateDeparture: 'voyageFlightNumber', ArrivalBeforeDeparture: 'estimatedArrival' },
  }
  const columns: Column<Sailing>[] = [
    {
      id: 'voyage',
      title: ofShipment('VoyageFlightNumber'),
      sort: 'voyageFlightNumber',
      isEssential: true,
      cell: ({ voyageFlightNumber }) => voyageFlightNumber,
    },
    { id: 'carrier', title: 'Hub::Entity:Carrier', cell: ({ carrier }) => carrier?.name },
    {
      id: 'route',
      title: 'Ops:Route',
      isEssential: true,
      cell: ({ departurePort, arrivalPort }) => `${departurePort?.name ?? '–'} → ${arrivalPort?.name ?? '–'}`,
    },
    {
      id: 'departure',
      title: 'Ops:Departure',
      sort: 'estimatedDeparture',
      isEssential: true,
      cell: ({ estimatedDeparture }) => formatInstant(estimatedDeparture),
    },
    {
      id: 'arrival',
      title: 'Ops:Arrival',
      sort: 'estimatedArrival',
      cell: ({ estimatedArrival }) => formatInstant(estimatedArrival),
    },
    {
      id: 'days',
      title: own('TransitDays'),
      sort: 'transitDays',
      isFigure: true,
      cell: ({ transitDays }) => formatNumber(transitDays),
    },
    {
      id: 'state',
      title: 'State',
      sort: 'isCancelled',
      cell: ({ isCancelled }) =>
        isCancelled && (
          <Badge variant="light" color="red">
            {t(own('IsCancelled'))}
          </Badge>
        ),
    },
    { id: 'vessel', title: 'Hub::Entity:Vessel', isExtra: true, cell: ({ vessel }) => vessel?.name },
    {
      id: 'service',
      title: own('ServiceCode'),
      sort: 'serviceCode',
      isExtra: true,
      cell: ({ serviceCode }) => serviceCode,
    },
    {
      id: 'cargoCutOff',
      title: 'Ops:Consol:CargoCutOff',
      sort: 'cargoCutOff',
      isExtra: true,
      cell: ({ cargoCutOff }) => formatInstant(cargoCutOff),
    },
  ]
  const cancelAction: RowAction<Sailing> = {
    title: cancelling.title,
    icon: 'close',
    isDangerous: true,
    isShown: (sailing) => possibleActions([cancelling], sailing, may).length > 0,
    run: cancel,
  }
  const restoreAction: RowAction<Sailing> = {
    title: 'Ops:Restore',
    icon: 'refresh',
    isShown: ({ isCancelled }) => isCancelled && may(Edit),
    run: ({ id }) => act(run(sailingSchedules.update, id, { isCancelled: false }), t('Restored')),
  }
  return (
    <ListPage
      title="Ops:Sailings"
      hint="Ops:SailingsHint"
      icon="clock"
      emptyHint="Ops:NoSailingsHint"
      views="SailingSchedules"
      list={sailingSchedules.getList}
      columns={columns}
      actions={[cancelAction, restoreAction]}
      filters={[
        { name: 'departurePortId', title: ofShipment('DeparturePort'), kind: 'pick', pick: PortSelect },
        { name: 'arrivalPortId', title: ofShipment('ArrivalPort'), kind: 'pick', pick: PortSelect },
        { name: 'carrierId', title: 'Hub::Entity:Carrier', kind: 'pick', pick: CarrierSelect, isExtra: true },
        { name: 'departFrom', title: own('DepartFrom'), kind: 'instant', isExtra: true },
        { name: 'departBefore', title: own('DepartBefore'), kind: 'instant', isExtra: true },
      ]}
      work={{
        newTitle: may(Create) && 'Ops:NewSailing',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:SailingSchedule' : 'Ops:NewSailing')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(Delete) && {
          call: sailingSchedules.delete,
          warn: (sailing) => t('Ops:DeleteRowHint', { name: nameOf(sailing) }),
        }
      }
    >
      {cancelled && (
        <ActionDialog
          action={cancelling}
          thing={cancelled}
          name={nameOf(cancelled)}
          alsoInvalidates={[shipments.get]}
          onClose={() => cancel(undefined)}
        />
      )}
    </ListPage>
  )
}

function nameOf({ carrier, voyageFlightNumber }: Sailing): string {
  return [carrier?.name, voyageFlightNumber].filter(Boolean).join(' · ')
}
