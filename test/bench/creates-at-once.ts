import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { TokenIssuer } from '@keel/framework/testing'
import { AddressRole, mostShipmentsUpserted } from '@keel/hub/contracts'
import { type BenchSide, startBenchSide } from './bench-side.js'
import { requestBytes } from './load.js'
import { type Measured, measureBoth } from './measured.js'
import { root, stopChildren } from './processes.js'

/**
 * New shipments in one call beside the same shipments one after the other: how many times as long the single calls take, and how many times as much CPU time of
 * host and PostgreSQL, in turns of one connection that alternate. Ends with 1 when 1,000 of a few members take less than `--least` times as long.
 */
const { values: args } = parseArgs({
  options: {
    turns: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    /** That are there before. */
    shipments: { type: 'string', default: '10000' },
    least: { type: 'string', default: '20' },
  },
})

/** What is created, beside reference and external id, and how many at once: a body has 10,000 members and items at the most. */
interface Kind {
  readonly rows: number
  readonly members: object
}

const few: Kind = {
  rows: mostShipmentsUpserted,
  members: { totalPackages: 3, cargoDescription: 'Benchmark' },
}
const withParties: Kind = {
  rows: 250,
  members: {
    totalPackages: 3,
    cargoDescription: 'Benchmark',
    totalGrossWeight: 1250.5,
    goodsValue: '1000.50',
    goodsCurrencyCode: 'EUR',
    estimatedDeparture: '2026-12-01T10:00:00Z',
    estimatedArrival: '2027-01-11T10:00:00Z',
    addresses: [
      { role: AddressRole.Consignor, companyName: 'Sender', city: 'Rotterdam', countryCode: 'NL' },
      { role: AddressRole.Consignee, companyName: 'Receiver', city: 'New York', countryCode: 'US' },
      { role: AddressRole.NotifyParty, companyName: 'Notified', email: 'notified@example.com' },
    ],
  },
}

const kinds = { 'a few members': few, 'with three parties': withParties }

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void stopChildren().then(() => process.exit(1))
  })

const issuer = await TokenIssuer.start()
let side: BenchSide | undefined
let times = 0
try {
  side = await startBenchSide(issuer, {
    directory: `${root}.keel/creates`,
    databasePort: 54354,
    shipments: Number(args.shipments),
  })
  const table: Record<string, object> = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const turns: { single: Measured; together: Measured }[] = []
    for (let turn = 0; turn < Number(args.turns); turn++) {
      const early = turn % 2 ? await manyCalls(side, kind) : undefined
      const single = await singleCalls(side, kind)
      turns.push({ single, together: early ?? (await manyCalls(side, kind)) })
    }
    const ratioOf = (of: (seen: Measured) => number) =>
      middle(turns.map(({ single, together }) => (of(single) * kind.rows) / of(together)))
    const ratio = ratioOf(({ p50 }) => p50)
    if (kind === few) times = ratio
    const usual = (of: (seen: Measured) => number, which: 'single' | 'together') =>
      Number(middle(turns.map((turn) => of(turn[which]))).toFixed(2))
    table[name] = {
      rows: kind.rows,
      'one, ms': usual(({ p50 }) => p50, 'single'),
      'all at once, ms': usual(({ p50 }) => p50, 'together'),
      times: Number(ratio.toFixed(1)),
      'CPU of one, ms': usual(millisecondsOf, 'single'),
      'CPU of all at once, ms': usual(millisecondsOf, 'together'),
      'times less CPU': Number(ratioOf(millisecondsOf).toFixed(1)),
    }
  }
  console.table(table)
  process.stdout.write(
    `The middle of ${args.turns} pairs of turns of ${args.seconds} s. Aim: ${args.least} times.\n`,
  )
} finally {
  await stopChildren()
  await issuer.stop()
  await side?.stop()
}
process.exit(times >= Number(args.least) ? 0 : 1)

function singleCalls(called: BenchSide, { members }: Kind): Promise<Measured> {
  return measured(called, '"id":', () =>
    requestBytes(called.port, 'POST', '/api/hub/shipment', called.headers, JSON.stringify(shipment(members))),
  )
}

function manyCalls(called: BenchSide, { rows, members }: Kind): Promise<Measured> {
  const path = '/api/hub/shipment/by-external-id/many'
  return measured(called, `"created":${rows},`, () => {
    const body = { rows: Array.from({ length: rows }, () => shipment(members)) }
    return requestBytes(called.port, 'PUT', path, called.headers, JSON.stringify(body))
  })
}

/** @param wanted what is in every answer */
async function measured(
  { port, host, directory }: BenchSide,
  wanted: string,
  next: () => string,
): Promise<Measured> {
  const seconds = Number(args.seconds)
  let refused: string | undefined
  const answered = (_connection: number, answer: string) => {
    if (!answer.startsWith('HTTP/1.1 2') || !answer.includes(wanted)) refused = answer
  }
  const options = { port, pid: host.pid as number, connections: 1, seconds, warmUpSeconds: 1, next, answered }
  const seen = await measureBoth(options, directory)
  if (refused) throw new Error(`Not all were created: ${refused.slice(0, 1000)}`)
  return seen
}

function shipment(members: object): object {
  const id = randomUUID()
  return { ...members, shipmentReference: `B-${id}`, sourceSystem: 'Bench', externalId: id }
}

/** CPU time of a request, of host and PostgreSQL. */
function millisecondsOf({
  cpuMicroseconds = Number.NaN,
  databaseMicroseconds = Number.NaN,
}: Measured): number {
  return (cpuMicroseconds + databaseMicroseconds) / 1000
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
