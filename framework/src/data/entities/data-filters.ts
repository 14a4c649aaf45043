import { AsyncLocalStorage } from 'node:async_hooks'
import type { RowRule } from './row-rule.js'

/** The filter that hides rows which are marked as deleted: ABP's `ISoftDelete`. */
export const SoftDelete = { name: 'SoftDelete' } as const

/** A filter that every read applies: {@link SoftDelete}, or a row rule of an entity. */
export type DataFilter = typeof SoftDelete | RowRule

const storage = new AsyncLocalStorage<ReadonlySet<DataFilter>>()
const none: ReadonlySet<DataFilter> = new Set()

/**
 * Switches filters of reads off and on for a piece of work, as ABP's `IDataFilter` does. Lists, OData, stores and Sequelize's models
 * obey; SQL that is written by hand says its conditions itself. The permission to see more is for the caller to check.
 */
export const DataFilters = {
  /**
   * Runs `work` without a filter.
   * @example const [row] = await DataFilters.disable(SoftDelete, () => this.store.where(sql`t."Code" = ${code}`))
   */
  disable<T>(filter: DataFilter, work: () => T): T {
    return storage.run(new Set([...disabled(), filter]), work)
  },

  /** Runs `work` with a filter, inside work that runs without it. */
  enable<T>(filter: DataFilter, work: () => T): T {
    return storage.run(new Set([...disabled()].filter((one) => one !== filter)), work)
  },

  /** Runs `work` with all filters: for answers that are kept, and serve others than the work at hand. */
  enableAll<T>(work: () => T): T {
    return disabled().size ? storage.run(none, work) : work()
  },

  /** True unless the work at hand runs without the filter. */
  isEnabled(filter: DataFilter): boolean {
    return !disabled().has(filter)
  },
} as const

function disabled(): ReadonlySet<DataFilter> {
  return storage.getStore() ?? none
}
