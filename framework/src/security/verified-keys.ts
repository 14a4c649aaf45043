import { LRUCache } from 'lru-cache'

/** Interface document, "Limits": API key verification cache. */
const absoluteMs = 30 * 60_000
const slidingMs = 5 * 60_000

/** Which key a full key was found to be, and the hash it was compared with. */
export interface VerifiedKey {
  readonly prefix: string
  readonly hash: string
}

/**
 * Remembers which full keys were compared with a hash and found right: by their SHA-256, for five minutes after the last use and for half an
 * hour at most. What was found wrong is not remembered, so that guesses take up no memory.
 */
export class VerifiedKeys {
  private readonly kept: LRUCache<string, VerifiedKey & { readonly until: number }>

  /** @param now milliseconds of a clock that never steps back */
  constructor(
    max: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.kept = new LRUCache({
      max,
      ttl: slidingMs,
      updateAgeOnGet: true,
      ttlResolution: 0,
      perf: { now },
    })
  }

  get(digest: string): VerifiedKey | undefined {
    const found = this.kept.get(digest)
    if (!found || this.now() < found.until) return found
    this.kept.delete(digest)
    return undefined
  }

  add(digest: string, key: VerifiedKey): void {
    this.kept.set(digest, { ...key, until: this.now() + absoluteMs })
  }
}
