import { connect, createServer, type Server, type Socket } from 'node:net'

/** What connections send to say who they are when they are those of a change feed. */
const feedName = 'keel change feed'

/** Stands between a host and PostgreSQL, and can stop passing bytes on without closing anything, as a network does that loses a path. */
export interface FreezingProxy {
  /** The address of a database, through the proxy. */
  through(databaseUrl: string): string
  /** Stops passing on what change feeds send and get, or what all connections do. New connections are frozen as well. */
  freeze(which: 'change feeds' | 'all'): void
  /** Leads new connections to another server, and closes those that are not frozen, as a failover does. */
  failOver(databaseUrl: string): void
  /** Passes everything on again, and what was held back first. */
  thaw(): void
  /** How often a text was sent to the server since the proxy was started. */
  timesSent(text: string): number
  close(): Promise<void>
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
  isFeed: boolean
  /** Whether bytes are passed on; undefined before the start-up message. */
  flows?: boolean
}

/** Starts a proxy before the server of a database address. */
export async function startFreezingProxy(databaseUrl: string): Promise<FreezingProxy> {
  let target = new URL(databaseUrl)
  const pairs = new Set<Pair>()
  let frozen: 'change feeds' | 'all' | undefined
  const sent: Buffer[] = []
  const server: Server = createServer((near) => {
    const far = connect({ port: Number(target.port), host: target.hostname })
    const pair: Pair = { near, far, isFeed: false }
    pairs.add(pair)
    near.once('data', (first: Buffer) => {
      // The start-up message names the application.
      pair.isFeed = first.includes(feedName)
      far.write(first)
      near.on('data', (bytes: Buffer) => sent.push(bytes))
      flow(pair)
      hold(pair)
    })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const)
      socket
        .on('error', () => other.destroy())
        .on('close', () => {
          // A lost path passes on no end either.
          if (socket === far && pair.flows === false) return
          other.destroy()
          pairs.delete(pair)
        })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    through: (url) => {
      const address = new URL(url)
      address.hostname = '127.0.0.1'
      address.port = String(port)
      return address.href
    },
    freeze(which) {
      frozen = which
      for (const pair of pairs) hold(pair)
    },
    failOver(url) {
      target = new URL(url)
      for (const { near, flows } of pairs) if (flows !== false) near.destroy()
    },
    thaw() {
      frozen = undefined
      for (const pair of pairs) {
        if (pair.far.destroyed) pair.near.destroy()
        else if (pair.flows === false) flow(pair)
      }
    },
    timesSent: (text) => Buffer.concat(sent).toString('latin1').split(text).length - 1,
    close: () =>
      new Promise((resolve) => {
        for (const { near } of pairs) near.destroy()
        server.close(() => resolve())
      }),
  }

  function flow(pair: Pair): void {
    pair.flows = true
    pair.near.pipe(pair.far)
    pair.far.pipe(pair.near)
  }

  function hold(pair: Pair): void {
    const { near, far, isFeed } = pair
    if (!pair.flows || frozen === undefined || (frozen === 'change feeds' && !isFeed)) return
    pair.flows = false
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.unpipe(other)
      // With a listener for data and no pipe it would flow.
      socket.pause()
    }
  }
}
