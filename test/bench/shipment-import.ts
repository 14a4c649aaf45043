import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { type ImportDto, ImportStatus } from '@keel/framework/contracts'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import {
  children,
  databaseNames,
  memoryOf,
  prepareSchemas,
  start,
  tellsMemory,
  trustIn,
} from './processes.js'

/**
 * A CSV file of shipments with three parties each, uploaded to an API host and imported by its job: the time until the report says that it is over,
 * and the memory that the host takes beside what it had before. Ends with 1 when either is above its aim. The shipments are deleted in the end.
 */
const { values: args } = parseArgs({ options: { shipments: { type: 'string', default: '100000' } } })
const shipments = Number(args.shipments)
const aim = { seconds: 60, megabytes: 120 }
const root = fileURLToPath(new URL('../../../', import.meta.url))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const issuer = await TokenIssuer.start()
const removal = `
  delete from "AbpEventOutbox";
  delete from "HubShipments" where "ShipmentReference" like 'SIB%'`
let isWithinAims = false
try {
  const env = { ...(await prepareSchemas(server)), ...trustIn(issuer.address) }
  await query('Hub', removal)
  const [admin] = await query('Default', `select "Id" as id from "AbpUsers" where "UserName" = 'admin'`)
  const headers = {
    authorization: `Bearer ${await issuer.token({ subject: String(admin?.id), expiresIn: 3600 })}`,
  }
  const port = await nextFreePort(4500)
  const host = await start(
    'hosts/api/dist/main.js',
    { ...env, PORT: String(port), Jobs__PollMs: '200', App__MaxFileBytes: String(64 * 1024 * 1024) },
    port,
    tellsMemory,
  )
  const upload = async (rows: number, prefix: string): Promise<ImportDto> => {
    const form = new FormData()
    form.append('file', new File(fileOf(rows, prefix), 'shipments.csv', { type: 'text/csv' }))
    const url = `http://localhost:${port}/api/hub/shipment/import`
    const begun = await fetch(url, { method: 'POST', headers, body: form })
    if (!begun.ok) throw new Error(await begun.text())
    let report = (await begun.json()) as ImportDto
    while (report.status <= ImportStatus.Running) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      report = (await (await fetch(`${url}/${report.id}`, { headers })).json()) as ImportDto
    }
    if (report.status !== ImportStatus.Completed) throw new Error(JSON.stringify(report).slice(0, 2000))
    return report
  }
  // Code is compiled and caches are filled.
  await upload(500, 'SIB-WARM')
  await memoryOf(host)
  const before = residentOf(host.pid)
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, residentOf(host.pid))
  }, 20)
  const began = performance.now()
  const { insertedCount } = await upload(shipments, 'SIB')
  const seconds = (performance.now() - began) / 1000
  clearInterval(sampling)
  const megabytes = most - before
  console.table({
    shipments: { measured: insertedCount },
    seconds: { measured: Number(seconds.toFixed(1)), aim: aim.seconds },
    'MB of memory': { measured: Math.round(megabytes), aim: aim.megabytes },
    'MB of memory, all of the process': { measured: Math.round(most) },
  })
  isWithinAims = seconds < aim.seconds && megabytes < aim.megabytes
  await query('Hub', removal)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
}
process.exit(isWithinAims ? 0 : 1)

/** MB that a process holds. */
function residentOf(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** A file with its rows in pieces. */
function fileOf(rows: number, prefix: string): string[] {
  const header =
    'shipmentReference,transportMode,containerMode,departurePort,arrivalPort,estimatedDeparture,estimatedArrival,cargoDescription,totalPackages,totalGrossWeight,goodsValue,goodsCurrencyCode,consignorCompanyName,consignorAddressLine1,consignorCity,consignorCountryCode,consigneeCompanyName,consigneeCity,consigneeCountryCode,notifyPartyCompanyName,notifyPartyEmail\n'
  const pieces = [header]
  for (let index = 0; index < rows; index += 1)
    pieces.push(
      `${prefix}-${index},SEA,FCL,NLRTM,USNYC,2026-12-0${1 + (index % 9)}T10:00:00Z,2027-01-1${index % 9}T10:00:00Z,Cargo number ${index},${index % 100},${index / 8},${index}.50,EUR,Sender ${index % 500},Waalhaven 1,Rotterdam,NL,Receiver ${index % 700},New York,US,Notified ${index % 300},notify${index % 300}@example.com\n`,
    )
  return pieces
}

async function query(database: keyof typeof databaseNames, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.urlOf(databaseNames[database]) })
  await client.connect()
  return client
    .query(text)
    .then((answer) => (Array.isArray(answer) ? [] : answer.rows))
    .finally(() => client.end())
}
