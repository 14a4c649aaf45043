import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ErrorEnvelope } from '@keel/framework/contracts'
import { ServerDrain } from '@keel/framework/http'
import { Refusal } from './exit-codes.js'

/** How a run stands, as release tooling reads it. */
export interface MigrationStatus {
  readonly state: 'NotStarted' | 'InProgress' | 'Completed' | 'Failed'
  /** Why it failed: the messages from the outermost to the innermost, then the stack. */
  readonly exception: string | null
}

/** A status that is served. */
export interface ServedStatus {
  readonly url: string
  /** Gives the answers that are under way and takes no more requests. */
  end(): Promise<void>
}

/** How long the last answers may take. */
const endTimes = { delayMs: 0, timeoutMs: 2000 }

/** Interface document, "Limits": keep-alive and headers time out after two minutes. */
const timeoutMs = 120_000

/**
 * Serves `GET /migration/status` on a port (0 for any). The token comes as `?token=…`, as `X-Pipeline-Auth-Token`
 * or as bearer. Others are told 401 for another token than the configured one, and everybody 503 while none is configured.
 */
export async function serveStatus(
  port: number,
  token: string | undefined,
  status: () => MigrationStatus,
): Promise<ServedStatus> {
  const server = createServer((request, response) => {
    // Paths such as `//` are not valid in a URL, and must not end the run.
    const url = URL.canParse(`http://localhost${request.url}`)
      ? new URL(`http://localhost${request.url}`)
      : new URL('http://localhost')
    if (url.pathname !== '/migration/status') return refuse(response, 404, 'There is nothing here')
    if (request.method !== 'GET') return refuse(response, 405, `${url.pathname} can only be read`)
    if (!token) return refuse(response, 503, 'PIPELINE_AUTH_TOKEN is not configured')
    if (!isSame(tokenOf(request, url), token))
      return refuse(response, 401, 'The token is not the configured one')
    return answer(response, 200, status())
  })
  server.keepAliveTimeout = timeoutMs
  server.headersTimeout = timeoutMs
  const drain = new ServerDrain(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Refusal('configuration', `The status can't be served on port ${port}`, { cause })),
    )
    server.listen(port, resolve)
  })
  const { port: boundPort } = server.address() as AddressInfo
  return { url: `http://localhost:${boundPort}`, end: () => drain.end(endTimes) }
}

function tokenOf({ headers }: IncomingMessage, url: URL): string {
  const header = headers['x-pipeline-auth-token']
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
  return String(header ?? bearer ?? url.searchParams.get('token') ?? '')
}

/** Compares in a time that does not tell how much of the token is right. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const envelope: ErrorEnvelope = {
    error: { code: null, message, details: null, data: {}, validationErrors: null },
  }
  answer(response, status, envelope)
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify(body))
}
