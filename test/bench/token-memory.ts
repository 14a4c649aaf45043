import { createHash } from 'node:crypto'
import { memoryOf, start, tellsMemory } from './processes.js'

const client = { client_id: 'Core_App' }
const user = { username: 'admin', password: '1q2w3E*' }
const scope = 'openid offline_access profile email roles Core'
const redirectUri = 'http://localhost:4200'
const verifier = 'a-verifier-that-is-long-enough-for-the-specification-0123456789'
/** Requests of a round, each kind on connections of its own. */
const perRound = { clientCredentials: 2400, refresh: 2400, code: 400, password: 60 }

/** Tells what one copy of the auth server keeps after each of some rounds of requests for tokens of every kind. */
export async function heapAfterRounds({
  env,
  port,
  rounds,
}: {
  env: Record<string, string>
  port: number
  rounds: number
}): Promise<void> {
  const more = { ...env, PORT: String(port), SignInLimits__FailuresPerAddress: '1000000' }
  const host = await start('hosts/auth/dist/main.js', more, port, tellsMemory)
  const address = `http://localhost:${port}`
  const cookie = await signIn(address)
  const chains = await Promise.all(Array.from({ length: 8 }, () => refreshTokenOf(address)))
  const table: object[] = []
  const told = async (requests: number): Promise<void> => {
    const { heapUsed, external, rss } = await memoryOf(host)
    const [heap, buffers, all] = [heapUsed, external, rss].map((bytes) =>
      Number((bytes / 2 ** 20).toFixed(2)),
    )
    table.push({ requests, 'heap MiB': heap, 'external MiB': buffers, 'rss MiB': all })
  }
  let requests = 0
  await told(requests)
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all([
      repeat(8, perRound.clientCredentials, () => ownToken(address)),
      repeat(8, perRound.refresh, async (connection) => {
        chains[connection] = await refreshed(address, chains[connection] as string)
      }),
      repeat(4, perRound.code, () => codeFlow(address, cookie)),
      repeat(2, perRound.password, () => refreshTokenOf(address)),
    ])
    // The code flow makes two.
    requests += Object.values(perRound).reduce((sum, count) => sum + count) + perRound.code
    await told(requests)
  }
  console.table(table)
}

async function repeat(
  connections: number,
  times: number,
  work: (connection: number) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async (_unused, connection) => {
      for (let time = connection; time < times; time += connections) await work(connection)
    }),
  )
}

async function tokens(address: string, fields: Record<string, string>): Promise<Record<string, string>> {
  const answer = await fetch(`${address}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  const body = (await answer.json()) as Record<string, string>
  if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(body)}`)
  return body
}

async function ownToken(address: string): Promise<void> {
  const secret = { client_id: 'tooling', client_secret: 'development-only-tooling-secret' }
  await tokens(address, { grant_type: 'client_credentials', scope: 'Core', ...secret })
}

async function refreshTokenOf(address: string): Promise<string> {
  return (await tokens(address, { grant_type: 'password', scope, ...client, ...user }))
    .refresh_token as string
}

async function refreshed(address: string, refreshToken: string): Promise<string> {
  const fields = { grant_type: 'refresh_token', ...client, refresh_token: refreshToken }
  return (await tokens(address, fields)).refresh_token as string
}

/** The cookie of a browser in which the user is signed in. */
async function signIn(address: string): Promise<string> {
  const answer = await fetch(`${address}/api/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      userNameOrEmailAddress: user.username,
      password: user.password,
      rememberMe: true,
    }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

async function codeFlow(address: string, cookie: string): Promise<void> {
  const query = new URLSearchParams({
    ...client,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const answer = await fetch(`${address}/connect/authorize?${query}`, {
    headers: { cookie },
    redirect: 'manual',
  })
  const code = new URL(answer.headers.get('location') ?? '', address).searchParams.get('code')
  await answer.arrayBuffer()
  if (!code) throw new Error(`no code: ${answer.status} ${answer.headers.get('location')}`)
  await tokens(address, {
    grant_type: 'authorization_code',
    ...client,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
}
