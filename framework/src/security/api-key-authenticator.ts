import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Cache } from '../caching/cache.js'
import type { Caches } from '../caching/caches.js'
import { LimitReachedError, TooManyRequestsError, z } from '../contracts/index.js'
import type { TableWatch } from '../data/change-feed/change-feed.js'
import { apiKeyPrefixLength } from '../modularity/api-key-mark.js'
import { atMost } from '../modularity/at-most.js'
import type { Clock } from '../modularity/clock.js'
import type { Logger } from '../modularity/logging.js'
import { networkOf } from '../modularity/network.js'
import { anonymous, type Principal } from '../modularity/principal.js'
import { splitApiKey } from './api-key-format.js'
import { limitToKey } from './api-key-principal.js'
import type { ApiKeySource, StoredApiKey } from './api-keys.js'
import { Gate } from './gate.js'
import { verifyPassword } from './password-hash.js'
import type { Principals } from './principals.js'
import type { GrantSource } from './stored-user.js'

/** Keys that are remembered at once: their verification, their row and their principal. */
const mostKept = 20_000
/** Interface document, "Limits": API key verification cache. */
const verificationTimes = { absoluteMs: 30 * 60_000, slidingMs: 5 * 60_000 }
/** Hashes at work at once, and requests that may wait for one. */
const hashesInFlight = 2
const maxWaiting = 500

/** The dependencies of the authenticator. */
export interface ApiKeyDependencies {
  readonly source: ApiKeySource
  readonly principals: Principals
  readonly grants: GrantSource
  readonly caches: Caches
  readonly logger: Logger
  readonly clock: Clock
  /** Keys may come in the query, too. */
  readonly isDevelopment: boolean
  /** How many keys that are refused one network may have looked up in a minute; 0 for no limit. */
  readonly mostRefusedPerMinute: number
}

/** A key that somebody presents. */
interface Presented {
  readonly fullKey: string
  /** Its SHA-256. */
  readonly digest: string
  readonly address: string
}

/** A cached key: its row and the principal compiled from it. */
interface Kept {
  readonly prefix: string
  readonly key: StoredApiKey
  /** Undefined when changes were not heard: then it is used once. */
  readonly keyVersion: number | undefined
  /** Compiled of the owner's and the key's grants when the key was first let in. */
  made?: { readonly owner: Principal; readonly grantVersion: number; readonly principal: Principal }
}

/**
 * Finds out which API key sends a request (interface document, "API keys"). The first time a key comes it is
 * compared with its hash; after that a request costs a SHA-256 and three look-ups, and whether the key is
 * active, not expired and its owner may sign in is asked every time.
 */
export class ApiKeyAuthenticator {
  /**
   * Full keys (as SHA-256) that fit their hashes. Failed comparisons are not cached: guesses take no memory.
   */
  private readonly verified: Cache<true>
  private readonly kept = new LRUCache<string, Kept>(atMost(mostKept))
  private readonly gate = new Gate(hashesInFlight, maxWaiting, tooManyKeys)
  private readonly keyWatch: TableWatch
  private readonly grantWatch: TableWatch
  /** Look-ups that ended in a refusal, by network: keys that are made up cost no more queries than this. */
  private readonly refusals: RateLimiterMemory | undefined

  constructor(private readonly dependencies: ApiKeyDependencies) {
    const { source, grants, caches } = dependencies
    this.verified = caches.of({
      name: 'ApiKeys.Verified',
      max: mostKept,
      ...verificationTimes,
      areFacts: true,
      shared: z.literal(true),
      isSecret: true,
    })
    this.keyWatch = source.database.feed.watch(source.tables)
    const { mostRefusedPerMinute: points } = dependencies
    this.refusals = points ? new RateLimiterMemory({ points, duration: 60 }) : undefined
    this.grantWatch = grants.database.feed.watch(grants.tables)
  }

  /** The unverified key of a request: header `X-Api-Key`, else `Api-Key`, else, in Development, the query. */
  presentedBy({ headers, url = '' }: IncomingMessage): string | undefined {
    const header = headers['x-api-key'] || headers['api-key']
    if (header) return String(header)
    return this.dependencies.isDevelopment && /api_?key=/i.test(url) ? keyInQuery(url) : undefined
  }

  /**
   * The principal of a key; nobody when it is refused. Without a promise when nothing changed since the last
   * time. Throws `TooManyRequestsError` for a key that would have to be looked up, from a network that sent
   * too many that were refused.
   */
  authenticate(fullKey: string, address = ''): Principal | Promise<Principal> {
    if (this.keyWatch.version !== undefined) return this.authenticateNow(fullKey, address)
    return this.keyWatch.refresh().then(() => this.authenticateNow(fullKey, address))
  }

  private authenticateNow(fullKey: string, address: string): Principal | Promise<Principal> {
    const digest = createHash('sha256').update(fullKey).digest('base64')
    const presented = { fullKey, digest, address }
    const kept = this.fresh(fullKey.slice(0, apiKeyPrefixLength))
    return kept && this.isKnown(presented, kept.key) ? this.admit(kept, presented) : this.look(presented)
  }

  /** The cached entry of a key, if it is current. */
  private fresh(prefix: string): Kept | undefined {
    const kept = this.kept.get(prefix)
    return kept && kept.keyVersion === this.keyWatch.version ? kept : undefined
  }

  /** Steps 1 and 2 of the document: the parts of the key, and what is stored under its prefix. */
  private async look(presented: Presented): Promise<Principal> {
    const prefix = splitApiKey(presented.fullKey)?.prefix
    if (prefix === undefined) return this.refuse('it is no key')
    if (!this.refusals) return this.find(prefix, presented)
    if (this.wasAdmitted(prefix, presented)) return this.findAgain(prefix, presented)
    const network = networkOf(presented.address)
    // Counted before it is looked up, so that keys sent at once all count; a right one is none of them.
    await this.refusals.consume(network).catch(({ msBeforeNext }: RateLimiterRes) => {
      throw new TooManyRequestsError(Math.max(1, Math.ceil(msBeforeNext / 1000)))
    })
    const found = await this.find(prefix, presented)
    if (found.kind !== 'anonymous') await this.refusals.reward(network)
    return found
  }

  /** True for a full key that this process let in before some key or owner changed. */
  private wasAdmitted(prefix: string, presented: Presented): boolean {
    const stale = this.kept.get(prefix)
    return stale !== undefined && this.isKnown(presented, stale.key)
  }

  /** Not counted: it was a right key. Once it is refused, it counts like any other. */
  private async findAgain(prefix: string, presented: Presented): Promise<Principal> {
    const found = await this.find(prefix, presented)
    if (found.kind === 'anonymous') this.kept.delete(prefix)
    return found
  }

  private async find(prefix: string, presented: Presented): Promise<Principal> {
    const known = this.fresh(prefix)
    if (known) return this.admit(known, presented)
    // Taken before reading: what changes meanwhile makes it old.
    const { version: keyVersion } = this.keyWatch
    const key = await this.dependencies.source.find(prefix)
    return key ? this.admit({ prefix, key, keyVersion }, presented) : this.refuse('there is none', prefix)
  }

  /** Steps 2 and 3: the key must be in force, its owner may sign in. */
  private admit(kept: Kept, presented: Presented): Principal | Promise<Principal> {
    const { isActive, expirationTime, userId } = kept.key
    if (!isActive) return this.refuse('it is not active', kept.prefix)
    if (expirationTime && expirationTime.getTime() <= this.dependencies.clock.nowMs)
      return this.refuse('it expired', kept.prefix)
    const owner = this.dependencies.principals.ofUser(userId)
    return owner instanceof Promise
      ? owner.then((found) => this.admitOwned(kept, presented, found))
      : this.admitOwned(kept, presented, owner)
  }

  /** Steps 4 and 5: the secret must be right. */
  private admitOwned(kept: Kept, presented: Presented, owner: Principal): Principal | Promise<Principal> {
    if (owner.kind === 'anonymous') return this.refuse('its owner may not sign in', kept.prefix)
    if (this.isKnown(presented, kept.key)) return this.principalOf(kept, owner)
    return this.isRight(presented, kept.key).then((isRight) =>
      isRight ? this.principalOf(kept, owner) : this.refuse('its secret is wrong', kept.prefix),
    )
  }

  /** True when this process knows that a full key fits one of the hashes in force. */
  private isKnown({ digest }: Presented, key: StoredApiKey): boolean {
    return this.hashesOf(key).some((hash) => this.verified.peek(`${digest} ${hash}`))
  }

  /** Compares a full key with the hashes in force; once for all requests that bring the same key. */
  private async isRight(presented: Presented, key: StoredApiKey): Promise<boolean> {
    for (const hash of this.hashesOf(key)) if (await this.fits(presented, hash)) return true
    return false
  }

  private async fits({ digest, fullKey }: Presented, hash: string): Promise<boolean> {
    const compare = async () => {
      if ((await verifyPassword(fullKey, hash)) === 'wrong') throw doesNotFit
      return true as const
    }
    try {
      return await this.verified.getOrAdd(`${digest} ${hash}`, () => this.gate.pass(compare))
    } catch (error) {
      if (error === doesNotFit) return false
      throw error
    }
  }

  /** The hashes that admit a full key now: of its secret, and of the previous one during the overlap. */
  private hashesOf({ hash, previousHash, overlapEndTime }: StoredApiKey): readonly string[] {
    if (previousHash === null || overlapEndTime === null) return [hash]
    return this.dependencies.clock.nowMs < overlapEndTime.getTime() ? [hash, previousHash] : [hash]
  }

  private principalOf(kept: Kept, owner: Principal): Principal | Promise<Principal> {
    const { made, key } = kept
    this.dependencies.source.noteUse(key.id)
    // While changes are not heard the version is undefined, which equals none that was kept.
    if (made && made.owner === owner && made.grantVersion === this.grantWatch.version) return made.principal
    return this.compile(kept, owner)
  }

  private async compile(kept: Kept, owner: Principal): Promise<Principal> {
    const { version: grantVersion } = this.grantWatch
    const principal = await limitToKey(owner, kept.key, this.dependencies)
    if (grantVersion !== undefined && kept.keyVersion !== undefined) {
      kept.made = { owner, grantVersion, principal }
      // Only now, so that what is remembered belongs to keys that somebody holds.
      this.kept.set(kept.prefix, kept)
    }
    return principal
  }

  /**
   * Answers like an unknown key and logs the reason: the holder of a key can look it up, and nobody else may
   * learn which keys exist.
   */
  private refuse(because: string, prefix?: string): Principal {
    this.dependencies.logger.debug({ because, prefix }, 'API key refused')
    return anonymous
  }
}

/** Made once: floods of wrong keys need no stack for each. */
const doesNotFit = new Error('The secret does not fit the hash.')

function keyInQuery(url: string): string | undefined {
  const query = url.slice(url.indexOf('?') + 1)
  const found = [...new URLSearchParams(query)].find(([name]) => /^api_?key$/i.test(name))
  return found?.[1] || undefined
}

function tooManyKeys(): LimitReachedError {
  return new LimitReachedError(
    'Too many API keys are checked at this moment. Try again in a few seconds.',
    undefined,
    {
      text: { key: 'TooManyApiKeys' },
    },
  )
}
