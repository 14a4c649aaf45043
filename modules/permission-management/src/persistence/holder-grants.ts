import { Application, Provides } from '@keel/framework'
import type { HolderObserver } from '@keel/identity/contracts'
import {
  GrantBook,
  type GrantChangeCause,
  type GrantedThing,
  type PermissionHolder,
} from '../contracts/index.js'
import { type GrantRow, grantedNames } from '../domain/verdict.js'
import { type GrantChange, PermissionGrants } from './permission-grants.js'
import { ResourceGrants } from './resource-grants.js'

/** The grants of holders that appear, vanish or change their key; those of users and roles follow what the identity module tells. */
@Provides(GrantBook)
export class HolderGrants extends GrantBook implements HolderObserver {
  constructor(
    private readonly application: Application,
    private readonly grants: PermissionGrants,
    private readonly resourceGrants: ResourceGrants,
  ) {
    super()
  }

  async grantsOf(holder: PermissionHolder): Promise<string[]> {
    return grantedNames(this.application.permissions, await this.grants.rowsOf([holder]))
  }

  async grant(holder: PermissionHolder, permissions: readonly string[]): Promise<void> {
    await this.grants.apply(changesOf(holder, permissions, 'Granted'), 'Module')
  }

  async revoke(holder: PermissionHolder, permissions: readonly string[]): Promise<void> {
    await this.grants.apply(changesOf(holder, permissions, 'Revoked'), 'Module')
  }

  async remove(holder: PermissionHolder): Promise<void> {
    await this.end(await this.grants.rowsOf([holder]), 'HolderRemoved')
    await this.resourceGrants.revokeAll(holder, 'HolderRemoved')
  }

  async rename(holder: PermissionHolder, newKey: string): Promise<void> {
    const rows = await this.grants.rowsOf([holder])
    await this.end(rows, 'HolderRenamed')
    const moved = rows.map(
      ({ name, providerName, isProhibition }): GrantChange => ({
        name,
        providerName,
        providerKey: newKey,
        kind: isProhibition ? 'Prohibited' : 'Granted',
      }),
    )
    await this.grants.apply(moved, 'HolderRenamed')
    await this.resourceGrants.rename(holder, newKey)
  }

  async grantOn(
    thing: GrantedThing,
    holder: PermissionHolder,
    permissions: readonly string[],
  ): Promise<void> {
    const changes = permissions.map((name) => ({ ...thing, ...holder, name, kind: 'Granted' as const }))
    await this.resourceGrants.apply(changes, 'Module')
  }

  async removeThing(thing: GrantedThing): Promise<void> {
    await this.resourceGrants.revokeAllOn(thing, 'ResourceRemoved')
  }

  holderRemoved(holder: PermissionHolder): Promise<void> {
    return this.remove(holder)
  }

  holderRenamed(holder: PermissionHolder, newKey: string): Promise<void> {
    return this.rename(holder, newKey)
  }

  private async end(rows: readonly GrantRow[], cause: keyof typeof GrantChangeCause): Promise<void> {
    const changes = rows.map(
      ({ name, providerName, providerKey, isProhibition }): GrantChange => ({
        name,
        providerName,
        providerKey,
        kind: isProhibition ? 'Allowed' : 'Revoked',
      }),
    )
    await this.grants.apply(changes, cause)
  }
}

function changesOf(
  { providerName, providerKey }: PermissionHolder,
  permissions: readonly string[],
  kind: GrantChange['kind'],
): GrantChange[] {
  return permissions.map((name) => ({ providerName, providerKey, name, kind }))
}
