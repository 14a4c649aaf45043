import { type ErrorEnvelope, errorEnvelope, problemDetails, z } from '../../contracts/index.js'
import { problemOf } from '../server/problem.js'

type Json = Record<string, unknown>

/** The meanings of error answers by status. */
const meanings: Readonly<Record<string, string>> = {
  400: 'The input breaks the contract; every fault is listed.',
  401: 'No valid credentials.',
  403: 'Not permitted, or a rule of the domain says no.',
  404: 'No such thing, or none that the caller may see.',
  409: 'Somebody else changed the thing meanwhile, or a request with the same `Idempotency-Key` has no answer.',
  413: 'The body is too large.',
  415: 'The body is of a kind that the operation does not read.',
  416: 'The file has nothing in the range that is asked for.',
  422: 'The `Idempotency-Key` was used for another request.',
  429: 'More requests than the caller may send; `Retry-After` says when they may again.',
  500: 'Something went wrong here.',
  503: 'A dependency is down.',
}

/** An example of every error: what its envelope says. */
const samples: Readonly<Record<string, Partial<ErrorEnvelope['error']>>> = {
  400: {
    message: 'Your request is not valid!',
    details: 'The following errors were detected during validation.\n - name: a value is required',
    validationErrors: [{ message: 'name: a value is required', members: ['name'] }],
  },
  401: { message: 'Authorization failed! Sign in first.' },
  403: {
    code: 'Library:BookIsLent',
    message: 'The book “Emma” is lent until Friday.',
    data: { title: 'Emma', until: 'Friday' },
  },
  404: { message: 'There is no entity Book with id = 3f2504e0-4f89-41d3-9a0c-0305e82c3301!' },
  409: {
    message:
      'The data you have submitted has already been changed by another user. Discard your changes and try again.',
  },
  413: { message: 'The body is larger than 1048576 bytes.' },
  415: { message: 'The body must be application/json, not text/plain.' },
  416: { message: 'The file has 2048 bytes: nothing in the range bytes=4096-.' },
  422: {
    code: 'Keel:IdempotencyKeyReused',
    message: 'This Idempotency-Key was used for another request: each request needs a key of its own.',
  },
  429: { message: 'Too many requests: try again in 12 seconds.' },
  500: { message: 'An internal error occurred during your request!' },
  503: { message: 'The database Default is not available.' },
}

const exampleCorrelationId = '7d0b1a2c9e8f4a5bb6c7d8e9f0a1b2c3'

/** The headers of answers that mean something to a caller. */
export const headerComponents: Json = {
  CorrelationId: {
    description:
      'Names this call in the logs: what the caller sent as `X-Correlation-Id`, else an id of its own.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w.\\-]{1,64}$' },
    example: exampleCorrelationId,
  },
  ContentLanguage: {
    description: 'The language that messages are in.',
    required: true,
    schema: { type: 'string' },
    example: 'en',
  },
  EntityTag: {
    description: 'For `If-None-Match` of the next call.',
    required: true,
    schema: { type: 'string' },
    example: 'W/"x7Yq0bWq2l9cVt3b"',
  },
  ErrorFormat: {
    description: 'ABP’s error envelope follows, and no problem of RFC 9457.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  RetryAfter: {
    description: 'Seconds until another try makes sense.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  Challenge: {
    description: 'How to sign in, and what was wrong with the credentials.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer error="invalid_token"',
  },
}

/** The headers of every answer. */
export const everyAnswersHeaders = {
  'X-Correlation-Id': headerRef('CorrelationId'),
  'Content-Language': headerRef('ContentLanguage'),
}

/** A header that `headerComponents` describes. */
export function headerRef(name: string): Json {
  return { $ref: `#/components/headers/${name}` }
}

/** The schemas of errors. */
export const errorSchemas: Json = {
  ErrorEnvelope: jsonSchemaOf(errorEnvelope),
  ProblemDetails: jsonSchemaOf(problemDetails),
}

function jsonSchemaOf(shape: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(shape, { target: 'draft-2020-12' })
  return json
}

/** The name of the response for an error status. */
export const errorName = (status: string): string => `Error${status}`

/** The responses for error statuses, by their names. */
export function errorResponses(): Json {
  return Object.fromEntries(
    Object.entries(meanings).map(([status, description]) => [
      errorName(status),
      { description, headers: headersOf(status), content: contentOf(status) },
    ]),
  )
}

function headersOf(status: string): Json {
  return {
    ...everyAnswersHeaders,
    _AbpErrorFormat: headerRef('ErrorFormat'),
    ...(status === '401' && { 'WWW-Authenticate': headerRef('Challenge') }),
    ...(['429', '503'].includes(status) && { 'Retry-After': headerRef('RetryAfter') }),
  }
}

function contentOf(status: string): Json {
  const sample = {
    code: null,
    details: null,
    data: null,
    validationErrors: null,
    message: '',
    ...samples[status],
  }
  const problem = problemOf(
    { error: sample },
    { status: Number(status), instance: '/api/library/book', traceId: exampleCorrelationId },
  )
  return {
    'application/json': { schema: schemaRef('ErrorEnvelope'), example: { error: sample } },
    'application/problem+json': { schema: schemaRef('ProblemDetails'), example: problem },
  }
}

function schemaRef(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}
