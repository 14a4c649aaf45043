import fastifyJwt from '@fastify/jwt'
import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { alias } from 'drizzle-orm/pg-core'
import fastify from 'fastify'
import pg from 'pg'
import { readPublicKey, settings, tokenRules } from '../settings.js'
import { addresses, codeEntities, organizations, ports, shipments } from './schema.js'
import { pageOf, portSchema, shipmentSchema } from './schemas.js'

/** Fastify with its own JWT plugin, JSON schemas for inputs and answers, and Drizzle on node-postgres with prepared queries. */
const db = drizzle({
  client: new pg.Pool({ connectionString: settings.databaseUrl, max: settings.connections }),
})

const departurePorts = alias(ports, 'departurePort')
const arrivalPorts = alias(ports, 'arrivalPort')
const originPorts = alias(ports, 'originPort')
const destinationPorts = alias(ports, 'destinationPort')
const transportModes = alias(codeEntities, 'transportMode')
const containerModes = alias(codeEntities, 'containerMode')
const incoterms = alias(codeEntities, 'incoterm')
const serviceLevels = alias(codeEntities, 'serviceLevel')
const releaseTypes = alias(codeEntities, 'releaseType')
const packageTypes = alias(codeEntities, 'packageType')

const {
  originPortId: _origin,
  destinationPortId: _destination,
  incotermId: _incoterm,
  serviceLevelId: _level,
  releaseTypeId: _release,
  packageTypeId: _package,
  controllingCustomerId: _customer,
  isDeleted: _isDeleted,
  ...shipmentColumns
} = getTableColumns(shipments)
const { isActive: _isActive, ...portColumns } = getTableColumns(ports)
const {
  shipmentId: _shipment,
  creationTime: _time,
  creatorId: _creator,
  isDeleted: _deleted,
  ...addressColumns
} = getTableColumns(addresses)

const portColumnsOf = <T extends { isActive: unknown }>({ isActive: _, ...columns }: T) => columns

const shipmentsWithReferences = () =>
  db
    .select({
      shipment: shipmentColumns,
      firstConsolLegDeparturePort: portColumnsOf(getTableColumns(departurePorts)),
      lastConsolLegArrivalPort: portColumnsOf(getTableColumns(arrivalPorts)),
      originPort: portColumnsOf(getTableColumns(originPorts)),
      destinationPort: portColumnsOf(getTableColumns(destinationPorts)),
      transportMode: getTableColumns(transportModes),
      containerMode: getTableColumns(containerModes),
      incoterm: getTableColumns(incoterms),
      serviceLevel: getTableColumns(serviceLevels),
      releaseType: getTableColumns(releaseTypes),
      packageType: getTableColumns(packageTypes),
      controllingCustomer: getTableColumns(organizations),
    })
    .from(shipments)
    .leftJoin(departurePorts, eq(departurePorts.id, shipments.firstConsolLegDeparturePortId))
    .leftJoin(arrivalPorts, eq(arrivalPorts.id, shipments.lastConsolLegArrivalPortId))
    .leftJoin(originPorts, eq(originPorts.id, shipments.originPortId))
    .leftJoin(destinationPorts, eq(destinationPorts.id, shipments.destinationPortId))
    .leftJoin(transportModes, eq(transportModes.id, shipments.transportModeId))
    .leftJoin(containerModes, eq(containerModes.id, shipments.containerModeId))
    .leftJoin(incoterms, eq(incoterms.id, shipments.incotermId))
    .leftJoin(serviceLevels, eq(serviceLevels.id, shipments.serviceLevelId))
    .leftJoin(releaseTypes, eq(releaseTypes.id, shipments.releaseTypeId))
    .leftJoin(packageTypes, eq(packageTypes.id, shipments.packageTypeId))
    .leftJoin(organizations, eq(organizations.id, shipments.controllingCustomerId))

const take = sql.placeholder('take')
const skip = sql.placeholder('skip')
const isLive = eq(shipments.isDeleted, false)
const newestFirst = [desc(shipments.creationTime), asc(shipments.id)]
const count = sql<number>`count(*)::int`

const selectPage = shipmentsWithReferences()
  .where(isLive)
  .orderBy(...newestFirst)
  .limit(take)
  .offset(skip)
  .prepare('page')
const countShipments = db.select({ count }).from(shipments).where(isLive).prepare('count')
const selectOne = shipmentsWithReferences()
  .where(and(eq(shipments.id, sql.placeholder('id')), isLive))
  .prepare('one')
const selectAddresses = db
  .select(addressColumns)
  .from(addresses)
  .where(and(eq(addresses.shipmentId, sql.placeholder('id')), eq(addresses.isDeleted, false)))
  .orderBy(asc(addresses.role), asc(addresses.sequence))
  .prepare('addresses')
const selectPorts = db
  .select(portColumns)
  .from(ports)
  .where(eq(ports.isActive, true))
  .orderBy(asc(ports.unLocode), asc(ports.id))
  .limit(take)
  .offset(skip)
  .prepare('ports')
const countPorts = db.select({ count }).from(ports).where(eq(ports.isActive, true)).prepare('countPorts')

type Row = Awaited<ReturnType<typeof selectPage.execute>>[number]
const flat = ({ shipment, ...references }: Row) => ({ ...shipment, ...references })

async function shipmentWithAddresses(id: string) {
  const [[row], parties] = await Promise.all([selectOne.execute({ id }), selectAddresses.execute({ id })])
  return row && { ...flat(row), addresses: parties }
}

interface Window {
  take: number
  skip: number
}
interface ShipmentQuery extends Window {
  status?: number
  departurePortId?: string
  arrivalPortId?: string
}
interface NewShipment {
  shipmentReference: string
  totalPackages?: number
  cargoDescription?: string
  addresses?: { role: number; companyName: string; city?: string; countryCode?: string }[]
}

const windowSchema = {
  take: { type: 'integer', minimum: 1, maximum: 1000, default: 10 },
  skip: { type: 'integer', minimum: 0, default: 0 },
}
const id = { type: 'string', format: 'uuid' }
const newShipmentSchema = {
  type: 'object',
  required: ['shipmentReference'],
  additionalProperties: false,
  properties: {
    shipmentReference: { type: 'string', minLength: 1, maxLength: 100 },
    totalPackages: { type: 'integer', minimum: 0, maximum: 2147483647 },
    cargoDescription: { type: 'string', maxLength: 500 },
    addresses: {
      type: 'array',
      maxItems: 30,
      items: {
        type: 'object',
        required: ['role', 'companyName'],
        additionalProperties: false,
        properties: {
          role: { type: 'integer', minimum: 0, maximum: 14 },
          companyName: { type: 'string', minLength: 1, maxLength: 200 },
          city: { type: 'string', maxLength: 100 },
          countryCode: { type: 'string', pattern: '^[A-Z]{2}$' },
        },
      },
    },
  },
}

const app = fastify()
await app.register(fastifyJwt, {
  secret: { public: await readPublicKey() },
  verify: {
    algorithms: tokenRules.algorithms,
    allowedIss: tokenRules.issuer,
    allowedAud: tokenRules.audience,
  },
})
app.addHook('onRequest', (request) => request.jwtVerify())

app.get(
  '/echo',
  {
    schema: {
      response: {
        200: { type: 'object', properties: { text: { type: 'string' }, number: { type: 'integer' } } },
      },
    },
  },
  async () => ({ text: 'Hello', number: 42 }),
)

app.get<{ Querystring: Window }>(
  '/ports',
  {
    schema: {
      querystring: { type: 'object', properties: windowSchema },
      response: { 200: pageOf(portSchema) },
    },
  },
  async ({ query }) => {
    const [items, [counted]] = await Promise.all([selectPorts.execute({ ...query }), countPorts.execute()])
    return { totalCount: counted?.count, items }
  },
)

app.get<{ Querystring: ShipmentQuery }>(
  '/shipments',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { ...windowSchema, status: { type: 'integer' }, departurePortId: id, arrivalPortId: id },
      },
      response: { 200: pageOf(shipmentSchema) },
    },
  },
  async ({ query: { status, departurePortId, arrivalPortId, ...window } }) => {
    if (status === undefined && !departurePortId && !arrivalPortId) {
      const [rows, [counted]] = await Promise.all([
        selectPage.execute({ ...window }),
        countShipments.execute(),
      ])
      return { totalCount: counted?.count, items: rows.map(flat) }
    }
    const condition = and(
      isLive,
      status === undefined ? undefined : eq(shipments.status, status),
      departurePortId ? eq(shipments.firstConsolLegDeparturePortId, departurePortId) : undefined,
      arrivalPortId ? eq(shipments.lastConsolLegArrivalPortId, arrivalPortId) : undefined,
    )
    const [rows, totalCount] = await Promise.all([
      shipmentsWithReferences()
        .where(condition)
        .orderBy(...newestFirst)
        .limit(window.take)
        .offset(window.skip),
      db.$count(shipments, condition),
    ])
    return { totalCount, items: rows.map(flat) }
  },
)

app.get<{ Params: { id: string } }>(
  '/shipments/:id',
  {
    schema: { params: { type: 'object', properties: { id } }, response: { 200: shipmentSchema } },
  },
  async ({ params }, reply) => {
    const shipment = await shipmentWithAddresses(params.id)
    return shipment ?? reply.code(404).send({ message: 'Not Found' })
  },
)

app.post<{ Body: NewShipment }>(
  '/shipments',
  { schema: { body: newShipmentSchema, response: { 201: shipmentSchema } } },
  async ({ body: { addresses: parties, ...values }, user }, reply) => {
    const creatorId = (user as { sub: string }).sub
    const newShipment = { ...values, creatorId }
    if (!parties) {
      const [created] = await db.insert(shipments).values(newShipment).returning()
      return reply.code(201).send(created)
    }
    const created = await db.transaction(async (transaction) => {
      const [shipment] = await transaction.insert(shipments).values(newShipment).returning()
      const shipmentId = shipment?.id as string
      const inserted = await transaction
        .insert(addresses)
        .values(parties.map((party) => ({ ...party, shipmentId, creatorId })))
        .returning(addressColumns)
      return { ...shipment, addresses: inserted }
    })
    return reply.code(201).send(created)
  },
)

await app.listen({ port: settings.port })
process.stdout.write('listening\n')
