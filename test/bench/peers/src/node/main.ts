import { randomUUID, verify } from 'node:crypto'
import http, { type IncomingMessage } from 'node:http'
import pg from 'pg'
import { readPublicKey, settings } from '../settings.js'
import { addressOf, type FilterName, filterColumns, portOf, shipmentOf, statements } from './statements.js'

/**
 * What a careful program gets out of Node and PostgreSQL by hand: no router, prepared statements, rows as arrays, and tokens that were
 * verified are known until they end.
 */
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: settings.connections })
const publicKey = await readPublicKey()
const verified = new Map<string, Claims>()
const mostVerified = 10_000

interface Claims {
  readonly sub: string
  readonly exp: number
}
interface Address {
  readonly role: number
  readonly companyName: string
  readonly city?: string
  readonly countryCode?: string
}
interface NewShipment {
  readonly shipmentReference: string
  readonly totalPackages?: number
  readonly cargoDescription?: string
  readonly addresses?: readonly Address[]
}
interface Answer {
  readonly status: number
  readonly body: object
}

http
  .createServer((request, response) => {
    void answer(request)
      .catch((error: unknown) => {
        console.error(error)
        return { status: 500, body: { message: 'Internal Server Error' } }
      })
      .then(({ status, body }) => {
        const text = JSON.stringify(body)
        response.writeHead(status, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
        })
        response.end(text)
      })
  })
  .listen(settings.port, () => process.stdout.write('listening\n'))

async function answer(request: IncomingMessage): Promise<Answer> {
  const caller = claimsOf(request.headers.authorization)
  if (!caller) return { status: 401, body: { message: 'Unauthorized' } }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (request.method === 'GET' && pathname === '/echo')
    return { status: 200, body: { text: 'Hello', number: 42 } }
  if (request.method === 'GET' && pathname === '/shipments')
    return { status: 200, body: await page(searchParams) }
  if (request.method === 'GET' && pathname === '/ports')
    return { status: 200, body: await ports(searchParams) }
  if (request.method === 'POST' && pathname === '/shipments') return create(await bodyOf(request), caller)
  const id = /^\/shipments\/([0-9a-f-]{36})$/.exec(pathname)?.[1]
  if (request.method === 'GET' && id) return one(id)
  return { status: 404, body: { message: 'Not Found' } }
}

/** The claims of a valid bearer token. */
function claimsOf(authorization: string | undefined): Claims | undefined {
  if (!authorization?.startsWith('Bearer ')) return undefined
  const token = authorization.slice(7)
  const known = verified.get(token) ?? verify256(token)
  return known && known.exp > Date.now() / 1000 ? known : undefined
}

function verify256(token: string): Claims | undefined {
  const [head = '', body = '', signature = ''] = token.split('.')
  const { alg } = parsed<{ alg?: string }>(head)
  const claims = parsed<Claims & { iss?: string; aud?: string | string[] }>(body)
  const isSigned =
    alg === 'RS256' &&
    verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))
  if (!isSigned || claims.iss !== settings.issuer || ![claims.aud].flat().includes(settings.audience))
    return undefined
  if (verified.size >= mostVerified) verified.clear()
  verified.set(token, claims)
  return claims
}

function parsed<T extends object>(part: string): Partial<T> & T {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as T
  } catch {
    return {} as T
  }
}

async function page(query: URLSearchParams): Promise<object> {
  const filters = (Object.keys(filterColumns) as FilterName[]).filter((name) => query.has(name))
  const values = filters.map((name) => query.get(name))
  const name = filters.join()
  const [rows, count] = await Promise.all([
    select(`page ${name}`, statements.page(filters), [...values, ...window(query)]),
    select(`count ${name}`, statements.count(filters), values),
  ])
  return { totalCount: count[0]?.[0], items: rows.map(shipmentOf) }
}

async function ports(query: URLSearchParams): Promise<object> {
  const [rows, count] = await Promise.all([
    select('ports', statements.ports, window(query)),
    select('count ports', statements.countPorts, []),
  ])
  return { totalCount: count[0]?.[0], items: rows.map(portOf) }
}

async function one(id: string): Promise<Answer> {
  const [rows, addresses] = await Promise.all([
    select('one', statements.one, [id]),
    select('addresses', statements.addresses, [id]),
  ])
  if (!rows[0]) return { status: 404, body: { message: 'Not Found' } }
  return { status: 200, body: { ...shipmentOf(rows[0]), addresses: addresses.map(addressOf) } }
}

async function create(body: unknown, { sub }: Claims): Promise<Answer> {
  const faults = faultsOf(body)
  if (faults.length > 0) return { status: 400, body: { message: faults } }
  const {
    shipmentReference,
    totalPackages = null,
    cargoDescription = null,
    addresses = [],
  } = body as NewShipment
  const id = randomUUID()
  const values = [id, shipmentReference, totalPackages, cargoDescription, sub, randomUUID()]
  if (addresses.length === 0) await select('create', statements.create, values)
  else
    await select('create with addresses', statements.createWithAddresses, [
      ...values,
      JSON.stringify(addresses),
    ])
  return { ...(await one(id)), status: 201 }
}

function faultsOf(body: unknown): string[] {
  const input = (body ?? {}) as Record<string, unknown>
  const addresses = (input.addresses ?? []) as unknown[]
  return [
    isText(input.shipmentReference, 1, 100) || 'shipmentReference',
    input.totalPackages === undefined || isWhole(input.totalPackages, 2147483647) || 'totalPackages',
    input.cargoDescription === undefined || isText(input.cargoDescription, 0, 500) || 'cargoDescription',
    (Array.isArray(addresses) && addresses.length <= 30 && addresses.every(isAddress)) || 'addresses',
  ].filter((fault) => typeof fault === 'string')
}

function isAddress(value: unknown): boolean {
  const { role, companyName, city, countryCode } = (value ?? {}) as Record<string, unknown>
  return (
    isWhole(role, 14) &&
    isText(companyName, 1, 200) &&
    (city === undefined || isText(city, 0, 100)) &&
    (countryCode === undefined || /^[A-Z]{2}$/.test(String(countryCode)))
  )
}

function isText(value: unknown, least: number, most: number): boolean {
  return typeof value === 'string' && value.length >= least && value.length <= most
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most
}

function window(query: URLSearchParams): number[] {
  return [Math.min(Number(query.get('take') ?? 10), 1000), Number(query.get('skip') ?? 0)]
}

async function select(name: string, text: string, values: readonly unknown[]): Promise<unknown[][]> {
  const { rows } = await pool.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' })
  return rows
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}
