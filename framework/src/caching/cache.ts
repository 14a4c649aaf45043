import type { z } from 'zod'
import { isMultiTenancyEnabled } from '../contracts/multi-tenancy.js'
import type { Database } from '../data/connections/database.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { ambient } from '../modularity/ambient.js'
import type { Clock } from '../modularity/clock.js'
import type { CacheChannel } from './cache-channel.js'
import { type CacheTimes, LocalEntries } from './local-entries.js'
import type { SharedEntries } from './shared-entries.js'

/** The options of a cache. */
export interface CacheOptions<T> extends CacheTimes {
  /** The name in all processes, with the module first: `ApiKeys.Verified`. */
  readonly name: string
  /**
   * The most entries of a process, or with `sizeOf` their total size; the least recently used are evicted.
   */
  readonly max: number
  readonly sizeOf?: (value: T) => number
  /**
   * The watched tables of the values: a change to one invalidates all entries. Such a cache is not shared.
   */
  readonly madeOf?: { readonly database: Database; readonly tables: readonly string[] }
  /**
   * The values never become invalid, such as a verified digest. They are also used while the listener is
   * disconnected, and are never removed.
   */
  readonly areFacts?: boolean
  /** Shares values with other processes through Redis, if enabled. Values of another shape are ignored. */
  readonly shared?: z.ZodType<T>
  /** Encrypts values and hashes keys in Redis. */
  readonly isSecret?: boolean
}

/**
 * A cache of values by key in this process and, if it is shared and Redis is enabled, in Redis. The number of
 * entries is bounded, and entries expire. A value that one process sets or removes is invalidated in all.
 * With multi-tenancy each tenant has its own keys. Made by `Caches`.
 */
export class Cache<T> {
  private readonly local: LocalEntries<T>
  private readonly underWay = new Map<string, Promise<T>>()
  private readonly channel: CacheChannel

  /** Use `Caches.of`. */
  constructor(
    private readonly options: CacheOptions<T>,
    private readonly others: SharedEntries<T> | undefined,
    channelFor: (changed: (places: readonly string[]) => void) => CacheChannel,
    clock: Clock,
  ) {
    this.local = new LocalEntries({ max: options.max, sizeOf: options.sizeOf }, () => clock.elapsedMs)
    this.channel = channelFor((places) => this.forget(places))
  }

  /** The value in this process; undefined for a miss. Never asks Redis. */
  peek(key: string): T | undefined {
    return this.known(placeOf(key))?.value
  }

  /** The cached value; undefined for a miss. Synchronous for a hit in this process. */
  get(key: string): T | undefined | Promise<T | undefined> {
    const place = placeOf(key)
    const known = this.known(place)
    if (known) return known.value
    return this.others?.isReachable ? this.found(place, this.others) : undefined
  }

  /**
   * The cached value, or the result of `make`, which is then cached. Concurrent calls for a key share one
   * `make`: in this process, and with Redis in all processes. A failure is thrown to all of them and is not
   * cached. A unit of work that changed the tables of the value makes it for itself alone.
   */
  getOrAdd(key: string, make: () => T | Promise<T>, times: CacheTimes = this.options): T | Promise<T> {
    if (this.isChangedHere()) return make()
    if (this.isHeard || !this.channel.refresh) return this.getOrMake(key, make, times)
    return this.channel.refresh().then(() => this.getOrMake(key, make, times))
  }

  private getOrMake(key: string, make: () => T | Promise<T>, times: CacheTimes): T | Promise<T> {
    const place = placeOf(key)
    const known = this.known(place)
    if (known) return known.value
    // While the listener is disconnected a pending value may be stale. A value read in a transaction fails
    // with it.
    if (!this.isHeard || UnitOfWork.current) return this.makeAlone(place, make, times)
    const underWay = this.underWay.get(place)
    if (underWay !== undefined) return underWay
    const making = this.make(place, make, times).finally(() => {
      if (this.underWay.get(place) === making) this.underWay.delete(place)
    })
    this.underWay.set(place, making)
    return making
  }

  /** Replaces a value in every process; inside a unit of work, after its commit. */
  set(key: string, value: T, times: CacheTimes = this.options): Promise<void> {
    return this.setMany([[key, value]], times)
  }

  /** Sets several values; see {@link set}. */
  async setMany(entries: Iterable<readonly [string, T]>, times: CacheTimes = this.options): Promise<void> {
    const placed = [...entries].map(([key, value]) => [placeOf(key), value] as const)
    await afterCommit(async () => {
      await Promise.all(placed.map(([place, value]) => this.others?.store(place, value, times)))
      await this.forgetEverywhere(placed.map(([place]) => place))
      const keep = this.keeper()
      for (const [place, value] of placed) keep(place, value, times)
    })
  }

  /** Removes values in every process; inside a unit of work, after its commit. */
  async remove(...keys: string[]): Promise<void> {
    const places = keys.map(placeOf)
    await afterCommit(async () => {
      await this.others?.remove(places)
      await this.forgetEverywhere(places)
    })
  }

  private get isHeard(): boolean {
    return this.channel.version !== undefined
  }

  private known(place: string): { readonly value: T } | undefined {
    return this.isHeard ? this.local.get(place, this.channel.version) : undefined
  }

  private async found(place: string, others: SharedEntries<T>): Promise<T | undefined> {
    const keep = this.keeper()
    const entry = await others.find(place)
    if (entry) keep(place, entry.value, entry)
    return entry?.value
  }

  private async makeAlone(place: string, make: () => T | Promise<T>, times: CacheTimes): Promise<T> {
    const keep = this.keeper()
    const value = await make()
    keep(place, value, times)
    return value
  }

  private async make(place: string, make: () => T | Promise<T>, times: CacheTimes): Promise<T> {
    const keep = this.keeper()
    const made = this.others?.isReachable
      ? await this.others.findOrMake(place, async () => make(), times)
      : { ...times, value: await make() }
    keep(place, made.value, made)
    return made.value
  }

  /**
   * Must be called before a value is read: a change in between makes the value stale, and it is not cached.
   */
  private keeper(): (place: string, value: T, times: CacheTimes) => void {
    const { version, changes } = this.channel
    return (place, value, times) => {
      const isCurrent = version !== undefined && version === this.channel.version
      if (isCurrent && changes === this.channel.changes) this.local.set(place, value, times, version)
    }
  }

  private forget(places: readonly string[]): void {
    for (const place of places) {
      this.local.delete(place)
      this.underWay.delete(place)
    }
  }

  private async forgetEverywhere(places: readonly string[]): Promise<void> {
    this.forget(places)
    await this.channel.tell?.(places)
  }

  private isChangedHere(): boolean {
    const { madeOf } = this.options
    const unit = madeOf && UnitOfWork.current
    return (
      unit !== undefined && madeOf?.tables.some((table) => unit.hasChanged(madeOf.database, table)) === true
    )
  }
}

function placeOf(key: string): string {
  const tenantId = isMultiTenancyEnabled ? ambient().principal.tenantId : undefined
  return tenantId === undefined ? key : `t:${tenantId}:${key}`
}

/** Runs work after the commit of the current unit of work, or at once without one. */
async function afterCommit(work: () => Promise<void>): Promise<void> {
  const unit = UnitOfWork.current
  if (unit) unit.onCommitted(() => UnitOfWork.apart(work))
  else await work()
}
