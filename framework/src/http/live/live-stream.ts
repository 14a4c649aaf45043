import type { ServerResponse } from 'node:http'
import type { Principal } from '../../modularity/principal.js'
import type { TokenClaims } from '../../security/principals.js'

/** Why the server ends a stream. A browser opens another one, with a new ticket, after `expired` and `stopping`. */
export type StreamEnd = 'expired' | 'signed-out' | 'stopping'

/** The most bytes that may wait for a reader. A stream beyond it is cut: its browser asks for everything anew. */
const mostWaitingBytes = 64 * 1024

/** One open stream of a browser. */
export class LiveStream {
  /** A hash of the settings that the person sees. */
  settings: string | undefined

  constructor(
    readonly claims: TokenClaims,
    /** The person with their rights as this stream last heard of them. */
    public principal: Principal,
    private readonly response: ServerResponse,
  ) {}

  get userId(): string {
    return this.principal.userId ?? ''
  }

  /** Sends an event. */
  send(kind: string, data: object = {}): void {
    this.write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Sends a comment, which no browser reports. */
  beat(): void {
    this.write(':\n\n')
  }

  end(reason: StreamEnd): void {
    this.send('end', { reason })
    this.response.end()
  }

  private write(text: string): void {
    if (this.response.writableEnded || this.response.destroyed) return
    if (this.response.writableLength > mostWaitingBytes) this.response.destroy()
    else this.response.write(text)
  }
}
