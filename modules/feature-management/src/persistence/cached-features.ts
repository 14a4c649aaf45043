import { FeatureSource, type FeatureValues, Provides } from '@keel/framework'
import { type Cache, Caches } from '@keel/framework/caching'
import type { TableWatch } from '@keel/framework/data'
import { hostFeatures } from '../contracts/index.js'
import { FeatureTable } from './feature-table.js'

/** The features that are set for the whole system, cached until any process changes the table. */
@Provides(FeatureSource)
export class CachedFeatures extends FeatureSource {
  private readonly watch: TableWatch
  private readonly values: Cache<FeatureValues>

  constructor(
    private readonly table: FeatureTable,
    caches: Caches,
  ) {
    super()
    const { database } = table
    const tables = [table.table]
    this.watch = database.feed.watch(tables)
    this.values = caches.of({ name: 'FeatureManagement.Values', max: 1, madeOf: { database, tables } })
  }

  get version(): number | undefined {
    return this.watch.version
  }

  ofHost(): FeatureValues | Promise<FeatureValues> {
    return this.values.getOrAdd('', () => this.table.valuesOf(hostFeatures))
  }
}
