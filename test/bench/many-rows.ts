import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres } from '@keel/embedded-postgres'
import { createApplication, KeelModule, loadConfiguration, Module } from '@keel/framework'
import { Databases, type EntityClass, Stores, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { HubModule } from '@keel/hub'
import { prepareSchemas } from './processes.js'

/**
 * Shipments with four addresses each, written at once in one unit of work: the time that takes, and the memory that the process needs beside
 * what it has before. Ends with 1 when either is above its aim. Everything is taken back in the end.
 */
const { values: args } = parseArgs({ options: { shipments: { type: 'string', default: '100000' } } })
const shipments = Number(args.shipments)
const aim = { seconds: 30, megabytes: 150 }
const roles = [1, 2, 5, 6]
const inBatch = { audit: 'count', events: 'batch' } as const
const root = fileURLToPath(new URL('../../../', import.meta.url))

@Module({ dependsOn: [HubModule] })
class BenchHost extends KeelModule {}

const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
let isWithinAims = false
try {
  Object.assign(
    process.env,
    { KEEL_ENVIRONMENT: 'Development', Log__Level: 'warn' },
    await prepareSchemas(server),
  )
  const application = createApplication(BenchHost, loadConfiguration({ directory: root }))
  await application.start()
  const stores = application.get(Stores)
  const { entities } = application.get(Databases).named('Hub')
  const storeOf = (name: string) =>
    stores.of(entities.find((entity) => entity.name === name) as EntityClass<never>)
  const port = await somePort(application.get(Databases))
  await stores.of(entities[0] as EntityClass<never>).where(sql`false`)
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  const began = performance.now()
  const undone = new Error('everything is taken back')
  let seconds = 0
  await UnitOfWork.run(async () => {
    const ids: string[] = []
    await storeOf('Shipment').insertMany(shipmentRows(ids, port) as never, inBatch)
    const shipped = (performance.now() - began) / 1000
    await storeOf('ShipmentAddress').insertMany(addressRows(ids) as never, inBatch)
    seconds = (performance.now() - began) / 1000
    process.stdout.write(`shipments after ${shipped.toFixed(1)} s\n`)
    throw undone
  }).catch((error: unknown) => {
    if (error !== undone) throw error
  })
  clearInterval(sampling)
  const megabytes = (most - before) / 1048576
  console.table({
    seconds: { measured: Number(seconds.toFixed(1)), aim: aim.seconds },
    'MB of memory': { measured: Math.round(megabytes), aim: aim.megabytes },
    'MB of memory, all of the process': { measured: Math.round(most / 1048576) },
  })
  isWithinAims = seconds < aim.seconds && megabytes < aim.megabytes
  await application.stop()
} finally {
  await server.stop()
}
process.exit(isWithinAims ? 0 : 1)

async function somePort(databases: Databases): Promise<string> {
  const [port] = await databases
    .named('Hub')
    .query<{ id: string }>(sql`select "Id" as id from "HubPorts" limit 1`)
  return port?.id ?? ''
}

/** Shipments as they are asked for; their ids are kept. */
function* shipmentRows(ids: string[], port: string): Iterable<object> {
  for (let index = 0; index < shipments; index += 1) {
    const id = sequentialGuid()
    ids.push(id)
    yield {
      id,
      shipmentReference: `M-${id}`,
      status: index % 8,
      cargoDescription: `Cargo number ${index}`,
      totalPackages: index % 100,
      totalGrossWeight: index / 7,
      goodsValue: `${index}.50`,
      goodsCurrencyCode: 'EUR',
      firstConsolLegDeparturePortId: port,
      lastConsolLegArrivalPortId: port,
      estimatedDeparture: new Date(Date.UTC(2026, 10, 1 + (index % 60))),
      estimatedArrival: new Date(Date.UTC(2026, 11, 1 + (index % 60))),
    }
  }
}

function* addressRows(ids: readonly string[]): Iterable<object> {
  for (const shipmentId of ids)
    for (const role of roles)
      yield {
        shipmentId,
        role,
        companyName: 'Bench Company',
        addressLine1: 'Waalhaven 1',
        city: 'Rotterdam',
        countryCode: 'NL',
      }
}
