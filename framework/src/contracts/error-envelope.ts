import { z } from 'zod'

/** The members of an error beside its message. A problem of RFC 9457 has the same ones as extensions. */
const members = {
  code: z.string().nullable().describe('Says for programs what went wrong.'),
  details: z.string().nullable(),
  data: z.record(z.string(), z.unknown()).nullable(),
  validationErrors: z
    .array(z.object({ message: z.string(), members: z.array(z.string()) }))
    .nullable()
    .describe('Every fault of the input; null for other errors.'),
}
const error = z.object({ ...members, message: z.string() })

/** ABP's error envelope: types, OpenAPI and clients have it from here. */
export const errorEnvelope = z.object({ error }).describe('ABP’s error envelope.')

/** An error as RFC 9457 tells it, with the members of ABP's envelope as extensions. */
export const problemDetails = z
  .object({
    type: z.string().meta({
      format: 'uri-reference',
      description: '`about:blank`: the status says what kind of problem it is, `code` which one.',
    }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().describe('The envelope’s `message`.'),
    instance: z.string().meta({ format: 'uri-reference', description: 'The path that was asked for.' }),
    traceId: z.string().describe('The correlation id.'),
    ...members,
  })
  .describe(
    'A problem of RFC 9457, for callers who ask for `application/problem+json` before `application/json`. It extends it by `traceId` and the members of the envelope.',
  )

type Unchangeable<T> = T extends object ? { readonly [K in keyof T]: Unchangeable<T[K]> } : T

/** ABP's error envelope. */
export type ErrorEnvelope = Unchangeable<z.infer<typeof errorEnvelope>>

/** An error as RFC 9457 tells it. */
export type Problem = Unchangeable<z.infer<typeof problemDetails>>

/** The members of an envelope, as far as they are there and what they should be: servers of others leave some out. */
export function readEnvelope(body: unknown): Partial<ErrorEnvelope['error']> {
  const { error: given } = (body ?? {}) as { readonly error?: unknown }
  const members = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const read = Object.entries(error.shape).flatMap(([name, schema]) => {
    const { success, data } = schema.safeParse(members[name])
    return success ? [[name, data]] : []
  })
  return Object.fromEntries(read) as Partial<ErrorEnvelope['error']>
}
