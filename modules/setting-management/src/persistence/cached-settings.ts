import { Provides, SettingSource, type SettingValues } from '@keel/framework'
import { type Cache, Caches } from '@keel/framework/caching'
import type { TableWatch } from '@keel/framework/data'
import { everybody, SettingTable, userOf } from './setting-table.js'

const mostKeptUsers = 10_000

/** The stored values of settings, cached until any process changes the table. */
@Provides(SettingSource)
export class CachedSettings extends SettingSource {
  private readonly watch: TableWatch
  private readonly values: Cache<SettingValues>

  constructor(
    private readonly table: SettingTable,
    caches: Caches,
  ) {
    super()
    const { database } = table
    const tables = [table.table]
    this.watch = database.feed.watch(tables)
    this.values = caches.of({
      name: 'SettingManagement.Values',
      max: mostKeptUsers,
      madeOf: { database, tables },
    })
  }

  get version(): number | undefined {
    return this.watch.version
  }

  global(): SettingValues | Promise<SettingValues> {
    return this.values.getOrAdd('', () => this.table.read(everybody))
  }

  ofUser(userId: string): SettingValues | Promise<SettingValues> {
    return this.values.getOrAdd(userId, () => this.table.read(userOf(userId)))
  }
}
