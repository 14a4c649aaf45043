import { backgroundWorkMembers } from '@keel/platform-proxy'
import { openProxy } from './clients.js'
import type { Session } from './session.js'

const { liveEvents } = openProxy({ liveEvents: backgroundWorkMembers.liveEvents })

/** The data of the server's events by kind. */
export interface LiveEvents {
  /** The stream is open; what happened before may have been missed. */
  readonly ready: object
  /** The person's permissions or roles changed. */
  readonly permissions: object
  /** Settings that the person sees changed, or features. */
  readonly settings: object
  /** A notification arrived or was read. */
  readonly notification: { readonly count: number }
  /** A job in the person's name changed. */
  readonly job: {
    readonly jobId: string
    readonly jobName: string
    readonly isRunning: boolean
    readonly isCompleted: boolean
    readonly isAbandoned: boolean
    readonly isCancelled: boolean
    readonly progress: number | null
    readonly progressText: string | null
  }
  /** Something may have happened that the server did not hear of. */
  readonly refresh: object
}

/** The kinds of events. */
export type LiveKind = keyof LiveEvents

const kinds: readonly LiveKind[] = ['ready', 'permissions', 'settings', 'notification', 'job', 'refresh']
const shortestPauseMs = 1000
const longestPauseMs = 60_000

/** What the tabs of a browser tell each other. */
type Message =
  | { readonly event: LiveKind; readonly data: unknown }
  | { readonly isOpen: boolean }
  | { readonly question: 'isOpen' }

/**
 * The events that the server pushes to the signed-in person. All tabs of a person share the stream of one of them, because browsers open only six
 * connections to a server that does not speak HTTP/2. When that tab is closed another one takes over.
 */
export class LiveConnection {
  private readonly listeners = new Map<LiveKind, Set<(data: never) => void>>()
  private readonly stateListeners = new Set<() => void>()
  private readonly channel: BroadcastChannel
  private isLeader = false
  /** True while this tab or another one has an open stream. */
  isOpen = false

  constructor(
    private readonly session: Session,
    private readonly apiUrl: string,
    private readonly userId: string,
  ) {
    this.channel = new BroadcastChannel(`keel-live-${userId}`)
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.hear(data)
  }

  /** Opens the stream, now or when no other tab has it. */
  start(): void {
    this.channel.postMessage({ question: 'isOpen' } satisfies Message)
    const lead = () => this.lead()
    // Browsers have no locks on pages without TLS: then each tab has a stream.
    if ('locks' in navigator) void navigator.locks.request(`keel-live-${this.userId}`, lead)
    else void lead()
  }

  /** Calls the listener with each event of a kind. @returns what takes it away again */
  on<K extends LiveKind>(kind: K, listener: (data: LiveEvents[K]) => void): () => void {
    const listeners = this.listeners.get(kind) ?? new Set()
    this.listeners.set(kind, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  /** Calls the listener when {@link isOpen} changes. @returns what takes it away again */
  readonly onState = (listener: () => void): (() => void) => {
    this.stateListeners.add(listener)
    return () => this.stateListeners.delete(listener)
  }

  /** Keeps a stream open until the session ends. */
  private async lead(): Promise<void> {
    this.isLeader = true
    let pauseMs = shortestPauseMs
    while (!this.session.hasEnded) {
      const wasOpen = await this.listen().catch(() => false)
      pauseMs = wasOpen ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs)
      // At random: the streams of a host that stops do not come back all at once.
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())))
    }
  }

  /** Opens a stream and waits for its end. @returns false when it was never open */
  private async listen(): Promise<boolean> {
    const { path } = await liveEvents.createTicket()
    return await new Promise((resolve) => {
      const stream = new EventSource(this.apiUrl.replace(/\/+$/, '') + path)
      const end = () => {
        stream.close()
        resolve(this.isOpen)
        this.announce(false)
      }
      stream.addEventListener('error', end)
      stream.addEventListener('end', end)
      stream.addEventListener('ready', () => this.announce(true))
      for (const event of kinds)
        stream.addEventListener(event, ({ data }: MessageEvent<string>) => {
          const message = { event, data: JSON.parse(data) as unknown }
          this.channel.postMessage(message satisfies Message)
          this.hear(message)
        })
    })
  }

  private announce(isOpen: boolean): void {
    this.channel.postMessage({ isOpen } satisfies Message)
    this.hear({ isOpen })
  }

  private hear(message: Message): void {
    if ('question' in message) {
      if (this.isLeader) this.channel.postMessage({ isOpen: this.isOpen } satisfies Message)
    } else if ('isOpen' in message) {
      this.isOpen = message.isOpen
      for (const listener of this.stateListeners) listener()
    } else for (const listener of this.listeners.get(message.event) ?? []) listener(message.data as never)
  }
}
