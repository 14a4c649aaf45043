import { pbkdf2 } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { type LoadResult, load, requestBytes } from './load.js'
import { children, prepareSchemas, start } from './processes.js'
import { heapAfterRounds } from './token-memory.js'

/**
 * How many tokens copies of the auth server give out, one for each core and all on one database, and what a storm of sign-ins does to everybody
 * else. `--memory` shows instead what one copy keeps of tens of thousands of requests.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    copies: { type: 'string', default: String(availableParallelism()) },
    memory: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '8' },
  },
})
const seconds = Number(args.seconds)
const connections = 16
/** Sign-ins at once. */
const storm = 8

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const bytesOf = (fields: Record<string, string>): string =>
  requestBytes(firstPort, 'POST', '/connect/token', form, `${new URLSearchParams(fields)}`)
const tooling = { client_id: 'tooling', client_secret: 'development-only-tooling-secret' }
const user = { client_id: 'Core_App', username: 'admin', password: '1q2w3E*' }

const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const firstPort = await nextFreePort(4500)
const address = `http://localhost:${firstPort}`
try {
  const env = {
    ...(await prepareSchemas(server)),
    App__SelfUrl: address,
    AuthServer__Authority: address,
    KEEL_ENVIRONMENT: 'Development',
    App__CheckAnswers: 'false',
  }
  if (args.memory) await heapAfterRounds({ env, port: firstPort, rounds: Number(args.rounds) })
  else await measureThroughput(env)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await server.stop()
}
process.exit(0)

async function measureThroughput(env: Record<string, string>): Promise<void> {
  const ports: number[] = []
  const pids: number[] = []
  for (let copy = 0; copy < Number(args.copies); copy += 1) {
    const port = copy ? await nextFreePort((ports.at(-1) as number) + 1) : firstPort
    const { pid = 0 } = await start('hosts/auth/dist/main.js', { ...env, PORT: String(port) }, port)
    ports.push(port)
    pids.push(pid)
  }
  const measure = (
    next: (connection: number) => string,
    more: Partial<Parameters<typeof load>[0]> = {},
  ): Promise<LoadResult> =>
    load({ port: ports, pid: pids, connections, seconds, warmUpSeconds: 3, sleeps: true, next, ...more })

  const own = bytesOf({ grant_type: 'client_credentials', scope: 'Core', ...tooling })
  const clientCredentials = await measure(() => own)

  const chains = await Promise.all(Array.from({ length: connections }, firstRefreshToken))
  // All tokens have the same length: the request is made once.
  const pattern = chains[0] as string
  const template = bytesOf({
    grant_type: 'refresh_token',
    client_id: user.client_id,
    refresh_token: pattern,
  })
  const refresh = await measure((connection) => template.replace(pattern, chains[connection] as string), {
    answered: (connection, answer) => {
      chains[connection] = /"refresh_token":"([^"]+)"/.exec(answer)?.[1] ?? ''
    },
  })

  const password = bytesOf({ grant_type: 'password', scope: 'Core', ...user })
  const hashes = await hashesPerSecond()
  const quiet = await measure(() => own, { connections: 1 })
  const [stormed, signIns] = await Promise.all([
    measure(() => own, { connections: 1 }),
    measure(() => password, { connections: storm }),
  ])

  console.table({
    'client credentials': row(clientCredentials, 800),
    'refresh with identity token': row(refresh, 600),
    'client credentials, one at a time': row(quiet),
    [`client credentials beside ${storm} sign-ins`]: row(stormed),
    'sign-ins by password': row(signIns),
  })
  process.stdout.write(
    `Hashes of passwords that one core makes in a second: ${hashes.toFixed(1)}. p99 beside the sign-ins: ${(stormed.p99 / quiet.p99).toFixed(2)} times that without them, aim < 2.\n`,
  )
}

function row({ requestsPerSecond, p50, p95, p99, cpuMicroseconds, errors }: LoadResult, aim?: number) {
  return {
    'per second': Math.round(requestsPerSecond),
    aim: aim ?? '–',
    'p50 ms': Number(p50.toFixed(2)),
    'p95 ms': Number(p95.toFixed(2)),
    'p99 ms': Number(p99.toFixed(2)),
    'host CPU µs': cpuMicroseconds ? Math.round(cpuMicroseconds) : '–',
    errors,
  }
}

async function firstRefreshToken(): Promise<string> {
  const fields = { grant_type: 'password', scope: 'openid offline_access profile email roles Core', ...user }
  for (;;) {
    const answer = await fetch(`${address}/connect/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })
    const { refresh_token: token } = (await answer.json()) as { refresh_token?: string }
    if (token) return token
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Of the kind and strength that passwords are kept in. */
async function hashesPerSecond(): Promise<number> {
  const hash = promisify(pbkdf2)
  const before = performance.now()
  const rounds = 20
  for (let round = 0; round < rounds; round += 1) await hash('password', 'salt', 100_000, 32, 'sha512')
  return (rounds * 1000) / (performance.now() - before)
}
