import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A load balancer of the simplest kind. */
export interface RoundRobinProxy {
  readonly url: string
  close(): Promise<void>
}

/** Sends each request to the next of these hosts, as it came, and its answer back. On any free port when none is named. */
export function startRoundRobinProxy(urls: readonly string[], listenOn = 0): Promise<RoundRobinProxy> {
  let turn = 0
  return startProxy(() => urls[turn++ % urls.length] as string, listenOn)
}

/** Sends each request to the host that `hostOf` chooses by its path, as it came, and its answer back. */
export async function startProxy(hostOf: (path: string) => string, listenOn = 0): Promise<RoundRobinProxy> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer(
    // Hosts say how long a head may be.
    { keepAliveTimeout: 60_000, requireHostHeader: false, maxHeaderSize: 128 * 1024 },
    forward,
  )
  // Whoever waits for a go-ahead gets it here: the host's own answer comes with the rest.
  await new Promise<void>((resolve) => server.listen(listenOn, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        agent.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url: path = '' } = incoming
    const { hostname, port } = new URL(hostOf(path))
    const headers = withoutHops(incoming.rawHeaders)
    const passed = request({ agent, hostname, port, method, path, setHost: false, headers: headers as never })
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHops(answer.rawHeaders))
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    passed.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  }
}

/** What concerns one connection only. */
const hops = new Set(['connection', 'keep-alive'])

const withoutHops = (raw: readonly string[]): string[] =>
  raw.filter((_, index) => !hops.has((raw[index - (index % 2)] ?? '').toLowerCase()))
