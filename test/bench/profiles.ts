import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Profiler } from 'node:inspector'
import { parseArgs } from 'node:util'
import { TokenIssuer } from '@keel/framework/testing'
import { type BenchSide, startBenchSide } from './bench-side.js'
import { type FrequentRequest, frequentRequests } from './frequent-requests.js'
import { measureBoth } from './measured.js'
import { root, stopChildren } from './processes.js'

/**
 * Where a host's time goes in the most frequent requests: for each the functions with the most self time, as the table of
 * docs/performance.md has them. The profile is taken while the host is as busy as it can be; its CPU time per request comes from a load before,
 * because the profiler costs something itself.
 */
const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    connections: { type: 'string', default: '16' },
    shipments: { type: 'string', default: '10000' },
    /** Only operations in whose names this occurs. */
    only: { type: 'string', default: '' },
    /** How many functions are told of each. */
    top: { type: 'string', default: '10' },
  },
})

/** What V8 counts that is no work of the host. */
const idle = '(idle)'

/** A function, and its self time in µs. */
interface Taken {
  readonly name: string
  readonly place: string
  readonly microseconds: number
}

/** Arguments for Node with which a process starts a profile at the first message and answers it at the second. */
const tellsProfile: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import { Session } from 'node:inspector'
    const session = new Session()
    session.connect()
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 250 })
    let running = false
    process.on('message', () => {
      if (running) session.post('Profiler.stop', (_error, { profile }) => process.send(profile))
      else session.post('Profiler.start', () => process.send('started'))
      running = !running
    })`)}`,
]

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void stopChildren().then(() => process.exit(1))
  })

const issuer = await TokenIssuer.start()
let side: BenchSide | undefined
try {
  side = await startBenchSide(issuer, {
    directory: `${root}.keel/profiles`,
    databasePort: 54353,
    shipments: Number(args.shipments),
    nodeArgs: tellsProfile,
  })
  for (const request of frequentRequests.filter(({ name }) => name.includes(args.only)))
    process.stdout.write(`${await profileOf(request, side)}\n\n`)
} finally {
  await stopChildren()
  await issuer.stop()
  await side?.stop()
}
process.exit(0)

async function profileOf({ name, next }: FrequentRequest, called: BenchSide): Promise<string> {
  const options = {
    port: called.port,
    pid: called.host.pid as number,
    connections: Number(args.connections),
    next: next(called),
  }
  const { cpuMicroseconds = Number.NaN, databaseMicroseconds = Number.NaN } = await measureBoth(
    { ...options, seconds: 2, warmUpSeconds: 4 },
    called.directory,
  )
  await ask(called.host)
  const { errors, requests } = await measureBoth(
    { ...options, seconds: Number(args.seconds), warmUpSeconds: 0 },
    called.directory,
  )
  const profile = (await ask(called.host)) as Profiler.Profile
  if (errors > 0) throw new Error(`${errors} of ${requests} requests of “${name}” were answered with errors`)
  const taken = selfTimes(profile)
  const busy = taken.reduce((all, { microseconds }) => all + microseconds, 0)
  const rows = taken
    .slice(0, Number(args.top))
    .map(
      ({ name: functionName, place, microseconds }) =>
        `| \`${functionName}\` | ${place} | ${((100 * microseconds) / busy).toFixed(1)} % | ${((cpuMicroseconds * microseconds) / busy).toFixed(1)} |`,
    )
  return `**${name}**: host ${Math.round(cpuMicroseconds)} µs, PostgreSQL ${Math.round(databaseMicroseconds)} µs

| Function | Place | Share | µs |
| --- | --- | --- | --- |
${rows.join('\n')}`
}

async function ask(host: ChildProcess): Promise<unknown> {
  const answer = once(host, 'message')
  host.send('profile')
  return (await answer)[0]
}

/** The self time of each function that is not idle, most first. */
function selfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Taken[] {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const taken = new Map<string, Taken>()
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id)
    if (!frame || frame.functionName === idle) continue
    const name = frame.functionName || `(anonymous, line ${frame.lineNumber + 1})`
    const place = placeOf(frame.url)
    const key = `${name} ${place}`
    const microseconds = (taken.get(key)?.microseconds ?? 0) + (timeDeltas[index] ?? 0)
    taken.set(key, { name, place, microseconds })
  }
  return [...taken.values()].sort((a, b) => b.microseconds - a.microseconds)
}

/** A file as a reader knows it: inside its package, without what the build puts before it. */
function placeOf(url: string): string {
  if (!url) return 'V8 and Node.js'
  return url
    .replace(/^file:\/\//, '')
    .replace(root, '')
    .replace(/^.*node_modules\//, '')
    .replace('/dist/', '/')
    .replace(/\.js$/, '')
}
