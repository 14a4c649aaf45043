import '@mantine/core/styles/Grid.css'
import {
  type ConsolLegDto,
  ConsolLegInput,
  ConsolPermissions,
  type ConsolShipmentDto,
  ConsolStatus,
  type ContainerDto,
  ContainerPermissions,
  LegType,
} from '@keel/hub-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Button, Card, Grid, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { possibleActions, type ThingAction } from '../parts/action-dialog.js'
import { Confirm } from '../parts/confirm.js'
import { type Consol, ConsolActionDialog, consolActions } from '../parts/consol-actions.js'
import { ConsolDialog } from '../parts/consol-form.js'
import { RowMenu } from '../parts/data-list.js'
import { DeleteThing, DetailHead, type HeadAction } from '../parts/detail-head.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { Facts } from '../parts/facts.js'
import { FailedDetail } from '../parts/failed-detail.js'
import { enumOptions, type Field, localTime } from '../parts/fields.js'
import { consols, containers, shipments } from '../parts/hub.js'
import {
  CarrierSelect,
  ContainerTypeSelect,
  PortSelect,
  TerminalSelect,
  useCodeName,
  useCodes,
  VesselSelect,
} from '../parts/hub-selects.js'
import { Icon } from '../parts/icons.js'
import { PartDialog, type Whole } from '../parts/part-dialog.js'
import { RowChooser } from '../parts/row-chooser.js'
import { ShipmentLink } from '../parts/shipment-link.js'
import { SmallList } from '../parts/small-list.js'
import { ErrorAlert, PageLoading } from '../parts/states.js'
import { ConsolState } from '../parts/statuses.js'
import { useUrlState } from '../parts/url-state.js'

type Leg = InstanceType<typeof ConsolLegDto>
type Link = InstanceType<typeof ConsolShipmentDto>
type Container = InstanceType<typeof ContainerDto>

/** One consol: its state and what can be done, its legs, shipments and containers. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const consol = useQuery(consols.get, id)
  if (consol.error)
    return <FailedDetail error={consol.error} retry={consol.refetch} list="/consols" title="Ops:Consols" />
  if (!consol.data) return <PageLoading />
  return <Detail consol={consol.data} />
}

function isOpen({ status }: Consol): boolean {
  return status !== ConsolStatus.Completed && status !== ConsolStatus.Cancelled
}

function Detail({ consol }: { readonly consol: Consol }) {
  const modeName = useCodeName('TransportMode')
  const { t, may, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const [asked, ask] = useState<ThingAction<Consol> | 'delete'>()
  const close = () => ask(undefined)
  const steps = possibleActions(consolActions, consol, may).map(
    (action): HeadAction => ({ ...action, run: () => ask(action) }),
  )
  const isDeletable = consol.status === ConsolStatus.Planned || consol.status === ConsolStatus.Cancelled
  const actions: readonly HeadAction[] = [
    ...steps.filter(({ isDangerous }) => !isDangerous),
    ...(may(ConsolPermissions.Edit) && isOpen(consol)
      ? [
          {
            name: 'edit',
            title: 'AbpUi::Edit',
            icon: 'edit',
            run: () => setUrl({ edit: 'open' }, true),
          } as const,
        ]
      : []),
    ...steps.filter(({ isDangerous }) => isDangerous),
    ...(may(ConsolPermissions.Delete) && isDeletable
      ? [
          {
            name: 'delete',
            title: 'AbpUi::Delete',
            icon: 'trash',
            isDangerous: true,
            run: () => ask('delete'),
          } as const,
        ]
      : []),
  ]
  const time = (estimated: Date | null | undefined, actual: Date | null | undefined) =>
    actual
      ? `${formatInstant(actual)} · ${t('Ops:Actual')}`
      : estimated && `${formatInstant(estimated)} · ${t('Ops:Estimated')}`
  return (
    <>
      <DetailHead
        list="/consols"
        listTitle="Ops:Consols"
        name={consol.consolNumber}
        badges={<ConsolState status={consol.status} />}
        line={[
          consol.carrier?.name,
          consol.firstLoadPort && `${consol.firstLoadPort.name} → ${consol.lastDischargePort?.name ?? '–'}`,
        ]
          .filter(Boolean)
          .join(' · ')}
        actions={actions}
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="xl">
            <Legs consol={consol} />
            <Shipments consol={consol} />
            {may(ContainerPermissions.View) && <Containers consol={consol} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Card withBorder padding="md">
            <Title order={2} mb="xs">
              {t('Ops:Overview')}
            </Title>
            <Facts
              facts={[
                ['Hub::DisplayName:TransportMode', modeName(consol.transportMode)],
                ['Kind', t(`Hub::Enum:ConsolType.${consol.consolType}`)],
                ['Hub::DisplayName:Shipment:MasterBillNumber', consol.masterBillNumber],
                ['Hub::DisplayName:Shipment:BookingReference', consol.bookingReference],
                ['Hub::Enum:AddressRole.7', consol.sendingAgent?.fullName],
                ['Hub::Enum:AddressRole.8', consol.receivingAgent?.fullName],
                ['Ops:Departure', time(consol.estimatedDeparture, consol.actualDeparture)],
                ['Ops:Arrival', time(consol.estimatedArrival, consol.actualArrival)],
                ['Ops:Consol:CargoCutOff', formatInstant(consol.cargoCutOff)],
                ['Ops:Consol:DocumentCutOff', formatInstant(consol.documentCutOff)],
                ['Ops:Consol:VgmCutOff', formatInstant(consol.vgmCutOff)],
                [
                  'Ops:Consol:PaymentTerm',
                  consol.paymentTerm == null ? null : t(`Hub::Enum:PaymentTerm.${consol.paymentTerm}`),
                ],
              ]}
            />
          </Card>
        </Grid.Col>
      </Grid>
      {url['edit'] && <ConsolDialog id={consol.id} onClose={() => setUrl({ edit: undefined })} />}
      {asked === 'delete' && (
        <DeleteThing
          call={consols.delete}
          id={consol.id}
          list="/consols"
          hint={t('Ops:DeleteConsolHint', { name: consol.consolNumber })}
          onClose={close}
        />
      )}
      {typeof asked === 'object' && <ConsolActionDialog action={asked} consol={consol} onClose={close} />}
    </>
  )
}

function legValues(leg: Leg | undefined, last: Leg | undefined, transportModeId: string) {
  return {
    legType: leg?.legType ?? LegType.Main,
    transportModeId: leg?.transportModeId ?? (transportModeId as string | null),
    departurePortId: leg?.departurePortId ?? last?.arrivalPortId ?? null,
    arrivalPortId: leg?.arrivalPortId ?? null,
    departureTerminalId: leg?.departureTerminalId ?? null,
    arrivalTerminalId: leg?.arrivalTerminalId ?? null,
    carrierId: leg?.carrierId ?? null,
    vesselId: leg?.vesselId ?? null,
    voyageFlightNumber: leg?.voyageFlightNumber ?? '',
    estimatedDeparture: localTime(leg?.estimatedDeparture),
    estimatedArrival: localTime(leg?.estimatedArrival),
    actualDeparture: localTime(leg?.actualDeparture),
    actualArrival: localTime(leg?.actualArrival),
    distanceKm: leg?.distanceKm ?? null,
  }
}
type LegValues = ReturnType<typeof legValues>

/** Where a leg begins or ends: the port, and the terminal in it if that is known. */
function placeOf(port: Leg['departurePort'], terminal: Leg['departureTerminal']): string {
  return [port?.name ?? '–', terminal?.name].filter(Boolean).join(', ')
}

/** A leg as it is written again when another one changes. */
function legInput(leg: Leg): object {
  return Object.fromEntries(
    Object.keys(ConsolLegInput.shape).map((member) => [member, leg[member as keyof Leg]]),
  )
}

/** The legs of a consol in the order of the journey. */
function Legs({ consol }: { readonly consol: Consol }) {
  const { t, may, formatInstant } = useApplication()
  const legs = useQuery(consols.getLegs, consol.id)
  const modes = useCodes('TransportMode')
  const [edited, edit] = useState<Leg | 'new'>()
  const [removed, remove] = useState<Leg>()
  const { run } = useMutation(shipments.get)
  const mayEdit = may(ConsolPermissions.Edit) && isOpen(consol)
  const all = legs.data ?? []
  const own = (name: string) => `Hub::DisplayName:Shipment:${name}`
  const fields: readonly Field<LegValues>[] = [
    {
      name: 'legType',
      title: 'Kind',
      kind: 'enum',
      isRequired: true,
      options: enumOptions(t, 'Hub::Enum:LegType', LegType),
    },
    {
      name: 'transportModeId',
      title: 'Hub::DisplayName:TransportMode',
      kind: 'choice',
      options: modes,
      isRequired: true,
    },
    {
      name: 'departurePortId',
      title: own('DeparturePort'),
      kind: 'pick',
      pick: PortSelect,
      isRequired: true,
    },
    { name: 'arrivalPortId', title: own('ArrivalPort'), kind: 'pick', pick: PortSelect, isRequired: true },
    {
      name: 'departureTerminalId',
      title: 'Ops:DepartureTerminal',
      kind: 'pick',
      pick: TerminalSelect,
      within: ({ departurePortId }) => departurePortId,
    },
    {
      name: 'arrivalTerminalId',
      title: 'Ops:ArrivalTerminal',
      kind: 'pick',
      pick: TerminalSelect,
      within: ({ arrivalPortId }) => arrivalPortId,
    },
    { name: 'carrierId', title: 'Hub::Entity:Carrier', kind: 'pick', pick: CarrierSelect },
    { name: 'vesselId', title: 'Hub::Entity:Vessel', kind: 'pick', pick: VesselSelect },
    { name: 'voyageFlightNumber', title: own('VoyageFlightNumber') },
    { name: 'estimatedDeparture', title: own('EstimatedDeparture'), kind: 'instant' },
    { name: 'estimatedArrival', title: own('EstimatedArrival'), kind: 'instant' },
    { name: 'actualDeparture', title: own('ActualDeparture'), kind: 'instant' },
    { name: 'actualArrival', title: own('ActualArrival'), kind: 'instant' },
    { name: 'distanceKm', title: 'Ops:DistanceKm', kind: 'number' },
  ]
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t('Ops:Legs')}</Title>
        {mayEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => edit('new')}
          >
            {t('Ops:AddLeg')}
          </Button>
        )}
      </Group>
      {legs.error && <ErrorAlert error={legs.error} retry={() => void legs.refetch()} />}
      {legs.isPending && <Skeleton height={88} />}
      {legs.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Ops:NoLegsHint')}
        </Text>
      )}
      {all.map((leg) => (
        <Card key={leg.id} withBorder padding="sm">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Stack gap={2} style={{ minWidth: 0 }}>
              <Text size="sm" fw={550}>
                {leg.legNumber}. {placeOf(leg.departurePort, leg.departureTerminal)} →{' '}
                {placeOf(leg.arrivalPort, leg.arrivalTerminal)}
              </Text>
              <Text size="sm" c="dimmed">
                {[
                  t(`Hub::Enum:LegType.${leg.legType}`),
                  leg.carrier?.name,
                  leg.vessel?.name,
                  leg.voyageFlightNumber,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </Text>
              <Text size="sm" c="dimmed">
                {formatInstant(leg.actualDeparture ?? leg.estimatedDeparture) || '–'} →{' '}
                {formatInstant(leg.actualArrival ?? leg.estimatedArrival) || '–'}
              </Text>
            </Stack>
            {mayEdit && (
              <RowMenu
                row={leg}
                name={`${t('Hub::Entity:ConsolLeg')} ${leg.legNumber}`}
                actions={[
                  { title: 'AbpUi::Edit', icon: 'edit', run: edit },
                  { title: 'Remove', icon: 'trash', isDangerous: true, run: remove },
                ]}
              />
            )}
          </Group>
        </Card>
      ))}
      {edited && (
        <PartDialog
          title={t(edited === 'new' ? 'Ops:AddLeg' : 'Ops:EditLeg')}
          draft={`leg:${consol.id}:${edited === 'new' ? 'new' : edited.id}`}
          part={edited === 'new' ? undefined : edited}
          whole={{ parts: all, stamp: consol.concurrencyStamp }}
          load={() => legsOf(consol.id)}
          isSame={(one, other) => one.legNumber === other.legNumber}
          valuesOf={(leg) => legValues(leg, all.at(-1), consol.transportModeId)}
          fields={fields}
          fieldOfCode={{
            SamePort: 'arrivalPortId',
            LegsNotContiguous: 'departurePortId',
            LegDatesOverlap: 'estimatedDeparture',
          }}
          asInput={legInput}
          save={(written, concurrencyStamp) =>
            run(consols.setLegs, consol.id, { legs: written as never, concurrencyStamp })
          }
          onClose={() => edit(undefined)}
        />
      )}
      {removed && (
        <Confirm
          title={t('Remove')}
          action={t('Remove')}
          onConfirm={() =>
            run(consols.setLegs, consol.id, {
              legs: all.filter(({ id }) => id !== removed.id).map(legInput) as never,
              concurrencyStamp: consol.concurrencyStamp,
            })
          }
          onClose={() => remove(undefined)}
        >
          {t('Ops:DeleteRowHint', { name: `${removed.departurePort?.name} → ${removed.arrivalPort?.name}` })}
        </Confirm>
      )}
    </Stack>
  )
}

async function legsOf(id: string): Promise<Whole<Leg>> {
  const [consol, parts] = await Promise.all([consols.get(id), consols.getLegs(id)])
  return { parts, stamp: consol.concurrencyStamp }
}

/** The shipments on a consol that the caller sees. */
function Shipments({ consol }: { readonly consol: Consol }) {
  const { t, may } = useApplication()
  const links = useQuery(consols.getShipments, consol.id)
  const [isAdding, add] = useState(false)
  const [removed, remove] = useState<Link>()
  const { run } = useMutation(shipments.get)
  const mayEdit = may(ConsolPermissions.Edit)
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t('Ops:Shipments')}</Title>
        {mayEdit && consol.status <= ConsolStatus.Booked && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => add(true)}
          >
            {t('Ops:AddShipment')}
          </Button>
        )}
      </Group>
      {links.error && <ErrorAlert error={links.error} retry={() => void links.refetch()} />}
      {links.isPending && <Skeleton height={60} />}
      {links.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Ops:NoShipmentsOnConsolHint')}
        </Text>
      )}
      {links.data?.map((link) => (
        <Group key={link.id} justify="space-between">
          <ShipmentLink id={link.shipmentId} />
          {mayEdit && consol.status < ConsolStatus.Departed && (
            <Button size="compact-xs" variant="subtle" color="red" onClick={() => remove(link)}>
              {t('Remove')}
            </Button>
          )}
        </Group>
      ))}
      {isAdding && links.data && (
        <AddShipmentDialog consol={consol} links={links.data} onClose={() => add(false)} />
      )}
      {removed && (
        <Confirm
          title={t('Remove')}
          action={t('Remove')}
          onConfirm={() => run(consols.removeShipment, consol.id, removed.shipmentId)}
          onClose={() => remove(undefined)}
        >
          {t('Ops:RemoveFromConsolHint', { name: consol.consolNumber })}
        </Confirm>
      )}
    </Stack>
  )
}

/** Puts a shipment of the same transport mode on a consol, one that is not there yet. */
function AddShipmentDialog({
  consol,
  links,
  onClose,
}: {
  readonly consol: Consol
  readonly links: readonly Link[]
  readonly onClose: () => void
}) {
  const { run } = useMutation(shipments.get)
  const there = new Set(links.map(({ shipmentId }) => shipmentId))
  return (
    <RowChooser
      title="Ops:AddShipment"
      action="Add"
      label="Hub::Entity:Shipment"
      list={shipments.getList}
      input={{
        filters: {
          Status: ['Draft', 'Booked', 'Confirmed', 'CargoReceived'],
          ...(consol.transportMode && { TransportMode: [consol.transportMode.code] }),
        },
      }}
      isOffered={({ id }) => !there.has(id)}
      labelOf={({ shipmentReference, controllingCustomer }) => [
        shipmentReference,
        controllingCustomer?.fullName,
      ]}
      onChoose={({ id }) =>
        run(consols.addShipment, consol.id, { shipmentId: id, concurrencyStamp: consol.concurrencyStamp })
      }
      onClose={onClose}
    />
  )
}

function containerValues(container?: Container) {
  return {
    containerNumber: container?.containerNumber ?? '',
    containerTypeId: container?.containerTypeId ?? null,
    sealNumber: container?.sealNumber ?? '',
    grossWeightKg: container?.grossWeightKg ?? null,
    vgmWeightKg: container?.vgmWeightKg ?? null,
    gateInTime: localTime(container?.gateInTime),
    loadedTime: localTime(container?.loadedTime),
    dischargedTime: localTime(container?.dischargedTime),
    gateOutTime: localTime(container?.gateOutTime),
    emptyReturnTime: localTime(container?.emptyReturnTime),
    freeTimeExpiry: container?.freeTimeExpiry ?? '',
  }
}

/** The containers of a consol. */
function Containers({ consol }: { readonly consol: Consol }) {
  const { t, may, formatNumber, formatInstant } = useApplication()
  const own = (name: string) => `Ops:Container:${name}`
  const name = ({ containerNumber }: Container) => containerNumber ?? t('Ops:ContainerUnknown')
  const editingOf = (isNew: boolean): Editing<Container, ReturnType<typeof containerValues>> => ({
    draft: `container:${consol.id}`,
    get: containers.get,
    create: containers.create as never,
    update: containers.update as never,
    valuesOf: containerValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, consolId: consol.id } : values),
    fieldOfCode: {
      InvalidNumber: 'containerNumber',
      DuplicateOnConsol: 'containerNumber',
      OverPayload: 'grossWeightKg',
      VgmBelowCargo: 'vgmWeightKg',
    },
    fields: [
      { name: 'containerNumber', title: own('Number'), hint: 'Ops:ContainerNumberHint' },
      {
        name: 'containerTypeId',
        title: 'Hub::Entity:ContainerType',
        kind: 'pick',
        pick: ContainerTypeSelect,
        isRequired: true,
      },
      { name: 'sealNumber', title: 'Ops:SealNumber' },
      { name: 'grossWeightKg', title: 'Hub::DisplayName:Shipment:TotalGrossWeight', kind: 'number' },
      { name: 'vgmWeightKg', title: own('Vgm'), kind: 'number' },
      { name: 'gateInTime', title: own('GateIn'), kind: 'instant' },
      { name: 'loadedTime', title: own('Loaded'), kind: 'instant' },
      { name: 'dischargedTime', title: own('Discharged'), kind: 'instant' },
      { name: 'gateOutTime', title: own('GateOut'), kind: 'instant' },
      { name: 'emptyReturnTime', title: own('EmptyReturn'), kind: 'instant' },
      { name: 'freeTimeExpiry', title: own('FreeTime'), kind: 'date' },
    ],
  })
  return (
    <SmallList
      title="Hub::DisplayName:Shipment:Containers"
      list={containers.getList}
      input={{ consolId: consol.id }}
      emptyHint="Ops:NoContainersHint"
      columns={[
        { id: 'number', title: own('Number'), isEssential: true, cell: name },
        {
          id: 'type',
          title: 'Hub::Entity:ContainerType',
          isEssential: true,
          cell: ({ containerType }) => containerType?.alias,
        },
        { id: 'seal', title: 'Ops:SealNumber', cell: ({ sealNumber }) => sealNumber },
        {
          id: 'weight',
          title: 'Hub::DisplayName:Shipment:TotalGrossWeight',
          isFigure: true,
          cell: ({ grossWeightKg }) => (grossWeightKg == null ? '' : formatNumber(grossWeightKg)),
        },
        { id: 'in', title: own('GateIn'), cell: ({ gateInTime }) => formatInstant(gateInTime) },
        { id: 'out', title: own('GateOut'), cell: ({ gateOutTime }) => formatInstant(gateOutTime) },
      ]}
      work={{
        newTitle: may(ContainerPermissions.Create) && isOpen(consol) && 'Ops:AddContainer',
        mayEdit: may(ContainerPermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:Container' : 'Ops:AddContainer')}
            editing={editingOf(id === undefined)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(ContainerPermissions.Delete) && {
          call: containers.delete,
          warn: (row) => t('Ops:DeleteRowHint', { name: name(row) }),
        }
      }
    />
  )
}
