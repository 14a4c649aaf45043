import { Provides, SettingSource, type SettingValues } from '@keel/framework'
import { type TableWatch, UnitOfWork } from '@keel/framework/data'
import { LRUCache } from 'lru-cache'
import { everybody, type SettingHolder, SettingTable, userOf } from './setting-table.js'

interface Kept {
  readonly version: number
  readonly values: SettingValues
}

const mostKeptUsers = 10_000

/** What is set, kept until the table changes, in whichever process. */
@Provides(SettingSource)
export class CachedSettings extends SettingSource {
  private readonly watch: TableWatch
  private ofEverybody: Kept | undefined
  private readonly ofUsers = new LRUCache<string, Kept>({ max: mostKeptUsers })

  constructor(private readonly table: SettingTable) {
    super()
    this.watch = table.database.feed.watch([table.table])
  }

  get version(): number | undefined {
    return this.watch.version
  }

  global(): SettingValues | Promise<SettingValues> {
    return this.read(everybody, this.ofEverybody, (kept) => {
      this.ofEverybody = kept
    })
  }

  ofUser(userId: string): SettingValues | Promise<SettingValues> {
    return this.read(userOf(userId), this.ofUsers.get(userId), (kept) => this.ofUsers.set(userId, kept))
  }

  private read(
    holder: SettingHolder,
    kept: Kept | undefined,
    keep: (kept: Kept) => void,
  ): SettingValues | Promise<SettingValues> {
    const { database, table } = this.table
    // What this unit of work wrote may be rolled back: only it may see it.
    if (UnitOfWork.current?.hasChanged(database, table)) return this.table.read(holder)
    // Taken before reading; undefined while changes are not heard, which equals no version that was kept.
    const { version } = this.watch
    if (kept && kept.version === version) return kept.values
    return this.table.read(holder).then((values) => {
      if (version !== undefined) keep({ version, values })
      return values
    })
  }
}
