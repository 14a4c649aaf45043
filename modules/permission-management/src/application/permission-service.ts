import { AutoApiController, ambient } from '@keel/framework'
import { Authenticated, Authority, AvailablePermissions } from '@keel/framework/security'
import {
  type GetPermissionListResultDto,
  type GetResourcePermissionDefinitionListResultDto,
  type GetResourcePermissionListResultDto,
  type GetResourcePermissionWithProviderListResultDto,
  type GetResourceProviderListResultDto,
  PermissionAppService,
  type PermissionGrantInfoDto,
  type SearchProviderKeyListResultDto,
  type UpdatePermissionsDto,
  type UpdateResourcePermissionsDto,
} from '../contracts/index.js'
import { allows, type GrantRow, verdictOf } from '../domain/verdict.js'
import { PermissionGrants } from '../persistence/permission-grants.js'
import { StandingGrants } from '../persistence/standing-grants.js'
import { GrantChanges } from './grant-changes.js'
import { type FoundHolder, HolderAccess, keyOf } from './holder-access.js'
import { PermissionDefinitions, type ShownGroup, type ShownPermission } from './permission-definitions.js'
import { ResourceAccess } from './resource-access.js'

/** The permission dialog: who may use it depends on the holder, see {@link HolderAccess}. */
@AutoApiController(PermissionAppService)
@Authenticated()
export class PermissionService implements PermissionAppService {
  constructor(
    private readonly holders: HolderAccess,
    private readonly definitions: PermissionDefinitions,
    private readonly grants: PermissionGrants,
    private readonly standing: StandingGrants,
    private readonly changes: GrantChanges,
    private readonly authority: Authority,
    private readonly available: AvailablePermissions,
    private readonly resources: ResourceAccess,
  ) {}

  async get(providerName: string, providerKey: string): Promise<GetPermissionListResultDto> {
    return this.list(await this.holders.managed(providerName, providerKey), () => true)
  }

  async getByGroup(
    groupName: string,
    providerName: string,
    providerKey: string,
  ): Promise<GetPermissionListResultDto> {
    return this.list(await this.holders.managed(providerName, providerKey), ({ name }) => name === groupName)
  }

  async update(
    providerName: string,
    providerKey: string,
    { permissions }: UpdatePermissionsDto,
  ): Promise<void> {
    const holder = await this.holders.managed(providerName, providerKey)
    await this.authority.lock()
    await this.grants.apply(await this.changes.wanted(holder, permissions), 'Update')
  }

  getResourceProviderKeyLookupServices(resourceName: string): Promise<GetResourceProviderListResultDto> {
    return this.resources.providers(resourceName)
  }

  searchResourceProviderKey(
    resourceName: string,
    serviceName: string,
    filter: string | null | undefined,
    page: number,
  ): Promise<SearchProviderKeyListResultDto> {
    return this.resources.search(resourceName, serviceName, filter ?? '', page)
  }

  async getResourceDefinitions(resourceName: string): Promise<GetResourcePermissionDefinitionListResultDto> {
    return { permissions: this.resources.definitions(resourceName) }
  }

  getResource(resourceName: string, resourceKey: string): Promise<GetResourcePermissionListResultDto> {
    return this.resources.granted({ resourceName, resourceKey })
  }

  getResourceByProvider(
    resourceName: string,
    resourceKey: string,
    providerName: string,
    providerKey: string,
  ): Promise<GetResourcePermissionWithProviderListResultDto> {
    return this.resources.grantedTo({ resourceName, resourceKey }, keyOf(providerName, providerKey))
  }

  updateResource(
    resourceName: string,
    resourceKey: string,
    { providerName, providerKey, permissions }: UpdateResourcePermissionsDto,
  ): Promise<void> {
    const holder = keyOf(providerName, providerKey)
    return this.resources.update({ resourceName, resourceKey }, holder, permissions ?? [])
  }

  deleteResource(
    resourceName: string,
    resourceKey: string,
    providerName: string,
    providerKey: string,
  ): Promise<void> {
    return this.resources.update({ resourceName, resourceKey }, keyOf(providerName, providerKey), [])
  }

  private async list(
    holder: FoundHolder,
    isWanted: (group: ShownGroup) => boolean,
  ): Promise<GetPermissionListResultDto> {
    const groups = this.definitions.for(holder.providerName, ambient().culture).filter(isWanted)
    const [rows, withheld] = await Promise.all([this.standing.of(holder.chain), this.available.withheld()])
    return {
      entityDisplayName: holder.displayName,
      groups: groups.map((group) => ({
        ...group,
        permissions: group.permissions
          .filter(({ definition }) => !withheld.has(definition.name))
          .map((permission) => this.grantInfo(permission, rows.get(permission.definition.name) ?? [])),
      })),
    }
  }

  private grantInfo(
    { definition, displayName }: ShownPermission,
    rows: readonly GrantRow[],
  ): PermissionGrantInfoDto {
    const granting = rows.filter((row) => !row.isProhibition && allows(definition, row.providerName))
    const prohibiting = rows.filter(({ isProhibition }) => isProhibition)
    return {
      name: definition.name,
      displayName,
      parentName: definition.parent ?? null,
      isGranted: verdictOf(definition, rows) === 'Granted',
      allowedProviders: [...(definition.providers ?? [])],
      grantedProviders: granting.map(providerInfo),
      isEditable: this.authority.mayGive(definition.name),
      isProhibited: prohibiting.length > 0,
      prohibitedProviders: prohibiting.map(providerInfo),
    }
  }
}

const providerInfo = ({ providerName, providerKey }: GrantRow) => ({ providerName, providerKey })
