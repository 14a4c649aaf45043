import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { BatchPart, PartAnswer } from './batch-part.js'
import { bodyBytes, type ODataAnswer } from './odata-answer.js'
import { ODataError } from './odata-error.js'

/** The boundary that a `Content-Type` of multipart/mixed names; undefined for other types and without a valid one. */
export function boundaryOf(type: string | undefined): string | undefined {
  if (!/^multipart\/mixed\s*;/i.test(type ?? '')) return undefined
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type ?? '') ?? []
  return quoted ?? plain
}

interface Message {
  readonly headers: Readonly<Record<string, string>>
  /** One character for each byte. */
  readonly content: string
}

/** The parts of a multipart batch. Throws when it has no end or no parts; a part that is no HTTP request is answered as such. */
export function readMultipartBatch(body: Buffer, boundary: string): BatchPart[] {
  const delimiter = `--${boundary}`
  // One character for each byte: what is inside is decoded where its type is known.
  const lines = body.toString('latin1').split('\n')
  const parts: string[][] = []
  let current: string[] | undefined
  let hasEnd = false
  for (const line of lines) {
    const bare = line.trimEnd()
    if (bare === `${delimiter}--`) {
      hasEnd = true
      break
    }
    if (bare === delimiter) {
      current = []
      parts.push(current)
    } else current?.push(line)
  }
  if (!hasEnd)
    throw new ODataError(400, `The batch is malformed: the boundary --${boundary}-- at its end is missing.`)
  return parts.map((part) => readPart(messageOf(part)))
}

/** Headers, an empty line, and the rest. */
function messageOf(lines: readonly string[]): Message {
  const empty = lines.findIndex((line) => line === '' || line === '\r')
  const head = empty < 0 ? lines : lines.slice(0, empty)
  const content = empty < 0 ? '' : lines.slice(empty + 1).join('\n')
  const headers = head.flatMap((line) => {
    const colon = line.indexOf(':')
    return colon < 1
      ? []
      : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const]
  })
  // The line break before a boundary belongs to the boundary.
  return { headers: Object.fromEntries(headers), content: content.replace(/\r?\n?$/, '') }
}

const requestLine = /^([A-Za-z]{1,20}) +(\S+) +HTTP\/1\.[01]\s*$/

function readPart({ headers, content }: Message): BatchPart {
  const id = headers['content-id']
  const type = headers['content-type'] ?? ''
  const part = { id, method: '', url: '', headers: {}, body: undefined, dependsOn: [] }
  if (/^multipart\/mixed/i.test(type))
    return { ...part, fault: ODataError.unsupported('A change set in a batch') }
  if (!/^application\/http\s*(;|$)/i.test(type))
    return {
      ...part,
      fault: new ODataError(400, 'The part of a batch must be of the type application/http.'),
    }
  const lines = content.replace(/^\s+/, '').split('\n')
  const [, method, url] = requestLine.exec(lines[0]?.trimEnd() ?? '') ?? []
  if (!method || !url)
    return {
      ...part,
      fault: new ODataError(400, 'The part of a batch must begin with a request line: GET url HTTP/1.1.'),
    }
  const inner = messageOf(lines.slice(1))
  const host = inner.headers['host']
  return {
    ...part,
    method,
    // A path goes with its Host; another host is no business of ours.
    url: url.startsWith('/') && host !== undefined && /[^\w.:[\]-]/.test(host) ? '//' : url,
    headers: inner.headers,
    body: inner.content ? Buffer.from(inner.content, 'latin1') : undefined,
  }
}

/** The answers as multipart/mixed, in the order of their parts. */
export function answerMultipart(answers: readonly PartAnswer[]): ODataAnswer {
  const boundary = `batchresponse_${randomUUID()}`
  const chunks: Buffer[] = []
  for (const { id, status, headers, body = '' } of answers) {
    const bytes = bodyBytes(body)
    const head = [
      `--${boundary}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      ...(id === undefined ? [] : [`Content-ID: ${id.replace(/[^\x20-\x7e]/g, '')}`]),
      '',
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${bytes.length}`,
      '',
      '',
    ]
    chunks.push(Buffer.from(head.join('\r\n')), bytes, Buffer.from('\r\n'))
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return {
    status: 200,
    headers: { 'content-type': `multipart/mixed;boundary=${boundary}` },
    body: Buffer.concat(chunks),
  }
}
