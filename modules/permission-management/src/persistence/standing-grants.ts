import { Injectable } from '@keel/framework'
import { type TableWatch, UnitOfWork } from '@keel/framework/data'
import type { GrantHolder } from '@keel/framework/security'
import { LRUCache } from 'lru-cache'
import { type GrantRow, rowsByName } from '../domain/verdict.js'
import { PermissionGrants } from './permission-grants.js'

type RowsByName = ReadonlyMap<string, readonly GrantRow[]>

/** So many rows are kept over all holders: some 50 MB. */
const mostKeptRows = 200_000

/** What stands at holders by permission, read again when grants changed: a dialog is asked for twice each time it opens. */
@Injectable()
export class StandingGrants {
  private readonly kept = new LRUCache<string, { version: number; rows: RowsByName }>({
    maxSize: mostKeptRows,
    sizeCalculation: ({ rows }) => 1 + rows.size,
  })
  private readonly watch: TableWatch

  constructor(private readonly grants: PermissionGrants) {
    this.watch = grants.database.feed.watch(grants.tables)
  }

  async of(holders: readonly GrantHolder[]): Promise<RowsByName> {
    // Inside a unit of work we may see what is rolled back.
    const version = UnitOfWork.current ? undefined : this.watch.version
    const key = JSON.stringify(holders)
    const kept = this.kept.get(key)
    if (kept && kept.version === version) return kept.rows
    const rows = rowsByName(await this.grants.rowsOf(holders))
    if (version !== undefined) this.kept.set(key, { version, rows })
    return rows
  }
}
