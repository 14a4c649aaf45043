import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { LimitReachedError, TooManyRequestsError, UnauthenticatedError } from '../../contracts/index.js'
import type { ChangeFeed } from '../../data/change-feed/change-feed.js'
import { WorkLoop } from '../../data/connections/work-loop.js'
import { changeOf, type LiveChange, LiveEventSource, liveNoticePrefix } from '../../live/live-events.js'
import { Application } from '../../modularity/application.js'
import { InjectAll, Injectable } from '../../modularity/injectable.js'
import type { Principal } from '../../modularity/principal.js'
import { Authenticator } from '../../security/authenticator.js'
import type { TokenClaims } from '../../security/principals.js'
import { GrantSource, SessionSource, UserSource } from '../../security/stored-user.js'
import { Telemetry } from '../../telemetry/telemetry.js'
import { LiveEventSettings } from './live-settings.js'
import { LiveStream, type StreamEnd } from './live-stream.js'
import { LiveTickets } from './live-tickets.js'

/** Rights and settings are compared at least this often: tokens expire, and not every change is announced. */
const lookMs = 1000
/** The least time between the starts of two comparisons. */
const restMs = 100
/** A comparison that takes long is followed by a pause as long, but not longer than this: reading rights must not keep the database busy. */
const longestRestMs = 2000
/** Principals that are read at a time. */
const readersAtOnce = 8
/** Streams between two pauses for requests. */
const streamsAtOnce = 50
/** Changes are gathered for this time, so that one statement reads those of many people. */
const gatherMs = 50
/** Changes that one statement reads. */
const changesAtOnce = 500
/** While changes are not announced, browsers are told this often to ask. */
const refreshMs = 15_000
/** Seconds that a browser waits which found no place. */
const crowdedSeconds = 30
/** The same at a host that stops: another copy has one. */
const stoppingSeconds = 2

/** A source of events with the changes that wait for being read. */
interface Heard {
  readonly source: LiveEventSource
  readonly waiting: Map<string, LiveChange>
  timer: NodeJS.Timeout | undefined
}

/**
 * The open event streams of this process (server-sent events). They tell a person's browsers what they would otherwise have to ask for again and again:
 *
 * - `ready`: the stream is open
 * - `permissions`: the rights of the person are others now
 * - `settings`: settings that the person sees, or features, are others now
 * - the kinds of the {@link LiveEventSource}s of all modules
 * - `refresh`: something may have happened that was not heard; ask for everything
 * - `end`: the server ends the stream; `reason` is `expired` (of the token), `signed-out` or `stopping`
 *
 * Every process hears of changes by the change feeds of its databases, wherever they were made. A stream ends with its token, with the token's session,
 * and when the person may not sign in any more.
 */
@Injectable()
export class LiveStreams {
  private readonly settings
  private readonly streams = new Set<LiveStream>()
  private readonly ofUsers = new Map<string, Set<LiveStream>>()
  private readonly heard: readonly Heard[]
  private readonly loop: WorkLoop
  private readonly feeds: ReadonlyMap<ChangeFeed, { epoch: number | undefined }>
  private readonly versions: { settings?: number; features?: number } = {}
  private refreshedAt = Number.NEGATIVE_INFINITY
  private heartbeat: NodeJS.Timeout | undefined
  private isStopping = false

  constructor(
    private readonly application: Application,
    private readonly tickets: LiveTickets,
    private readonly authenticator: Authenticator,
    users: UserSource,
    grants: GrantSource,
    @InjectAll(LiveEventSource) sources: readonly LiveEventSource[],
  ) {
    this.settings = application.configuration.read(LiveEventSettings)
    this.heard = sources.map((source) => ({ source, waiting: new Map(), timer: undefined }))
    const sessions = application.find(SessionSource)
    const rights = [users, grants, ...(sessions ? [sessions] : [])]
    const databases = [...rights, ...sources].map(({ database }) => database)
    this.feeds = new Map(databases.map(({ feed }) => [feed, { epoch: feed.epoch }]))
    this.loop = new WorkLoop({
      name: 'comparing what event streams know',
      pollMs: lookMs,
      restMs,
      work: () => this.look(),
      logger: application.logger,
    })
    for (const { database, tables } of rights)
      for (const table of tables)
        database.feed.onChanged(table, () => this.streams.size > 0 && this.loop.wake())
    for (const one of this.heard)
      one.source.database.feed.onNotice(liveNoticePrefix(one.source.kind), (notice) =>
        this.note(one, changeOf(notice)),
      )
    this.measure()
  }

  /** Begins to compare, and to keep quiet streams open. */
  start(): void {
    this.loop.start()
    const { heartbeatSeconds } = this.settings
    let second = 0
    // A part of the streams each second: all at once would delay requests.
    this.heartbeat = setInterval(() => {
      second += 1
      let index = 0
      for (const stream of this.streams) if ((index++ + second) % heartbeatSeconds === 0) stream.beat()
    }, 1000)
    this.heartbeat.unref()
  }

  /** Ends all streams and opens no more: their browsers go to another copy of the host. */
  async stop(): Promise<void> {
    this.isStopping = true
    clearInterval(this.heartbeat)
    for (const { timer } of this.heard) clearTimeout(timer)
    for (const stream of [...this.streams]) this.end(stream, 'stopping')
    await this.loop.stop()
  }

  /** Opens the stream of a ticket. Throws before the first byte is sent when there is no such ticket, or no place. */
  async open(ticket: string, request: Request, response: Response): Promise<void> {
    const claims = await this.tickets.take(ticket)
    const principal = claims && (await this.authenticator.principalNow(claims))
    if (!claims || principal?.kind !== 'user' || this.isExpired(claims)) throw new UnauthenticatedError()
    const stream = new LiveStream(claims, principal, response)
    stream.settings = await this.settingsOf(stream.userId)
    // The browser may have gone meanwhile: then nothing would take the stream away again.
    if (response.destroyed || request.socket.destroyed) return
    this.demandPlace(stream)
    this.add(stream, response)
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Of nginx and those that follow it: nothing is gathered before it is passed on.
      'x-accel-buffering': 'no',
    })
    stream.send('ready')
  }

  private demandPlace({ userId }: LiveStream): void {
    const { maxStreams, maxStreamsPerUser } = this.settings
    if (this.isStopping) throw noPlace(stoppingSeconds)
    if (this.streams.size >= maxStreams) throw noPlace(crowdedSeconds)
    if ((this.ofUsers.get(userId)?.size ?? 0) >= maxStreamsPerUser)
      throw new TooManyRequestsError(crowdedSeconds)
  }

  private add(stream: LiveStream, response: Response): void {
    const own = this.ofUsers.get(stream.userId) ?? new Set()
    this.ofUsers.set(stream.userId, own.add(stream))
    this.streams.add(stream)
    response.once('close', () => this.remove(stream))
  }

  private remove(stream: LiveStream): void {
    this.streams.delete(stream)
    const own = this.ofUsers.get(stream.userId)
    own?.delete(stream)
    if (own?.size === 0) this.ofUsers.delete(stream.userId)
  }

  private end(stream: LiveStream, reason: StreamEnd): void {
    stream.end(reason)
    this.remove(stream)
  }

  private isExpired({ exp }: TokenClaims): boolean {
    return exp * 1000 <= this.application.clock.nowMs
  }

  private async look(): Promise<boolean> {
    const begun = performance.now()
    const { settings, features } = this.noteVersions()
    this.noteSilence()
    await this.each((stream) => this.compareRights(stream))
    if (settings || features) await this.each((stream) => this.compareSettings(stream, features))
    const ms = performance.now() - begun
    if (ms > restMs && !this.isStopping) await pause(Math.min(ms, longestRestMs), undefined, { ref: false })
    return false
  }

  /** Says which versions are others than at the last look. One that is not known at the moment says nothing: a later look knows it. */
  private noteVersions(): { readonly settings: boolean; readonly features: boolean } {
    const areOthers = (name: 'settings' | 'features'): boolean => {
      const { version } = this.application[name]
      const before = this.versions[name]
      if (version === undefined || version === before) return false
      this.versions[name] = version
      return before !== undefined
    }
    return { settings: areOthers('settings'), features: areOthers('features') }
  }

  /** Tells all browsers to ask when changes may not have been heard: a connection was lost, or notifications do not arrive. */
  private noteSilence(): void {
    let isLost = false
    for (const [feed, known] of this.feeds) {
      const { epoch } = feed
      if (epoch === undefined || epoch === known.epoch) continue
      isLost ||= known.epoch !== undefined
      known.epoch = epoch
    }
    const isSilent = [...this.feeds.keys()].some((feed) => !feed.isListening)
    const now = performance.now()
    if (!isLost && !(isSilent && now - this.refreshedAt >= refreshMs)) return
    this.refreshedAt = now
    for (const stream of this.streams) stream.send('refresh')
  }

  /** Calls `work` for each stream, some at a time, and lets requests in between. */
  private async each(work: (stream: LiveStream) => Promise<void> | undefined): Promise<void> {
    let under: Promise<void>[] = []
    let seen = 0
    for (const stream of [...this.streams]) {
      const done = work(stream)
      if (done instanceof Promise) under.push(done)
      if (under.length >= readersAtOnce) {
        await Promise.all(under)
        under = []
      }
      seen += 1
      if (seen % streamsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(under)
  }

  private compareRights(stream: LiveStream): Promise<void> | undefined {
    if (this.isExpired(stream.claims)) this.end(stream, 'expired')
    else {
      const principal = this.authenticator.principalNow(stream.claims)
      if (principal instanceof Promise)
        return principal.then(
          (late) => this.compare(stream, late),
          // The rights can not be read now: nobody loses a stream for that.
          () => undefined,
        )
      this.compare(stream, principal)
    }
    return undefined
  }

  private compare(stream: LiveStream, principal: Principal): void {
    const before = stream.principal
    if (principal === before || !this.streams.has(stream)) return
    if (principal.kind !== 'user') {
      this.end(stream, 'signed-out')
      return
    }
    stream.principal = principal
    if (!hasSameRights(before, principal)) stream.send('permissions')
  }

  private async compareSettings(stream: LiveStream, featuresAreOthers: boolean): Promise<void> {
    const settings = await this.settingsOf(stream.userId)
    if (settings === stream.settings && !featuresAreOthers) return
    stream.settings = settings
    stream.send('settings')
  }

  private async settingsOf(userId: string): Promise<string> {
    const values = await this.application.settings.visibleValues(userId)
    return createHash('sha1').update(JSON.stringify(values)).digest('base64')
  }

  private note(heard: Heard, change: LiveChange): void {
    if (!this.ofUsers.has(change.userId)) return
    heard.waiting.set(`${change.userId} ${change.key}`, change)
    heard.timer ??= setTimeout(() => void this.read(heard), gatherMs)
  }

  private async read(heard: Heard): Promise<void> {
    const { source, waiting } = heard
    const changes = [...waiting.values()].slice(0, changesAtOnce)
    for (const { userId, key } of changes) waiting.delete(`${userId} ${key}`)
    try {
      const events = await source.read(changes)
      for (const [index, { userId }] of changes.entries()) {
        const data = events[index]
        if (data) this.tell(userId, source, data)
      }
    } catch (error) {
      this.application.logger.warn(
        { err: error, kind: source.kind },
        'what event streams tell can not be read',
      )
      for (const { userId } of changes)
        for (const stream of this.ofUsers.get(userId) ?? []) stream.send('refresh')
    } finally {
      const goesOn = waiting.size > 0 && !this.isStopping
      heard.timer = goesOn ? setTimeout(() => void this.read(heard), gatherMs) : undefined
    }
  }

  private tell(userId: string, { kind, permission }: LiveEventSource, data: object): void {
    for (const stream of this.ofUsers.get(userId) ?? [])
      if (!permission || stream.principal.permissions.has(permission)) stream.send(kind, data)
  }

  private measure(): void {
    this.application
      .find(Telemetry)
      ?.meter.createObservableGauge('keel.live.streams', { description: 'Open event streams of browsers.' })
      .addCallback((result) => result.observe(this.streams.size))
  }
}

function noPlace(retryAfterSeconds: number): LimitReachedError {
  return new LimitReachedError(
    'There is no room for another event stream at the moment.',
    retryAfterSeconds,
    {
      text: { key: 'LiveEvents:NoPlace' },
    },
  )
}

function hasSameRights(one: Principal, other: Principal): boolean {
  return (
    one.permissions.size === other.permissions.size &&
    one.roles.length === other.roles.length &&
    one.userName === other.userName &&
    one.roles.every((role) => other.roles.includes(role)) &&
    (one.permissions === other.permissions ||
      [...one.permissions].every((permission) => other.permissions.has(permission)))
  )
}
