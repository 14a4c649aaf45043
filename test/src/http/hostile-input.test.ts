import http from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type HostileBody,
  hostileBatches,
  hostileFor,
  hostileForms,
  hostileHeaders,
  hostileJson,
  hostilePieces,
  hostileQueries,
} from '../support/hostile-bodies.js'
import { testOfOneProcess } from '../support/one-process.js'
import {
  type DocumentedOperation,
  type OpenApiDocument,
  openApiOf,
  operationsOf,
} from '../support/open-api.js'
import { type Platform, startPlatform } from '../support/platform.js'
import { forgetPeak, mainThreadMs, peakMegabytes, residentMegabytes } from '../support/process-figures.js'
import { isLong, sizeOf } from '../support/size.js'

/** The long form sends every body to every operation; otherwise each operation gets a few, another choice each. */
const bodiesOfOperation = sizeOf(1, Number.POSITIVE_INFINITY)
const mostMs = 50
/** An import that is accepted is a job, which reads the file as a stream, between other requests; its CPU time is counted here too. */
const mostMsOfImports = 200
const mostMegabytes = 64
const nil = '00000000-0000-0000-0000-000000000000'

let platform: Platform
let agent: http.Agent
let token: string
let document: OpenApiDocument

beforeAll(async () => {
  agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  platform = await startPlatform({
    NODE_OPTIONS: `--import=${new URL('../support/collect-on-signal.mjs', import.meta.url)}`,
    Log__Level: 'error',
  })
  const answer = await fetch(`${platform.authUrl}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: 'Core_App',
      scope: 'Core',
      username: 'admin',
      password: '1q2w3E*',
    }),
  })
  token = ((await answer.json()) as { access_token: string }).access_token
  document = await openApiOf({ fetch: (path, init) => fetch(platform.apiUrl + path, init) })
})
afterAll(async () => {
  agent?.destroy()
  await platform?.close()
})

test(
  'no hostile megabyte holds the API host up, makes it fail or makes it grow',
  async () => {
    const [pid = 0] = platform.processIds.api
    const plans = operationsOf(document).filter(takesBody).flatMap(attacksOn)
    await attack({ base: platform.apiUrl, pid, attacks: plans })
  },
  isLong ? 3_600_000 : 120_000,
)

testOfOneProcess(
  'no hostile batch or query holds the API host up, makes it fail or makes it grow',
  async () => {
    const [pid = 0] = platform.processIds.api
    const attacks = [
      ...[...hostileBatches(), ...hostileJson(), ...hostileForms()].map((hostile) =>
        at('/odata/$batch', hostile),
      ),
      ...hostileQueries().map((hostile) => at('/odata/Ports/$query', hostile)),
    ]
    await attack({ base: platform.apiUrl, pid, attacks })
  },
  120_000,
)

test(
  'no hostile form holds the auth server up, makes it fail or makes it grow',
  async () => {
    const paths = [
      '/connect/token',
      '/connect/introspect',
      '/connect/revocat',
      '/connect/revocation',
      '/connect/userinfo',
      '/connect/authorize',
      '/connect/endsession',
      '/connect/logout',
      '/connect/verify',
      '/device',
      '/Account/Login',
      '/Account/Register',
      '/Account/ForgotPassword',
      '/Account/ResetPassword',
      '/Account/Manage',
    ]
    const bodies = [
      ...hostileForms([]),
      ...hostileForms([], allowedFormBytes),
      ...hostileJson(),
      ...hostileJson(allowedFormBytes),
    ]
    const attacks = paths.flatMap((path, index) =>
      chosen(bodies, index).map((hostile) => ({ ...at(path, hostile), headers: hostile.headers })),
    )
    await attack({ base: platform.authUrl, pid: platform.processIds.auth, attacks })
  },
  isLong ? 1_200_000 : 120_000,
)

test(
  'no header or address of 60,000 characters holds the API host up or makes it fail',
  async () => {
    const [pid = 0] = platform.processIds.api
    const reads = ['/odata/$metadata', '/odata/Ports', '/api/hub/port', '/api/abp/application-configuration']
    const places = ['/', '/api/', '/odata/', '/odata/Ports(', '/odata/Ports?$orderby=']
    const asked = ['/api/hub/port?filter=', '/api/hub/port?sorting=', '/swagger/']
    const attacks = [...headersAt(reads), ...addressesFrom([...places, ...asked])]
    await attack({ base: platform.apiUrl, pid, attacks })
  },
  isLong ? 1_200_000 : 120_000,
)

test(
  'no header or address of 60,000 characters holds the auth server up or makes it fail',
  async () => {
    const pages = ['/Account/Login', '/.well-known/openid-configuration', '/connect/userinfo']
    const asked = [
      ...['/', '/Account/', '/Account/Login?ReturnUrl=/', '/connect/authorize?client_id='],
      ...['/connect/authorize?client_id=Core_App&redirect_uri=', '/connect/endsession?id_token_hint='],
      '/connect/verify?user_code=',
    ]
    const attacks = [...headersAt(pages), ...addressesFrom(asked)]
    await attack({ base: platform.authUrl, pid: platform.processIds.auth, attacks })
  },
  isLong ? 1_200_000 : 120_000,
)

test('a form with tens of thousands of files is refused before they are read', async () => {
  const { authUrl, processIds } = platform
  const cookies = await signedIn(authUrl)
  const body = Buffer.from(
    `${'--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\n\r\n'.repeat(30_000)}--x--\r\n`,
  )
  const headers = { cookie: cookies, 'content-type': 'multipart/form-data; boundary=x' }
  const one = { name: 'a form with 30,000 files', method: 'POST', path: '/Account/Manage', headers, body }
  const { status, ms } = await cheapest(authUrl, processIds.auth, one)
  expect([status, ms < mostMs]).toEqual([413, true])
})

const get = (name: string, path: string, headers: Attack['headers'] = {}): Attack => {
  const caller = path.startsWith('/odata/P') || path.startsWith('/api/hub')
  const all = { ...(caller && { authorization: `Bearer ${token}` }), ...headers }
  return { name, method: 'GET', path, headers: all, body: Buffer.alloc(0) }
}

/** Each hostile header for one of these addresses, in the long form for each of them. */
function headersAt(paths: readonly string[]): Attack[] {
  return hostileHeaders().flatMap(({ shape, headers }, index) =>
    (isLong ? paths : [paths[index % paths.length] ?? '']).map((path) =>
      get(`${path}: ${shape}`, path, headers),
    ),
  )
}

/** Addresses that begin so, and do not end: in the usual form every second one. */
function addressesFrom(beginnings: readonly string[]): Attack[] {
  return beginnings.flatMap((begin, place) =>
    hostilePieces
      .filter((_, index) => isLong || (place + index) % 2 === 0)
      .map(({ shape, text }) => get(`${begin}: ${shape}`, begin + text)),
  )
}

/** The cookies of a browser in which the administrator is signed in. */
async function signedIn(authUrl: string): Promise<string> {
  const answer = await fetch(`${authUrl}/api/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userNameOrEmailAddress: 'admin', password: '1q2w3E*' }),
  })
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

/** As much as the auth server reads of a form. */
const allowedFormBytes = 55 * 1024
/** As much as the API host reads from anybody who has not said who they are. */
const allowedAnonymousBytes = 63 * 1024

const any = [...hostileJson(), ...hostileForms()]
const anySmall = hostileJson(allowedAnonymousBytes)

interface Attack {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

function takesBody({ requestBody }: DocumentedOperation): boolean {
  return requestBody !== undefined
}

function attacksOn(operation: DocumentedOperation, index: number): Attack[] {
  const { method, path, security, name } = operation
  const isAnonymous = security.length === 0
  const bodies = [...hostileFor(operation, document), ...any]
  const small = [...hostileFor(operation, document, allowedAnonymousBytes), ...anySmall]
  return [...chosen(bodies, index), ...(isAnonymous ? chosen(small, index) : [])].map((hostile) => ({
    name: `${name}: ${hostile.shape}`,
    method,
    path: path.replace(/\{\w+\}/g, nil),
    headers: { ...hostile.headers, ...(!isAnonymous && { authorization: `Bearer ${token}` }) },
    body: hostile.body,
  }))
}

function at(path: string, { shape, body, headers }: HostileBody): Attack {
  return {
    name: `POST ${path}: ${shape}`,
    method: 'POST',
    path,
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
  }
}

/** Some of the bodies, others for each index. */
function chosen(bodies: readonly HostileBody[], index: number): HostileBody[] {
  if (bodies.length <= bodiesOfOperation) return [...bodies]
  return Array.from(
    { length: bodiesOfOperation },
    (_, turn) => bodies[(index * bodiesOfOperation + turn * 17) % bodies.length] as HostileBody,
  )
}

/** A host, and what it is attacked with. */
interface Raid {
  readonly base: string
  readonly pid: number
  readonly attacks: readonly Attack[]
}

async function attack({ base, pid, attacks }: Raid): Promise<void> {
  // What a host makes once, at the first requests to an operation, is no answer to a body; nor is the room that V8 takes for a busy host.
  for (const one of new Map(attacks.map((one) => [`${one.method} ${one.path}`, one])).values())
    await send(base, one)
  const step = Math.ceil(attacks.length / 300)
  for (let index = 0; index < attacks.length; index += step) await send(base, attacks[index] as Attack)
  const beforeMegabytes = await collected(pid)
  forgetPeak(pid)
  const tooLong: string[] = []
  const failed: string[] = []
  const times: [number, string][] = []
  for (const one of attacks) {
    const { status, ms } = await cheapest(base, pid, one)
    times.push([ms, `${one.name} → ${status}`])
    if (ms > (status === 200 && one.path.endsWith('/import') ? mostMsOfImports : mostMs))
      tooLong.push(`${one.name} took ${Math.round(ms)} ms`)
    if (status >= 500) failed.push(`${one.name} was answered ${status}`)
  }
  const peak = peakMegabytes(pid) - beforeMegabytes
  const grownMegabytes = (await collected(pid)) - beforeMegabytes
  const dearest = times.sort(([a], [b]) => b - a).slice(0, 5)
  console.info(
    `${attacks.length} hostile bodies; memory grew by ${grownMegabytes} MB, by ${peak} MB at its peak; the dearest:\n${dearest.map(([ms, name]) => `${ms.toFixed(1)} ms ${name}`).join('\n')}`,
  )
  expect({ tooLong, failed }).toEqual({ tooLong: [], failed: [] })
  expect(grownMegabytes).toBeLessThan(mostMegabytes)
}

/** The CPU time of the host's main thread for one request: the least of eight, for a collection of garbage may fall into any. */
async function cheapest(base: string, pid: number, one: Attack): Promise<{ status: number; ms: number }> {
  let least = Number.POSITIVE_INFINITY
  let status = 0
  for (let turn = 0; turn < 8 && least > mostMs; turn++) {
    const before = mainThreadMs(pid)
    const answered = await send(base, one)
    status = Math.max(status, answered)
    least = Math.min(least, mainThreadMs(pid) - before)
  }
  return { status, ms: least }
}

async function collected(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  // The collection has happened when a request that came after the signal is answered.
  const base = pid === platform.processIds.auth ? platform.authUrl : platform.apiUrl
  await fetch(`${base}/health/live`)
  await fetch(`${base}/health/live`)
  return residentMegabytes(pid)
}

/** The status of an answer. A host that has seen enough may answer before it has read everything, and stop reading. */
function send(base: string, { method, path, headers, body }: Attack): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(base + path, {
      agent,
      method,
      // An answer may lead to an address that is as long.
      maxHeaderSize: 256 * 1024,
      headers: { ...headers, 'content-length': String(body.length) },
    })
    let answered = false
    request.on('response', (response) => {
      answered = true
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', () => resolve(response.statusCode ?? 0))
    })
    request.on('error', (error) => {
      if (!answered) reject(new Error(`${method} ${path} was not answered`, { cause: error }))
    })
    request.end(body)
  })
}
