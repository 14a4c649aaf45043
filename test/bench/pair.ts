import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { TokenIssuer } from '@keel/framework/testing'
import { type BenchSide, startBenchSide } from './bench-side.js'
import { type FrequentRequest, frequentRequests } from './frequent-requests.js'
import { type Measured, measureBoth } from './measured.js'
import { root, stopChildren } from './processes.js'

/**
 * The CPU time of the most frequent requests beside another commit, e.g. the last release: `npm run bench:pair -- v0.1.0`. Both are built, each
 * has a PostgreSQL and data of its own, and their turns alternate. Ends with 1 when host or PostgreSQL take more than the limit above the other's.
 */
const { values: args, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    connections: { type: 'string', default: '16' },
    shipments: { type: 'string', default: '10000' },
    /** What may come on top, as a share. */
    limit: { type: 'string', default: '0.1' },
    /** Only operations in whose names this occurs. */
    only: { type: 'string', default: '' },
  },
})
const [ref] = positionals
if (!ref) {
  process.stderr.write('Name the commit, tag or branch to compare with: npm run bench:pair -- v0.1.0\n')
  process.exit(2)
}
const turns = Math.max(5, Number(args.turns))
const limit = 1 + Number(args.limit)
/** Differences below this many µs per request are no finding: the system counts CPU time in steps of 10 ms. */
const leastMicroseconds = 5
const folder = `${root}.keel/pair/`

/** The middle of the ratios of all pairs, this checkout to the other, and the figures behind it. */
interface Compared {
  readonly before: number
  readonly after: number
  readonly ratio: number
  readonly least: number
  readonly most: number
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void stopChildren().then(() => process.exit(1))
  })

const issuer = await TokenIssuer.start()
const sides: BenchSide[] = []
let worse = 0
try {
  const tree = checkOut(ref)
  const before = await startSide(tree, 'before', 54351)
  const after = await startSide(root, 'after', 54352)
  const table: object[] = []
  for (const operation of frequentRequests.filter(({ name }) => name.includes(args.only))) {
    let seen = await compare(operation, before, after)
    // A neighbour's noise does not come twice.
    if (isWorse(seen.host) || isWorse(seen.database)) seen = await compare(operation, before, after)
    const found = [isWorse(seen.host) && 'host', isWorse(seen.database) && 'PostgreSQL'].filter(Boolean)
    worse += found.length
    table.push({
      operation: operation.name,
      'host CPU µs': told(seen.host),
      'PostgreSQL CPU µs': told(seen.database),
      worse: found.join(' and '),
    })
    process.stdout.write(`${operation.name}: done\n`)
  }
  console.table(table)
  process.stdout.write(
    `${turns} pairs of turns of ${args.seconds} s. Before → after, the middle of the ratios of all pairs, in brackets the least and the most. ${
      worse === 0 ? `Nothing takes more than ${limit} times what it took at ${ref}.` : ''
    }\n`,
  )
} finally {
  await stopChildren()
  await issuer.stop()
  for (const side of sides) await side.stop()
}
process.exit(worse === 0 ? 0 : 1)

/** A checkout of another commit, built; that of the last run is used again when it is the same commit. */
function checkOut(name: string): string {
  const commit = git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)
  const tree = `${folder}tree-${commit.slice(0, 12)}/`
  const built = `${tree}.keel/built`
  if (existsSync(built)) return tree
  mkdirSync(folder, { recursive: true })
  for (const other of readdirSync(folder).filter((entry) => entry.startsWith('tree-'))) {
    spawnSync('git', ['worktree', 'remove', '--force', folder + other], { cwd: root, stdio: 'ignore' })
    rmSync(folder + other, { recursive: true, force: true })
  }
  git('worktree', 'prune')
  git('worktree', 'add', '--quiet', '--detach', tree, commit)
  for (const command of ['npm ci --prefer-offline --no-fund --no-audit', 'npx tsc -b']) {
    process.stdout.write(`${name}: ${command}\n`)
    const { status } = spawnSync(command, { cwd: tree, shell: true, stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) throw new Error(`“${command}” ended with ${status} in ${tree}`)
  }
  mkdirSync(`${tree}.keel`, { recursive: true })
  writeFileSync(built, '')
  return tree
}

function git(...command: string[]): string {
  return execFileSync('git', command, { cwd: root, encoding: 'utf8' }).trim()
}

async function startSide(tree: string, name: string, databasePort: number): Promise<BenchSide> {
  const side = await startBenchSide(issuer, {
    directory: folder + name,
    databasePort,
    shipments: Number(args.shipments),
    tree,
  })
  sides.push(side)
  return side
}

/** An operation of both sides in turns that alternate, each pair beginning with the other side. */
async function compare(
  { name, next }: FrequentRequest,
  before: BenchSide,
  after: BenchSide,
): Promise<{ host: Compared; database: Compared }> {
  const sides = [before, after].map((side) => ({ side, next: next(side), seen: [] as Measured[] }))
  for (let turn = 0; turn < turns; turn++)
    for (const { side, next, seen } of turn % 2 ? sides.toReversed() : sides)
      seen.push(
        await measureBoth(
          {
            port: side.port,
            pid: side.host.pid as number,
            connections: Number(args.connections),
            seconds: Number(args.seconds),
            warmUpSeconds: turn === 0 ? 4 : 0.3,
            next,
          },
          side.directory,
        ),
      )
  const [old, now] = sides.map(({ seen }) => seen) as [Measured[], Measured[]]
  const errors = [...old, ...now].reduce((all, result) => all + result.errors, 0)
  if (errors > 0) throw new Error(`${errors} requests of “${name}” were answered with errors`)
  return {
    host: comparedBy(old, now, ({ cpuMicroseconds }) => cpuMicroseconds),
    database: comparedBy(old, now, ({ databaseMicroseconds }) => databaseMicroseconds),
  }
}

function comparedBy(
  old: readonly Measured[],
  now: readonly Measured[],
  of: (result: Measured) => number | undefined,
): Compared {
  const figures = [old, now].map((results) => results.map((result) => of(result) ?? Number.NaN)) as [
    number[],
    number[],
  ]
  // Far below a step of the clock a ratio says nothing.
  const ratios = figures[1].map((figure, turn) => {
    const other = figures[0][turn] as number
    return Math.max(figure, other) < leastMicroseconds ? 1 : figure / Math.max(other, 1)
  })
  return {
    before: middle(figures[0]),
    after: middle(figures[1]),
    ratio: middle(ratios),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
  }
}

function isWorse({ before, after, ratio }: Compared): boolean {
  return ratio > limit && after - before > leastMicroseconds
}

function told({ before, after, ratio, least, most }: Compared): string {
  return `${Math.round(before)} → ${Math.round(after)}, × ${ratio.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
