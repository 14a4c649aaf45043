import {
  AppService,
  crud,
  Dto,
  decimal,
  EntityDto,
  emailAddress,
  enumeration,
  exportable,
  FacetedPagedInput,
  FilteredPagedInput,
  facetedPageOf,
  filtersBy,
  guid,
  id,
  importable,
  inCurrencyOf,
  instant,
  inUnit,
  listOf,
  op,
  ownFields,
  pageOf,
  param,
  restrictedTo,
  z,
} from '@keel/framework/contracts'
import { ReasonDto, stamp } from './actions.js'
import { CodeEntityDto } from './code-entities.js'
import { DocumentDto, NewDocumentDto } from './documents.js'
import { AddressRole, Direction, ShipmentStatus } from './enumerations.js'
import { Hub } from './hub.js'
import { mostSummed, OrderDto } from './orders.js'
import { OrganizationRefDto } from './organizations.js'
import { ShipmentPermissions } from './permissions.js'
import { PortDto } from './ports.js'
import { ShipmentMilestoneDto } from './shipment-milestones.js'
import { ShipmentReferenceNumberDto } from './shipment-reference-numbers.js'
import { mostShipmentsUpserted, UpsertedDto, UpsertedManyDto } from './upserts.js'

const addressFields = {
  /** The role of the party on the shipment. */
  role: enumeration('AddressRole', AddressRole),

  /** Where the party stands among parties of the same role, from 0 on. */
  sequence: z.int().min(0).max(32767).optional(),

  /** The organization that the party is; null for others. */
  organizationId: guid().nullish(),
  addressLine1: z.string().max(200).nullish(),
  addressLine2: z.string().max(200).nullish(),
  city: z.string().max(100).nullish(),
  stateProvince: z.string().max(100).nullish(),
  postalCode: z.string().max(20).nullish(),

  /**
   * ISO 3166 code of two letters.
   * @example NL
   */
  countryCode: z
    .string()
    .regex(/^[A-Z]{2}$/, 'Validation:CountryCode')
    .nullish(),
  contactName: z.string().max(100).nullish(),
  phone: z.string().max(50).nullish(),
  email: emailAddress.nullish(),

  /** Number of the party for VAT or another tax. */
  taxNumber: z.string().max(30).nullish(),
}

/** A party of a shipment, with its address as it is printed on documents. */
export class ShipmentAddressDto extends EntityDto({ ...addressFields, companyName: z.string() }) {}

/** A party to put on a shipment. The company's name may be left out when an organization is named. */
export class ShipmentAddressInput extends Dto({
  ...addressFields,

  /** May be left out when an organization is named: it is the organization's name then. */
  companyName: z.string().trim().min(1).max(200).nullish(),
}) {}

/** A consignment under one house bill. Lists omit the collections. @see interface document, "ShipmentDto" */
export class ShipmentDto extends EntityDto({
  /**
   * The number that customers know the shipment by; unique among live shipments.
   * @example KH-2026-000123
   */
  shipmentReference: z.string(),
  status: enumeration('ShipmentStatus', ShipmentStatus),

  /** True when the shipment is stopped for the time being. */
  isOnHold: z.boolean(),

  /** Why the shipment is on hold; null when it is not. */
  holdReason: z.string().nullish(),

  /** Seen from the forwarder's country; null when not known. */
  direction: enumeration('Direction', Direction).nullish(),

  /** When the cargo is ready for pick-up. */
  cargoReadyDate: instant().nullish(),
  estimatedPickup: instant().nullish(),
  estimatedDeparture: instant().nullish(),
  estimatedArrival: instant().nullish(),
  estimatedDelivery: instant().nullish(),
  actualPickup: instant().nullish(),
  actualDeparture: instant().nullish(),
  actualArrival: instant().nullish(),
  actualDelivery: instant().nullish(),

  /** The port where the first main leg departs. */
  firstConsolLegDeparturePortId: guid().nullish(),

  /** The port where the first main leg departs. */
  firstConsolLegDeparturePort: PortDto.schema.nullish(),

  /** The port where the last main leg arrives. */
  lastConsolLegArrivalPortId: guid().nullish(),

  /** The port where the last main leg arrives. */
  lastConsolLegArrivalPort: PortDto.schema.nullish(),

  /** Where the forwarder takes the cargo over. */
  originPort: PortDto.schema.nullish(),

  /** Where the forwarder hands the cargo over. */
  destinationPort: PortDto.schema.nullish(),
  transportModeId: guid().nullish(),
  transportMode: CodeEntityDto.schema.nullish(),
  containerModeId: guid().nullish(),
  containerMode: CodeEntityDto.schema.nullish(),

  /** The split of cost and risk between seller and buyer (Incoterms). */
  incoterm: CodeEntityDto.schema.nullish(),
  serviceLevel: CodeEntityDto.schema.nullish(),

  /** How the bill of lading is released, e.g. against originals or as a telex release. */
  releaseType: CodeEntityDto.schema.nullish(),
  packageType: CodeEntityDto.schema.nullish(),

  /** The customer that the shipment is done for. */
  controllingCustomer: OrganizationRefDto.schema.nullish(),
  cargoDescription: z.string().nullish(),

  /** How many packages, of all kinds. */
  totalPackages: z.int().nullish(),

  /** Weight with packing. */
  totalGrossWeight: inUnit('kg', z.number().nullish()),
  totalVolume: inUnit('m³', z.number().nullish()),
  /** Air: chargeable kg; sea LCL: revenue tons. */
  totalChargeableWeight: z.number().nullish(),
  /** CO2e, well to wheel. */
  co2Emissions: inUnit('kg', z.number().nullish()),

  /** Value of the goods for insurance and customs; null when not known. Absent without `Shipment.ViewGoodsValue`. */
  goodsValue: restrictedTo(
    ShipmentPermissions.ViewGoodsValue,
    inCurrencyOf('goodsCurrencyCode', decimal(18, 2).nullish()),
  ),

  /**
   * ISO 4217 code of the currency of `goodsValue`. Absent without `Shipment.ViewGoodsValue`.
   * @example EUR
   */
  goodsCurrencyCode: restrictedTo(ShipmentPermissions.ViewGoodsValue, z.string().nullish()),

  /** Number of the bill between forwarder and customer. */
  houseBillNumber: z.string().nullish(),

  /** Number of the bill between carrier and forwarder. */
  masterBillNumber: z.string().nullish(),
  bookingReference: z.string().nullish(),

  /** The organization that carries the main leg. */
  carrierId: guid().nullish(),
  vesselName: z.string().nullish(),

  /** Number of the voyage or the flight. */
  voyageFlightNumber: z.string().nullish(),
  isDangerousGoods: z.boolean(),
  isTemperatureControlled: z.boolean(),

  /** True when staff set dates or ports by hand, so that they no longer follow the legs. */
  isRoutingOverridden: z.boolean(),

  /** The quote that the shipment was booked from; null when there was none. */
  quoteId: guid().nullish(),
  quoteReference: z.string().nullish(),

  /** The system that the shipment came from; null when it was entered here. */
  sourceSystem: z.string().nullish(),

  /** The shipment's id in its source system. */
  externalId: z.string().nullish(),
  creationTime: instant(),
  creatorId: guid().nullish(),
  lastModificationTime: instant().nullish(),
  lastModifierId: guid().nullish(),
  concurrencyStamp: z.string(),

  /** Fields that the installation added, by name. */
  extraProperties: ownFields('Hub.Shipment'),

  /** Parties of the shipment. Null in lists. */
  addresses: z.array(ShipmentAddressDto.schema).nullish(),

  /** Steps of the shipment, in their order. Null in lists. */
  milestones: z.array(ShipmentMilestoneDto.schema).nullish(),

  /** Further references of the shipment. Null in lists. */
  referenceNumbers: z.array(ShipmentReferenceNumberDto.schema).nullish(),

  /** Purchase orders on the shipment. Null in lists, and without `Order.View`. */
  orders: z.array(OrderDto.schema).nullish(),
  /** Documents of the shipment. Null in lists and for callers without `Document.View`. */
  documents: z.array(DocumentDto.schema).nullish(),
}) {}

/** The most packages of a shipment or a line of cargo. */
export const mostPackages = 2147483647
const fields = {
  /**
   * Unique among live shipments.
   * @example KH-2026-000123
   */
  shipmentReference: z.string().trim().min(1).max(100),
  estimatedDeparture: instant().nullish(),
  estimatedArrival: instant().nullish(),
  firstConsolLegDeparturePortId: guid().nullish(),
  lastConsolLegArrivalPortId: guid().nullish(),

  /** A code entity of type `TransportMode`. */
  transportModeId: guid().nullish(),

  /** A code entity of type `ContainerMode` that fits the transport mode. */
  containerModeId: guid().nullish(),
  cargoDescription: z.string().max(500).nullish(),
  totalPackages: z.int().min(0).max(mostPackages).nullish(),

  /** Weight with packing. */
  totalGrossWeight: inUnit('kg', z.number().min(0).max(mostSummed).nullish()),
  cargoReadyDate: instant().nullish(),
  estimatedPickup: instant().nullish(),
  estimatedDelivery: instant().nullish(),

  /** Seen from the forwarder's country. */
  direction: enumeration('Direction', Direction).nullish(),

  /** Where the forwarder takes the cargo over. */
  originPortId: guid().nullish(),

  /** Where the forwarder hands the cargo over. */
  destinationPortId: guid().nullish(),

  /** A code entity of type `ReleaseType`. */
  releaseTypeId: guid().nullish(),

  /** A code entity of type `PackageType`. */
  packageTypeId: guid().nullish(),
  isDangerousGoods: z.boolean().optional(),
  isTemperatureControlled: z.boolean().optional(),

  /** Number of the bill between forwarder and customer. */
  houseBillNumber: z.string().trim().min(1).max(35).nullish(),

  /** The carrier's number of the booking. */
  bookingReference: z.string().trim().min(1).max(35).nullish(),

  /** For staff: true when dates and ports no longer follow the legs. */
  isRoutingOverridden: z.boolean().optional(),

  /** For staff: the quote that the shipment was booked from. */
  quoteId: guid().nullish(),

  /** For staff. */
  quoteReference: z.string().trim().min(1).max(50).nullish(),

  /** For staff: the system that the shipment came from. */
  sourceSystem: z.string().trim().min(1).max(50).nullish(),

  /** For staff: the shipment's id in its source system. */
  externalId: z.string().trim().min(1).max(100).nullish(),
  totalVolume: inUnit('m³', z.number().min(0).max(mostSummed).nullish()),

  /** A code entity of type `Incoterm`. */
  incotermId: guid().nullish(),

  /** A code entity of type `ServiceLevel`. */
  serviceLevelId: guid().nullish(),
  /** Given together with its currency or not at all. */
  goodsValue: inCurrencyOf('goodsCurrencyCode', decimal(18, 2, { min: 0 }).nullish()),

  /**
   * ISO 4217 code; given together with the value or not at all.
   * @example EUR
   */
  goodsCurrencyCode: z
    .string()
    .regex(/^[A-Z]{3}$/, 'Validation:CurrencyCode')
    .nullish(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Hub.Shipment'),
}

/** The input for creating a shipment. @see interface document, "CreateShipmentDto" */
export class CreateShipmentDto extends Dto({
  ...fields,

  /** Parties of the shipment. */
  addresses: z.array(ShipmentAddressInput.schema).max(30).nullish(),
}) {}

/** A shipment of another system. Of one that is there absent members stay, null clears, and given parties replace all others. */
export class UpsertShipmentDto extends Dto({
  ...CreateShipmentDto.shape,
  sourceSystem: z.string().trim().min(1).max(50),
  externalId: z.string().trim().min(1).max(100),
}) {}

/** Shipments of another system. */
export class UpsertShipmentsDto extends Dto({
  rows: z.array(UpsertShipmentDto.schema).min(1).max(mostShipmentsUpserted),
}) {}

/**
 * The input for changing a shipment: absent members stay, null clears. A given stamp must be the last seen.
 */
export class UpdateShipmentDto extends Dto({
  ...fields,
  shipmentReference: fields.shipmentReference.optional(),
  actualPickup: instant().nullish(),
  actualDeparture: instant().nullish(),
  actualArrival: instant().nullish(),
  actualDelivery: instant().nullish(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The input for booking or confirming a shipment. */
export class BookShipmentDto extends Dto({
  /** The carrier's number of the booking. */
  bookingReference: z.string().trim().min(1).max(35).nullish(),
  ...stamp,
}) {}

/** The input of an action that happened at a time. */
export class ActualTimeDto extends Dto({
  /** Now when not given; at most 24 hours ahead. */
  actualTime: instant().nullish(),

  /** The port where it happened. */
  portId: guid().nullish(),

  /** The number of the customs entry; of the action `clear-customs`. */
  entryNumber: z.string().trim().min(1).max(35).nullish(),

  /** A document of the shipment that proves the delivery; of the action `deliver`. */
  podDocumentId: guid().nullish(),
  note: z.string().trim().max(256).nullish(),
  ...stamp,
}) {}

/** The input for sending a shipment to its receiver. */
export class DispatchDeliveryDto extends Dto({ estimatedDelivery: instant().nullish(), ...stamp }) {}

/** The input for replacing the parties of a shipment. */
export class SetAddressesDto extends Dto({
  /** All parties from now on. */
  addresses: z.array(ShipmentAddressInput.schema).max(30),
  ...stamp,
}) {}

/** The input for copying a shipment. */
export class CopyShipmentDto extends Dto({
  /** The reference of the copy. */
  newReference: fields.shipmentReference,
}) {}

/** The input of an action that takes no values. */
export class ShipmentActionDto extends Dto(stamp) {}

/** The input for giving a shipment a status that its transitions do not lead to. */
export class ForceStatusDto extends Dto({
  status: enumeration('ShipmentStatus', ShipmentStatus),
  reason: ReasonDto.shape.reason,
  ...stamp,
}) {}

/** Something that happened to a shipment, or is expected. */
export class TimelineEntryDto extends EntityDto({
  kind: z.enum(['Milestone', 'StatusChange', 'Exception']),

  /** For a milestone the actual time, else the estimated, else the planned one. */
  time: instant(),

  /** The milestone's code, the new status or the severity, by its number. */
  value: z.int(),

  /** False for milestones that have not happened. */
  isActual: z.boolean(),

  /** The reason of a status change, or the description of an exception. */
  text: z.string().nullish(),
}) {}

/** The groupings of shipment statistics. */
export const statisticsGroupings = ['status', 'transportMode', 'organization', 'month'] as const
/** One of {@link statisticsGroupings}. */
export type StatisticsGrouping = (typeof statisticsGroupings)[number]

/** The input of statistics: shipments by their estimated departure. */
export class ShipmentStatisticsInput extends Dto({
  /** A year before `to`, or before now, when not given. */
  from: instant().nullish(),

  /** Not included. A year from now when not given. */
  to: instant().nullish(),
  groupBy: z.enum(statisticsGroupings).default('status'),
}) {}

/** The sums of a group of shipments. */
export class ShipmentStatisticsDto extends Dto({
  /** The status by its number, the code of mode or organization, or the month; null for shipments without. */
  key: z.string().nullable(),
  count: z.int(),
  onHold: z.int(),

  /** Shipments that arrived later than estimated, or are on their way beyond that. */
  late: z.int(),
  totalPackages: z.number().nullable(),
  totalGrossWeight: inUnit('kg', z.number().nullable()),
  totalVolume: inUnit('m³', z.number().nullable()),
  co2Emissions: inUnit('kg', z.number().nullable()),
}) {}

/** The filters of lists of shipments; the last three are other names of ports and organization. */
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
export class ShipmentFileInput extends Dto({
  sorting: ShipmentListInput.shape.sorting,
  filter: ShipmentListInput.shape.filter,
  filters,
}) {}

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

/** Shipments of the caller's organization context. @see interface document, "Shipment endpoints" */
export abstract class ShipmentAppService extends AppService(Hub, 'ShipmentAppService', {
  ...crud(ShipmentDto, CreateShipmentDto, UpdateShipmentDto, ShipmentListInput, ShipmentPage),
  /** Lists shipments that are about to depart, in pages. */
  getUpcomingShipments: op(UpcomingShipmentsInput).returns(ShipmentPage),
  ...exportable(ShipmentFileInput),
  ...importable(),
  /**
   * Creates the shipment that another system has under `sourceSystem` and `externalId`, or changes it. Needs `Shipment.Edit`, and `Shipment.Create`
   * to create.
   */
  upsert: op(UpsertShipmentDto).returns(UpsertedDto).at('PUT', 'by-external-id'),
  /** Does the same with up to 200 shipments, each in a transaction of its own. The answer tells what became of each. */
  upsertMany: op(UpsertShipmentsDto).returns(UpsertedManyDto).at('PUT', 'by-external-id/many'),
  /** Gets the shipment with a reference. */
  getByReference: op(param('reference', z.string().trim().min(1).max(100))).returns(ShipmentDto),
  /** Lists milestones, status changes and exceptions of a shipment by their time, 1000 at the most. */
  getTimeline: op(id).returns(listOf(TimelineEntryDto)),
  /** Counts and sums the shipments that the caller sees, by status, mode, customer or month. */
  getStatistics: op(ShipmentStatisticsInput).returns(listOf(ShipmentStatisticsDto)),
  /** Replaces all parties of a shipment. */
  setAddresses: op(id, SetAddressesDto).returns(ShipmentDto).at('POST', '{id}/set-addresses'),
  /** Copies parties, cargo and modes of a shipment into a new draft. */
  copy: op(id, CopyShipmentDto).returns(ShipmentDto),
  /** Books a draft. It needs modes, ports, consignor, consignee, and a date of cargo or departure. */
  book: op(id, BookShipmentDto).returns(ShipmentDto),
  /** Confirms a booked shipment. It needs the carrier's booking reference, estimated departure and estimated arrival. */
  confirm: op(id, BookShipmentDto).returns(ShipmentDto),
  /** Records that the cargo of a confirmed shipment was received. */
  receiveCargo: op(id, ActualTimeDto).returns(ShipmentDto),
  /** Records the departure of a shipment that is not on hold. */
  depart: op(id, ActualTimeDto).returns(ShipmentDto),
  /** Records the arrival of a shipment at its last port. */
  arrive: op(id, ActualTimeDto).returns(ShipmentDto),
  /** Records that customs released a shipment. */
  clearCustoms: op(id, ActualTimeDto).returns(ShipmentDto),
  /** Records that a shipment, which is not on hold, left for its receiver. */
  dispatchDelivery: op(id, DispatchDeliveryDto).returns(ShipmentDto),
  /** Records that a shipment was handed over to its receiver. */
  deliver: op(id, ActualTimeDto).returns(ShipmentDto),
  /** Closes a delivered shipment. */
  complete: op(id, ShipmentActionDto).returns(ShipmentDto),
  /** Cancels a shipment. Once its cargo was received only holders of `Shipment.ForceStatus` can. */
  cancel: op(id, ReasonDto).returns(ShipmentDto),
  /** Opens a completed shipment again as delivered, and a cancelled one as a draft. */
  reopen: op(id, ReasonDto).returns(ShipmentDto),
  /** Puts a shipment on hold. */
  setHold: op(id, ReasonDto).returns(ShipmentDto),
  /** Releases a shipment from its hold. */
  releaseHold: op(id, ShipmentActionDto).returns(ShipmentDto),
  /** Gives a shipment any other status, without guards. */
  forceStatus: op(id, ForceStatusDto).returns(ShipmentDto),
  /** Lists documents that came within the last 28 days, with their shipments. */
  getNewDocuments: op(FilteredPagedInput).returns(pageOf(NewDocumentDto)),
}) {}
