import { Provides } from '@keel/framework'
import { type Sql, sql, UnitOfWork } from '@keel/framework/data'
import type { GrantHolder } from '@keel/framework/security'
import { GrantBook } from '../contracts/index.js'
import { PermissionGrants } from './permission-grants.js'

/** Writes grants of other modules' holders. */
@Provides(GrantBook)
export class StoredGrantBook extends GrantBook {
  constructor(private readonly grants: PermissionGrants) {
    super()
  }

  async grant(holder: GrantHolder, permissions: readonly string[]): Promise<void> {
    await this.grants.grant(permissions.map((permission) => ({ ...holder, permission })))
    this.changed()
  }

  revoke(holder: GrantHolder, permissions: readonly string[]): Promise<void> {
    return this.delete(holder, sql` and "Name" = any(${permissions}::text[])`)
  }

  remove(holder: GrantHolder): Promise<void> {
    return this.delete(holder, sql``)
  }

  private async delete({ providerName, providerKey }: GrantHolder, which: Sql): Promise<void> {
    await this.grants.database.execute(sql`
      delete from "AbpPermissionGrants"
      where "TenantId" is null and "ProviderName" = ${providerName} and "ProviderKey" = ${providerKey}${which}`)
    this.changed()
  }

  /** Our own process knows at the commit, before the database tells. */
  private changed(): void {
    const [table] = this.grants.tables
    UnitOfWork.current?.changed(this.grants.database, table)
  }
}
