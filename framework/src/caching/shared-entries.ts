import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisClientType } from '@redis/client'
import type { z } from 'zod'
import type { DataProtector } from '../data-protection/data-protection.js'
import type { Clock } from '../modularity/clock.js'
import type { CacheTimes } from './local-entries.js'
import type { Redis } from './redis.js'

/** A value from Redis with the rest of its lifetime. */
export interface SharedEntry<T> extends CacheTimes {
  readonly value: T
}

/** The JSON in Redis: value, end in ms since 1970, and sliding lifetime in ms. */
interface Kept {
  readonly v: unknown
  readonly e: number | null
  readonly s: number | null
}

/** The time that a process has to make a value before another process tries. */
const lockMs = 10_000
const firstPauseMs = 20
const longestPauseMs = 250
const mostUndeleted = 10_000
const retryMs = 2000
const aMonthMs = 30 * 86_400_000

const storeWhileLocked = `
  if redis.call('get', KEYS[2]) ~= ARGV[1] then return 0 end
  redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
  redis.call('del', KEYS[2])
  return 1`
const unlock = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`

/**
 * The entries of one cache in Redis. Failures of Redis never fail the caller: an unreadable value is a miss,
 * and a value that could not be deleted is not read by this process until its deletion succeeds.
 */
export class SharedEntries<T> {
  private readonly undeleted = new Set<string>()
  private retry: NodeJS.Timeout | undefined

  constructor(
    private readonly redis: Redis,
    private readonly name: string,
    private readonly schema: z.ZodType<T>,
    /** Encrypts values; undefined for plain text. With it, keys are hashed. */
    private readonly protector: (() => Promise<DataProtector>) | undefined,
    private readonly clock: Clock,
  ) {
    redis.onReady(() => void this.deleteAgain())
  }

  /** True when Redis answers. */
  get isReachable(): boolean {
    return this.redis.isReachable
  }

  async find(key: string): Promise<SharedEntry<T> | undefined> {
    const place = this.placeOf(key)
    const text = await this.asked((client) => client.get(place))
    return text && !this.undeleted.has(place) ? this.opened(place, text) : undefined
  }

  async store(key: string, value: T, times: CacheTimes): Promise<void> {
    const place = this.placeOf(key)
    const { text, lifeMs } = await this.closed(place, value, times)
    // Deletes the lock too: a process that is making the value does so from older data.
    const stored = await this.asked((client) =>
      client.multi().set(place, text, { PX: lifeMs }).del(lockOf(place)).exec(),
    )
    if (stored) this.undeleted.delete(place)
    else this.noteUndeleted(place)
  }

  async remove(keys: readonly string[]): Promise<void> {
    const places = keys.map((key) => this.placeOf(key))
    const removed = await this.asked((client) =>
      client.del(places.flatMap((place) => [place, lockOf(place)])),
    )
    if (removed === undefined) for (const place of places) this.noteUndeleted(place)
  }

  /** Returns the stored value or makes it: one process does, the others wait up to `lockMs`. */
  async findOrMake(key: string, make: () => Promise<T>, times: CacheTimes): Promise<SharedEntry<T>> {
    const place = this.placeOf(key)
    const token = randomBytes(12).toString('base64url')
    const giveUp = performance.now() + lockMs
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const found = await this.find(key)
      if (found) return found
      const locked = await this.asked((client) => client.set(lockOf(place), token, { PX: lockMs, NX: true }))
      if (locked !== null || performance.now() > giveUp || this.undeleted.has(place)) break
      await sleep(pauseMs * (0.5 + Math.random() / 2))
    }
    return this.makeLocked(key, token, make, times)
  }

  private async makeLocked(
    key: string,
    token: string,
    make: () => Promise<T>,
    times: CacheTimes,
  ): Promise<SharedEntry<T>> {
    const place = this.placeOf(key)
    try {
      // The previous owner of the lock may have stored the value after our look-up.
      const found = await this.find(key)
      if (found) {
        await this.unlock(place, token)
        return found
      }
      const value = await make()
      const { text, lifeMs } = await this.closed(place, value, times)
      const values = [token, text, String(lifeMs)]
      if (!this.undeleted.has(place))
        await this.asked((client) =>
          client.eval(storeWhileLocked, { keys: [place, lockOf(place)], arguments: values }),
        )
      return { ...times, value }
    } catch (error) {
      await this.unlock(place, token)
      throw error
    }
  }

  private async unlock(place: string, token: string): Promise<void> {
    await this.asked((client) => client.eval(unlock, { keys: [lockOf(place)], arguments: [token] }))
  }

  /** Undefined when Redis is away or fails. */
  private asked<R>(ask: (client: RedisClientType) => Promise<R>): Promise<R | undefined> {
    return this.redis.ask(ask)
  }

  private placeOf(key: string): string {
    const shown = this.protector ? createHash('sha256').update(key).digest('base64url') : key
    return `${this.redis.keyPrefix}c:${this.name}:${shown}`
  }

  private async closed(
    place: string,
    value: T,
    { absoluteMs, slidingMs }: CacheTimes,
  ): Promise<{ text: string; lifeMs: number }> {
    const kept: Kept = {
      v: value,
      e: absoluteMs === undefined ? null : this.clock.nowMs + absoluteMs,
      s: slidingMs ?? null,
    }
    const json = JSON.stringify(kept)
    const lifeMs = Math.ceil(Math.max(1, Math.min(absoluteMs ?? aMonthMs, slidingMs ?? aMonthMs)))
    // The key is encrypted too: an entry copied to another key does not decrypt there.
    const text = this.protector ? (await this.protector()).protect(`${place}\n${json}`) : json
    return { text, lifeMs }
  }

  private async opened(place: string, text: string): Promise<SharedEntry<T> | undefined> {
    try {
      const json = this.protector ? await this.unprotected(place, text, this.protector) : text
      const { v, e, s } = JSON.parse(json) as Kept
      const read = this.schema.safeParse(v)
      const absoluteMs = e === null ? undefined : e - this.clock.nowMs
      if (!read.success || (absoluteMs !== undefined && absoluteMs <= 0)) return undefined
      const slidingMs = s ?? undefined
      if (slidingMs !== undefined) {
        const lifeMs = Math.ceil(Math.min(slidingMs, absoluteMs ?? slidingMs))
        void this.asked((client) => client.pExpire(place, lifeMs))
      }
      return { value: read.data, absoluteMs, slidingMs }
    } catch {
      // Written by another version of the program, or by another program.
      return undefined
    }
  }

  private async unprotected(
    place: string,
    text: string,
    protector: () => Promise<DataProtector>,
  ): Promise<string> {
    const [of, ...json] = (await protector()).unprotect(text)?.split('\n') ?? []
    return of === place ? json.join('\n') : ''
  }

  private noteUndeleted(place: string): void {
    // Entries beyond the bound expire by their time.
    if (this.undeleted.size < mostUndeleted) this.undeleted.add(place)
    this.retry ??= setTimeout(() => {
      this.retry = undefined
      void this.deleteAgain()
    }, retryMs).unref()
  }

  private async deleteAgain(): Promise<void> {
    const places = [...this.undeleted]
    if (!places.length) return
    const deleted = await this.asked((client) =>
      client.del(places.flatMap((place) => [place, lockOf(place)])),
    )
    for (const place of places)
      if (deleted === undefined) this.noteUndeleted(place)
      else this.undeleted.delete(place)
  }
}

function lockOf(place: string): string {
  return `${place}:lock`
}
