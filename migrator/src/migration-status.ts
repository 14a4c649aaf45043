import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { maskSecrets } from '@keel/framework'

/** How a run stands, as release tooling reads it. */
export interface MigrationStatus {
  readonly state: 'NotStarted' | 'InProgress' | 'Completed' | 'Failed'
  /** Why it failed: the messages from the outermost to the innermost, then the stack. */
  readonly exception: string | null
}

/**
 * Serves `GET /migration/status?token=…` on a port (0 for any) and answers its address. Others are told 401 for another token than the
 * configured one, and everybody 503 while none is configured.
 */
export async function serveStatus(
  port: number,
  token: string | undefined,
  status: () => MigrationStatus,
): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname !== '/migration/status')
      return refuse(response, 404, `There is nothing at ${url.pathname}`)
    if (request.method !== 'GET') return refuse(response, 405, `${url.pathname} can only be read`)
    if (!token) return refuse(response, 503, 'PIPELINE_AUTH_TOKEN is not configured')
    if (!isSame(url.searchParams.get('token') ?? '', token))
      return refuse(response, 401, 'The token is not the configured one')
    return answer(response, 200, status())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, resolve)
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** An error for a person: its message and those of its causes that say more, one per line, without secrets. */
export function messagesOf(error: unknown): string {
  const messages: string[] = []
  for (const message of causesOf(error).map(messageOf)) {
    if (!messages.some((known) => known.includes(message))) messages.push(message)
  }
  return maskSecrets(messages.join('\n  caused by: '))
}

/** An error for whoever has to find it: its messages and the innermost stack that we have. */
export function exceptionText(error: unknown): string {
  const stacks = causesOf(error).map((cause) => (cause instanceof Error ? cause.stack : undefined))
  const frames = (stacks.findLast(Boolean) ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [messagesOf(error), ...frames.map(maskSecrets)].join('\n')
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  for (let cause = error; cause != null && !causes.includes(cause); cause = (cause as Error).cause)
    causes.push(cause)
  return causes
}

/** A refused connection has no message of its own, only those of the addresses that were tried. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Compares in a time that does not tell how much of the token is right. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

function refuse(response: ServerResponse, status: number, message: string): void {
  answer(response, status, {
    error: { code: null, message, details: null, data: {}, validationErrors: null },
  })
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify(body))
}
