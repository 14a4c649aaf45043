/** A request of a bench. */
export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
}

/** A filter of shipments: the same rows in each dialect, as ids for peers and as codes for Keel. */
export interface Filter {
  readonly status: number
  readonly departurePortId: string
  readonly arrivalPortId: string
  readonly departurePort: string
  readonly arrivalPort: string
}

export type Row = Readonly<Record<string, unknown>>

/** How the same questions are asked of an API, and how its answers are read. */
export interface Dialect {
  echo(): Call
  ports(): Call
  page(): Call
  filtered(filter: Filter): Call
  get(id: string): Call
  create(reference: string): Call
  /** Undefined where the API can't create a shipment with its parties in one call. */
  createWithParties(reference: string): Call | undefined
  readPage(body: unknown): { totalCount: number; items: readonly Row[] }
  readOne(body: unknown): Row
  readEcho(body: unknown): Row
}

const pageSize = 50
const parties = [
  { role: 0, companyName: 'Harbour Mills', city: 'Rotterdam', countryCode: 'NL' },
  { role: 1, companyName: 'Northern Trading', city: 'Oslo', countryCode: 'NO' },
]
const newShipment = (shipmentReference: string) => ({
  shipmentReference,
  totalPackages: 3,
  cargoDescription: 'Benchmark',
})

const json = {
  create: (path: string, reference: string): Call => ({ method: 'POST', path, body: newShipment(reference) }),
  createWithParties: (path: string, reference: string): Call => ({
    method: 'POST',
    path,
    body: { ...newShipment(reference), addresses: parties },
  }),
  readPage: (body: unknown) => body as { totalCount: number; items: Row[] },
  readOne: (body: unknown) => body as Row,
  readEcho: (body: unknown) => body as Row,
}
const get = (path: string): Call => ({ method: 'GET', path })

/** Keel's own API: ABP's names of parameters, filters by code, ports of a list by `sorting`. */
export const keel: Dialect = {
  ...json,
  echo: () => get('/api/bench/echo/echo'),
  ports: () => get(`/api/hub/port?MaxResultCount=${pageSize}&Sorting=unLocode`),
  page: () => get(`/api/hub/shipment?MaxResultCount=${pageSize}`),
  filtered: ({ status, departurePort, arrivalPort }) =>
    get(
      `/api/hub/shipment?MaxResultCount=${pageSize}&Filters[Status]=${status}&Filters[DeparturePort]=${departurePort}&Filters[ArrivalPort]=${arrivalPort}`,
    ),
  get: (id) => get(`/api/hub/shipment/${id}`),
  create: (reference) => json.create('/api/hub/shipment', reference),
  createWithParties: (reference) => json.createWithParties('/api/hub/shipment', reference),
}

/** The API of all peers that have controllers or routes. */
export const rest: Dialect = {
  ...json,
  echo: () => get('/echo'),
  ports: () => get(`/ports?take=${pageSize}&skip=0`),
  page: () => get(`/shipments?take=${pageSize}&skip=0`),
  filtered: ({ status, departurePortId, arrivalPortId }) =>
    get(
      `/shipments?take=${pageSize}&skip=0&status=${status}&departurePortId=${departurePortId}&arrivalPortId=${arrivalPortId}`,
    ),
  get: (id) => get(`/shipments/${id}`),
  create: (reference) => json.create('/shipments', reference),
  createWithParties: (reference) => json.createWithParties('/shipments', reference),
}

/** The members of rows that are compared, and that PostGraphile is asked for. */
const portMembers =
  'id unLocode name countryCode iataCode subdivisionCode latitude longitude timeZone isSeaport isAirport'.split(
    ' ',
  )
const codeMembers = 'id type code name description'.split(' ')
const organizationMembers = 'id code fullName'.split(' ')
const addressMembers =
  'id role sequence organizationId companyName addressLine1 addressLine2 city stateProvince postalCode countryCode contactName phone email taxNumber'.split(
    ' ',
  )
const shipmentMembers =
  `id shipmentReference status isOnHold holdReason direction cargoReadyDate estimatedPickup estimatedDeparture estimatedArrival
  estimatedDelivery actualPickup actualDeparture actualArrival actualDelivery firstConsolLegDeparturePortId lastConsolLegArrivalPortId
  transportModeId containerModeId cargoDescription totalPackages totalGrossWeight totalVolume totalChargeableWeight co2Emissions goodsValue
  goodsCurrencyCode houseBillNumber masterBillNumber bookingReference carrierId vesselName voyageFlightNumber isDangerousGoods
  isTemperatureControlled isRoutingOverridden quoteId quoteReference sourceSystem externalId creationTime creatorId lastModificationTime
  lastModifierId concurrencyStamp`.split(/\s+/)
const references: Readonly<Record<string, readonly string[]>> = {
  ...of(
    portMembers,
    'firstConsolLegDeparturePort',
    'lastConsolLegArrivalPort',
    'originPort',
    'destinationPort',
  ),
  ...of(
    codeMembers,
    'transportMode',
    'containerMode',
    'incoterm',
    'serviceLevel',
    'releaseType',
    'packageType',
  ),
  ...of(organizationMembers, 'controllingCustomer'),
}

function of(members: readonly string[], ...names: string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.map((name) => [name, members]))
}

/** PostGraphile names a relation after its table and key: the members that Keel has are aliases. */
function relation(name: string, members: readonly string[]): string {
  const table =
    members === portMembers ? 'hubPort' : members === codeMembers ? 'hubCodeEntity' : 'hubOrganization'
  return `${name}: ${table}By${name.charAt(0).toUpperCase()}${name.slice(1)}Id { ${members.join(' ')} }`
}

const withReferences = `${shipmentMembers.join(' ')} ${Object.entries(references)
  .map(([name, members]) => relation(name, members))
  .join(' ')}`
const pageQuery = `query Page($condition: HubShipmentCondition) {
  allHubShipments(first: ${pageSize}, condition: $condition, orderBy: [CREATION_TIME_DESC, ID_ASC]) { totalCount nodes { ${withReferences} } }
}`
const portQuery = `{
  allHubPorts(first: ${pageSize}, condition: { isActive: true }, orderBy: [UN_LOCODE_ASC, ID_ASC]) { totalCount nodes { ${portMembers.join(' ')} } }
}`
const oneQuery = `query One($id: UUID!) {
  hubShipmentById(id: $id) {
    ${withReferences}
    addresses: hubShipmentAddressesByShipmentId(condition: { isDeleted: false }, orderBy: [ROLE_ASC, SEQUENCE_ASC]) { nodes { ${addressMembers.join(' ')} } }
  }
}`
const createQuery = `mutation Create($shipment: HubShipmentInput!) {
  createHubShipment(input: { hubShipment: $shipment }) { hubShipment { ${shipmentMembers.join(' ')} } }
}`
const post = (query: string, variables: object = {}): Call => ({
  method: 'POST',
  path: '/graphql',
  body: { query, variables },
})

interface GraphqlBody {
  readonly errors?: readonly unknown[]
  readonly data?: {
    readonly __typename?: string
    readonly allHubShipments?: { totalCount: number; nodes: Row[] }
    readonly allHubPorts?: { totalCount: number; nodes: Row[] }
    readonly hubShipmentById?: Row & { addresses: { nodes: Row[] } }
    readonly createHubShipment?: { hubShipment: Row }
  }
}

/** GraphQL as PostGraphile makes it of the tables: a client gives ids, times and stamps of new rows itself. */
export const postgraphile: Dialect = {
  echo: () => post('{ __typename }'),
  ports: () => post(portQuery),
  page: () => post(pageQuery, { condition: { isDeleted: false } }),
  filtered: ({ status, departurePortId, arrivalPortId }) =>
    post(pageQuery, {
      condition: {
        isDeleted: false,
        status,
        firstConsolLegDeparturePortId: departurePortId,
        lastConsolLegArrivalPortId: arrivalPortId,
      },
    }),
  get: (id) => post(oneQuery, { id }),
  create: (reference) =>
    post(createQuery, {
      shipment: {
        ...newShipment(reference),
        id: crypto.randomUUID(),
        concurrencyStamp: crypto.randomUUID(),
        creationTime: new Date().toISOString(),
      },
    }),
  createWithParties: () => undefined,
  readPage: (body) => {
    const { allHubShipments, allHubPorts } = dataOf(body)
    const page = allHubShipments ?? allHubPorts
    return { totalCount: page?.totalCount ?? -1, items: page?.nodes ?? [] }
  },
  readOne: (body) => {
    const { hubShipmentById, createHubShipment } = dataOf(body)
    if (createHubShipment) return createHubShipment.hubShipment
    return { ...hubShipmentById, addresses: hubShipmentById?.addresses.nodes }
  },
  readEcho: (body) => ({ text: dataOf(body).__typename }),
}

function dataOf(body: unknown): NonNullable<GraphqlBody['data']> {
  const { errors, data } = body as GraphqlBody
  if (errors || !data) throw new Error(`PostGraphile answered ${JSON.stringify(errors)}`)
  return data
}

/** A shipment with the members that all APIs have, in one form: see {@link plain}. */
export function comparableShipment(row: Row): Row {
  const addresses = row.addresses as Row[] | null | undefined
  return {
    ...picked(row, shipmentMembers),
    ...Object.fromEntries(
      Object.entries(references).map(([name, members]) => [name, pickedOrNull(row[name], members)]),
    ),
    ...(addresses && { addresses: addresses.map((address) => picked(address, addressMembers)) }),
  }
}

/** A port with the members that all APIs have. */
export function comparablePort(row: Row): Row {
  return picked(row, portMembers)
}

/** What a new shipment has besides what each creation makes anew. */
export function comparableCreation(row: Row): Row {
  const { id, shipmentReference, creationTime, creatorId, concurrencyStamp, ...others } =
    comparableShipment(row)
  const addresses = others.addresses as Row[] | undefined
  return { ...others, addresses: addresses?.map(({ id: _, ...address }) => address) }
}

function pickedOrNull(row: unknown, members: readonly string[]): Row | null {
  return row ? picked(row as Row, members) : null
}

function picked(row: Row, members: readonly string[]): Row {
  return Object.fromEntries(members.map((member) => [member, plain(member, row[member])]))
}

/**
 * A value in one form. An absent member is null: LoopBack leaves empty ones out. An instant is its text in UTC with milliseconds: PostgreSQL's
 * JSON has an offset, others end with Z. A decimal is a number: TypeORM, Prisma and PostGraphile send text.
 */
function plain(member: string, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (member === 'goodsValue') return Number(value)
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value))
    return new Date(value).toISOString()
  return value
}
