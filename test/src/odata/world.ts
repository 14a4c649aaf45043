import { randomUUID } from 'node:crypto'
import { sql } from '@keel/framework/data'
import type { App } from '../support/app.js'
import {
  addDocuments,
  addOrder,
  addOrganization,
  addShipments,
  codeId,
  containerId,
  hubOf,
  modeId,
  portId,
} from '../support/hub-rows.js'

/** A row by its properties: numbers, texts, booleans, null; instants as OData writes them. */
export type Entity = Readonly<Record<string, string | number | boolean | null>>

/** What a test knows of an entity: nothing here comes from the model under test. */
export interface EntityKind {
  readonly table: string
  readonly integers: readonly string[]
  readonly numbers: readonly string[]
  readonly texts: readonly string[]
  readonly instants: readonly string[]
  readonly dates: readonly string[]
  readonly booleans: readonly string[]
  /** Member names in the order of their numbers. */
  readonly enums: Readonly<Record<string, readonly string[]>>
  readonly ones: Readonly<Record<string, string>>
  /** Name, kind, and the property there that holds our id. */
  readonly manys: Readonly<Record<string, readonly [kind: string, by: string]>>
}

const none = {
  integers: [],
  numbers: [],
  texts: [],
  instants: [],
  dates: [],
  booleans: [],
  enums: {},
  ones: {},
  manys: {},
} satisfies Omit<EntityKind, 'table'>

/** The entities that queries are made of, by the names of their sets. */
export const kinds: Readonly<Record<string, EntityKind>> = {
  Shipments: {
    ...none,
    table: 'HubShipments',
    integers: ['TotalPackages'],
    numbers: ['TotalGrossWeight', 'GoodsValue'],
    texts: ['ShipmentReference', 'HouseBillNumber', 'VesselName'],
    instants: ['EstimatedDeparture', 'EstimatedArrival'],
    booleans: ['IsOnHold', 'IsDangerousGoods'],
    enums: {
      Status: ['Draft', 'Booked', 'Confirmed', 'CargoReceived', 'InTransit', 'Arrived'],
      Direction: ['Export', 'Import', 'CrossTrade', 'Domestic'],
    },
    ones: { TransportMode: 'CodeEntities', OriginPort: 'Ports', ControllingCustomer: 'Organizations' },
    manys: {
      Documents: ['Documents', 'ShipmentId'],
      Orders: ['Orders', 'ShipmentId'],
      Addresses: ['ShipmentAddresses', 'ShipmentId'],
    },
  },
  Documents: {
    ...none,
    table: 'HubDocuments',
    integers: ['Version', 'FileSize'],
    texts: ['Title', 'FileName'],
    instants: ['FileDate'],
    dates: ['ExpiryDate'],
    booleans: ['IsCustomerVisible'],
    enums: { Status: ['Pending', 'Published', 'Superseded', 'Archived', 'Quarantined'] },
    ones: { DocumentType: 'CodeEntities', Shipment: 'Shipments' },
  },
  Orders: {
    ...none,
    table: 'HubOrders',
    integers: ['SplitNumber'],
    numbers: ['TotalAmount'],
    texts: ['OrderNumber', 'Description'],
    dates: ['OrderDate', 'CargoReadyDate'],
    enums: { Status: ['Draft', 'Placed', 'Confirmed', 'PartiallyShipped'] },
    ones: { Buyer: 'Organizations', TransportMode: 'CodeEntities', Shipment: 'Shipments' },
  },
  ShipmentAddresses: {
    ...none,
    table: 'HubShipmentAddresses',
    integers: ['Sequence'],
    texts: ['CompanyName', 'City'],
    ones: { Organization: 'Organizations', Shipment: 'Shipments' },
  },
  Organizations: { ...none, table: 'HubOrganizations', texts: ['Code', 'FullName', 'ShortName'] },
  CodeEntities: { ...none, table: 'HubCodeEntities', integers: ['SortOrder'], texts: ['Code', 'Name'] },
  Ports: {
    ...none,
    table: 'HubPorts',
    texts: ['UnLocode', 'Name'],
    booleans: ['IsSeaport', 'IsAirport'],
    ones: { Country: 'Countries' },
  },
  Countries: { ...none, table: 'HubCountries', texts: ['Code', 'Name'], booleans: ['IsEuMember'] },
}

/** All rows of the kinds, as they are stored. */
export type World = Readonly<Record<string, readonly Entity[]>>

/** Fills the database with few rows of great variety, and reads everything back with plain statements. */
export async function makeWorld(app: App): Promise<World> {
  await addVariety(app)
  const world: Record<string, Entity[]> = {}
  for (const [set, kind] of Object.entries(kinds)) {
    const deleted = ['HubCodeEntities', 'HubPorts', 'HubCountries'].includes(kind.table)
      ? 'true'
      : 'not "IsDeleted"'
    const rows = await hubOf(app).query<{ row: Record<string, string | number | boolean | null> }>({
      text: `select to_jsonb(t) as row from "${kind.table}" t where ${deleted} order by "Id"`,
      values: [],
    })
    world[set] = rows.map(({ row }) => entityOf(kind, row))
  }
  return world
}

function entityOf(kind: EntityKind, row: Record<string, string | number | boolean | null>): Entity {
  const entity = { ...row }
  for (const name of kind.instants) if (row[name] !== null) entity[name] = instantText(String(row[name]))
  for (const [name, members] of Object.entries(kind.enums))
    if (row[name] !== null) entity[name] = members[Number(row[name])] ?? null
  return entity
}

/** `…T10:00:00.500+00:00` → `…T10:00:00.5Z` */
function instantText(text: string): string {
  return `${new Date(text).toISOString().replace(/\.?0*Z$/, '')}Z`
}

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length] as T

async function addVariety(app: App): Promise<void> {
  const organizations = [
    await addOrganization(app, 'ALPHA', { ShortName: 'Al' }),
    await addOrganization(app, 'BETA', { ShortName: null }),
    await addOrganization(app, 'GAMMA', { ShortName: "O'Neil" }),
  ]
  const words = ['MSC', "O'Neil", '100%', 'a_b', 'Zürich', '', null, 'msc', 'back\\slash', '"x"']
  const shipments = await addShipments(
    app,
    Array.from({ length: 60 }, (_, index) => ({
      ShipmentReference: `S${String((index * 37) % 60).padStart(3, '0')}`,
      HouseBillNumber: pick([null, 'HB1', 'HB2', 'hb1', 'HB22'], index),
      VesselName: pick(words, index * 7),
      Status: pick([0, 1, 2, 3, 4, 5], index * 5),
      Direction: pick([null, 0, 1, 2, 3], index),
      IsOnHold: index % 3 === 0,
      IsDangerousGoods: index % 4 === 1,
      TotalPackages: pick([null, 0, 1, 2, 3, 7, 40], index),
      TotalGrossWeight: pick([null, 0, 0.25, 2.5, 1000, 7.75], index),
      GoodsValue: pick([null, 0, 12.5, 99.25, 1000], index),
      GoodsCurrencyCode: index % 5 === 0 ? null : 'EUR',
      EstimatedDeparture: pick(
        [null, '2026-01-01T00:00:00Z', '2026-02-28T23:59:59.5Z', '2025-12-31T12:00:00Z'],
        index,
      ),
      EstimatedArrival: pick([null, '2026-01-01T00:00:00Z', '2026-03-01T06:30:00Z'], index),
      TransportModeId: pick([null, modeId('Sea'), modeId('Air')], index),
      ContainerModeId: pick([null, containerId('FCL')], index),
      OriginPortId: pick([null, portId('NLRTM'), portId('DEHAM')], index * 3 + 1),
      IsDeleted: index % 20 === 19,
      parties:
        index % 2 === 0 ? [{ role: 4, organizationId: pick(organizations, Math.floor(index / 2)) }] : [],
    })),
  )
  await addDocuments(
    app,
    Array.from({ length: 90 }, (_, index) => ({
      ShipmentId: pick(shipments, index * 11),
      DocumentTypeId: pick([codeId('DocumentType', 'CIV'), codeId('DocumentType', 'PKL')], index),
      Title: pick([null, 'Invoice', 'invoice', "O'Neil", '50%'], index),
      FileName: pick(['a.pdf', 'b.pdf', 'A.PDF'], index),
      FileSize: pick([1, 1000, 2_000_000, 5], index),
      FileDate: pick(['2026-01-01T00:00:00Z', '2026-05-05T05:05:05Z'], index),
      Version: pick([1, 2, 3], index),
      Status: pick([0, 1, 2, 3], index),
      IsCustomerVisible: index % 3 !== 0,
      ExpiryDate: pick([null, '2026-06-30', '2027-01-01'], index),
      IsDeleted: index % 15 === 14,
    })),
  )
  for (let index = 0; index < 25; index++) {
    await addOrder(app, {
      OrderNumber: `PO${String(index).padStart(2, '0')}`,
      SplitNumber: index % 3,
      BuyerId: pick(organizations, index),
      SupplierId: pick(organizations, index + 1),
      ShipmentId: index % 4 === 0 ? null : pick(shipments, index * 3),
      OrderDate: pick(['2026-01-01', '2026-02-02'], index),
      CargoReadyDate: pick([null, '2026-03-03'], index),
      TransportModeId: pick([null, modeId('Sea')], index),
      TotalAmount: pick([0, 10.5, 200.25], index),
      Status: pick([0, 1, 2, 3], index),
      Description: pick([null, 'Books', 'books and pens', randomUUID().slice(0, 0)], index),
    })
  }
  await hubOf(app).execute(sql`analyze`)
}
