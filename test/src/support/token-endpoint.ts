import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A token endpoint whose only token is that of a test host, for programs that sign in by themselves. */
export interface TokenEndpoint {
  readonly url: string
  /** The forms that it got. */
  readonly received: readonly Readonly<Record<string, string>>[]
  close(): Promise<void>
}

/** Starts one. Tests of signing in use the auth server itself. */
export async function startTokenEndpoint(token: string): Promise<TokenEndpoint> {
  const received: Record<string, string>[] = []
  const server = http.createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    received.push(Object.fromEntries(new URLSearchParams(Buffer.concat(pieces).toString())))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
