import { FeatureSource, type FeatureValues, Provides } from '@keel/framework'
import { type TableWatch, UnitOfWork } from '@keel/framework/data'
import { hostFeatures } from '../contracts/index.js'
import { FeatureTable } from './feature-table.js'

/** What is set for the whole system, kept until the table changes, in whichever process. */
@Provides(FeatureSource)
export class CachedFeatures extends FeatureSource {
  private readonly watch: TableWatch
  private kept: { readonly version: number; readonly values: FeatureValues } | undefined

  constructor(private readonly table: FeatureTable) {
    super()
    this.watch = table.database.feed.watch([table.table])
  }

  get version(): number | undefined {
    return this.watch.version
  }

  ofHost(): FeatureValues | Promise<FeatureValues> {
    const { database, table } = this.table
    // What this unit of work wrote may be rolled back: only it may see it.
    if (UnitOfWork.current?.hasChanged(database, table)) return this.table.valuesOf(hostFeatures)
    // Taken before reading; undefined while changes are not heard, which equals no version that was kept.
    const { version } = this.watch
    if (this.kept && this.kept.version === version) return this.kept.values
    return this.table.valuesOf(hostFeatures).then((values) => {
      if (version !== undefined) this.kept = { version, values }
      return values
    })
  }
}
