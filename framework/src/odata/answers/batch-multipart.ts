import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { bodyParts, bodySize } from '../../http/server/compression.js'
import { ODataError, type Sentence, say } from '../syntax/odata-error.js'
import { type BatchPart, mostHeaders, type PartAnswer, tooManyParts } from './batch-part.js'
import { type ODataAnswer } from './odata-answer.js'

/** The boundary in a `Content-Type` of multipart/mixed; undefined when there is no valid one. */
export function boundaryOf(type: string | undefined): string | undefined {
  if (!/^multipart\/mixed\s*;/i.test(type ?? '')) return undefined
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type ?? '') ?? []
  return quoted ?? plain
}

interface Message {
  /** Undefined when there are more than there may be. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** One character for each byte. */
  readonly content: string
}

/** How much of a multipart batch is looked at. */
export interface MultipartLimits {
  readonly maxParts: number
  readonly maxUrlLength: number
}

/**
 * The parts of a multipart batch. Throws when it has no end or too many parts, before any part is read. A
 * part that is no HTTP request is answered with an error of its own.
 */
export function readMultipartBatch(body: Buffer, boundary: string, limits: MultipartLimits): BatchPart[] {
  // One character for each byte: the content of a part is decoded where its type is known. Every boundary has
  // a line break before it.
  const text = `\n${body.toString('latin1')}`
  const parts: string[] = []
  let start: number | undefined
  for (const { at, end, isLast } of boundariesIn(text, boundary)) {
    if (start !== undefined) parts.push(text.slice(start, Math.max(start, at)))
    if (isLast) return parts.map((part) => readPart(messageOf(part), limits))
    if (parts.length === limits.maxParts) throw tooManyParts(limits.maxParts)
    start = end
  }
  throw new ODataError(400, say`The batch is malformed: the boundary --${boundary}-- at its end is missing.`)
}

interface Boundary {
  /** Where the line break before it begins. */
  readonly at: number
  /** Where the line after it begins. */
  readonly end: number
  readonly isLast: boolean
}

/** The lines that are the boundary, with nothing but blanks behind it. */
function* boundariesIn(text: string, boundary: string): Iterable<Boundary> {
  const delimiter = `\n--${boundary}`
  let end = 0
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, end)) {
    end = at + delimiter.length
    const isLast = text.startsWith('--', end)
    if (isLast) end += 2
    while (isBlank(text.charCodeAt(end))) end++
    const isLine = end >= text.length || text[end] === '\n'
    // The line break behind a boundary may be that before the next.
    if (isLine) yield { at, end: end + 1, isLast }
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0d

/** Headers, an empty line, and the rest. */
function messageOf(text: string): Message {
  const headers: [string, string][] = []
  let at = 0
  for (let lines = 0; at < text.length; lines++) {
    const lineEnd = text.indexOf('\n', at)
    const end = lineEnd < 0 ? text.length : lineEnd
    const line = text.slice(at, end)
    at = end + 1
    if (line === '' || line === '\r') break
    if (lines >= mostHeaders) return { headers: undefined, content: '' }
    const colon = line.indexOf(':')
    if (colon >= 1) headers.push([line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()])
  }
  // The line break before a boundary belongs to the boundary.
  const content = text.slice(at, text.endsWith('\r') ? -1 : undefined)
  return { headers: Object.fromEntries(headers), content }
}

const requestLine = /^([A-Za-z]{1,20}) +(\S+) +HTTP\/1\.[01]\s*$/
/** The members of a request line beside its URL. */
const aroundUrl = 100

function readPart({ headers, content }: Message, { maxUrlLength }: MultipartLimits): BatchPart {
  const id = headers?.['content-id']
  const part = { id, method: '', url: '', headers: {}, body: undefined, dependsOn: [] }
  const faulty = (message: string | Sentence): BatchPart => ({ ...part, fault: new ODataError(400, message) })
  if (!headers) return faulty(say`The part of a batch may have at most ${mostHeaders} headers.`)
  const type = headers['content-type'] ?? ''
  if (/^multipart\/mixed/i.test(type)) return { ...part, fault: ODataError.unsupported('ChangeSets') }
  if (!/^application\/http\s*(;|$)/i.test(type))
    return faulty('The part of a batch must be of the type application/http.')
  const request = content.trimStart()
  const lineEnd = request.indexOf('\n')
  const line = lineEnd < 0 ? request : request.slice(0, lineEnd)
  if (line.length > maxUrlLength + aroundUrl)
    return {
      ...part,
      fault: new ODataError(414, say`The URL of a part may have at most ${maxUrlLength} characters.`),
    }
  const [, method, url] = requestLine.exec(line.trimEnd()) ?? []
  if (!method || !url) return faulty('The part of a batch must begin with a request line: GET url HTTP/1.1.')
  const inner = messageOf(lineEnd < 0 ? '' : request.slice(lineEnd + 1))
  if (!inner.headers) return faulty(say`The request in a batch may have at most ${mostHeaders} headers.`)
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
  const chunks: (string | Buffer)[] = []
  for (const { id, status, headers, body = '' } of answers) {
    const parts = bodyParts(body)
    const head = [
      `--${boundary}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      ...(id === undefined ? [] : [`Content-ID: ${id.replace(/[^\x20-\x7e]/g, '')}`]),
      '',
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${bodySize(parts)}`,
      '',
      '',
    ]
    chunks.push(Buffer.from(head.join('\r\n')), ...parts, '\r\n')
  }
  chunks.push(`--${boundary}--\r\n`)
  return {
    status: 200,
    headers: { 'content-type': `multipart/mixed;boundary=${boundary}` },
    body: chunks,
  }
}
