import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { DocumentedOperation, OpenApiDocument, Schema } from './open-api.js'

/** A body that is meant to cost its reader dearly. */
export interface HostileBody {
  readonly shape: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

const megabyte = 1024 * 1024
/** A megabyte, with room for what stands around it. */
const mostBytes = megabyte - 64 * 1024

const fill = (piece: string, bytes = mostBytes): string => piece.repeat(Math.floor(bytes / piece.length))
const nested = (open: string, close: string, bytes = mostBytes): string => {
  const levels = Math.floor(bytes / (open.length + close.length))
  return open.repeat(levels) + close.repeat(levels)
}
const list = (item: string, bytes = mostBytes): string => `[${fill(`${item},`, bytes)}${item}]`
const numbered = (bytes = mostBytes): string => {
  const members = Array.from({ length: Math.floor(bytes / 12) }, (_, index) => `"k${index}":0`)
  return `{${members.join(',')}}`
}

const json = { 'content-type': 'application/json' }
const body = (shape: string, text: string | Buffer, headers: Record<string, string> = json): HostileBody => ({
  shape,
  body: Buffer.from(text as string),
  headers,
})

/** JSON, and what says so, that is hostile whatever is expected. */
export function hostileJson(size = mostBytes): HostileBody[] {
  const wide = Buffer.from(list('{}', 64 * megabyte))
  return [
    body('deep arrays', nested('[', ']', size)),
    body('deep objects', nested('{"a":', '}', size).replace('}', '1}')),
    body('a wide array of numbers', list('0', size)),
    body('a wide array of objects', list('{}', size)),
    body('a wide object', numbered(size)),
    body('one key many times', `{${fill('"a":0,', size)}"a":0}`),
    body('deep prototypes', nested('{"__proto__":', '}', size).replace('}', '1}')),
    body('many prototypes', `{${fill('"__proto__":{},', size)}"constructor":{"prototype":{}}}`),
    body('a long key', `{"${fill('k', size)}":0}`),
    body('a long text', `"${fill('a', size)}"`),
    body('a number of many digits', fill('1', size)),
    body('a fraction of many digits', `0.${fill('1', size)}e-400`),
    body('many escapes', `"${fill('\\u0041', size)}"`),
    body('many NUL characters', `{"name":"${fill('\\u0000', size)}"}`),
    body(
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('"'), Buffer.alloc(size, 0xff), Buffer.from('"')]),
    ),
    body('nothing but blanks', fill(' ', size)),
    body('an array without its end', `[${fill('{},', size)}`),
    body('a text without its end', `"${fill('\\"', size)}`),
    body('UTF-16', Buffer.from(list('{}', size / 2), 'utf16le'), {
      'content-type': 'application/json; charset=utf-16',
    }),
    body('gzip of 64 MB', gzipSync(wide), { ...json, 'content-encoding': 'gzip' }),
    body('gzip of a megabyte', gzipSync(wide.subarray(0, size)), { ...json, 'content-encoding': 'gzip' }),
    body('Brotli of 64 MB', brotliCompressSync(wide, { params: { 1: 1 } }), {
      ...json,
      'content-encoding': 'br',
    }),
    body('bytes that are not gzip', fill('x', size), { ...json, 'content-encoding': 'gzip' }),
  ]
}

const formType = { 'content-type': 'application/x-www-form-urlencoded' }
const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
const part = (head: string, content = ''): string => `--b\r\n${head}\r\n\r\n${content}\r\n`
const fieldPart = (name: string, content = ''): string =>
  part(`Content-Disposition: form-data; name="${name}"`, content)
const filePart = (name: string, content = ''): string =>
  part(`Content-Disposition: form-data; name="${name}"; filename="a.csv"\r\nContent-Type: text/csv`, content)
const end = '--b--\r\n'

/** Forms. */
export function hostileForms(files: readonly string[] = ['file'], size = mostBytes): HostileBody[] {
  return [
    body('many fields', fill('a=1&', size), formType),
    body('many nested fields', fill('a[0].b[1]=1&', size), formType),
    body('many separators', fill('&', size), formType),
    body('a long field', `username=${fill('a', size)}`, formType),
    body('many percent-encodings', `username=${fill('%41', size)}`, formType),
    body('many broken percent-encodings', `username=${fill('%', size)}`, formType),
    body('many parts', fill(fieldPart('a'), size) + end, multipart),
    body('many empty parts', fill('--b\r\n', size) + end, multipart),
    body('many bare parts', fill('--b\r\n\r\n\r\n', size) + end, multipart),
    body('many files', fill(filePart('f', 'x'), size) + end, multipart),
    body('many nested parts', fill(fieldPart('a[b][c][d]', '1'), size) + end, multipart),
    body('a part with many headers', part(fill('X-A: b\r\n', size)) + end, multipart),
    body(
      'a part with a long header',
      part(`Content-Disposition: form-data; name="${fill('a', size)}"`) + end,
      multipart,
    ),
    body(
      'nearly a boundary, many times',
      part('Content-Disposition: form-data; name="a"', fill('\r\n--a', size)) + end,
      multipart,
    ),
    ...files.flatMap((file) => [
      body(`${file} of many lines`, filePart(file, fill('\n', size)) + end, multipart),
      body(`${file} of many empty rows`, filePart(file, fill(',\n', size)) + end, multipart),
      body(`${file} of uneven rows`, filePart(file, `a,b\n${fill('a\n', size)}`) + end, multipart),
      body(`${file} of many columns`, filePart(file, fill(',', size)) + end, multipart),
      body(`${file} of many quotes`, filePart(file, fill('"', size)) + end, multipart),
    ]),
  ]
}

/** JSON that fits what an operation takes, but for one kind of excess at every place that has room for it. */
export function hostileFor(
  operation: DocumentedOperation,
  document: OpenApiDocument,
  size = mostBytes,
): HostileBody[] {
  const content = operation.requestBody?.content ?? {}
  const form = content['multipart/form-data']
  if (form) {
    const { properties } = resolved(form.schema, document) as { properties: Record<string, Schema> }
    return hostileForms(Object.keys(properties).filter((name) => properties[name]?.['format'] === 'binary'))
  }
  const media = content['application/json']
  if (!media) return []
  const places = Math.max(1, countPlaces(media.schema, document))
  const room = Math.floor(size / places / 1.1)
  const excesses: Record<string, Excess> = {
    'lists of empty objects': { array: list('{}', room) },
    'lists of texts': { array: list('"x"', room) },
    'lists of lists': { array: list('[]', room) },
    'a deep list': { array: nested('[', ']', room) },
    'wide maps': { map: numbered(room) },
    'deep maps': { map: `{"a":${nested('[', ']', room)}}` },
    'maps of one key': { map: `{"${fill('k', room)}":0}` },
    'maps of many faults': { map: list('{"__proto__":{}}', room) },
    'long texts': { text: `"${fill('a', room)}"` },
    'long addresses': { text: `"${fill('a@a.', room)}"` },
    'long numbers in texts': { text: `"${fill('1', room)}x"` },
    'long blanks in texts': { text: `"a${fill(' ', room)}a"` },
    'long texts with colons': { text: `"https://${fill(':/', room)}"` },
    'long numbers': { number: fill('9', room) },
  }
  return Object.entries(excesses)
    .filter(([, excess]) => hasPlace(media.schema, document, excess))
    .map(([shape, excess]) => body(shape, written(media.schema, document, excess)))
}

interface Excess {
  readonly array?: string
  readonly map?: string
  readonly text?: string
  readonly number?: string
}

type Kind = 'array' | 'map' | 'text' | 'number' | 'object' | 'other'

function resolved(schema: Schema, document: OpenApiDocument): Schema {
  if (typeof schema['$ref'] === 'string')
    return document.components.schemas[schema['$ref'].split('/').at(-1) ?? ''] ?? {}
  const options = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  const chosen = options?.find((option) => option['type'] !== 'null')
  return chosen ? resolved(chosen, document) : schema
}

function kindOf(schema: Schema): Kind {
  const type = [schema['type']].flat()[0]
  if (type === 'array') return 'array'
  if (type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  if (type !== 'object') return 'other'
  return schema['properties'] ? 'object' : 'map'
}

function membersOf(schema: Schema): [string, Schema][] {
  return Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
}

function countPlaces(schema: Schema, document: OpenApiDocument): number {
  const found = resolved(schema, document)
  if (kindOf(found) !== 'object') return 1
  return membersOf(found).reduce((sum, [, member]) => sum + countPlaces(member, document), 0)
}

function hasPlace(schema: Schema, document: OpenApiDocument, excess: Excess): boolean {
  const found = resolved(schema, document)
  const kind = kindOf(found)
  if (kind === 'object') return membersOf(found).some(([, member]) => hasPlace(member, document, excess))
  return kind in excess
}

function written(schema: Schema, document: OpenApiDocument, excess: Excess): string {
  const found = resolved(schema, document)
  const kind = kindOf(found)
  if (kind === 'object') {
    const members = membersOf(found).map(([name, member]) => `"${name}":${written(member, document, excess)}`)
    return `{${members.join(',')}}`
  }
  if (kind in excess) return excess[kind as keyof Excess] ?? 'null'
  const ordinary = { array: '[]', map: '{}', text: '"x"', number: '1', other: 'true' }
  return ordinary[kind]
}

/** Bodies of `$batch`. */
export function hostileBatches(): HostileBody[] {
  const mixed = { 'content-type': 'multipart/mixed; boundary=b' }
  const requests = (content: string): string => `{"requests":${content}}`
  const request = (more: string): string =>
    requests(`[{"id":"1","method":"GET","url":"Ports?$top=1",${more}}]`)
  const httpPart = '--b\r\nContent-Type: application/http\r\n\r\nGET Ports?$top=1 HTTP/1.1\r\n\r\n\r\n'
  return [
    body('a batch of empty objects', requests(list('{}'))),
    body('a batch of faulty parts', requests(list('{"id":[],"method":1}'))),
    body('a batch of numbers', requests(list('0'))),
    body('a batch of many parts', requests(list('{"id":1,"method":"GET","url":"Ports"}'))),
    body('a part with many headers', request(`"headers":${numbered()}`)),
    body('a part with many dependencies', request(`"dependsOn":${list('"0"')}`)),
    body('a part with a deep body', request(`"body":${nested('[', ']')}`)),
    body('a part with a body of 5,000 levels', request(`"body":${nested('[', ']', 10_000)}`)),
    body('a part with a wide body', request(`"body":${list('{}')}`)),
    body('a part with a long address', requests(`[{"id":"1","method":"GET","url":"Ports?${fill('a')}"}]`)),
    body(
      'a part with a long foreign address',
      requests(`[{"id":"1","method":"GET","url":"Ports?${fill('é', mostBytes / 2)}"}]`),
    ),
    body('a part with a long id', requests(`[{"id":"${fill('1')}","method":"GET","url":"Ports"}]`)),
    body('many parts of a multipart batch', fill(httpPart) + end, mixed),
    body('many boundaries', fill('--b\r\n') + end, mixed),
    body('many boundaries without an end', fill('--b\n'), mixed),
    body('many lines', `--b\r\n${fill('\n')}${end}`, mixed),
    body('many header lines', `--b\r\n${fill('a:b\n')}\n${end}`, mixed),
    body(
      'many header lines inside',
      `--b\r\nContent-Type: application/http\r\n\r\nGET Ports HTTP/1.1\r\n${fill('a:b\n')}\n${end}`,
      mixed,
    ),
    body('nearly boundaries', `--b\r\n${fill('--bx\n')}${end}`, mixed),
    body('boundaries of blanks', `--b\r\n${fill(`--b${' '.repeat(1000)}x\n`)}${end}`, mixed),
  ]
}

/** Bodies of `$query`; the first are as long as one may be. */
export function hostileQueries(): HostileBody[] {
  const text = { 'content-type': 'text/plain' }
  const allowed = 63 * 1024
  return [allowed, mostBytes].flatMap((bytes) => [
    body(`many options of ${bytes}`, fill('$top=1&', bytes), text),
    body(`many separators of ${bytes}`, fill('&', bytes), text),
    body(`many conditions of ${bytes}`, `$filter=${fill("Name eq 'a' or ", bytes)}Name eq 'a'`, text),
    body(`deep parentheses of ${bytes}`, `$filter=${nested('(', ')', bytes)}`, text),
    body(`deep expansions of ${bytes}`, `$expand=${nested('a($expand=', ')', bytes)}`, text),
    body(`many negations of ${bytes}`, `$filter=${fill('not ', bytes)}true`, text),
    body(`a long list of ${bytes}`, `$filter=Name in (${fill("'a',", bytes)}'a')`, text),
    body(`a long JSON list of ${bytes}`, `$filter=Name in [${fill('"a",', bytes)}"a"]`, text),
    body(`a long text of ${bytes}`, `$filter=Name eq '${fill("''", bytes)}'`, text),
    body(`foreign letters of ${bytes}`, `$search=${fill('é', bytes / 2)}`, text),
    body(`percent-encodings of ${bytes}`, `$filter=${fill('%20', bytes)}`, text),
    body(`search terms of ${bytes}`, `$search=${fill('a OR ', bytes)}a`, text),
    body(`sort fields of ${bytes}`, `$orderby=${fill('Name,', bytes)}Name`, text),
    body(`selected fields of ${bytes}`, `$select=${fill('Name,', bytes)}Name`, text),
    body(`steps of ${bytes}`, `$apply=${fill('filter(true)/', bytes)}filter(true)`, text),
  ])
}

/** Headers that are meant to cost their reader dearly: each begins as it should, and goes on with one piece without end. */
export function hostileHeaders(): {
  readonly shape: string
  readonly headers: Readonly<Record<string, string>>
}[] {
  const pieces = [
    ' ',
    '\t',
    ';',
    '; ',
    ' ;',
    ',',
    ', ',
    ' ,',
    '"',
    '\\"',
    '0',
    'a',
    'a=',
    '-',
    '.',
    '%',
    '/',
    '[',
    '*',
  ]
  return Object.entries(headerBeginnings).flatMap(([name, beginning]) =>
    pieces.map((piece) => ({
      shape: `${name}: ${beginning}${JSON.stringify(piece)}, 60,000 characters of it`,
      headers: { [name]: `${beginning}${fill(piece, 60_000)}x` },
    })),
  )
}

/** The headers that hosts read, with what their values begin with. */
const headerBeginnings = {
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'accept-language': 'en',
  authorization: 'Bearer a',
  cookie: '.AspNetCore.Culture=c',
  'content-type': 'application/json',
  'content-encoding': 'gzip',
  forwarded: 'for=1.2.3.4',
  'idempotency-key': 'a',
  'if-match': 'W/"a"',
  'if-modified-since': 'Sat, 28 Nov 2026 00:00:00 GMT',
  'if-none-match': 'W/"a"',
  'if-range': '"a"',
  'odata-maxversion': '4.0',
  origin: 'http://a',
  prefer: 'maxpagesize=1',
  range: 'bytes=0',
  referer: 'http://a',
  traceparent: '00-0',
  tracestate: 'a=b',
  'user-agent': 'a',
  'x-api-key': 'a',
  'x-correlation-id': 'a',
  'x-forwarded-for': '1.2.3.4',
  'x-forwarded-proto': 'https',
  'x-keel-seen': 'a',
} as const

/** What addresses may go on with, without end. Spaces and the like are encoded, as clients send them. */
export const hostilePieces = [
  ...['%20', '%09', '%0a', '%22', '%27', '%2f', '%5c', '%25', '%'],
  ...[
    '/',
    '//',
    '../',
    '.',
    ';',
    ',',
    '(',
    ')',
    '[',
    '[]',
    '{',
    '&',
    '&a',
    '=',
    '?',
    '+',
    '-',
    '0',
    'a',
    '~',
    '*',
  ],
].map((piece) => ({ shape: `60,000 characters of ${piece}`, text: fill(piece, 60_000) }))
