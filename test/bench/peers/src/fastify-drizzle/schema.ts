import {
  boolean,
  char,
  doublePrecision,
  integer,
  numeric,
  pgTable,
  smallint,
  timestamp,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true })

export const ports = pgTable('HubPorts', {
  id: uuid('Id').primaryKey(),
  unLocode: char('UnLocode', { length: 5 }).notNull(),
  name: varchar('Name', { length: 100 }).notNull(),
  countryCode: char('CountryCode', { length: 2 }).notNull(),
  iataCode: char('IataCode', { length: 3 }),
  subdivisionCode: varchar('SubdivisionCode', { length: 3 }),
  latitude: doublePrecision('Latitude'),
  longitude: doublePrecision('Longitude'),
  timeZone: varchar('TimeZone', { length: 50 }),
  isSeaport: boolean('IsSeaport').notNull(),
  isAirport: boolean('IsAirport').notNull(),
  isActive: boolean('IsActive').notNull(),
})

export const codeEntities = pgTable('HubCodeEntities', {
  id: uuid('Id').primaryKey(),
  type: varchar('Type', { length: 30 }).notNull(),
  code: varchar('Code', { length: 20 }).notNull(),
  name: varchar('Name', { length: 100 }).notNull(),
  description: varchar('Description', { length: 500 }),
})

export const organizations = pgTable('HubOrganizations', {
  id: uuid('Id').primaryKey(),
  code: varchar('Code', { length: 20 }).notNull(),
  fullName: varchar('FullName', { length: 200 }).notNull(),
})

export const shipments = pgTable('HubShipments', {
  id: uuid('Id')
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  shipmentReference: varchar('ShipmentReference', { length: 100 }).notNull(),
  status: smallint('Status').notNull().default(0),
  isOnHold: boolean('IsOnHold').notNull().default(false),
  holdReason: varchar('HoldReason', { length: 256 }),
  direction: smallint('Direction'),
  cargoReadyDate: instant('CargoReadyDate'),
  estimatedPickup: instant('EstimatedPickup'),
  estimatedDeparture: instant('EstimatedDeparture'),
  estimatedArrival: instant('EstimatedArrival'),
  estimatedDelivery: instant('EstimatedDelivery'),
  actualPickup: instant('ActualPickup'),
  actualDeparture: instant('ActualDeparture'),
  actualArrival: instant('ActualArrival'),
  actualDelivery: instant('ActualDelivery'),
  firstConsolLegDeparturePortId: uuid('FirstConsolLegDeparturePortId').references(() => ports.id),
  lastConsolLegArrivalPortId: uuid('LastConsolLegArrivalPortId').references(() => ports.id),
  originPortId: uuid('OriginPortId').references(() => ports.id),
  destinationPortId: uuid('DestinationPortId').references(() => ports.id),
  transportModeId: uuid('TransportModeId').references(() => codeEntities.id),
  containerModeId: uuid('ContainerModeId').references(() => codeEntities.id),
  incotermId: uuid('IncotermId').references(() => codeEntities.id),
  serviceLevelId: uuid('ServiceLevelId').references(() => codeEntities.id),
  releaseTypeId: uuid('ReleaseTypeId').references(() => codeEntities.id),
  packageTypeId: uuid('PackageTypeId').references(() => codeEntities.id),
  controllingCustomerId: uuid('ControllingCustomerId').references(() => organizations.id),
  cargoDescription: varchar('CargoDescription', { length: 500 }),
  totalPackages: integer('TotalPackages'),
  totalGrossWeight: doublePrecision('TotalGrossWeight'),
  totalVolume: doublePrecision('TotalVolume'),
  totalChargeableWeight: doublePrecision('TotalChargeableWeight'),
  co2Emissions: doublePrecision('Co2Emissions'),
  goodsValue: numeric('GoodsValue', { precision: 18, scale: 2, mode: 'number' }),
  goodsCurrencyCode: char('GoodsCurrencyCode', { length: 3 }),
  houseBillNumber: varchar('HouseBillNumber', { length: 35 }),
  masterBillNumber: varchar('MasterBillNumber', { length: 35 }),
  bookingReference: varchar('BookingReference', { length: 35 }),
  carrierId: uuid('CarrierId'),
  vesselName: varchar('VesselName', { length: 50 }),
  voyageFlightNumber: varchar('VoyageFlightNumber', { length: 20 }),
  isDangerousGoods: boolean('IsDangerousGoods').notNull().default(false),
  isTemperatureControlled: boolean('IsTemperatureControlled').notNull().default(false),
  isRoutingOverridden: boolean('IsRoutingOverridden').notNull().default(false),
  quoteId: uuid('QuoteId'),
  quoteReference: varchar('QuoteReference', { length: 50 }),
  sourceSystem: varchar('SourceSystem', { length: 50 }),
  externalId: varchar('ExternalId', { length: 100 }),
  creationTime: instant('CreationTime')
    .notNull()
    .$defaultFn(() => new Date()),
  creatorId: uuid('CreatorId'),
  lastModificationTime: instant('LastModificationTime'),
  lastModifierId: uuid('LastModifierId'),
  isDeleted: boolean('IsDeleted').notNull().default(false),
  concurrencyStamp: varchar('ConcurrencyStamp', { length: 40 })
    .notNull()
    .$defaultFn(() => crypto.randomUUID()),
})

export const addresses = pgTable('HubShipmentAddresses', {
  id: uuid('Id')
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  shipmentId: uuid('ShipmentId')
    .notNull()
    .references(() => shipments.id),
  role: smallint('Role').notNull(),
  sequence: smallint('Sequence').notNull().default(0),
  organizationId: uuid('OrganizationId'),
  companyName: varchar('CompanyName', { length: 200 }).notNull(),
  addressLine1: varchar('AddressLine1', { length: 200 }),
  addressLine2: varchar('AddressLine2', { length: 200 }),
  city: varchar('City', { length: 100 }),
  stateProvince: varchar('StateProvince', { length: 100 }),
  postalCode: varchar('PostalCode', { length: 20 }),
  countryCode: char('CountryCode', { length: 2 }),
  contactName: varchar('ContactName', { length: 100 }),
  phone: varchar('Phone', { length: 50 }),
  email: varchar('Email', { length: 256 }),
  taxNumber: varchar('TaxNumber', { length: 30 }),
  creationTime: instant('CreationTime')
    .notNull()
    .$defaultFn(() => new Date()),
  creatorId: uuid('CreatorId'),
  isDeleted: boolean('IsDeleted').notNull().default(false),
})
