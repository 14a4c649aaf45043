import { randomUUID } from 'node:crypto'
import { noPooler, startPooler } from '../pgbouncer.js'

/** What is needed to start API hosts beside each other. */
export interface CoherenceParts {
  readonly env: Readonly<Record<string, string>>
  /** Starts an API host and answers its address. */
  start(env: Readonly<Record<string, string>>): Promise<string>
  /** An access token of a user. */
  tokenOf(userId: string): Promise<string>
  readonly administrator: string
  /** Adds a user and answers its id. */
  addUser(name: string): Promise<string>
}

/** How long after it was answered a revocation is refused elsewhere, in ms. */
export interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const permission = 'Port.View'
const rounds = 100
const roundsBehindPooler = 10

/** Revokes a grant in one process again and again, and measures until two others, and one behind a pooler, refuse. */
export async function measureCoherence(
  parts: CoherenceParts,
): Promise<{ listening: Delays; behindPooler: Delays | undefined }> {
  const [first, ...others] = [await parts.start({}), await parts.start({}), await parts.start({})] as [
    string,
    ...string[],
  ]
  const listening = await revoke(parts, first, others, rounds)
  if (noPooler) return { listening, behindPooler: undefined }
  const pooler = await startPooler(parts.env.ConnectionStrings__Default ?? '')
  try {
    const through = Object.entries(parts.env)
      .filter(([name]) => name.startsWith('ConnectionStrings__'))
      .map(([name, url]) => [name, pooler.through(url)])
    const deaf = await parts.start({
      ...Object.fromEntries(through),
      Database__PreparedStatements: 'false',
    })
    return { listening, behindPooler: await revoke(parts, first, [deaf], roundsBehindPooler) }
  } finally {
    pooler.stop()
  }
}

async function revoke(
  { tokenOf, administrator, addUser }: CoherenceParts,
  first: string,
  others: readonly string[],
  times: number,
): Promise<Delays> {
  const userId = await addUser(`coherence-${randomUUID().slice(0, 8)}`)
  const admin = await headersOf(await tokenOf(administrator))
  const user = await headersOf(await tokenOf(userId))
  const delays: number[] = []
  for (let round = 0; round < times; round += 1) {
    await put(first, admin, userId, true)
    await Promise.all(others.map((host) => until(host, user, 200)))
    await put(first, admin, userId, false)
    const revokedAt = performance.now()
    await Promise.all(
      others.map(async (host) => {
        await until(host, user, 403)
        delays.push(performance.now() - revokedAt)
      }),
    )
  }
  delays.sort((a, b) => a - b)
  const at = (share: number) => delays[Math.min(Math.floor(delays.length * share), delays.length - 1)] ?? 0
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

async function headersOf(token: string): Promise<Record<string, string>> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

async function put(host: string, headers: Record<string, string>, userId: string, isGranted: boolean) {
  const response = await fetch(
    `${host}/api/permission-management/permissions?providerName=U&providerKey=${userId}`,
    { method: 'PUT', headers, body: JSON.stringify({ permissions: [{ name: permission, isGranted }] }) },
  )
  if (!response.ok) throw new Error(`changing a grant answered ${response.status}: ${await response.text()}`)
}

async function until(host: string, headers: Record<string, string>, status: number): Promise<void> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; ) {
    const response = await fetch(`${host}/api/hub/port?maxResultCount=1`, { headers })
    await response.arrayBuffer()
    if (response.status === status) return
  }
  throw new Error(`${host} did not answer ${status} within 20 s`)
}
