/** Columns of a table that go out, by the name of the member. */
const port = columns(
  'Id UnLocode Name CountryCode IataCode SubdivisionCode Latitude Longitude TimeZone IsSeaport IsAirport',
)
const code = columns('Id Type Code Name Description')
const organization = columns('Id Code FullName')
const shipment =
  columns(`Id ShipmentReference Status IsOnHold HoldReason Direction CargoReadyDate EstimatedPickup EstimatedDeparture
  EstimatedArrival EstimatedDelivery ActualPickup ActualDeparture ActualArrival ActualDelivery FirstConsolLegDeparturePortId
  LastConsolLegArrivalPortId TransportModeId ContainerModeId CargoDescription TotalPackages TotalGrossWeight TotalVolume
  TotalChargeableWeight Co2Emissions GoodsValue GoodsCurrencyCode HouseBillNumber MasterBillNumber BookingReference CarrierId VesselName
  VoyageFlightNumber IsDangerousGoods IsTemperatureControlled IsRoutingOverridden QuoteId QuoteReference SourceSystem ExternalId
  CreationTime CreatorId LastModificationTime LastModifierId ConcurrencyStamp`)
const address =
  columns(`Id Role Sequence OrganizationId CompanyName AddressLine1 AddressLine2 City StateProvince PostalCode CountryCode
  ContactName Phone Email TaxNumber`)

/** The rows that a shipment refers to. */
const references = [
  ...['firstConsolLegDeparturePort', 'lastConsolLegArrivalPort', 'originPort', 'destinationPort'].map(
    (member) => ({ member, table: 'HubPorts', columns: port }),
  ),
  ...['transportMode', 'containerMode', 'incoterm', 'serviceLevel', 'releaseType', 'packageType'].map(
    (member) => ({ member, table: 'HubCodeEntities', columns: code }),
  ),
  { member: 'controllingCustomer', table: 'HubOrganizations', columns: organization },
]

/** The columns by which shipments are filtered, by the name of the parameter. */
export const filterColumns = {
  status: 'Status',
  departurePortId: 'FirstConsolLegDeparturePortId',
  arrivalPortId: 'LastConsolLegArrivalPortId',
} as const
export type FilterName = keyof typeof filterColumns

const newestFirst = '"CreationTime" desc, "Id"'
const selected = [
  ...shipment.map(({ column }) => `s."${column}"`),
  ...references.flatMap(({ columns }, index) => columns.map(({ column }) => `r${index}."${column}"`)),
].join(', ')
const joined = references
  .map(
    ({ member, table }, index) => `left join "${table}" r${index} on r${index}."Id" = s."${upper(member)}Id"`,
  )
  .join('\n  ')

/** The statements, whose parameters are the values of the filters, then those that each names. */
export const statements = {
  /** Take, skip. */
  page: (filters: readonly FilterName[]) => `select ${selected}
  from (
    select * from "HubShipments" where ${condition(filters)}
    order by ${newestFirst} limit $${filters.length + 1} offset $${filters.length + 2}
  ) s
  ${joined}
  order by s."CreationTime" desc, s."Id"`,
  count: (filters: readonly FilterName[]) =>
    `select count(*)::int from "HubShipments" where ${condition(filters)}`,
  /** Id. */
  one: `select ${selected} from "HubShipments" s ${joined} where s."Id" = $1 and s."IsDeleted" = false`,
  /** Id of the shipment. */
  addresses: `select ${address.map(({ column }) => `"${column}"`).join(', ')} from "HubShipmentAddresses"
  where "ShipmentId" = $1 and "IsDeleted" = false order by "Role", "Sequence"`,
  /** Take, skip. */
  ports: `select ${port.map(({ column }) => `"${column}"`).join(', ')} from "HubPorts"
  where "IsActive" order by "UnLocode", "Id" limit $1 offset $2`,
  countPorts: `select count(*)::int from "HubPorts" where "IsActive"`,
  /** Id, reference, packages, description, creator, stamp. */
  create: `insert into "HubShipments" ("Id", "ShipmentReference", "TotalPackages", "CargoDescription", "CreatorId", "ConcurrencyStamp", "CreationTime")
  values ($1, $2, $3, $4, $5, $6, now())`,
  /** The same, and the parties as a JSON array. */
  createWithAddresses: `with created as (
    insert into "HubShipments" ("Id", "ShipmentReference", "TotalPackages", "CargoDescription", "CreatorId", "ConcurrencyStamp", "CreationTime")
    values ($1, $2, $3, $4, $5, $6, now())
  )
  insert into "HubShipmentAddresses" ("Id", "ShipmentId", "Role", "Sequence", "CompanyName", "City", "CountryCode", "CreatorId", "CreationTime")
  select gen_random_uuid(), $1, a.role, 0, a."companyName", a.city, a."countryCode", $5, now()
  from json_to_recordset($7) as a (role smallint, "companyName" text, city text, "countryCode" text)`,
}

/** A shipment out of the row of `page` or `one`, which comes as an array. */
export function shipmentOf(row: readonly unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  let at = 0
  for (const { member } of shipment) result[member] = row[at++]
  for (const { member, columns } of references) {
    result[member] = row[at] === null ? null : objectOf(columns, row, at)
    at += columns.length
  }
  return result
}

export const portOf = (row: readonly unknown[]): object => objectOf(port, row, 0)
export const addressOf = (row: readonly unknown[]): object => objectOf(address, row, 0)

interface Column {
  readonly column: string
  readonly member: string
}

function objectOf(of: readonly Column[], row: readonly unknown[], start: number): object {
  const result: Record<string, unknown> = {}
  for (let index = 0; index < of.length; index++) result[(of[index] as Column).member] = row[start + index]
  return result
}

function columns(names: string): readonly Column[] {
  return names
    .split(/\s+/)
    .map((column) => ({ column, member: column.charAt(0).toLowerCase() + column.slice(1) }))
}

function upper(member: string): string {
  return member.charAt(0).toUpperCase() + member.slice(1)
}

function condition(filters: readonly FilterName[]): string {
  return [
    '"IsDeleted" = false',
    ...filters.map((name, index) => `"${filterColumns[name]}" = $${index + 1}`),
  ].join(' and ')
}
