import {
  BeforeInsert,
  Column,
  DefaultNamingStrategy,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  type Relation,
} from 'typeorm'

/** The tables have their columns in PascalCase. */
export class PascalCaseColumns extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined): string {
    return given ?? upper(property)
  }

  override joinColumnName(relation: string, referenced: string): string {
    return upper(relation) + upper(referenced)
  }
}

function upper(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

@Entity('HubPorts')
export class Port {
  @PrimaryColumn('uuid') id!: string
  @Column('char', { length: 5 }) unLocode!: string
  @Column() name!: string
  @Column('char', { length: 2 }) countryCode!: string
  @Column('char', { length: 3, nullable: true }) iataCode!: string | null
  @Column('varchar', { nullable: true }) subdivisionCode!: string | null
  @Column('double precision', { nullable: true }) latitude!: number | null
  @Column('double precision', { nullable: true }) longitude!: number | null
  @Column('varchar', { nullable: true }) timeZone!: string | null
  @Column() isSeaport!: boolean
  @Column() isAirport!: boolean
  @Column({ select: false }) isActive!: boolean
}

@Entity('HubCodeEntities')
export class CodeEntity {
  @PrimaryColumn('uuid') id!: string
  @Column() type!: string
  @Column() code!: string
  @Column() name!: string
  @Column('varchar', { nullable: true }) description!: string | null
}

@Entity('HubOrganizations')
export class Organization {
  @PrimaryColumn('uuid') id!: string
  @Column() code!: string
  @Column() fullName!: string
}

@Entity('HubShipments')
export class Shipment {
  @PrimaryColumn('uuid') id!: string
  @Column() shipmentReference!: string
  @Column('smallint', { default: 0 }) status!: number
  @Column({ default: false }) isOnHold!: boolean
  @Column('varchar', { nullable: true }) holdReason!: string | null
  @Column('smallint', { nullable: true }) direction!: number | null
  @Column('timestamptz', { nullable: true }) cargoReadyDate!: Date | null
  @Column('timestamptz', { nullable: true }) estimatedPickup!: Date | null
  @Column('timestamptz', { nullable: true }) estimatedDeparture!: Date | null
  @Column('timestamptz', { nullable: true }) estimatedArrival!: Date | null
  @Column('timestamptz', { nullable: true }) estimatedDelivery!: Date | null
  @Column('timestamptz', { nullable: true }) actualPickup!: Date | null
  @Column('timestamptz', { nullable: true }) actualDeparture!: Date | null
  @Column('timestamptz', { nullable: true }) actualArrival!: Date | null
  @Column('timestamptz', { nullable: true }) actualDelivery!: Date | null
  @Column('uuid', { nullable: true }) firstConsolLegDeparturePortId!: string | null
  @ManyToOne(() => Port) @JoinColumn() firstConsolLegDeparturePort!: Port | null
  @Column('uuid', { nullable: true }) lastConsolLegArrivalPortId!: string | null
  @ManyToOne(() => Port) @JoinColumn() lastConsolLegArrivalPort!: Port | null
  @ManyToOne(() => Port) @JoinColumn() originPort!: Port | null
  @ManyToOne(() => Port) @JoinColumn() destinationPort!: Port | null
  @Column('uuid', { nullable: true }) transportModeId!: string | null
  @ManyToOne(() => CodeEntity) @JoinColumn() transportMode!: CodeEntity | null
  @Column('uuid', { nullable: true }) containerModeId!: string | null
  @ManyToOne(() => CodeEntity) @JoinColumn() containerMode!: CodeEntity | null
  @ManyToOne(() => CodeEntity) @JoinColumn() incoterm!: CodeEntity | null
  @ManyToOne(() => CodeEntity) @JoinColumn() serviceLevel!: CodeEntity | null
  @ManyToOne(() => CodeEntity) @JoinColumn() releaseType!: CodeEntity | null
  @ManyToOne(() => CodeEntity) @JoinColumn() packageType!: CodeEntity | null
  @ManyToOne(() => Organization) @JoinColumn() controllingCustomer!: Organization | null
  @Column('varchar', { nullable: true }) cargoDescription!: string | null
  @Column('integer', { nullable: true }) totalPackages!: number | null
  @Column('double precision', { nullable: true }) totalGrossWeight!: number | null
  @Column('double precision', { nullable: true }) totalVolume!: number | null
  @Column('double precision', { nullable: true }) totalChargeableWeight!: number | null
  @Column('double precision', { nullable: true }) co2Emissions!: number | null
  @Column('numeric', { precision: 18, scale: 2, nullable: true }) goodsValue!: string | null
  @Column('char', { length: 3, nullable: true }) goodsCurrencyCode!: string | null
  @Column('varchar', { nullable: true }) houseBillNumber!: string | null
  @Column('varchar', { nullable: true }) masterBillNumber!: string | null
  @Column('varchar', { nullable: true }) bookingReference!: string | null
  @Column('uuid', { nullable: true }) carrierId!: string | null
  @Column('varchar', { nullable: true }) vesselName!: string | null
  @Column('varchar', { nullable: true }) voyageFlightNumber!: string | null
  @Column({ default: false }) isDangerousGoods!: boolean
  @Column({ default: false }) isTemperatureControlled!: boolean
  @Column({ default: false }) isRoutingOverridden!: boolean
  @Column('uuid', { nullable: true }) quoteId!: string | null
  @Column('varchar', { nullable: true }) quoteReference!: string | null
  @Column('varchar', { nullable: true }) sourceSystem!: string | null
  @Column('varchar', { nullable: true }) externalId!: string | null
  @Column('timestamptz') creationTime!: Date
  @Column('uuid', { nullable: true }) creatorId!: string | null
  @Column('timestamptz', { nullable: true }) lastModificationTime!: Date | null
  @Column('uuid', { nullable: true }) lastModifierId!: string | null
  @Column({ default: false, select: false }) isDeleted!: boolean
  @Column() concurrencyStamp!: string
  @OneToMany(
    () => ShipmentAddress,
    ({ shipment }) => shipment,
    { cascade: ['insert'] },
  )
  addresses!: Relation<ShipmentAddress>[]

  @BeforeInsert()
  identify(): void {
    this.id = crypto.randomUUID()
    this.creationTime = new Date()
    this.concurrencyStamp = crypto.randomUUID()
  }
}

@Entity('HubShipmentAddresses')
export class ShipmentAddress {
  @PrimaryColumn('uuid') id!: string
  @ManyToOne(
    () => Shipment,
    ({ addresses }) => addresses,
  )
  @JoinColumn()
  shipment!: Shipment
  @Column('smallint') role!: number
  @Column('smallint', { default: 0 }) sequence!: number
  @Column('uuid', { nullable: true }) organizationId!: string | null
  @Column() companyName!: string
  @Column('varchar', { nullable: true }) addressLine1!: string | null
  @Column('varchar', { nullable: true }) addressLine2!: string | null
  @Column('varchar', { nullable: true }) city!: string | null
  @Column('varchar', { nullable: true }) stateProvince!: string | null
  @Column('varchar', { nullable: true }) postalCode!: string | null
  @Column('char', { length: 2, nullable: true }) countryCode!: string | null
  @Column('varchar', { nullable: true }) contactName!: string | null
  @Column('varchar', { nullable: true }) phone!: string | null
  @Column('varchar', { nullable: true }) email!: string | null
  @Column('varchar', { nullable: true }) taxNumber!: string | null
  @Column('timestamptz', { select: false }) creationTime!: Date
  @Column('uuid', { nullable: true, select: false }) creatorId!: string | null
  @Column({ default: false, select: false }) isDeleted!: boolean

  @BeforeInsert()
  identify(): void {
    this.id = crypto.randomUUID()
    this.creationTime = new Date()
  }
}
