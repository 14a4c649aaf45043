import type { JsonBounds } from '../../http/operations/bounded-json.js'
import { bodyParts, bodySize } from '../../http/server/compression.js'
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../../http/server/http-errors.js'
import { ODataError, say } from '../syntax/odata-error.js'
import { withForeignEncoded } from '../syntax/url.js'
import { pathBelow } from './address.js'
import { answerJson, readJsonBatch } from './batch-json.js'
import { answerMultipart, boundaryOf, readMultipartBatch } from './batch-multipart.js'
import type { BatchPart, PartAnswer } from './batch-part.js'
import { acceptedTypes } from './content-negotiation.js'
import { type ODataAnswer, type ODataRequest } from './odata-answer.js'
import { parsePreferences } from './preferences.js'

/** How much a batch may hold. */
export interface BatchLimits extends JsonBounds {
  readonly maxBytes: number
  readonly maxParts: number
  readonly maxUrlLength: number
  /** Of all answers together. */
  readonly maxAnswerBytes: number
}

/** How the parts of a batch are answered. */
export interface BatchRun {
  readonly limits: BatchLimits
  /** Parts that run at a time. */
  readonly concurrency: number
  /** Answers one part; never throws. */
  answer(request: ODataRequest): Promise<ODataAnswer>
  /** Tells an error of one part. */
  tell(error: unknown): ODataAnswer
}

/** Headers of the batch that hold for its parts where these don't say otherwise. */
const inherited = ['accept-language', 'odata-maxversion', 'prefer']
const credentials = ['authorization', 'x-api-key', 'api-key']

/** Answers `POST /$batch`, in JSON or as multipart. A malformed batch is refused as a whole. */
export async function answerBatch(request: ODataRequest, run: BatchRun): Promise<ODataAnswer> {
  const type = request.headers['content-type']
  const isJson = /^application\/json\s*(;|$)/i.test(type ?? '')
  const boundary = boundaryOf(type)
  if (!isJson && boundary === undefined)
    throw UnsupportedMediaTypeError.expecting('application/json or multipart/mixed with a boundary', type)
  const form = answerForm(request.headers['accept'], isJson ? 'json' : 'multipart')
  const { limits } = run
  const body = await request.body(limits.maxBytes)
  const parts =
    boundary === undefined ? readJsonBatch(body, limits) : readMultipartBatch(body, boundary, limits)
  const answers = await runParts(parts, request, run)
  const answer = form === 'json' ? answerJson(answers) : answerMultipart(answers)
  return { ...answer, headers: { ...answer.headers, 'odata-version': '4.0', 'cache-control': 'no-store' } }
}

function answerForm(accept: string | undefined, own: 'json' | 'multipart'): 'json' | 'multipart' {
  for (const { type } of acceptedTypes(undefined, accept)) {
    if (type === '*/*') return own
    if (type === 'application/json' || type === 'application/*') return 'json'
    if (type === 'multipart/mixed' || type === 'multipart/*') return 'multipart'
  }
  throw new ODataError(406, 'A batch is answered as application/json or multipart/mixed.', {
    target: 'Accept',
  })
}

/** Reads run side by side, a few at a time; a part waits for those that it depends on. */
async function runParts(
  parts: readonly BatchPart[],
  request: ODataRequest,
  given: BatchRun,
): Promise<PartAnswer[]> {
  const run = withinBytes(given)
  const stopsAtFailure = parsePreferences(request.headers['prefer']).continueOnError === false
  if (stopsAtFailure) {
    const answers: PartAnswer[] = []
    for (const part of parts) {
      const failed = part.dependsOn.some((index) => (answers[index]?.status ?? 500) >= 400)
      const answer = await answerPart(part, failed, request, run)
      answers.push(answer)
      if (answer.status >= 400) break
    }
    return answers
  }
  const running: Promise<PartAnswer>[] = []
  const places: Promise<unknown>[] = Array.from({ length: run.concurrency }, () => Promise.resolve())
  for (const [index, part] of parts.entries()) {
    const place = index % places.length
    // The dependencies of a part precede it, so no part waits for itself.
    const before = [places[place], ...part.dependsOn.map((other) => running[other])]
    const answer = Promise.all(before).then(async () => {
      const needed = await Promise.all(part.dependsOn.map((other) => running[other]))
      return answerPart(
        part,
        needed.some((one) => (one?.status ?? 500) >= 400),
        request,
        run,
      )
    })
    running.push(answer)
    places[place] = answer
  }
  return Promise.all(running)
}

/**
 * Answers parts as long as their answers fit into the limit together. A part whose answer does not fit is
 * refused; a later, smaller one may still fit.
 */
function withinBytes(run: BatchRun): BatchRun {
  const { maxAnswerBytes } = run.limits
  let left = maxAnswerBytes
  return {
    ...run,
    answer: async (request) => {
      const answer = await run.answer(request)
      const size = bodySize(bodyParts(answer.body ?? ''))
      if (size <= left) {
        left -= size
        return answer
      }
      const message = say`The answers to a batch may have at most ${maxAnswerBytes} bytes together: ask for this part apart.`
      return run.tell(new ODataError(400, message))
    },
  }
}

async function answerPart(
  part: BatchPart,
  dependencyFailed: boolean,
  batch: ODataRequest,
  run: BatchRun,
): Promise<PartAnswer> {
  const { id, group } = part
  if (part.fault) return { id, group, ...run.tell(part.fault) }
  if (dependencyFailed)
    return { id, group, ...run.tell(new ODataError(424, 'A part that this one depends on has failed.')) }
  const request = partRequest(part, batch, run.limits)
  return { id, group, ...(request instanceof ODataError ? run.tell(request) : await run.answer(request)) }
}

function partRequest(
  part: BatchPart,
  batch: ODataRequest,
  { maxUrlLength }: BatchLimits,
): ODataRequest | ODataError {
  const foreign = credentials.find(
    (name) => name in part.headers && part.headers[name] !== batch.headers[name],
  )
  if (foreign)
    return new ODataError(
      400,
      'The parts of a batch are answered for the caller of the batch; a part has no credentials.',
      {
        target: foreign,
      },
    )
  if (part.url.length > maxUrlLength)
    return new ODataError(414, say`The URL of a part may have at most ${maxUrlLength} characters.`)
  const address = withForeignEncoded(part.url)
  const below = pathBelow(batch, address)
  if (below === undefined || below.includes('#'))
    return new ODataError(400, 'The URL of a part must be one of this service.', { target: 'url' })
  const [path = '', ...query] = below.split('?')
  if (/^\/(\$|%24)batch(\/|$)/i.test(path)) return new ODataError(400, 'A batch has no place in a batch.')
  const kept = inherited.flatMap((name) =>
    batch.headers[name] === undefined ? [] : [[name, batch.headers[name]]],
  )
  return {
    method: part.method.toUpperCase(),
    path,
    query: query.join('?'),
    headers: { ...Object.fromEntries(kept), ...part.headers },
    root: batch.root,
    reachedAt: batch.reachedAt,
    body: async (maxBytes) => {
      const { body = Buffer.alloc(0) } = part
      if (body.length > maxBytes) throw PayloadTooLargeError.ofBody(maxBytes)
      return body
    },
  }
}
