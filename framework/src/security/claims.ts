import { LRUCache } from 'lru-cache'
import type { TableWatch } from '../data/change-feed/change-feed.js'
import { Application } from '../modularity/application.js'
import { atMost } from '../modularity/at-most.js'
import type { Constructor } from '../modularity/class.js'
import type { Clock } from '../modularity/clock.js'
import { Injectable } from '../modularity/injectable.js'
import {
  type Claim,
  type ClaimReader,
  contributesClaims,
  type DynamicClaimsContributor,
} from './dynamic-claims.js'

interface Contribution {
  readonly contributor: DynamicClaimsContributor
  readonly watch: TableWatch
  readonly kept: LRUCache<string, { readonly claim: Claim<unknown>; readonly version: number }>
}

/** The claims that the contributors of all modules know, kept by user until one of their tables changes. */
@Injectable()
export class Claims implements ClaimReader {
  private readonly contributions = new Map<Constructor, Contribution>()

  constructor(private readonly application: Application) {}

  read<T>(type: Constructor<DynamicClaimsContributor<T>>, userId: string): T | Promise<T> {
    const contribution = this.contributionOf(type)
    const { watch } = contribution
    if (watch.version !== undefined) return this.readNow(contribution, userId)
    return watch.refresh().then(() => this.readNow<T>(contribution, userId))
  }

  private readNow<T>({ contributor, watch, kept }: Contribution, userId: string): T | Promise<T> {
    // Taken before reading; undefined, which equals no version that was kept, while changes are not known.
    const { version } = watch
    const known = kept.get(userId)
    if (known && known.version === version && isValid(known.claim, this.application.clock))
      return known.claim.value as T
    return contributor.contribute(userId).then((claim) => {
      if (version !== undefined) kept.set(userId, { claim, version })
      return claim.value as T
    })
  }

  private contributionOf(type: Constructor<DynamicClaimsContributor>): Contribution {
    const known = this.contributions.get(type)
    if (known) return known
    if (!contributesClaims(type)) throw new Error(`${type.name} contributes no claims: add @DynamicClaims()`)
    const contributor = this.application.get(type)
    const { feed } = contributor.database
    const contribution = {
      contributor,
      watch: feed.watch(contributor.tables),
      kept: new LRUCache<string, { claim: Claim<unknown>; version: number }>(atMost(20_000)),
    }
    this.contributions.set(type, contribution)
    return contribution
  }
}

function isValid({ validUntil }: Claim<unknown>, clock: Clock): boolean {
  return validUntil === undefined || validUntil.getTime() > clock.nowMs
}
