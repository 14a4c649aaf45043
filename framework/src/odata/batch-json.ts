import { z } from '../contracts/index.js'
import type { BatchPart, PartAnswer } from './batch-part.js'
import { bodyBytes, type ODataAnswer } from './odata-answer.js'
import { ODataError } from './odata-error.js'

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
const batchSchema = z.object({ requests: z.array(partSchema) })

/** The parts of a batch in JSON. Throws when it is malformed: ids that occur twice, dependencies on what does not come before. */
export function readJsonBatch(body: Buffer): BatchPart[] {
  const { data, error } = batchSchema.safeParse(parsed(body))
  if (error) {
    const [issue] = error.issues
    throw malformed(`${issue?.path.join('.') || 'body'}: ${issue?.message}`)
  }
  const positions = new Map<string, number[]>()
  return data.requests.map((part, index) => {
    const { id, method, url, headers = {}, dependsOn = [], atomicityGroup } = part
    if (positions.has(id)) throw malformed(`the id '${id.slice(0, 100)}' occurs more than once`)
    const needed = dependsOn.map((other) => {
      const found = positions.get(other)
      if (!found || other === atomicityGroup)
        throw malformed(
          `'${id.slice(0, 100)}' depends on '${other.slice(0, 100)}', which does not come before it`,
        )
      return found
    })
    positions.set(id, [index])
    if (atomicityGroup !== undefined && atomicityGroup !== id)
      positions.set(atomicityGroup, [...(positions.get(atomicityGroup) ?? []), index])
    const fault = faultOf(part)
    return {
      id,
      method,
      url,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: bodyOf(part.body),
      dependsOn: [...new Set(needed.flat())],
      ...(fault && { fault }),
    }
  })
}

function faultOf({ if: condition, url }: z.output<typeof partSchema>): ODataError | undefined {
  if (condition !== undefined) return ODataError.unsupported("'if' in a batch")
  if (/^\$(?!metadata|entity|all|crossjoin|batch)[^/?]+(\/|\?|$)/i.test(url))
    return ODataError.unsupported('A reference to another part of the batch')
  return undefined
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw malformed('it is not valid JSON')
  }
}

function malformed(reason: string): ODataError {
  return new ODataError(400, `The batch is malformed: ${reason}.`)
}

function bodyOf(body: unknown): Buffer | undefined {
  if (body === undefined || body === null) return undefined
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The answers in JSON; JSON bodies stand in it as they are, others as texts. */
export function answerJson(answers: readonly PartAnswer[]): ODataAnswer {
  const responses = answers.map(({ id, status, headers, body }) => {
    const written = body === undefined ? '' : bodyBytes(body).toString()
    const isJson = /^application\/(\w+\+)?json\b/.test(headers['content-type'] ?? '')
    const members = [
      `"id":${JSON.stringify(id ?? '')}`,
      `"status":${status}`,
      `"headers":${JSON.stringify(headers)}`,
      written && `"body":${isJson ? written : JSON.stringify(written)}`,
    ]
    return `{${members.filter(Boolean).join(',')}}`
  })
  return {
    status: 200,
    headers: { 'content-type': 'application/json;charset=utf-8' },
    body: `{"responses":[${responses.join(',')}]}`,
  }
}
