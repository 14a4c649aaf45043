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

/** One customer consignment moving under one house bill (domain model, section 1.1). */
@Entity('HubShipments', {
  watched: true,
  rules: [shipmentsOfCaller],
  conflicts: {
    IX_HubShipments_TenantId_ShipmentReference: HubErrors.ShipmentReferenceAlreadyExists,
    IX_HubShipments_SourceSystem_ExternalId: HubErrors.ShipmentExternalIdAlreadyExists,
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
@Entity('HubShipmentAddresses', { rules: [withItsShipment] })
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
