import { ShipmentAppService } from '@keel/hub/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { openApiOf, operationsOf } from '../support/open-api.js'
import { sizeOf } from '../support/size.js'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document as it comes
type Json = any

/** How many requests are made. */
const requests = sizeOf(800, 10_000)
/** The same requests in every run, unless another seed is asked for. */
const seed = Number(process.env.FUZZ_SEED ?? 1)
const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '%00',
  '%',
  '\'; drop table "HubShipments"; --',
  '" or 1=1',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '𝕳𝖊𝖑𝖑𝖔',
  '\ud800',
  'a'.repeat(5000),
  '{"a":1}',
  '[]',
  'null',
  'NaN',
  '1e400',
  '-1',
  '99999999999999999999',
  '2026-02-30',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '__proto__',
]

let app: App
let caller: AppCaller
let document: Json
let ids: string[]
beforeAll(async () => {
  app = await startApp()
  caller = await app.admin()
  document = await openApiOf(app.host)
  ids = await existingIds()
})
afterAll(() => app.close())

test(
  'no generated request, valid, nearly valid or hostile, is answered with a fault of ours or an undocumented status',
  async () => {
    const request = fc.constantFrom<Json>(...operationsOf(document)).chain((operation) =>
      fc.record({
        operation: fc.constant(operation),
        id: fc.oneof(fc.constantFrom(...ids), fc.uuid(), fc.constantFrom(...hostileTexts)),
        query: queryOf(operation),
        body: operation.requestBody ? bodyOf(operation.requestBody.content) : fc.constant(undefined),
      }),
    )
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(request, async ({ operation, id, query, body }) => {
        const path = operation.path.replace(/\{\w+\}/g, encoded(id) || '%20')
        const answer = await caller.fetch(`${path}${query && `?${query}`}`, {
          method: operation.method,
          ...body,
        })
        seen.add(answer.status)
        const said = `${operation.name} answered ${answer.status}: ${await answer.text()}`
        expect(answer.status, said).toBeLessThan(500)
        expect(Object.keys(operation.responses), said).toContain(String(answer.status))
      }),
      { numRuns: requests, seed, endOnFailure: true },
    )
    // The requests are varied enough to be served, refused and not found.
    expect([...seen].sort()).toEqual(expect.arrayContaining([200, 204, 400, 404]))
  },
  Math.max(300_000, requests * 100),
)

/** Ids of rows of every kind, so that some requests find something. */
async function existingIds(): Promise<string[]> {
  for (const shipmentReference of ['F-1', 'F-2', 'F-3', 'F-4', 'F-5']) {
    await caller.service(ShipmentAppService).create({ shipmentReference })
  }
  const lists = operationsOf(document).filter(({ name }) => /^GET \/api\/(hub|pricing)\/[a-z-]+$/.test(name))
  const pages = await Promise.all(
    lists.map(async ({ path }) => (await caller.fetch(path)).json() as Promise<Json>),
  )
  return pages.flatMap(({ items = [] }) => items.map(({ id }: { id: string }) => id))
}

/** Some of the parameters, each with a value that fits, nearly fits or is hostile. */
function queryOf({ parameters = [] }: Json): fc.Arbitrary<string> {
  const pairs = parameters
    .filter((parameter: Json) => parameter.in === 'query')
    .map((parameter: Json) =>
      anyValue(parameter.schema).map((value) => {
        const isMap = parameter.style === 'deepObject' && typeof value === 'object' && value !== null
        const entries = isMap
          ? Object.entries(value).map(([key, member]) => [`${parameter.name}[${key}]`, member])
          : [[parameter.name, value]]
        return entries.map(
          ([name, member]) =>
            `${encoded(name)}=${encoded(typeof member === 'string' ? member : JSON.stringify(member))}`,
        )
      }),
    )
  return pairs.length
    ? fc
        .subarray(pairs as fc.Arbitrary<string[]>[])
        .chain((chosen) => fc.tuple(...chosen))
        .map((made) => made.flat().join('&'))
    : fc.constant('')
}

/** Percent-encoded; a lone half of a surrogate pair has no such form and becomes U+FFFD. */
function encoded(text: unknown): string {
  return encodeURIComponent(Buffer.from(String(text)).toString())
}

/** What a request has for a body, and how it is called. */
type Body = Pick<RequestInit, 'body' | 'headers'>

function bodyOf(content: Json): fc.Arbitrary<Body> {
  const form = content['multipart/form-data']
  if (form) return formOf(form.schema)
  return jsonOf(content['application/json'].schema).map((body) => ({
    body,
    headers: { 'content-type': 'application/json' },
  }))
}

function formOf(schema: Json): fc.Arbitrary<Body> {
  const { properties } = document.components.schemas[schema.$ref.split('/').at(-1)]
  const isFile = (name: string): boolean => properties[name]?.format === 'binary'
  const broken = fc
    .constantFrom('', '--b', '--b--\r\n', '--b\r\nX', '--b\r\n\r\n\r\n--b--', '{}')
    .map((body): Body => ({ body, headers: { 'content-type': 'multipart/form-data; boundary=b' } }))
  const filled = fc
    .tuple(fitting(schema, 0), fc.constantFrom('a.csv', 'a.pdf', ...hostileTexts), fc.boolean())
    .map(([value, fileName, asFile]): Body => {
      const body = new FormData()
      for (const [name, member] of Object.entries(value as object)) {
        const text = Buffer.from(typeof member === 'string' ? member : JSON.stringify(member)).toString()
        if (isFile(name) && asFile) body.append(name, new Blob([text]), fileName)
        else body.append(name, text)
      }
      return { body }
    })
  return fc.oneof({ weight: 9, arbitrary: filled }, { weight: 1, arbitrary: broken })
}

function jsonOf(schema: Json): fc.Arbitrary<string> {
  const broken = fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '"text"',
    '{"a":',
    '42',
    `${'['.repeat(200)}${']'.repeat(200)}`,
  )
  return fc.oneof(
    { weight: 9, arbitrary: anyValue(schema).map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: broken },
  )
}

/** Values of a schema; now and then something else. */
function anyValue(schema: Json, depth = 0): fc.Arbitrary<unknown> {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(...hostileTexts, null, true, 0, -1, 1e308, [], {}),
    fc.anything({ maxDepth: 1 }).map(jsonSafe),
  )
  return fc.oneof({ weight: 6, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: odd })
}

function fitting(schema: Json, depth: number): fc.Arbitrary<unknown> {
  if (schema.$ref) return fitting(document.components.schemas[schema.$ref.split('/').at(-1)], depth)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((option: Json) => fitting(option, depth)))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -1000, -1e9),
        max: Math.min(schema.maximum ?? 1000, 2e9),
      })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1e6, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(depth > 3 ? fc.constant(null) : anyValue(schema.items, depth + 1), { maxLength: 3 })
    case 'object':
      return objectOf(schema, depth)
    default:
      return textOf(schema)
  }
}

function objectOf(schema: Json, depth: number): fc.Arbitrary<unknown> {
  if (!schema.properties)
    return fc.dictionary(
      fc.constantFrom('Status', 'TransportMode', 'x', '__proto__'),
      anyValue(schema.additionalProperties ?? {}, depth + 1),
      { maxKeys: 2 },
    )
  const members = Object.fromEntries(
    Object.entries(schema.properties).map(([name, member]) => [name, anyValue(member, depth + 1)]),
  )
  return fc.record(members, { requiredKeys: schema.required ?? [] })
}

function textOf(schema: Json): fc.Arbitrary<string> {
  if (schema.format === 'uuid') return fc.oneof(fc.constantFrom(...ids), fc.uuid())
  if (schema.format === 'date-time')
    return fc
      .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  if (schema.format === 'date')
    return fc
      .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern))
  return fc.string({ maxLength: Math.min(schema.maxLength ?? 50, 200), unit: 'binary' })
}

function jsonSafe(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null')
  } catch {
    return null
  }
}
