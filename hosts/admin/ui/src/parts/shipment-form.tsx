import { AddressRole, Direction, OrganizationPermissions, ShipmentPermissions } from '@keel/hub-proxy'
import { useNavigate } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { enumOptions, type Field, localTime } from './fields.js'
import { shipments } from './hub.js'
import { PortSelect, useCodes } from './hub-selects.js'
import { OrganizationSelect } from './organizations.js'
import { type Shipment, touchedByShipments } from './shipment-actions.js'

const own = (name: string) => `Hub::DisplayName:Shipment:${name}`
/** The parties that a new shipment is asked for. */
const newParties = {
  controllingCustomerId: AddressRole.ControllingCustomer,
  consignorId: AddressRole.Consignor,
  consigneeId: AddressRole.Consignee,
} as const
/** Members that only staff set. */
const staffMembers = ['isRoutingOverridden', 'quoteReference', 'sourceSystem', 'externalId'] as const
const actualTimes = ['actualPickup', 'actualDeparture', 'actualArrival', 'actualDelivery'] as const

function valuesOf(shipment?: Shipment) {
  return {
    shipmentReference: shipment?.shipmentReference ?? '',
    controllingCustomerId: null as string | null,
    consignorId: null as string | null,
    consigneeId: null as string | null,
    transportModeId: shipment?.transportModeId ?? null,
    containerModeId: shipment?.containerModeId ?? null,
    firstConsolLegDeparturePortId: shipment?.firstConsolLegDeparturePortId ?? null,
    lastConsolLegArrivalPortId: shipment?.lastConsolLegArrivalPortId ?? null,
    originPortId: shipment?.originPort?.id ?? null,
    destinationPortId: shipment?.destinationPort?.id ?? null,
    cargoReadyDate: localTime(shipment?.cargoReadyDate),
    estimatedPickup: localTime(shipment?.estimatedPickup),
    estimatedDeparture: localTime(shipment?.estimatedDeparture),
    estimatedArrival: localTime(shipment?.estimatedArrival),
    estimatedDelivery: localTime(shipment?.estimatedDelivery),
    actualPickup: localTime(shipment?.actualPickup),
    actualDeparture: localTime(shipment?.actualDeparture),
    actualArrival: localTime(shipment?.actualArrival),
    actualDelivery: localTime(shipment?.actualDelivery),
    direction: shipment?.direction ?? null,
    incotermId: shipment?.incoterm?.id ?? null,
    serviceLevelId: shipment?.serviceLevel?.id ?? null,
    releaseTypeId: shipment?.releaseType?.id ?? null,
    cargoDescription: shipment?.cargoDescription ?? '',
    totalPackages: shipment?.totalPackages ?? null,
    packageTypeId: shipment?.packageType?.id ?? null,
    totalGrossWeight: shipment?.totalGrossWeight ?? null,
    totalVolume: shipment?.totalVolume ?? null,
    goodsValue: shipment?.goodsValue ?? '',
    goodsCurrencyCode: shipment?.goodsCurrencyCode ?? '',
    houseBillNumber: shipment?.houseBillNumber ?? '',
    bookingReference: shipment?.bookingReference ?? '',
    isDangerousGoods: shipment?.isDangerousGoods ?? false,
    isTemperatureControlled: shipment?.isTemperatureControlled ?? false,
    isRoutingOverridden: shipment?.isRoutingOverridden ?? false,
    quoteReference: shipment?.quoteReference ?? '',
    sourceSystem: shipment?.sourceSystem ?? '',
    externalId: shipment?.externalId ?? '',
    concurrencyStamp: shipment?.concurrencyStamp ?? '',
  }
}
type Values = ReturnType<typeof valuesOf>

/** Creates a shipment, and opens its page; or changes one. */
export function ShipmentDialog({
  id,
  onClose,
}: {
  readonly id: string | undefined
  readonly onClose: () => void
}) {
  const { t, may } = useApplication()
  const navigate = useNavigate()
  const isStaff = may(OrganizationPermissions.AccessAll)
  const seesValue = may(ShipmentPermissions.ViewGoodsValue)
  const isNew = id === undefined
  const fields: readonly Field<Values>[] = [
    { name: 'shipmentReference', title: own('ShipmentReference'), isRequired: true },
    ...(Object.keys(newParties) as (keyof typeof newParties)[]).map(
      (name): Field<Values> => ({
        name,
        title: `Hub::Enum:AddressRole.${newParties[name]}`,
        kind: 'pick',
        pick: OrganizationSelect,
        isShown: () => isNew,
      }),
    ),
    {
      name: 'transportModeId',
      title: own('TransportMode'),
      kind: 'choice',
      options: useCodes('TransportMode'),
    },
    {
      name: 'containerModeId',
      title: own('ContainerMode'),
      kind: 'choice',
      options: useCodes('ContainerMode'),
    },
    {
      name: 'firstConsolLegDeparturePortId',
      title: own('DeparturePort'),
      kind: 'pick',
      pick: PortSelect,
    },
    { name: 'lastConsolLegArrivalPortId', title: own('ArrivalPort'), kind: 'pick', pick: PortSelect },
    { name: 'estimatedDeparture', title: own('EstimatedDeparture'), kind: 'instant' },
    { name: 'estimatedArrival', title: own('EstimatedArrival'), kind: 'instant' },
    { name: 'cargoReadyDate', title: 'Hub::DisplayName:CargoReadyDate', kind: 'instant' },
    {
      name: 'direction',
      title: own('Direction'),
      kind: 'enum',
      options: enumOptions(t, 'Hub::Enum:Direction', Direction),
    },
    { name: 'cargoDescription', title: own('CargoDescription'), kind: 'area' },
    { name: 'totalPackages', title: own('TotalPackages'), kind: 'number' },
    { name: 'packageTypeId', title: own('PackageType'), kind: 'choice', options: useCodes('PackageType') },
    { name: 'totalGrossWeight', title: own('TotalGrossWeight'), kind: 'number' },
    { name: 'totalVolume', title: own('TotalVolume'), kind: 'number' },
    { name: 'isDangerousGoods', title: own('IsDangerousGoods'), kind: 'check' },
    { name: 'isTemperatureControlled', title: own('IsTemperatureControlled'), kind: 'check' },
    { name: 'incotermId', title: own('Incoterm'), kind: 'choice', options: useCodes('Incoterm') },
    { name: 'serviceLevelId', title: own('ServiceLevel'), kind: 'choice', options: useCodes('ServiceLevel') },
    { name: 'goodsValue', title: own('GoodsValue'), kind: 'decimal', isShown: () => seesValue },
    { name: 'goodsCurrencyCode', title: own('GoodsCurrencyCode'), isShown: () => seesValue },
    { name: 'houseBillNumber', title: own('HouseBillNumber') },
    { name: 'bookingReference', title: own('BookingReference') },
    { name: 'releaseTypeId', title: own('ReleaseType'), kind: 'choice', options: useCodes('ReleaseType') },
    { name: 'originPortId', title: 'Hub::DisplayName:OriginPort', kind: 'pick', pick: PortSelect },
    { name: 'destinationPortId', title: 'Hub::DisplayName:DestinationPort', kind: 'pick', pick: PortSelect },
    { name: 'estimatedPickup', title: own('EstimatedPickup'), kind: 'instant' },
    { name: 'estimatedDelivery', title: own('EstimatedDelivery'), kind: 'instant' },
    ...actualTimes.map(
      (name): Field<Values> => ({
        name,
        title: own(name.charAt(0).toUpperCase() + name.slice(1)),
        kind: 'instant',
        isShown: () => !isNew,
      }),
    ),
    { name: 'quoteReference', title: own('QuoteReference'), isShown: () => isStaff },
    { name: 'sourceSystem', title: own('SourceSystem'), isShown: () => isStaff },
    { name: 'externalId', title: own('ExternalId'), isShown: () => isStaff },
    {
      name: 'isRoutingOverridden',
      title: own('IsRoutingOverridden'),
      hint: 'Ops:RoutingHint',
      kind: 'switch',
      isShown: () => isStaff,
    },
  ]
  const editing: Editing<Shipment, Values> = {
    draft: 'shipment',
    ownFields: 'Hub.Shipment',
    get: shipments.get,
    create: shipments.create as never,
    update: shipments.update as never,
    valuesOf,
    fields,
    sendsChangesOnly: true,
    alsoInvalidates: touchedByShipments,
    fieldOfCode: {
      ReferenceAlreadyExists: 'shipmentReference',
      ExternalIdAlreadyExists: 'externalId',
      ContainerModeNotValidForMode: 'containerModeId',
    },
    toInput: ({ controllingCustomerId, consignorId, consigneeId, ...values }) => {
      const input: Record<string, unknown> = { ...values }
      if (!isStaff) for (const name of staffMembers) delete input[name]
      if (!seesValue) for (const name of ['goodsValue', 'goodsCurrencyCode']) delete input[name]
      if (!isNew) return input
      for (const name of actualTimes) delete input[name]
      const chosen = { controllingCustomerId, consignorId, consigneeId }
      const addresses = (Object.keys(newParties) as (keyof typeof newParties)[]).flatMap((name) =>
        chosen[name] ? [{ role: newParties[name], organizationId: chosen[name] }] : [],
      )
      return { ...input, ...(addresses.length > 0 && { addresses }) }
    },
  }
  return (
    <EditDialog
      id={id}
      title={t(isNew ? 'Ops:NewShipment' : 'Ops:EditShipment')}
      editing={editing}
      mayChange={may(isNew ? ShipmentPermissions.Create : ShipmentPermissions.Edit)}
      onClose={onClose}
      {...(isNew && {
        onSaved: (created) => void navigate({ to: `/shipments/${(created as Shipment).id}` as never }),
      })}
    />
  )
}
