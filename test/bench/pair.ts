import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { TokenIssuer } from '@keel/framework/testing'
import { type BenchSide, startBenchSide } from './bench-side.js'
import { type FrequentRequest, frequentRequests } from './frequent-requests.js'
import { type Measured, measureBoth } from './measured.js'
import { root, stopChildren } from './processes.js'

/**
 * The CPU time of the most frequent requests beside another commit, the last release when none is named: `npm run bench:pair -- v0.1.0`. Both are
 * built, each has a PostgreSQL and data of its own, and their turns alternate. Ends with 1 when host or PostgreSQL take more than the limit above the
 * other's, with 2 when there is no such commit.
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
const ref = positionals[0] ?? lastRelease()
const commit = commitOf(ref)
const turns = Math.max(5, Number(args.turns))
const limit = 1 + Number(args.limit)
/** Differences below this many µs per request are no finding, nor those below this many µs of a whole turn: the system counts CPU time in steps of 10 ms. */
const [leastOfRequest, leastOfTurn] = [5, 30_000]
const folder = `${root}.keel/pair/`

/** The middle of the ratios of all pairs, this checkout to the other, and the figures behind it. */
interface Compared {
  readonly before: number
  readonly after: number
  readonly ratio: number
  readonly least: number
  readonly most: number
  /** The difference in µs that the clock can tell. */
  readonly visible: number
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void stopChildren().then(() => process.exit(1))
  })

const issuer = await TokenIssuer.start()
const sides: BenchSide[] = []
const worse: string[] = []
try {
  const tree = checkOut()
  const before = await startSide(tree, `${tree}.keel/pair`, 54351)
  const after = await startSide(root, `${folder}data`, 54352)
  const table: object[] = []
  for (const operation of frequentRequests.filter(({ name }) => name.includes(args.only))) {
    let seen = await compare(operation, before, after)
    // A neighbour's noise does not come twice.
    if (isWorse(seen.host) || isWorse(seen.database)) seen = await compare(operation, before, after)
    const found = [isWorse(seen.host) && 'host', isWorse(seen.database) && 'PostgreSQL'].filter(Boolean)
    worse.push(...found.map((part) => `${operation.name} (${part})`))
    table.push({
      operation: operation.name,
      'host CPU µs': told(seen.host),
      'PostgreSQL CPU µs': told(seen.database),
      worse: found.join(' and '),
    })
    process.stdout.write(`${operation.name}: done\n`)
  }
  console.table(table)
  const verdict = worse.length
    ? `More than ${limit} times the CPU time that it took at ${ref}: ${worse.join(', ')}.`
    : `Nothing takes more than ${limit} times the CPU time that it took at ${ref}.`
  process.stdout.write(
    `${turns} pairs of turns of ${args.seconds} s. Before → after, the middle of the ratios of all pairs, in brackets the least and the most.\n${verdict}\n`,
  )
} finally {
  await stopChildren()
  await issuer.stop()
  for (const side of sides) await side.stop()
}
process.exit(worse.length === 0 ? 0 : 1)

/** The newest tag of a release that this checkout comes after. */
function lastRelease(): string {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*')
  return (
    tag ?? refuse('There is no tag of a release here: name a commit, as in `npm run bench:pair -- main~10`.')
  )
}

function commitOf(name: string): string {
  return (
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`) ?? refuse(`There is no commit ${name} here.`)
  )
}

function refuse(reason: string): never {
  const isShallow = git('rev-parse', '--is-shallow-repository') === 'true'
  const cure = isShallow ? ' This clone is shallow: `git fetch --unshallow --tags` brings what it lacks.' : ''
  process.stderr.write(`${reason}${cure}\n`)
  process.exit(2)
}

/** A checkout of the other commit, built; that of the last run is used again when it is the same commit. */
function checkOut(): string {
  const tree = `${folder}tree-${commit.slice(0, 12)}/`
  const built = `${tree}.keel/built`
  if (existsSync(built)) return tree
  mkdirSync(folder, { recursive: true })
  for (const other of readdirSync(folder).filter((entry) => entry.startsWith('tree-'))) {
    spawnSync('git', ['worktree', 'remove', '--force', folder + other], { cwd: root, stdio: 'ignore' })
    rmSync(folder + other, { recursive: true, force: true })
  }
  git('worktree', 'prune')
  if (git('worktree', 'add', '--quiet', '--detach', tree, commit) === undefined)
    throw new Error(`${ref} cannot be checked out in ${tree}`)
  for (const command of ['npm ci --prefer-offline --no-fund --no-audit', 'npx tsc -b']) {
    process.stdout.write(`${ref}: ${command}\n`)
    const { status } = spawnSync(command, { cwd: tree, shell: true, stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) throw new Error(`“${command}” ended with ${status} in ${tree}`)
  }
  if (!existsSync(`${tree}test/dist/bench/bench-host.js`))
    throw new Error(`${ref} is older than the host of benches, which is measured`)
  mkdirSync(`${tree}.keel`, { recursive: true })
  writeFileSync(built, '')
  return tree
}

/** What git says; undefined when it refuses. */
function git(...command: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', command, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

async function startSide(tree: string, directory: string, databasePort: number): Promise<BenchSide> {
  const side = await startBenchSide(issuer, {
    directory,
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
  const visible = Math.max(
    leastOfRequest,
    leastOfTurn / middle([...old, ...now].map(({ requests }) => requests)),
  )
  // Far below a step of the clock a ratio says nothing.
  const ratios = figures[1].map((figure, turn) => {
    const other = figures[0][turn] as number
    return Math.max(figure, other) < visible ? 1 : figure / Math.max(other, 1)
  })
  return {
    before: middle(figures[0]),
    after: middle(figures[1]),
    ratio: middle(ratios),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
    visible,
  }
}

function isWorse({ before, after, ratio, visible }: Compared): boolean {
  return ratio > limit && after - before > visible
}

function told({ before, after, ratio, least, most }: Compared): string {
  return `${Math.round(before)} → ${Math.round(after)}, × ${ratio.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
