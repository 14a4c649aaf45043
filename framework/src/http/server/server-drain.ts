import type http from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** How a server ends. */
export interface DrainTimes {
  /** How long it still takes requests. */
  readonly delayMs: number
  /** How long requests in flight may take from then on; they are cut off after that. */
  readonly timeoutMs: number
}

/** Time between two looks for connections that have become idle. */
const sweepMs = 100
/** How long to look for a moment in which nobody connects. */
const quietMs = 1000
const shortTurnMs = 0.1
/** A client that has just connected is given this long to send its request. */
const firstRequestMs = 1000

/** Ends an HTTP server without resetting a request that it accepted. Made before the server listens. */
export class ServerDrain {
  private readonly sockets = new Set<Socket>()

  constructor(private readonly server: http.Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket)
      socket.once('close', () => this.sockets.delete(socket))
    })
  }

  /**
   * From now on every answer ends its connection, so that clients go elsewhere by themselves; after the delay
   * the server takes no more, and this waits for the requests in flight.
   */
  async end({ delayMs, timeoutMs }: DrainTimes): Promise<void> {
    const { server } = this
    if (!server.listening) return
    server.prependListener('request', endConnection)
    if (delayMs) await wait(delayMs)
    await this.untilNobodyConnects()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
    const silent = setTimeout(() => this.closeSilent(), Math.min(firstRequestMs, timeoutMs))
    const cut = setTimeout(() => server.closeAllConnections(), timeoutMs)
    await closed
    clearInterval(sweep)
    clearTimeout(silent)
    clearTimeout(cut)
  }

  /**
   * Connections that wait to be accepted are reset when the server closes: waits for a turn of the event loop
   * that brought none, and that was too short for one to come meanwhile. Clients that never cease to connect
   * can't be helped.
   */
  private async untilNobodyConnects(): Promise<void> {
    let connected = false
    const note = (): void => {
      connected = true
    }
    this.server.on('connection', note)
    const end = performance.now() + quietMs
    for (let [before, now] = [0, 1]; now < end && (connected || now - before > shortTurnMs); ) {
      connected = false
      before = performance.now()
      await new Promise((resolve) => setImmediate(resolve))
      now = performance.now()
    }
    this.server.off('connection', note)
  }

  /**
   * Node counts a connection as busy until its first request has been answered, also when none was ever sent.
   */
  private closeSilent(): void {
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

function endConnection(_request: http.IncomingMessage, response: http.ServerResponse): void {
  response.setHeader('connection', 'close')
}
