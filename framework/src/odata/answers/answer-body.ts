import type { Bytes } from '../../data/wire/byte-rows.js'
import type { Body } from '../../http/server/compression.js'
import { matchesTag } from '../../http/server/entity-tags.js'
import type { NextPage, ReadResult } from '../plans/odata-queries.js'
import type { StreamedRows } from '../plans/streamed-rows.js'
import { ODataError } from '../syntax/odata-error.js'
import type { JsonFormat } from './content-negotiation.js'
import type { ODataAnswer, ODataRequest } from './odata-answer.js'
import type { Preferences } from './preferences.js'
import type { Version } from './protocol-version.js'

/** The request, format and preferences that an answer is written for. */
export interface AnswerForm {
  readonly request: ODataRequest
  readonly format: JsonFormat
  readonly version: Version
  readonly preferences: Preferences
  /** The value itself is asked for, without JSON around it. */
  readonly isRaw: boolean
}

/** A reading as an answer in JSON, or as the bare value. */
export function renderAnswer(reading: ReadResult, form: AnswerForm): ODataAnswer {
  const { text, raw, kind } = reading
  const { etag } = reading
  const headers = {
    ...readHeaders,
    ...(etag && { ...taggedHeaders, etag }),
    ...preferencesApplied(reading, form),
  }
  const { 'if-match': expected, 'if-none-match': known } = form.request.headers
  if (etag && expected !== undefined && !matchesTag(expected, etag))
    throw new ODataError(412, 'The entity has changed since the tag of If-Match was given.', {
      target: 'If-Match',
    })
  if (etag && matchesTag(known, etag)) return { status: 304, headers }
  if (form.isRaw)
    return raw === undefined
      ? { status: 204, headers }
      : { status: 200, headers: { ...headers, 'content-type': 'text/plain;charset=utf-8' }, body: raw }
  const { format, version } = form
  if (reading.rows) {
    const pieces = streamedBody(reading.rows, reading, form)
    return { status: 200, headers: { ...headers, ...jsonType(format, version) }, pieces }
  }
  if (text === undefined) return { status: 204, headers }
  const isObject = kind === 'entity' || (kind === 'references' && text[0]?.[0] === openingBrace)
  const body = isObject ? entityBody(text, reading, form) : valueBody(text, reading, form)
  const answer = jsonAnswer(body, format, version)
  return { ...answer, headers: { ...headers, ...answer.headers } }
}

/** An answer is for one caller and this moment. */
const readHeaders = { 'cache-control': 'no-store', vary: 'Accept, Prefer, Authorization, Accept-Encoding' }

/** May be kept, and asked for again with `If-None-Match`. */
const taggedHeaders = { 'cache-control': 'private, no-cache' }

const openingBrace = 0x7b

function entityBody(text: Bytes, { context }: ReadResult, form: AnswerForm): Body {
  const first = contextMember(context, form)
  const [begin, ...rest] = text
  if (!first || !begin) return text
  const isEmpty = rest.length === 0 && begin.length === '{}'.length
  return [isEmpty ? `{${first}` : `{${first},`, begin.subarray(1), ...rest]
}

function valueBody(text: Bytes, reading: ReadResult, form: AnswerForm): Body {
  return [beforeValue(reading, form), ...text, behindValue(reading.next, form)]
}

/** The same, piece by piece. */
async function* streamedBody(
  rows: StreamedRows,
  reading: ReadResult,
  form: AnswerForm,
): AsyncGenerator<string, void, undefined> {
  try {
    yield `${beforeValue(reading, form)}[`
    yield* rows.pieces()
    const { lastKeys } = rows
    yield `]${behindValue(lastKeys === undefined ? undefined : reading.nextBehind?.(lastKeys), form)}`
  } finally {
    await rows.close()
  }
}

function beforeValue({ context, count, facets }: ReadResult, form: AnswerForm): string {
  const { format, version } = form
  const members = [
    contextMember(context, form),
    count !== undefined && `"${version.prefix}count":${format.ieee754 ? `"${count}"` : count}`,
    facets !== undefined && format.metadata !== 'none' && `"@core.facets":${facets}`,
    '"value":',
  ]
  return `{${members.filter(Boolean).join(',')}`
}

function behindValue(next: NextPage | undefined, { request, version }: AnswerForm): string {
  return next ? `,"${version.prefix}nextLink":${JSON.stringify(nextLink(request, next))}}` : '}'
}

function contextMember(
  context: string | undefined,
  { request, format, version }: AnswerForm,
): string | undefined {
  if (context === undefined || format.metadata === 'none') return undefined
  return `"${version.prefix}context":${JSON.stringify(`${request.root}$metadata${context}`)}`
}

/** The request again, from the next row on: every option stays but those that say where to begin. */
function nextLink({ root, path, query }: ODataRequest, next: NextPage): string {
  const replaced = /^\$?(skip(token)?|top)$/i
  const kept = query
    .split('&')
    .filter((pair) => pair && !replaced.test(decodeURIComponent(pair.split('=')[0] ?? '')))
  const top = next.top === undefined ? [] : [`$top=${next.top}`]
  const skip = next.skip === undefined ? [] : [`$skip=${next.skip}`]
  return `${root}${path.replace(/^\//, '')}?${[...kept, ...top, ...skip, `$skiptoken=${encodeURIComponent(next.token)}`].join('&')}`
}

/** Which preferences the answer follows. */
function preferencesApplied(
  reading: ReadResult,
  { preferences, format, isRaw }: AnswerForm,
): Record<string, string> {
  const { maxPageSize, facets, omitNulls } = preferences
  const parts = [
    maxPageSize && reading.appliedPageSize !== undefined && `${maxPageSize.name}=${reading.appliedPageSize}`,
    facets &&
      reading.facets !== undefined &&
      format.metadata !== 'none' &&
      `${facets.name}="${facets.value}"`,
    omitNulls && (reading.text !== undefined || reading.rows) && !isRaw && 'omit-values=nulls',
  ].filter(Boolean)
  return parts.length ? { 'preference-applied': parts.join(', ') } : {}
}

/** An answer in JSON. */
export function jsonAnswer(body: Body, format: JsonFormat, version: Version): ODataAnswer {
  return { status: 200, headers: jsonType(format, version), body }
}

function jsonType({ metadata, ieee754 }: JsonFormat, { version }: Version): Record<string, string> {
  const level =
    version === '4.0'
      ? `odata.metadata=${metadata};odata.streaming=true`
      : `metadata=${metadata};streaming=true`
  const type = `application/json;${level};${ieee754 ? 'IEEE754Compatible=true;' : ''}charset=utf-8`
  return { 'content-type': type }
}
