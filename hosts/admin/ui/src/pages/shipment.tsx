import '@mantine/core/styles/Grid.css'
import '@mantine/core/styles/Tabs.css'
import { DocumentPermissions, OrderPermissions, ShipmentPermissions } from '@keel/hub-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Card, Grid, Skeleton, Stack, Tabs, Text, TextInput, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useApplication } from '../application.js'
import { possibleActions, type ThingAction } from '../parts/action-dialog.js'
import { DeleteThing, DetailHead, type HeadAction } from '../parts/detail-head.js'
import { Dialog } from '../parts/dialog.js'
import { DocumentsOf } from '../parts/documents-of.js'
import { Facts } from '../parts/facts.js'
import { FailedDetail } from '../parts/failed-detail.js'
import { FormBody, useForm } from '../parts/form.js'
import { useFormats } from '../parts/formats.js'
import { shipments } from '../parts/hub.js'
import { useCodeName } from '../parts/hub-selects.js'
import {
  isShipmentOpen,
  type Shipment,
  ShipmentActionDialog,
  shipmentActions,
} from '../parts/shipment-actions.js'
import { Loadings, PackLines } from '../parts/shipment-cargo.js'
import { Exceptions, Milestones, StatusHistory, Timeline, Tracking } from '../parts/shipment-events.js'
import { ShipmentDialog } from '../parts/shipment-form.js'
import { Notes, References } from '../parts/shipment-notes.js'
import { ShipmentOrders } from '../parts/shipment-orders.js'
import { ShipmentParties } from '../parts/shipment-parties.js'
import { PageLoading } from '../parts/states.js'
import { ShipmentState } from '../parts/statuses.js'
import { useUrlState } from '../parts/url-state.js'

const own = (name: string) => `Hub::DisplayName:Shipment:${name}`
const Charges = lazy(async () => ({
  default: (await import('../parts/shipment-charges.js')).ShipmentCharges,
}))
const RouteMap = lazy(async () => ({ default: (await import('../parts/route-map.js')).RouteMap }))

/** One shipment: its state and what can be done, its facts, and a tab for each of its areas. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const shipment = useQuery(shipments.get, id)
  if (shipment.error)
    return (
      <FailedDetail error={shipment.error} retry={shipment.refetch} list="/shipments" title="Ops:Shipments" />
    )
  if (!shipment.data) return <PageLoading />
  return <Detail shipment={shipment.data} />
}

function Detail({ shipment }: { readonly shipment: Shipment }) {
  const { t, may, formatInstant } = useApplication()
  const [url, setUrl] = useUrlState()
  const [asked, ask] = useState<ThingAction<Shipment>>()
  const [isDeleting, setDeleting] = useState(false)
  const tabs = useTabs(shipment)
  const tab = tabs.some(([name]) => name === url['tab']) ? url['tab'] : 'overview'
  const steps = possibleActions(shipmentActions, shipment, may).map(
    (action): HeadAction => ({ ...action, run: () => ask(action) }),
  )
  const actions: readonly HeadAction[] = [
    ...steps.filter(({ isDangerous }) => !isDangerous),
    ...(may(ShipmentPermissions.Edit) && isShipmentOpen(shipment)
      ? [
          {
            name: 'edit',
            title: 'AbpUi::Edit',
            icon: 'edit',
            run: () => setUrl({ edit: 'open' }, true),
          } as const,
        ]
      : []),
    ...(may(ShipmentPermissions.Create)
      ? [
          {
            name: 'copy',
            title: 'Ops:CopyShipment',
            icon: 'copy',
            run: () => setUrl({ copy: 'open' }, true),
          } as const,
        ]
      : []),
    ...steps.filter(({ isDangerous }) => isDangerous),
    ...(may(ShipmentPermissions.Delete)
      ? [
          {
            name: 'delete',
            title: 'AbpUi::Delete',
            icon: 'trash',
            isDangerous: true,
            run: () => setDeleting(true),
          } as const,
        ]
      : []),
  ]
  const { firstConsolLegDeparturePort: from, lastConsolLegArrivalPort: to } = shipment
  return (
    <>
      <DetailHead
        list="/shipments"
        listTitle="Ops:Shipments"
        name={shipment.shipmentReference}
        badges={<ShipmentState status={shipment.status} isOnHold={shipment.isOnHold} />}
        line={
          <>
            {[
              shipment.controllingCustomer?.fullName,
              (from || to) && `${from?.name ?? '–'} → ${to?.name ?? '–'}`,
              shipment.estimatedArrival &&
                `${t(own('EstimatedArrival'))}: ${formatInstant(shipment.estimatedArrival)}`,
            ]
              .filter(Boolean)
              .join(' · ')}
            {shipment.holdReason && (
              <Text size="sm" c="var(--mantine-color-text)">
                {t(own('HoldReason'))}: {shipment.holdReason}
              </Text>
            )}
          </>
        }
        actions={actions}
      />
      <Tabs
        value={tab ?? 'overview'}
        onChange={(next) => setUrl({ tab: next ?? undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {tabs.map(([name, title]) => (
            <Tabs.Tab key={name} value={name}>
              {t(title)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([name, , content]) => (
          <Tabs.Panel key={name} value={name}>
            {content()}
          </Tabs.Panel>
        ))}
      </Tabs>
      {asked && <ShipmentActionDialog action={asked} shipment={shipment} onClose={() => ask(undefined)} />}
      {url['edit'] && <ShipmentDialog id={shipment.id} onClose={() => setUrl({ edit: undefined })} />}
      {url['copy'] && <CopyDialog shipment={shipment} onClose={() => setUrl({ copy: undefined })} />}
      {isDeleting && (
        <DeleteThing
          call={shipments.delete}
          id={shipment.id}
          list="/shipments"
          hint={t('Ops:DeleteShipmentHint', { name: shipment.shipmentReference })}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  )
}

/** The areas of a shipment that the caller may see. */
function useTabs(shipment: Shipment): readonly (readonly [name: string, title: string, () => ReactNode])[] {
  const { may } = useApplication()
  return [
    ['overview', 'Ops:Overview', () => <Overview shipment={shipment} />],
    [
      'events',
      'Ops:Events',
      () => (
        <Stack gap="xl">
          <Milestones shipment={shipment} />
          <Exceptions shipment={shipment} />
          <Tracking shipment={shipment} />
          <StatusHistory shipment={shipment} />
        </Stack>
      ),
    ],
    [
      'cargo',
      'Hub::DisplayName:Shipment:PackLines',
      () => (
        <Stack gap="xl">
          <PackLines shipment={shipment} />
          <Loadings shipment={shipment} />
        </Stack>
      ),
    ],
    ...(may(DocumentPermissions.View)
      ? [
          [
            'documents',
            'Hub::DisplayName:Documents',
            () => <DocumentsOf of={{ shipmentId: shipment.id }} />,
          ] as const,
        ]
      : []),
    ...(may(OrderPermissions.View)
      ? [
          [
            'orders',
            'Hub::DisplayName:Shipment:Orders',
            () => <ShipmentOrders shipment={shipment} />,
          ] as const,
        ]
      : []),
    ['notes', 'Hub::DisplayName:Shipment:Notes', () => <Notes shipment={shipment} />],
    ...(may('ShipmentCharge.View')
      ? [
          [
            'charges',
            'Ops:Charges',
            () => (
              <Suspense fallback={<Skeleton height={120} />}>
                <Charges shipmentId={shipment.id} />
              </Suspense>
            ),
          ] as const,
        ]
      : []),
  ]
}

function Overview({ shipment }: { readonly shipment: Shipment }) {
  const { t, host, formatInstant, formatNumber } = useApplication()
  const modeName = useCodeName('TransportMode')
  const containerModeName = useCodeName('ContainerMode')
  const packageName = useCodeName('PackageType')
  const releaseName = useCodeName('ReleaseType')
  const { money } = useFormats()
  const number = (value: number | null | undefined) => (value == null ? null : formatNumber(value))
  const chargeable = number(shipment.totalChargeableWeight)
  // Revenue tons by sea: weight or measure.
  const unit = shipment.transportMode?.code === 'Sea' ? 'W/M' : 'kg'
  const port = (value: Shipment['originPort']) => value && `${value.unLocode} · ${value.name}`
  /** The actual time, else the estimated one. */
  const time = (estimated: Date | null | undefined, actual: Date | null | undefined) =>
    actual
      ? `${formatInstant(actual)} · ${t('Ops:Actual')}`
      : estimated
        ? `${formatInstant(estimated)} · ${t('Ops:Estimated')}`
        : null
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Stack gap="lg">
          <Suspense>
            <RouteMap shipment={shipment} />
          </Suspense>
          <Grid gap="md">
            <Part title="Ops:Routing">
              <Facts
                facts={[
                  [
                    own('TransportMode'),
                    [modeName(shipment.transportMode), containerModeName(shipment.containerMode)]
                      .filter(Boolean)
                      .join(' · '),
                  ],
                  [
                    own('Direction'),
                    shipment.direction == null ? null : t(`Hub::Enum:Direction.${shipment.direction}`),
                  ],
                  ['Hub::DisplayName:OriginPort', port(shipment.originPort)],
                  [own('DeparturePort'), port(shipment.firstConsolLegDeparturePort)],
                  [own('ArrivalPort'), port(shipment.lastConsolLegArrivalPort)],
                  ['Hub::DisplayName:DestinationPort', port(shipment.destinationPort)],
                  ['Hub::DisplayName:CargoReadyDate', formatInstant(shipment.cargoReadyDate)],
                  ['Ops:Pickup', time(shipment.estimatedPickup, shipment.actualPickup)],
                  ['Ops:Departure', time(shipment.estimatedDeparture, shipment.actualDeparture)],
                  ['Ops:Arrival', time(shipment.estimatedArrival, shipment.actualArrival)],
                  ['Ops:Delivery', time(shipment.estimatedDelivery, shipment.actualDelivery)],
                  [own('VesselName'), shipment.vesselName],
                  [own('VoyageFlightNumber'), shipment.voyageFlightNumber],
                ]}
              />
            </Part>
            <Part title="Ops:CargoAndTerms">
              <Facts
                facts={[
                  [own('CargoDescription'), shipment.cargoDescription],
                  [
                    own('TotalPackages'),
                    shipment.totalPackages == null
                      ? null
                      : [number(shipment.totalPackages), packageName(shipment.packageType)]
                          .filter(Boolean)
                          .join(' '),
                  ],
                  [own('TotalGrossWeight'), number(shipment.totalGrossWeight)],
                  [own('TotalVolume'), number(shipment.totalVolume)],
                  [own('TotalChargeableWeight'), chargeable && `${chargeable} ${unit}`],
                  [
                    own('Co2Emissions'),
                    host.features.values['Hub.Emissions'] === 'false' ? null : number(shipment.co2Emissions),
                  ],
                  [own('IsDangerousGoods'), shipment.isDangerousGoods ? t('AbpUi::Yes') : null],
                  [own('IsTemperatureControlled'), shipment.isTemperatureControlled ? t('AbpUi::Yes') : null],
                  [own('GoodsValue'), money(shipment.goodsValue, shipment.goodsCurrencyCode)],
                  [
                    own('Incoterm'),
                    shipment.incoterm && `${shipment.incoterm.code} · ${shipment.incoterm.name}`,
                  ],
                  [own('ServiceLevel'), shipment.serviceLevel?.name],
                  [own('ReleaseType'), releaseName(shipment.releaseType)],
                  [own('HouseBillNumber'), shipment.houseBillNumber],
                  [own('MasterBillNumber'), shipment.masterBillNumber],
                  [own('BookingReference'), shipment.bookingReference],
                  [own('QuoteReference'), shipment.quoteReference],
                  [own('SourceSystem'), shipment.sourceSystem],
                  [own('ExternalId'), shipment.externalId],
                ]}
              />
            </Part>
          </Grid>
          <ShipmentParties shipment={shipment} />
          <References shipment={shipment} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Card withBorder padding="md">
          <Timeline shipment={shipment} />
        </Card>
      </Grid.Col>
    </Grid>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { t } = useApplication()
  return (
    <Grid.Col span={{ base: 12, md: 6 }}>
      <Card withBorder padding="md" h="100%">
        <Title order={2} mb="xs">
          {t(title)}
        </Title>
        {children}
      </Card>
    </Grid.Col>
  )
}

/** Copies a shipment into a new draft, and opens that. */
function CopyDialog({ shipment, onClose }: { readonly shipment: Shipment; readonly onClose: () => void }) {
  const { t } = useApplication()
  const navigate = useNavigate()
  const { run } = useMutation()
  const form = useForm({
    draft: `copy-shipment:${shipment.id}`,
    initial: { newReference: '' },
    fieldOfCode: { ReferenceAlreadyExists: 'newReference' },
    async save(values) {
      const { id } = await run(shipments.copy, shipment.id, values)
      await navigate({ to: `/shipments/${id}` as never })
    },
  })
  return (
    <Dialog title={t('Ops:CopyShipment')} onClose={onClose}>
      <FormBody form={form} onCancel={onClose} submitText={t('Ops:CopyShipment')}>
        <Text size="sm" c="dimmed">
          {t('Ops:CopyShipmentHint', { name: shipment.shipmentReference })}
        </Text>
        <TextInput label={t('Ops:NewReference')} required data-autofocus {...form.text('newReference')} />
      </FormBody>
    </Dialog>
  )
}
