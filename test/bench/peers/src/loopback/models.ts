import {
  belongsTo,
  Entity,
  hasMany,
  Model,
  model,
  type PropertyDefinition,
  property,
} from '@loopback/repository'

type PropertyType = 'string' | 'number' | 'boolean' | 'date'

/** A property of the column with its name in PascalCase. */
function column(type: PropertyType, more: Partial<PropertyDefinition> = {}): PropertyDecorator {
  return (target, key) =>
    property({ type, postgresql: { columnName: upper(key as string) }, ...more })(target, key as string)
}

/** The id of a row of another table, and the relation that is named like it without `Id`. */
function reference<T extends typeof Entity>(target: () => T): PropertyDecorator {
  return (prototype, key) =>
    belongsTo(
      target,
      { name: (key as string).slice(0, -2) },
      { postgresql: { columnName: upper(key as string) } },
    )(prototype as Entity, key as string)
}

function upper(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function table(name: string): object {
  return { settings: { strict: true, postgresql: { schema: 'public', table: name } } }
}

@model(table('HubPorts'))
export class Port extends Entity {
  @column('string', { id: true }) id!: string
  @column('string') unLocode!: string
  @column('string') name!: string
  @column('string') countryCode!: string
  @column('string') iataCode?: string
  @column('string') subdivisionCode?: string
  @column('number') latitude?: number
  @column('number') longitude?: number
  @column('string') timeZone?: string
  @column('boolean') isSeaport!: boolean
  @column('boolean') isAirport!: boolean
  @column('boolean', { hidden: true }) isActive!: boolean
}

@model(table('HubCodeEntities'))
export class CodeEntity extends Entity {
  @column('string', { id: true }) id!: string
  @column('string') type!: string
  @column('string') code!: string
  @column('string') name!: string
  @column('string') description?: string
}

@model(table('HubOrganizations'))
export class Organization extends Entity {
  @column('string', { id: true }) id!: string
  @column('string') code!: string
  @column('string') fullName!: string
}

@model(table('HubShipmentAddresses'))
export class ShipmentAddress extends Entity {
  @column('string', { id: true, defaultFn: 'uuidv4' }) id!: string
  @column('string', { hidden: true }) shipmentId!: string
  @column('number', { required: true }) role!: number
  @column('number', { default: 0 }) sequence!: number
  @column('string') organizationId?: string
  @column('string', { required: true }) companyName!: string
  @column('string') addressLine1?: string
  @column('string') addressLine2?: string
  @column('string') city?: string
  @column('string') stateProvince?: string
  @column('string') postalCode?: string
  @column('string') countryCode?: string
  @column('string') contactName?: string
  @column('string') phone?: string
  @column('string') email?: string
  @column('string') taxNumber?: string
  @column('date', { defaultFn: 'now', hidden: true }) creationTime!: Date
  @column('string', { hidden: true }) creatorId?: string
  @column('boolean', { default: false, hidden: true }) isDeleted!: boolean
}

@model(table('HubShipments'))
export class Shipment extends Entity {
  @column('string', { id: true, defaultFn: 'uuidv4' }) id!: string
  @column('string', { required: true }) shipmentReference!: string
  @column('number', { default: 0 }) status!: number
  @column('boolean', { default: false }) isOnHold!: boolean
  @column('string') holdReason?: string
  @column('number') direction?: number
  @column('date') cargoReadyDate?: Date
  @column('date') estimatedPickup?: Date
  @column('date') estimatedDeparture?: Date
  @column('date') estimatedArrival?: Date
  @column('date') estimatedDelivery?: Date
  @column('date') actualPickup?: Date
  @column('date') actualDeparture?: Date
  @column('date') actualArrival?: Date
  @column('date') actualDelivery?: Date
  @reference(() => Port) firstConsolLegDeparturePortId?: string
  @reference(() => Port) lastConsolLegArrivalPortId?: string
  @reference(() => Port) originPortId?: string
  @reference(() => Port) destinationPortId?: string
  @reference(() => CodeEntity) transportModeId?: string
  @reference(() => CodeEntity) containerModeId?: string
  @reference(() => CodeEntity) incotermId?: string
  @reference(() => CodeEntity) serviceLevelId?: string
  @reference(() => CodeEntity) releaseTypeId?: string
  @reference(() => CodeEntity) packageTypeId?: string
  @reference(() => Organization) controllingCustomerId?: string
  @column('string') cargoDescription?: string
  @column('number') totalPackages?: number
  @column('number') totalGrossWeight?: number
  @column('number') totalVolume?: number
  @column('number') totalChargeableWeight?: number
  @column('number') co2Emissions?: number
  @column('number') goodsValue?: number
  @column('string') goodsCurrencyCode?: string
  @column('string') houseBillNumber?: string
  @column('string') masterBillNumber?: string
  @column('string') bookingReference?: string
  @column('string') carrierId?: string
  @column('string') vesselName?: string
  @column('string') voyageFlightNumber?: string
  @column('boolean', { default: false }) isDangerousGoods!: boolean
  @column('boolean', { default: false }) isTemperatureControlled!: boolean
  @column('boolean', { default: false }) isRoutingOverridden!: boolean
  @column('string') quoteId?: string
  @column('string') quoteReference?: string
  @column('string') sourceSystem?: string
  @column('string') externalId?: string
  @column('date', { defaultFn: 'now' }) creationTime!: Date
  @column('string') creatorId?: string
  @column('date') lastModificationTime?: Date
  @column('string') lastModifierId?: string
  @column('boolean', { default: false, hidden: true }) isDeleted!: boolean
  @column('string', { defaultFn: 'uuidv4' }) concurrencyStamp!: string
  @hasMany(() => ShipmentAddress) addresses?: ShipmentAddress[]
}

/** The relations of a shipment to one row of another table. */
export const references = [
  'firstConsolLegDeparturePort',
  'lastConsolLegArrivalPort',
  'originPort',
  'destinationPort',
  'transportMode',
  'containerMode',
  'incoterm',
  'serviceLevel',
  'releaseType',
  'packageType',
  'controllingCustomer',
] as const

/** A party that a caller puts on a new shipment. */
@model()
export class NewAddress extends Model {
  @property({ type: 'number', required: true, jsonSchema: { type: 'integer', minimum: 0, maximum: 14 } })
  role!: number
  @property({ type: 'string', required: true, jsonSchema: { minLength: 1, maxLength: 200 } })
  companyName!: string
  @property({ type: 'string', jsonSchema: { maxLength: 100 } })
  city?: string
  @property({ type: 'string', jsonSchema: { pattern: '^[A-Z]{2}$' } })
  countryCode?: string
}

/** What a caller sends to create a shipment: the body has parties beside the shipment's own members. */
@model()
export class NewShipment extends Model {
  @property({ type: 'string', required: true, jsonSchema: { minLength: 1, maxLength: 100 } })
  shipmentReference!: string
  @property({ type: 'number', jsonSchema: { type: 'integer', minimum: 0, maximum: 2147483647 } })
  totalPackages?: number
  @property({ type: 'string', jsonSchema: { maxLength: 500 } })
  cargoDescription?: string
  @property.array(() => NewAddress, { jsonSchema: { maxItems: 30 } })
  addresses?: NewAddress[]
}
