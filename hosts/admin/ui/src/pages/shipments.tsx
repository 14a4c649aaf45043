import { OrganizationPermissions, ShipmentPermissions } from '@keel/hub-proxy'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { WithFacets } from '../parts/facets.js'
import type { Filter } from '../parts/filters.js'
import { routeOf } from '../parts/formats.js'
import { shipments } from '../parts/hub.js'
import { useCodeName, useCodeNames } from '../parts/hub-selects.js'
import { Icon } from '../parts/icons.js'
import { ImportFiles } from '../parts/import-files.js'
import { ListFiles } from '../parts/list-files.js'
import { ListPage } from '../parts/list-page.js'
import { isShipmentOpen, type Shipment } from '../parts/shipment-actions.js'
import { ShipmentDialog } from '../parts/shipment-form.js'
import { ShipmentState, shipmentStatusOf } from '../parts/statuses.js'

const own = (name: string) => `Hub::DisplayName:Shipment:${name}`

/** Shipments that the caller sees, with what they have in common beside them. */
export function Page() {
  const { t, may, formatInstant, formatNumber } = useApplication()
  const modeName = useCodeName('TransportMode')
  const filters = useFilters()
  const number = (value: number | null | undefined) => (value == null ? '' : formatNumber(value))
  const instant = (
    name: 'estimatedDeparture' | 'estimatedArrival' | 'actualDeparture' | 'actualArrival' | 'cargoReadyDate',
    title: string,
    isExtra = false,
  ): Column<Shipment> => ({ id: name, title, sort: name, isExtra, cell: (row) => formatInstant(row[name]) })
  const text = (
    name:
      | 'houseBillNumber'
      | 'masterBillNumber'
      | 'bookingReference'
      | 'vesselName'
      | 'voyageFlightNumber'
      | 'cargoDescription',
  ): Column<Shipment> => ({
    id: name,
    title: own(name.charAt(0).toUpperCase() + name.slice(1)),
    isExtra: true,
    cell: (row) => row[name],
  })
  const columns: Column<Shipment>[] = [
    {
      id: 'reference',
      title: own('ShipmentReference'),
      sort: 'shipmentReference',
      isEssential: true,
      cell: ({ shipmentReference }) => shipmentReference,
    },
    {
      id: 'status',
      title: own('Status'),
      sort: 'status',
      isEssential: true,
      cell: (shipment) => <ShipmentState status={shipment.status} isOnHold={shipment.isOnHold} />,
    },
    {
      id: 'customer',
      title: own('Customer'),
      cell: ({ controllingCustomer }) => controllingCustomer?.fullName,
    },
    {
      id: 'mode',
      isExtra: true,
      title: own('TransportMode'),
      cell: ({ transportMode }) => modeName(transportMode),
    },
    {
      id: 'route',
      title: 'Ops:Route',
      cell: ({ firstConsolLegDeparturePort, lastConsolLegArrivalPort }) =>
        routeOf(firstConsolLegDeparturePort?.unLocode, lastConsolLegArrivalPort?.unLocode),
    },
    instant('estimatedDeparture', own('EstimatedDeparture')),
    instant('estimatedArrival', own('EstimatedArrival')),
    {
      id: 'weight',
      title: own('TotalGrossWeight'),
      sort: 'totalGrossWeight',
      isExtra: true,
      isFigure: true,
      cell: ({ totalGrossWeight }) => number(totalGrossWeight),
    },
    {
      id: 'packages',
      title: own('TotalPackages'),
      sort: 'totalPackages',
      isExtra: true,
      isFigure: true,
      cell: ({ totalPackages }) => number(totalPackages),
    },
    instant('actualDeparture', own('ActualDeparture'), true),
    instant('actualArrival', own('ActualArrival'), true),
    instant('cargoReadyDate', 'Hub::DisplayName:CargoReadyDate', true),
    text('houseBillNumber'),
    text('masterBillNumber'),
    text('bookingReference'),
    text('vesselName'),
    text('voyageFlightNumber'),
    text('cargoDescription'),
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
      title="Ops:Shipments"
      hint="Ops:ShipmentsHint"
      icon="box"
      emptyHint="Ops:NoShipmentsHint"
      views="Shipments"
      list={shipments.getList}
      columns={columns}
      filters={filters}
      hrefOf={({ id }) => `/shipments/${id}`}
      around={(rows) => (
        <WithFacets list={shipments.getList} filters={filters}>
          {rows}
        </WithFacets>
      )}
      commands={
        <>
          <Button
            component={Link}
            to={'/shipment-board' as never}
            variant="default"
            leftSection={<Icon name="columns" />}
          >
            {t('Ops:Board')}
          </Button>
          <ListFiles
            excel={shipments.getListAsExcelFile}
            csv={shipments.getListAsCsvFile}
            filters={filters}
          />
          {may(ShipmentPermissions.Create) && may(ShipmentPermissions.Edit) && (
            <ImportFiles service={shipments} />
          )}
        </>
      }
      work={{
        newTitle: may(ShipmentPermissions.Create) && 'Ops:NewShipment',
        mayEdit: may(ShipmentPermissions.Edit),
        isEditable: isShipmentOpen,
        dialog: (id, onClose) => <ShipmentDialog id={id} onClose={onClose} />,
      }}
      removal={
        may(ShipmentPermissions.Delete) && {
          call: shipments.delete,
          warn: ({ shipmentReference }) => t('Ops:DeleteShipmentHint', { name: shipmentReference }),
        }
      }
    />
  )
}

function useFilters(): readonly Filter[] {
  const { t, may } = useApplication()
  const modes = useCodeNames('TransportMode')
  const containerModes = useCodeNames('ContainerMode')
  return [
    {
      name: 'Status',
      title: own('Status'),
      kind: 'facet',
      labelOf: (value) => t(`Hub::Enum:ShipmentStatus.${shipmentStatusOf(value)}`),
    },
    { name: 'TransportMode', title: own('TransportMode'), kind: 'facet', labelOf: modes },
    { name: 'ContainerMode', title: own('ContainerMode'), kind: 'facet', labelOf: containerModes },
    { name: 'DeparturePort', title: own('DeparturePort'), kind: 'facet' },
    { name: 'ArrivalPort', title: own('ArrivalPort'), kind: 'facet' },
    ...(may(OrganizationPermissions.View)
      ? [{ name: 'Organization', title: own('Customer'), kind: 'facet' } as const]
      : []),
  ]
}
