import {
  AppService,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  FacetedPagedInput,
  facetedPageOf,
  file,
  filtersBy,
  guid,
  inCurrencyOf,
  instant,
  inUnit,
  op,
  PagedInput,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { CodeEntityDto } from './code-entities.js'
import { DocumentDto, NewDocumentDto } from './documents.js'
import { AddressRole, Direction, ShipmentStatus } from './enumerations.js'
import { Hub } from './hub.js'
import { OrderDto } from './orders.js'
import { OrganizationRefDto } from './organizations.js'
import { PortDto } from './ports.js'

const addressFields = {
  role: enumeration('AddressRole', AddressRole),
  sequence: z.int().min(0).max(32767).optional(),
  organizationId: guid().nullish(),
  addressLine1: z.string().max(200).nullish(),
  addressLine2: z.string().max(200).nullish(),
  city: z.string().max(100).nullish(),
  stateProvince: z.string().max(100).nullish(),
  postalCode: z.string().max(20).nullish(),
  countryCode: z
    .string()
    .regex(/^[A-Z]{2}$/, 'expected an ISO 3166 code such as NL')
    .nullish(),
  contactName: z.string().max(100).nullish(),
  phone: z.string().max(50).nullish(),
  email: z.email().max(256).nullish(),
  taxNumber: z.string().max(30).nullish(),
}

/** A party of a shipment, with its address as it is printed on documents. */
export class ShipmentAddressDto extends EntityDto({ ...addressFields, companyName: z.string() }) {}

/** A party to put on a shipment. The company's name may be left out when an organization is named. */
export class ShipmentAddressInput extends Dto({
  ...addressFields,
  companyName: z.string().trim().min(1).max(200).nullish(),
}) {}

/** One customer consignment moving under one house bill (interface document, "ShipmentDto"). Lists leave out the collections. */
export class ShipmentDto extends EntityDto({
  shipmentReference: z.string(),
  status: enumeration('ShipmentStatus', ShipmentStatus),
  isOnHold: z.boolean(),
  holdReason: z.string().nullish(),
  direction: enumeration('Direction', Direction).nullish(),
  cargoReadyDate: instant().nullish(),
  estimatedPickup: instant().nullish(),
  estimatedDeparture: instant().nullish(),
  estimatedArrival: instant().nullish(),
  estimatedDelivery: instant().nullish(),
  actualPickup: instant().nullish(),
  actualDeparture: instant().nullish(),
  actualArrival: instant().nullish(),
  actualDelivery: instant().nullish(),
  firstConsolLegDeparturePortId: guid().nullish(),
  firstConsolLegDeparturePort: PortDto.schema.nullish(),
  lastConsolLegArrivalPortId: guid().nullish(),
  lastConsolLegArrivalPort: PortDto.schema.nullish(),
  originPort: PortDto.schema.nullish(),
  destinationPort: PortDto.schema.nullish(),
  transportModeId: guid().nullish(),
  transportMode: CodeEntityDto.schema.nullish(),
  containerModeId: guid().nullish(),
  containerMode: CodeEntityDto.schema.nullish(),
  incoterm: CodeEntityDto.schema.nullish(),
  serviceLevel: CodeEntityDto.schema.nullish(),
  releaseType: CodeEntityDto.schema.nullish(),
  packageType: CodeEntityDto.schema.nullish(),
  controllingCustomer: OrganizationRefDto.schema.nullish(),
  cargoDescription: z.string().nullish(),
  totalPackages: z.int().nullish(),
  totalGrossWeight: inUnit('kg', z.number().nullish()),
  totalVolume: inUnit('m³', z.number().nullish()),
  /** Air: chargeable kg; sea LCL: revenue tons. */
  totalChargeableWeight: z.number().nullish(),
  /** CO2e, well to wheel. */
  co2Emissions: inUnit('kg', z.number().nullish()),
  goodsValue: inCurrencyOf('goodsCurrencyCode', decimal(18, 2).nullish()),
  goodsCurrencyCode: z.string().nullish(),
  houseBillNumber: z.string().nullish(),
  masterBillNumber: z.string().nullish(),
  bookingReference: z.string().nullish(),
  carrierId: guid().nullish(),
  vesselName: z.string().nullish(),
  voyageFlightNumber: z.string().nullish(),
  isDangerousGoods: z.boolean(),
  isTemperatureControlled: z.boolean(),
  isRoutingOverridden: z.boolean(),
  quoteId: guid().nullish(),
  quoteReference: z.string().nullish(),
  sourceSystem: z.string().nullish(),
  externalId: z.string().nullish(),
  creationTime: instant(),
  creatorId: guid().nullish(),
  lastModificationTime: instant().nullish(),
  lastModifierId: guid().nullish(),
  concurrencyStamp: z.string(),
  addresses: z.array(ShipmentAddressDto.schema).nullish(),
  orders: z.array(OrderDto.schema).nullish(),
  /** Null for callers without Document.View. */
  documents: z.array(DocumentDto.schema).nullish(),
}) {}

const maxInteger = 2147483647
const fields = {
  /** Unique among live shipments. */
  shipmentReference: z.string().trim().min(1).max(100),
  estimatedDeparture: instant().nullish(),
  estimatedArrival: instant().nullish(),
  firstConsolLegDeparturePortId: guid().nullish(),
  lastConsolLegArrivalPortId: guid().nullish(),
  transportModeId: guid().nullish(),
  containerModeId: guid().nullish(),
  cargoDescription: z.string().max(500).nullish(),
  totalPackages: z.int().min(0).max(maxInteger).nullish(),
  totalGrossWeight: inUnit('kg', z.number().min(0).nullish()),
  cargoReadyDate: instant().nullish(),
  estimatedPickup: instant().nullish(),
  totalVolume: inUnit('m³', z.number().min(0).nullish()),
  incotermId: guid().nullish(),
  serviceLevelId: guid().nullish(),
  /** Given together with its currency or not at all. */
  goodsValue: inCurrencyOf('goodsCurrencyCode', decimal(18, 2, { min: 0 }).nullish()),
  goodsCurrencyCode: z
    .string()
    .regex(/^[A-Z]{3}$/, 'expected an ISO 4217 code such as EUR')
    .nullish(),
}

/** What a shipment is created with (interface document, "CreateShipmentDto"). */
export class CreateShipmentDto extends Dto({
  ...fields,
  addresses: z.array(ShipmentAddressInput.schema).max(30).nullish(),
}) {}

/** What a shipment is changed with: what is absent stays, null clears. A stamp, when given, must be the one last seen. */
export class UpdateShipmentDto extends Dto({
  ...fields,
  shipmentReference: fields.shipmentReference.optional(),
  estimatedDelivery: instant().nullish(),
  actualPickup: instant().nullish(),
  actualDeparture: instant().nullish(),
  actualArrival: instant().nullish(),
  actualDelivery: instant().nullish(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** What lists of shipments can be filtered by; the last three are other names of ports and organization. */
const filters = filtersBy(
  'TransportMode',
  'ContainerMode',
  'DeparturePort',
  'ArrivalPort',
  'Status',
  'Organization',
  'FirstConsolLegDeparturePort',
  'LastConsolLegArrivalPort',
  'ControllingCustomer',
)

/** The list of shipments with its filters and facets. */
export class ShipmentListInput extends Dto({ ...FacetedPagedInput.shape, filters }) {}

/** The same list as a file: all of its rows. */
export class ShipmentFileInput extends Dto({ sorting: ShipmentListInput.shape.sorting, filters }) {}

/** Shipments about to depart; the dates bound EstimatedDeparture, both included. */
export class UpcomingShipmentsInput extends Dto({
  ...FacetedPagedInput.shape,
  filters,
  /** The current UTC date when not given. */
  startDate: instant().nullish(),
  /** 14 days from now when not given. */
  endDate: instant().nullish(),
}) {}

/** A page of shipments with the filters that were applied and, when asked for, facets. */
export const ShipmentPage = facetedPageOf(ShipmentDto)
export type ShipmentPage = InstanceType<typeof ShipmentPage>

/** Shipments a caller can follow (interface document, "Shipment endpoints"): those of their organization context. */
export abstract class ShipmentAppService extends AppService(Hub, 'ShipmentAppService', {
  ...crud(ShipmentDto, CreateShipmentDto, UpdateShipmentDto, ShipmentListInput, ShipmentPage),
  getUpcomingShipments: op(UpcomingShipmentsInput).returns(ShipmentPage),
  getListAsExcelFile: op(ShipmentFileInput).returns(
    file('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
  ),
  getListAsCsvFile: op(ShipmentFileInput).returns(file('text/csv')),
  getNewDocuments: op(PagedInput).returns(pageOf(NewDocumentDto)),
}) {}
