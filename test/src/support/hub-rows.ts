import { randomUUID } from 'node:crypto'
import { type Database, Databases, namedGuid, sequentialGuid, sql } from '@keel/framework/data'
import type { App } from './app.js'

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** Hub's database of an app, for what tests put there or look up behind the API's back. */
export function hubOf(app: App): Database {
  return app.host.get(Databases).named('Hub')
}

/** The id of a seeded port. */
export function portId(unLocode: string): string {
  return namedGuid(`Port:${unLocode}`)
}

/** The id of a seeded code entity. */
export function codeId(type: string, code: string): string {
  return namedGuid(`CodeEntity:${type}:${code}`)
}

/** The id of a seeded transport mode. */
export const modeId = (code: string): string => codeId('TransportMode', code)
/** The id of a seeded container mode. */
export const containerId = (code: string): string => codeId('ContainerMode', code)

/** Adds rows in one statement; columns that no row names take their defaults. */
export async function addRows(database: Database, table: string, rows: readonly Row[]): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].map((name) => `"${name}"`).join(', ')
  await database.execute({
    text: `insert into "${table}" (${columns}) select ${columns} from json_populate_recordset(null::"${table}", $1)`,
    values: [JSON.stringify(rows)],
  })
  // Where no notification arrives, as behind a pooler, the host would know a moment later.
  database.feed.changed(table)
}

/** What {@link addShipments} takes: columns, and the organizations on it by role. */
export interface ShipmentRow extends Row {
  readonly parties?: readonly { readonly role: number; readonly organizationId: string }[]
}

/** Roles that do not show a shipment: PickupFrom, DeliverTo, Carrier (domain model, section 3). */
const blindRoles = [5, 6, 14]

/** Adds shipments with their parties, and everything that the API would derive from those. Answers their ids in order. */
export async function addShipments(app: App, rows: readonly ShipmentRow[]): Promise<string[]> {
  const now = new Date()
  const shipments = rows.map(({ parties = [], ...row }) => {
    const seeing = parties.filter(({ role }) => !blindRoles.includes(role))
    return {
      Id: sequentialGuid(),
      ShipmentReference: randomUUID(),
      Status: 0,
      CreationTime: now,
      ConcurrencyStamp: 'stamp',
      ControllingCustomerId: parties.find(({ role }) => role === 4)?.organizationId ?? null,
      VisibleOrganizationIds: [...new Set(seeing.map(({ organizationId }) => organizationId))],
      ...row,
    }
  })
  await addRows(hubOf(app), 'HubShipments', shipments)
  const addresses = rows.flatMap(({ parties = [] }, index) =>
    parties.map(({ role, organizationId }, sequence) => ({
      Id: sequentialGuid(),
      ShipmentId: shipments[index]?.Id,
      Role: role,
      Sequence: sequence,
      OrganizationId: organizationId,
      CompanyName: 'Company',
      CreationTime: now,
    })),
  )
  if (addresses.length) await addRows(hubOf(app), 'HubShipmentAddresses', addresses)
  return shipments.map(({ Id }) => String(Id))
}

/** Adds an organization and answers its id. */
export async function addOrganization(app: App, code: string, row: Row = {}): Promise<string> {
  const id = sequentialGuid()
  const own = {
    Id: id,
    Code: code,
    FullName: `${code} Company`,
    HierarchyPath: `/${code}/`,
    CountryCode: 'NL',
  }
  await addRows(hubOf(app), 'HubOrganizations', [
    { ...own, CreationTime: new Date(), ConcurrencyStamp: 'stamp', ...row },
  ])
  return id
}

/** Makes a user a member of an organization. */
export async function addMember(
  app: App,
  userId: string,
  organizationId: string,
  row: Row = {},
): Promise<void> {
  const own = { Id: sequentialGuid(), OrganizationId: organizationId, UserId: userId, UserName: 'member' }
  await addRows(hubOf(app), 'HubOrganizationMembers', [{ ...own, CreationTime: new Date(), ...row }])
}

/** Adds documents, published and visible to customers unless their rows say otherwise. Answers their ids in order. */
export async function addDocuments(app: App, rows: readonly Row[]): Promise<string[]> {
  const documents = rows.map((row) => ({
    Id: sequentialGuid(),
    DocumentTypeId: codeId('DocumentType', 'CIV'),
    FileName: 'invoice.pdf',
    ContentType: 'application/pdf',
    FileSize: 1,
    FileDate: new Date(),
    BlobName: randomUUID(),
    Sha256: '0'.repeat(64),
    Status: 1,
    CreationTime: new Date(),
    ConcurrencyStamp: 'stamp',
    ...row,
  }))
  await addRows(hubOf(app), 'HubDocuments', documents)
  return documents.map(({ Id }) => Id)
}

/** Adds an order and answers its id. */
export async function addOrder(app: App, row: Row): Promise<string> {
  const own = {
    Id: sequentialGuid(),
    OrderNumber: randomUUID(),
    OrderDate: '2026-11-01',
    CurrencyCode: 'EUR',
  }
  const order = { ...own, CreationTime: new Date(), ConcurrencyStamp: 'stamp', ...row }
  await addRows(hubOf(app), 'HubOrders', [order])
  return order.Id
}

/** Changes one column of one row, as another program would: without the API. */
export async function setColumn(
  app: App,
  table: string,
  id: string,
  column: string,
  value: unknown,
): Promise<void> {
  await hubOf(app).execute({
    text: `update "${table}" set "${column}" = $2 where "Id" = $1`,
    values: [id, value],
  })
}

/** One row as it is stored. */
export async function storedRow(app: App, table: string, id: string): Promise<Row> {
  const [row] = await hubOf(app).query<Row>({
    text: `select * from "${table}" where "Id" = $1`,
    values: [id],
  })
  return row ?? {}
}

/** How many rows of a table meet a condition. */
export async function countRows(app: App, condition: ReturnType<typeof sql>): Promise<number> {
  const [row] = await hubOf(app).query<{ n: number }>(sql`select count(*)::int as n from ${condition}`)
  return row?.n ?? -1
}
