import type { ErrorEnvelope } from '@keel/framework/contracts'

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The body as text, for what JSON would round. */
  readonly text: string
  /** The body as JSON, a plain text as it is; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  readonly body: any
}

/** Whatever sends raw requests: a host, or somebody who calls it. */
export interface Sender {
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** Sends a raw request, with a JSON body when one is given. */
export async function send(sender: Sender, method: string, path: string, body?: unknown): Promise<Answer> {
  const json = body !== undefined && {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }
  const response = await sender.fetch(path, { method, ...json })
  const text = await response.text()
  const isJson = /^application\/([\w.]+\+)?json\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text ? (isJson ? JSON.parse(text) : text) : undefined,
  }
}

/** The camelCase members that an answer finds fault with, each once and sorted. */
export function faultyMembers({ body }: Answer): string[] {
  const faults = (body as ErrorEnvelope).error.validationErrors ?? []
  return [...new Set(faults.flatMap(({ members }) => members))].sort()
}
