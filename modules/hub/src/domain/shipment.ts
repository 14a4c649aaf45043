import { DisableAuditing } from '@keel/framework/auditing'
import {
  AggregateRoot,
  Column,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import { AddressRole, Direction, HubErrors, ShipmentStatus } from '../contracts/index.js'
import { CodeEntity } from './code-entity.js'
import { Organization } from './organization.js'
import { shipmentsOfCaller, withItsShipment } from './organization-context.js'
import { Port } from './port.js'
import { searchIndex } from './search-index.js'

/** One customer consignment moving under one house bill (domain model, section 1.1). */
@Entity('HubShipments', {
  watched: true,
  rules: [shipmentsOfCaller],
  conflicts: {
    IX_HubShipments_TenantId_ShipmentReference: HubErrors.ShipmentReferenceAlreadyExists,
    IX_HubShipments_SourceSystem_ExternalId: HubErrors.ShipmentExternalIdAlreadyExists,
  },
  indexes: [
    {
      attributes: ['tenantId', 'shipmentReference'],
      unique: true,
      nullsNotDistinct: true,
      where: '"IsDeleted" = false',
    },
    {
      attributes: ['sourceSystem', 'externalId'],
      unique: true,
      where: '"IsDeleted" = false and "SourceSystem" is not null and "ExternalId" is not null',
    },
    // Upcoming shipments
    {
      attributes: ['estimatedDeparture', 'id'],
      where: `"IsDeleted" = false and "EstimatedArrival" is not null and "FirstConsolLegDeparturePortId" is not null
        and "LastConsolLegArrivalPortId" is not null and "TransportModeId" is not null and "ContainerModeId" is not null`,
    },
    // Default list order, arrival boards, delta sync
    { attributes: [{ attribute: 'creationTime', order: 'desc' }, 'id'], where: '"IsDeleted" = false' },
    {
      attributes: ['status', { attribute: 'creationTime', order: 'desc' }, 'id'],
      where: '"IsDeleted" = false',
    },
    { attributes: ['estimatedArrival', 'id'], where: '"IsDeleted" = false' },
    { attributes: ['estimatedDeparture'], where: '"IsDeleted" = false' },
    { attributes: ['shipmentReference', 'id'], where: '"IsDeleted" = false' },
    { attributes: ['lastModificationTime'] },
    // All six facets from one index-only scan
    {
      attributes: [
        'status',
        'transportModeId',
        'containerModeId',
        'firstConsolLegDeparturePortId',
        'lastConsolLegArrivalPortId',
        'controllingCustomerId',
      ],
      name: 'Facets',
      where: '"IsDeleted" = false',
    },
    // Filtered lists
    { attributes: ['controllingCustomerId', 'estimatedDeparture'] },
    { attributes: ['transportModeId', 'estimatedDeparture'] },
    { attributes: ['firstConsolLegDeparturePortId', 'estimatedDeparture'] },
    { attributes: ['lastConsolLegArrivalPortId', 'estimatedDeparture'] },
    { attributes: ['status', 'estimatedDeparture'] },
    // Rows of the caller
    { attributes: ['visibleOrganizationIds'], method: 'gin' },
    // Drafts of the caller: with this condition it answers the row rule whole, so that no row is checked again
    { attributes: ['creatorId'], name: 'Drafts', where: 'cardinality("VisibleOrganizationIds") = 0' },
    // Search
    { attributes: ['houseBillNumber'] },
    { attributes: ['masterBillNumber'] },
    {
      attributes: [{ attribute: 'houseBillNumber', order: 'text_pattern_ops' }],
      name: 'HouseBillNumber_Prefix',
      where: '"HouseBillNumber" is not null',
    },
    {
      attributes: [{ attribute: 'masterBillNumber', order: 'text_pattern_ops' }],
      name: 'MasterBillNumber_Prefix',
      where: '"MasterBillNumber" is not null',
    },
    {
      attributes: [{ attribute: 'shipmentReference', order: 'text_pattern_ops' }],
      name: 'ShipmentReference_Prefix',
      where: '"IsDeleted" = false',
    },
    searchIndex(
      'visibleOrganizationIds',
      'shipmentReference',
      'houseBillNumber',
      'masterBillNumber',
      'bookingReference',
    ),
    // The remaining references
    { attributes: ['originPortId'] },
    { attributes: ['destinationPortId'] },
    { attributes: ['containerModeId'] },
    { attributes: ['incotermId'] },
    { attributes: ['serviceLevelId'] },
    { attributes: ['releaseTypeId'] },
    { attributes: ['packageTypeId'] },
  ],
  checks: {
    Status: '"Status" between 0 and 10',
    Direction: '"Direction" between 0 and 3',
    TotalPackages: '"TotalPackages" >= 0',
    // The upper bound keeps out Infinity and NaN, which JSON cannot carry.
    TotalGrossWeight: '"TotalGrossWeight" between 0 and 1.7976931348623157e308::double precision',
    TotalVolume: '"TotalVolume" between 0 and 1.7976931348623157e308::double precision',
    GoodsValue: '("GoodsValue" is null) = ("GoodsCurrencyCode" is null)',
  },
})
export class Shipment extends AggregateRoot {
  @Column(DataType.STRING(100)) declare shipmentReference: string
  @Column(DataType.SMALLINT, { defaultValue: ShipmentStatus.Draft, enumeration: { ShipmentStatus } })
  declare status: ShipmentStatus
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isOnHold: boolean
  @OptionalColumn(DataType.STRING(256)) declare holdReason: string | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { Direction } }) declare direction: Direction | null
  @OptionalColumn(Timestamp) declare cargoReadyDate: Date | null
  @OptionalColumn(Timestamp) declare estimatedPickup: Date | null
  @OptionalColumn(Timestamp) declare estimatedDeparture: Date | null
  @OptionalColumn(Timestamp) declare estimatedArrival: Date | null
  @OptionalColumn(Timestamp) declare estimatedDelivery: Date | null
  @OptionalColumn(Timestamp) declare actualPickup: Date | null
  @OptionalColumn(Timestamp) declare actualDeparture: Date | null
  @OptionalColumn(Timestamp) declare actualArrival: Date | null
  @OptionalColumn(Timestamp) declare actualDelivery: Date | null
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare firstConsolLegDeparturePortId:
    | string
    | null
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare lastConsolLegArrivalPortId: string | null
  /** Place of receipt. */
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare originPortId: string | null
  /** Place of delivery. */
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare destinationPortId: string | null
  @OptionalColumn(DataType.UUID, { references: () => CodeEntity }) declare transportModeId: string | null
  @OptionalColumn(DataType.UUID, { references: () => CodeEntity }) declare containerModeId: string | null
  @OptionalColumn(DataType.UUID, { references: () => CodeEntity }) declare incotermId: string | null
  @OptionalColumn(DataType.UUID, { references: () => CodeEntity }) declare serviceLevelId: string | null
  @OptionalColumn(DataType.UUID, { references: () => CodeEntity }) declare releaseTypeId: string | null
  @OptionalColumn(DataType.UUID, { references: () => CodeEntity }) declare packageTypeId: string | null
  @OptionalColumn(DataType.STRING(500)) declare cargoDescription: string | null
  @OptionalColumn(DataType.INTEGER) declare totalPackages: number | null
  /** kg */
  @OptionalColumn(DataType.DOUBLE) declare totalGrossWeight: number | null
  /** m³ */
  @OptionalColumn(DataType.DOUBLE) declare totalVolume: number | null
  @OptionalColumn(DataType.DOUBLE) declare totalChargeableWeight: number | null
  /** kg CO2e, well to wheel. */
  @OptionalColumn(DataType.DOUBLE) declare co2Emissions: number | null
  @OptionalColumn(DataType.DECIMAL(18, 2)) declare goodsValue: string | null
  @OptionalColumn(DataType.CHAR(3)) declare goodsCurrencyCode: string | null
  @OptionalColumn(DataType.STRING(35)) declare houseBillNumber: string | null
  @OptionalColumn(DataType.STRING(35)) declare masterBillNumber: string | null
  @OptionalColumn(DataType.STRING(35)) declare bookingReference: string | null
  /** The organization of the ControllingCustomer address. */
  @OptionalColumn(DataType.UUID, { references: () => Organization }) declare controllingCustomerId:
    | string
    | null
  @OptionalColumn(DataType.UUID) declare carrierId: string | null
  @OptionalColumn(DataType.STRING(50)) declare vesselName: string | null
  @OptionalColumn(DataType.STRING(20)) declare voyageFlightNumber: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDangerousGoods: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isTemperatureControlled: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isRoutingOverridden: boolean
  /**
   * The organizations whose members see the shipment, computed by `visibleOrganizationIds` from its
   * addresses. Never leaves the server.
   */
  @DisableAuditing()
  @Column(DataType.ARRAY(DataType.UUID), { defaultValue: [] })
  declare visibleOrganizationIds: string[]
  @OptionalColumn(DataType.UUID) declare quoteId: string | null
  @OptionalColumn(DataType.STRING(50)) declare quoteReference: string | null
  @OptionalColumn(DataType.STRING(50)) declare sourceSystem: string | null
  @OptionalColumn(DataType.STRING(100)) declare externalId: string | null
}

/** A party in a role on a shipment, with the address as printed on documents. */
@Entity('HubShipmentAddresses', {
  rules: [withItsShipment],
  indexes: [
    { attributes: ['shipmentId', 'role', 'sequence'], unique: true, where: '"IsDeleted" = false' },
    // Consignor, consignee and controlling customer at most once each
    {
      attributes: ['shipmentId', 'role'],
      unique: true,
      where: '"IsDeleted" = false and "Role" in (0, 1, 4)',
    },
    { attributes: ['organizationId', 'shipmentId', 'role'], where: '"IsDeleted" = false' },
    { attributes: ['shipmentId', 'organizationId'] },
  ],
  checks: {
    Role: '"Role" between 0 and 14',
  },
})
export class ShipmentAddress extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.SMALLINT, { enumeration: { AddressRole } }) declare role: AddressRole
  @Column(DataType.SMALLINT, { defaultValue: 0 }) declare sequence: number
  @OptionalColumn(DataType.UUID, { references: () => Organization }) declare organizationId: string | null
  @OptionalColumn(DataType.UUID) declare organizationAddressId: string | null
  @Column(DataType.STRING(200)) declare companyName: string
  @OptionalColumn(DataType.STRING(200)) declare addressLine1: string | null
  @OptionalColumn(DataType.STRING(200)) declare addressLine2: string | null
  @OptionalColumn(DataType.STRING(100)) declare city: string | null
  @OptionalColumn(DataType.STRING(100)) declare stateProvince: string | null
  @OptionalColumn(DataType.STRING(20)) declare postalCode: string | null
  @OptionalColumn(DataType.CHAR(2)) declare countryCode: string | null
  @OptionalColumn(DataType.STRING(100)) declare contactName: string | null
  @OptionalColumn(DataType.STRING(50)) declare phone: string | null
  @OptionalColumn(DataType.STRING(256)) declare email: string | null
  @OptionalColumn(DataType.STRING(30)) declare taxNumber: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isOverridden: boolean
}

/** Roles that only one party can play. */
const soleRoles: ReadonlySet<AddressRole> = new Set([
  AddressRole.ControllingCustomer,
  AddressRole.Consignor,
  AddressRole.Consignee,
])

/** A party as far as the rules about parties look at it. */
export interface Party {
  readonly role: AddressRole
  /** Tells parties in one role apart. */
  readonly sequence?: number
  readonly organizationId?: string | null
}

/** The first role that more parties play than may, or twice with one sequence; undefined when all is well. */
export function doublyPlayedRole(parties: readonly Party[]): AddressRole | undefined {
  return parties.find(({ role, sequence }, index) =>
    parties
      .slice(0, index)
      .some((party) => party.role === role && (soleRoles.has(role) || (party.sequence ?? -1) === sequence)),
  )?.role
}

/** The parties with a sequence each: their own, else the next that is free in their role. */
export function withSequences<P extends Party>(parties: readonly P[]): (P & { sequence: number })[] {
  const taken = new Set(parties.map(({ role, sequence }) => `${role}:${sequence}`))
  return parties.map((party) => {
    let { sequence = 0 } = party
    if (party.sequence === undefined) while (taken.has(`${party.role}:${sequence}`)) sequence++
    taken.add(`${party.role}:${sequence}`)
    return { ...party, sequence }
  })
}

/** The organization that controls a shipment with these parties. */
export function controllingCustomerOf(parties: readonly Party[]): string | null {
  return parties.find(({ role }) => role === AddressRole.ControllingCustomer)?.organizationId ?? null
}
