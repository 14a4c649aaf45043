import { LRUCache } from 'lru-cache'
import { atMost } from '../modularity/at-most.js'

/** The lifetime of an entry; unlimited when neither is given. */
export interface CacheTimes {
  /** Milliseconds after it was made. */
  readonly absoluteMs?: number | undefined
  /** Milliseconds after its last use. */
  readonly slidingMs?: number | undefined
}

/** A value with its lifetime. */
export interface Entry<T> {
  readonly value: T
  /** Its end, on the clock of the entries; infinite without an absolute end. */
  readonly until: number
  readonly slidingMs: number | undefined
  /** The version of its source; undefined where that can't change. */
  readonly version: number | undefined
}

/**
 * The entries of one cache in this process: bounded in number or size, the least recently used are evicted.
 */
export class LocalEntries<T> {
  private readonly kept: LRUCache<string, Entry<T>>

  /** @param now milliseconds of a clock that never steps back */
  constructor(
    options: { readonly max: number; readonly sizeOf?: ((value: T) => number) | undefined },
    readonly now: () => number = () => performance.now(),
  ) {
    const { max, sizeOf } = options
    const bound = sizeOf
      ? { maxSize: max, sizeCalculation: ({ value }: Entry<T>) => Math.max(1, Math.ceil(sizeOf(value))) }
      : atMost(max)
    this.kept = new LRUCache<string, Entry<T>>({ ...bound, ttlResolution: 0, perf: { now } })
  }

  /** The entry of a key; undefined when it has expired or has another version. */
  get(key: string, version: number | undefined): Entry<T> | undefined {
    const found = this.kept.get(key)
    if (!found) return undefined
    if (this.now() >= found.until || found.version !== version) {
      this.kept.delete(key)
      return undefined
    }
    if (found.slidingMs !== undefined) this.kept.set(key, found, { ttl: found.slidingMs })
    return found
  }

  set(key: string, value: T, { absoluteMs, slidingMs }: CacheTimes, version: number | undefined): void {
    const until = absoluteMs === undefined ? Number.POSITIVE_INFINITY : this.now() + absoluteMs
    this.kept.set(
      key,
      { value, until, slidingMs, version },
      slidingMs === undefined ? {} : { ttl: slidingMs },
    )
  }

  delete(key: string): void {
    this.kept.delete(key)
  }
}
