import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { UnavailableError } from '../contracts/index.js'
import type { TableWatch } from '../data/change-feed.js'
import type { Logger } from '../modularity/logging.js'
import { anonymous, type Principal } from '../modularity/principal.js'
import { splitApiKey } from './api-key-format.js'
import type { ApiKeySource, StoredApiKey } from './api-keys.js'
import { shareClaims } from './dynamic-claims.js'
import { Gate } from './gate.js'
import { verifyPassword } from './password-hash.js'
import type { Principals } from './principals.js'
import type { GrantSource } from './stored-user.js'
import { type VerifiedKey, VerifiedKeys } from './verified-keys.js'

/** Keys that are remembered at once: their verification, their row and their principal. */
const mostKept = 20_000
/** Hashes at work at once, and requests that may wait for one. */
const hashesInFlight = 2
const maxWaiting = 500

/** What the authenticator works with. */
export interface ApiKeyDependencies {
  readonly source: ApiKeySource
  readonly principals: Principals
  readonly grants: GrantSource
  readonly logger: Logger
  /** Keys may come in the query, too. */
  readonly isDevelopment: boolean
}

interface Kept {
  readonly key: StoredApiKey
  readonly keyVersion: number
  /** Compiled of the owner's and the key's grants; undefined until the key was let in. */
  made?: { readonly owner: Principal; readonly grantVersion: number; readonly principal: Principal }
}

/**
 * Finds out which API key sends a request (interface document, "API keys"). The first time a key comes it is compared with its hash; after
 * that a request costs a SHA-256 and three look-ups, and whether the key is active, not expired and its owner may sign in is asked every time.
 */
export class ApiKeyAuthenticator {
  private readonly verified = new VerifiedKeys(mostKept)
  private readonly kept = new LRUCache<string, Kept>({ max: mostKept })
  private readonly verifying = new Map<string, Promise<VerifiedKey | undefined>>()
  private readonly gate = new Gate(hashesInFlight, maxWaiting, tooManyKeys)
  private readonly keyWatch: TableWatch
  private readonly grantWatch: TableWatch

  constructor(private readonly dependencies: ApiKeyDependencies) {
    const { source, grants } = dependencies
    this.keyWatch = source.database.feed.watch(source.tables)
    this.grantWatch = grants.database.feed.watch(grants.tables)
  }

  /** The key that a request carries, right or wrong: header `X-Api-Key`, else `Api-Key`, else, in Development, the query. */
  presentedBy({ headers, url = '' }: IncomingMessage): string | undefined {
    const header = headers['x-api-key'] || headers['api-key']
    if (header) return String(header)
    return this.dependencies.isDevelopment && /api_?key=/i.test(url) ? keyInQuery(url) : undefined
  }

  /** The principal of a key; nobody when it is refused. Without a promise when nothing changed since the last time. */
  authenticate(fullKey: string): Principal | Promise<Principal> {
    const digest = createHash('sha256').update(fullKey).digest('base64')
    const verified = this.verified.get(digest)
    const kept = verified && this.kept.get(verified.prefix)
    if (!kept || kept.keyVersion !== this.keyWatch.version) return this.look(fullKey, digest, verified)
    return this.admit(kept, digest, fullKey, verified)
  }

  /** Step 1 and 2: the parts of the key, and what is stored under its prefix. */
  private async look(fullKey: string, digest: string, verified?: VerifiedKey): Promise<Principal> {
    const parts = splitApiKey(fullKey)
    if (!parts) return this.refuse('it is no key')
    const { version } = this.keyWatch
    const before = this.kept.get(parts.prefix)
    if (before && before.keyVersion === version) return this.admit(before, digest, fullKey, verified)
    const key = await this.dependencies.source.find(parts.prefix)
    if (!key) return this.refuse('there is none', parts.prefix)
    const kept: Kept = { key, keyVersion: version ?? Number.NaN }
    return this.admit(kept, digest, fullKey, verified)
  }

  /** Steps 2 to 5, in the document's order. */
  private admit(
    kept: Kept,
    digest: string,
    fullKey: string,
    verified: VerifiedKey | undefined,
  ): Principal | Promise<Principal> {
    const { key } = kept
    const now = Date.now()
    if (!key.isActive) return this.refuse('it is not active', key.id)
    if (key.expirationTime && key.expirationTime.getTime() <= now) return this.refuse('it expired', key.id)
    const owner = this.dependencies.principals.ofUser(key.userId)
    if (owner instanceof Promise || !verified || !isInForce(verified.hash, key, now))
      return this.admitLate(kept, digest, fullKey, verified, owner)
    if (owner.kind === 'anonymous') return this.refuse('its owner may not sign in', key.id)
    return this.principalOf(kept, owner)
  }

  private async admitLate(
    kept: Kept,
    digest: string,
    fullKey: string,
    before: VerifiedKey | undefined,
    owner: Principal | Promise<Principal>,
  ): Promise<Principal> {
    const { key } = kept
    const known = await owner
    if (known.kind === 'anonymous') return this.refuse('its owner may not sign in', key.id)
    const verified =
      before && isInForce(before.hash, key, Date.now()) ? before : await this.verify(digest, fullKey, key)
    if (!verified || !isInForce(verified.hash, key, Date.now()))
      return this.refuse('its secret is wrong', key.id)
    // Only now, so that what is remembered belongs to keys that somebody holds.
    if (!Number.isNaN(kept.keyVersion)) this.kept.set(verified.prefix, kept)
    return this.principalOf(kept, known)
  }

  /** Compares a full key with the hashes in force; at once for all requests that bring the same key. */
  private verify(digest: string, fullKey: string, key: StoredApiKey): Promise<VerifiedKey | undefined> {
    const underWay = this.verifying.get(digest)
    if (underWay !== undefined) return underWay
    const verifying = this.gate
      .pass(() => compare(fullKey, key))
      .then((verified) => {
        if (verified) this.verified.add(digest, verified)
        return verified
      })
      .finally(() => this.verifying.delete(digest))
    this.verifying.set(digest, verifying)
    return verifying
  }

  private principalOf(kept: Kept, owner: Principal): Principal | Promise<Principal> {
    const { made, key } = kept
    this.dependencies.source.noteUse(key.id)
    // While changes are not heard the version is undefined, which equals none that was kept.
    if (made && made.owner === owner && made.grantVersion === this.grantWatch.version) return made.principal
    return this.compile(kept, owner)
  }

  /** What the owner holds and the key was granted, too: both have to say yes. */
  private async compile(kept: Kept, owner: Principal): Promise<Principal> {
    const { source, grants } = this.dependencies
    const { id, userId, tenantId } = kept.key
    const { version: grantVersion } = this.grantWatch
    const granted = await grants.grantedTo([{ providerName: 'AK', providerKey: id }])
    const principal = shareClaims(owner, {
      kind: 'user',
      authenticationType: 'api-key',
      apiKeyId: id,
      userId,
      ...(owner.userName !== undefined && { userName: owner.userName }),
      ...(owner.user && { user: owner.user }),
      ...(tenantId && { tenantId }),
      // A role would let in beyond what the key was granted.
      roles: [],
      permissions: new Set(granted.filter((permission) => owner.permissions.has(permission))),
      noteUse: (permission) => source.noteUse(id, permission),
    })
    if (grantVersion !== undefined) kept.made = { owner, grantVersion, principal }
    return principal
  }

  /** What the caller is not told: whoever has the key can look it up, and nobody else should learn which keys there are. */
  private refuse(because: string, key?: string): Principal {
    this.dependencies.logger.debug({ because, key }, 'API key refused')
    return anonymous
  }
}

function isInForce(
  hash: string,
  { hash: current, previousHash, overlapEndTime }: StoredApiKey,
  now: number,
): boolean {
  return (
    hash === current || (hash === previousHash && overlapEndTime !== null && now < overlapEndTime.getTime())
  )
}

async function compare(fullKey: string, key: StoredApiKey): Promise<VerifiedKey | undefined> {
  const prefix = splitApiKey(fullKey)?.prefix ?? ''
  for (const hash of [key.hash, key.previousHash]) {
    if (hash && isInForce(hash, key, Date.now()) && (await verifyPassword(fullKey, hash)) !== 'wrong')
      return { prefix, hash }
  }
  return undefined
}

function keyInQuery(url: string): string | undefined {
  const query = url.slice(url.indexOf('?') + 1)
  const found = [...new URLSearchParams(query)].find(([name]) => /^api_?key$/i.test(name))
  return found?.[1] || undefined
}

function tooManyKeys(): UnavailableError {
  return new UnavailableError(
    'Too many API keys are checked at this moment. Try again in a few seconds.',
    undefined,
    {
      text: { key: 'TooManyApiKeys' },
    },
  )
}
