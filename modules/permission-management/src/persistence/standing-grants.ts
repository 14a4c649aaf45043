import { Injectable } from '@keel/framework'
import { type Cache, Caches } from '@keel/framework/caching'
import type { GrantHolder } from '@keel/framework/security'
import { type GrantRow, rowsByName } from '../domain/verdict.js'
import { PermissionGrants } from './permission-grants.js'

type RowsByName = ReadonlyMap<string, readonly GrantRow[]>

/** So many rows are kept over all holders: some 50 MB. */
const mostKeptRows = 200_000

/**
 * Caches the grants of holders by permission, invalidated by changes of grants: a dialog requests them twice
 * each time it opens.
 */
@Injectable()
export class StandingGrants {
  private readonly rows: Cache<RowsByName>

  constructor(
    private readonly grants: PermissionGrants,
    caches: Caches,
  ) {
    this.rows = caches.of({
      name: 'PermissionManagement.StandingGrants',
      max: mostKeptRows,
      sizeOf: (rows) => 1 + rows.size,
      madeOf: grants,
    })
  }

  async of(holders: readonly GrantHolder[]): Promise<RowsByName> {
    return this.rows.getOrAdd(JSON.stringify(holders), async () =>
      rowsByName(await this.grants.rowsOf(holders)),
    )
  }
}
