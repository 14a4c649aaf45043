import { z } from '../../contracts/index.js'
import { type JsonBounds, JsonLimitError, parseBoundedJson } from '../../http/operations/bounded-json.js'
import { bodyBytes, bodyParts, bodySize } from '../../http/server/compression.js'
import { asSentence, ODataError, type Sentence, say } from '../syntax/odata-error.js'
import { type BatchPart, mostHeaders, type PartAnswer, tooManyParts } from './batch-part.js'
import { type ODataAnswer } from './odata-answer.js'

const text = z.string().max(100_000)
const partSchema = z.object({
  id: z.union([text.min(1), z.number()]).transform(String),
  method: z.string().max(20),
  url: text,
  headers: z.record(z.string(), z.union([text, z.number(), z.boolean()]).transform(String)).optional(),
  body: z.unknown().optional(),
  dependsOn: z.array(z.union([text, z.number()]).transform(String)).optional(),
  atomicityGroup: z
    .union([text.min(1), z.number()])
    .transform(String)
    .optional(),
  if: z.unknown().optional(),
})

/** How much of a batch in JSON is looked at. */
export interface JsonBatchLimits extends JsonBounds {
  readonly maxParts: number
}

/**
 * The parts of a batch in JSON. Throws when it is malformed (an id occurs twice, or a part depends on one
 * that does not precede it) and when it has too many parts or values, which are counted before anything else
 * is read.
 */
export function readJsonBatch(body: Buffer, limits: JsonBatchLimits): BatchPart[] {
  const parts = countedParts(parsed(body, limits), limits)
  const { data, error } = z.array(partSchema).safeParse(parts)
  if (error) {
    const [issue] = error.issues
    throw malformed(say`requests.${issue?.path.join('.')} is not valid`)
  }
  const positions = new Map<string, number[]>()
  const ids = new Set(data.map(({ id }) => id))
  return data.map((part, index) => {
    const { id, method, url, headers = {}, dependsOn = [], atomicityGroup } = part
    if (positions.has(id)) throw malformed(say`the id '${id.slice(0, 100)}' occurs more than once`)
    const needed = dependsOn.map((other) => {
      const found = positions.get(other)
      if (!found || other === atomicityGroup)
        throw malformed(
          say`'${id.slice(0, 100)}' depends on '${other.slice(0, 100)}', which does not come before it`,
        )
      return found
    })
    positions.set(id, [index])
    if (atomicityGroup !== undefined) {
      const isNext = data[index - 1]?.atomicityGroup === atomicityGroup
      if (!isNext && (positions.has(atomicityGroup) || ids.has(atomicityGroup)))
        throw malformed(
          say`the parts of the group '${atomicityGroup.slice(0, 100)}' do not stand together, or a part has its name`,
        )
      positions.set(atomicityGroup, [...(positions.get(atomicityGroup) ?? []), index])
    }
    const fault = faultOf(part)
    return {
      id,
      method,
      url,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: bodyOf(part.body),
      group: atomicityGroup,
      dependsOn: [...new Set(needed.flat())],
      ...(fault && { fault }),
    }
  })
}

function faultOf({ if: condition, url }: z.output<typeof partSchema>): ODataError | undefined {
  if (condition !== undefined) return ODataError.unsupported('ConditionsInBatch')
  if (/^\$(?!metadata|entity|all|crossjoin|batch)[^/?]+(\/|\?|$)/i.test(url))
    return ODataError.unsupported('ReferencesInBatch')
  return undefined
}

function parsed(body: Buffer, bounds: JsonBounds): unknown {
  try {
    return parseBoundedJson(body, bounds)
  } catch (error) {
    if (error instanceof JsonLimitError) throw new ODataError(400, say`The batch is malformed: ${error}`)
    throw malformed('it is not valid JSON')
  }
}

function countedParts(batch: unknown, { maxParts }: JsonBatchLimits): readonly unknown[] {
  const { requests } = (batch ?? {}) as { requests?: unknown }
  if (!Array.isArray(requests)) throw malformed("it needs the list 'requests'")
  if (requests.length > maxParts) throw tooManyParts(maxParts)
  for (const [index, part] of requests.entries()) {
    const { headers, dependsOn } = (part ?? {}) as { headers?: object | null; dependsOn?: unknown }
    if (Object.keys(headers ?? {}).length > mostHeaders)
      throw malformed(say`requests.${index} has more than ${mostHeaders} headers`)
    if (Array.isArray(dependsOn) && dependsOn.length > maxParts)
      throw malformed(say`requests.${index} depends on more than ${maxParts} parts`)
  }
  return requests
}

function malformed(reason: string | Sentence): ODataError {
  return new ODataError(400, say`The batch is malformed: ${asSentence(reason)}.`)
}

function bodyOf(body: unknown): Buffer | undefined {
  if (body === undefined || body === null) return undefined
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The answers in JSON; JSON bodies stand in it as they are, others as texts. */
export function answerJson(answers: readonly PartAnswer[]): ODataAnswer {
  const pieces: (string | Buffer)[] = ['{"responses":[']
  for (const [index, { id, group, status, headers, body }] of answers.entries()) {
    const grouped = group === undefined ? '' : `"atomicityGroup":${JSON.stringify(group)},`
    const head = `"id":${JSON.stringify(id ?? '')},${grouped}"status":${status},"headers":${JSON.stringify(headers)}`
    pieces.push(`${index ? ',' : ''}{${head}`)
    const isJson = /^application\/(\w+\+)?json\b/.test(headers['content-type'] ?? '')
    const parts = bodyParts(body ?? '')
    if (bodySize(parts) > 0) {
      pieces.push(',"body":')
      if (isJson) pieces.push(...parts)
      else pieces.push(JSON.stringify(bodyBytes(parts).toString()))
    }
    pieces.push('}')
  }
  pieces.push(']}')
  return { status: 200, headers: { 'content-type': 'application/json;charset=utf-8' }, body: pieces }
}
