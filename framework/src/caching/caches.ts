import { Databases } from '../data/connections/databases.js'
import { DataProtection } from '../data-protection/data-protection.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { Cache, type CacheOptions } from './cache.js'
import { CacheNotices, madeOfTables, nothingChanges } from './cache-channel.js'
import { Redis } from './redis.js'
import { SharedEntries } from './shared-entries.js'

/** The longest name of a cache: a notification has the name and the keys. */
const longestName = 100

/**
 * Makes the caches of a process; see {@link Cache}.
 * @example
 * constructor(caches: Caches) {
 *   this.rates = caches.of<Rate>({ name: 'Pricing.Rates', max: 1000, absoluteMs: 60_000, shared: RateDto.schema })
 * }
 * // later
 * const rate = await this.rates.getOrAdd(currency, () => this.readRate(currency))
 */
@Injectable()
export class Caches {
  private readonly names = new Set<string>()

  constructor(
    private readonly application: Application,
    private readonly databases: Databases,
    private readonly redis: Redis,
  ) {}

  /** Makes the cache of a name. Throws when the name is taken: a cache belongs to one service. */
  of<T>(options: CacheOptions<T>): Cache<T> {
    const { name, madeOf, areFacts, shared } = options
    if (this.names.has(name) || name.length > longestName)
      throw new Error(`The cache ${name} is made twice, or its name has more than ${longestName} letters`)
    if (shared && madeOf)
      throw new Error(`The cache ${name} is made of tables: each process knows by itself when they change`)
    this.names.add(name)
    const others = shared && this.redis.client ? this.sharedEntries(options, shared) : undefined
    const channelFor = (changed: (places: readonly string[]) => void) => {
      if (areFacts) return nothingChanges
      if (madeOf) return madeOfTables(madeOf.database.feed.watch(madeOf.tables))
      return new CacheNotices(this.databases.named('Default'), name, options.isSecret === true, changed)
    }
    return new Cache(options, others, channelFor, this.application.clock)
  }

  private sharedEntries<T>(
    { name, isSecret }: CacheOptions<T>,
    shared: NonNullable<CacheOptions<T>['shared']>,
  ): SharedEntries<T> | undefined {
    if (!isSecret) return new SharedEntries(this.redis, name, shared, undefined, this.application.clock)
    const protection = this.application.find(DataProtection)
    if (!protection) return undefined
    const protector = protection.protector('Caching', name)
    const loaded = async () => {
      await protection.load()
      return protector
    }
    return new SharedEntries(this.redis, name, shared, loaded, this.application.clock)
  }
}
