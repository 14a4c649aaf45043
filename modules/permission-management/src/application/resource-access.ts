import { Application, ambient, Injectable } from '@keel/framework'
import {
  BusinessError,
  faultOf,
  type GrantProvider,
  type ResourcePermissionDefinition,
  ValidationError,
} from '@keel/framework/contracts'
import {
  ApiKeyHolders,
  Authority,
  ClientHolders,
  demandPermission,
  type GrantHolder,
  hasPermission,
  type NamedHolder,
  type ResourceGrant,
  ResourcePermissions,
  RoleHolders,
  UserHolders,
} from '@keel/framework/security'
import {
  type GetResourcePermissionListResultDto,
  type GetResourcePermissionWithProviderListResultDto,
  type GetResourceProviderListResultDto,
  type GrantedThing,
  PermissionErrors,
  type ResourcePermissionDefinitionDto,
  type SearchProviderKeyListResultDto,
} from '../contracts/index.js'
import { type ResourceGrantChange, ResourceGrants } from '../persistence/resource-grants.js'
import { HolderAccess } from './holder-access.js'
import { PermissionDefinitions } from './permission-definitions.js'

/** Holders on a page of a search: as many as ABP has. */
const pageSize = 10

/**
 * Grants on single things, for ABP's dialog of resource permissions. A permission is shown to callers with
 * its management permission, and hidden from all others. A grant is given and taken by callers who hold it on
 * the thing themselves, and by administrators.
 */
@Injectable()
export class ResourceAccess {
  constructor(
    private readonly application: Application,
    private readonly texts: PermissionDefinitions,
    private readonly holders: HolderAccess,
    private readonly grants: ResourceGrants,
    private readonly access: ResourcePermissions,
    private readonly authority: Authority,
  ) {}

  /** The permissions on things of a kind that the caller may manage. */
  definitions(resourceName: string): ResourcePermissionDefinitionDto[] {
    return this.managed(resourceName).map(({ name }) => ({ name, displayName: this.nameOf(name) }))
  }

  async providers(resourceName: string): Promise<GetResourceProviderListResultDto> {
    if (this.managed(resourceName).length === 0) return { providers: [] }
    const names = (['U', 'R', 'C', 'AK'] as const).filter((name) => this.directories[name]() !== undefined)
    return { providers: names.map((name) => ({ name, displayName: this.providerText(name) })) }
  }

  async search(
    resourceName: string,
    providerName: string,
    filter: string,
    page: number,
  ): Promise<SearchProviderKeyListResultDto> {
    const directory = Object.hasOwn(this.directories, providerName)
      ? this.directories[providerName as GrantProvider]()
      : undefined
    if (!directory || this.managed(resourceName).length === 0) return { keys: [] }
    const found = await directory.search(filter, (page - 1) * pageSize, pageSize)
    return {
      keys: found.map(({ providerKey, displayName }) => ({ providerKey, providerDisplayName: displayName })),
    }
  }

  async granted(thing: GrantedThing): Promise<GetResourcePermissionListResultDto> {
    const shown = new Set(this.managed(thing.resourceName).map(({ name }) => name))
    const rows = shown.size === 0 ? [] : await this.grants.grantsOn(thing.resourceName, thing.resourceKey)
    const byHolder = new Map<string, ResourceGrant[]>()
    for (const row of rows) {
      if (!shown.has(row.name)) continue
      const key = JSON.stringify([row.providerName, row.providerKey])
      byHolder.set(key, [...(byHolder.get(key) ?? []), row])
    }
    const holders = [...byHolder.values()].flatMap(([first]) => first ?? [])
    const names = await this.namesOf(holders)
    return {
      permissions: [...byHolder].flatMap(([key, [first, ...rest]]) =>
        first
          ? [
              {
                providerName: first.providerName,
                providerKey: first.providerKey,
                providerDisplayName: names.get(key) ?? first.providerKey,
                providerNameDisplayName: this.providerText(first.providerName),
                permissions: [first, ...rest].map(({ name }) => ({ name, displayName: this.nameOf(name) })),
              },
            ]
          : [],
      ),
    }
  }

  async grantedTo(
    thing: GrantedThing,
    key: GrantHolder,
  ): Promise<GetResourcePermissionWithProviderListResultDto> {
    const managed = this.managed(thing.resourceName)
    if (managed.length === 0) return { permissions: [] }
    const { chain } = await this.holders.find(key)
    const rows = await this.grants.grantsOn(thing.resourceName, thing.resourceKey)
    return {
      permissions: managed.map(({ name }) => {
        const granting = rows.filter(
          (row) =>
            row.name === name &&
            chain.some((one) => one.providerName === row.providerName && one.providerKey === row.providerKey),
        )
        const providers = [...new Set(granting.map(({ providerName }) => providerName))]
        return { name, displayName: this.nameOf(name), providers, isGranted: granting.length > 0 }
      }),
    }
  }

  /**
   * Makes a holder's own grants on a thing these and, of the permissions that the caller may manage, no others. Refuses callers who may
   * manage none, names that are none of theirs, holders that do not exist, and what the caller may not give or take.
   */
  async update(thing: GrantedThing, key: GrantHolder, permissions: readonly string[]): Promise<void> {
    const managed = this.demandManaged(thing.resourceName)
    const unknown = permissions.filter((name) => !managed.some((one) => one.name === name))
    if (unknown.length > 0)
      throw new ValidationError(
        unknown.map((name) =>
          faultOf('permissions', 'PermissionManagement:Validation:NotOfThing', {
            name,
            resourceName: thing.resourceName,
          }),
        ),
      )
    const { providerName, providerKey } =
      key.providerName === 'AK'
        ? await this.holders.managed('AK', key.providerKey)
        : await this.holders.find(key)
    await this.authority.lock()
    const rows = await this.grants.grantsOn(thing.resourceName, thing.resourceKey)
    const standing = new Set(
      rows
        .filter((row) => row.providerName === providerName && row.providerKey === providerKey)
        .map(({ name }) => name),
    )
    const wanted = new Set(permissions)
    const changes = managed
      .filter(({ name }) => wanted.has(name) !== standing.has(name))
      .map(({ name }): ResourceGrantChange => {
        return { ...thing, providerName, providerKey, name, kind: wanted.has(name) ? 'Granted' : 'Revoked' }
      })
    await this.demandHeld(changes)
    await this.grants.apply(changes, 'Update')
  }

  private async demandHeld(changes: readonly ResourceGrantChange[]): Promise<void> {
    if (this.authority.isUnlimited()) return
    for (const { name, resourceKey } of changes)
      if (!(await this.access.isGranted(name, resourceKey)))
        throw new BusinessError(PermissionErrors.NotHeldOnThing, { permission: name })
  }

  private managed(resourceName: string): ResourcePermissionDefinition[] {
    return this.definedOn(resourceName).filter((one) => hasPermission(one.managementPermission))
  }

  private demandManaged(resourceName: string): ResourcePermissionDefinition[] {
    const managed = this.managed(resourceName)
    if (managed.length > 0) return managed
    const [first] = this.definedOn(resourceName)
    if (first) demandPermission(first.managementPermission)
    throw new ValidationError([
      faultOf('resourceName', 'PermissionManagement:Validation:NoSuchThing', { resourceName }),
    ])
  }

  private definedOn(resourceName: string): ResourcePermissionDefinition[] {
    return [...this.application.resourcePermissions.values()].filter(
      (one) => one.resourceName === resourceName,
    )
  }

  /** The names of holders by their provider and key. One statement for each kind of holder. */
  private async namesOf(holders: readonly GrantHolder[]): Promise<ReadonlyMap<string, string>> {
    const kinds = [...new Set(holders.map(({ providerName }) => providerName))]
    const found = await Promise.all(
      kinds.map(async (kind) => {
        const keys = holders.filter((one) => one.providerName === kind).map(({ providerKey }) => providerKey)
        const named = (await this.directories[kind]()?.named(keys)) ?? []
        return named.map(
          ({ providerKey, displayName }) => [JSON.stringify([kind, providerKey]), displayName] as const,
        )
      }),
    )
    return new Map(found.flat())
  }

  /** Where holders of a kind are looked for; undefined for a kind that no module of this host has. */
  private readonly directories: Readonly<Record<GrantProvider, () => Directory | undefined>> = {
    U: () => this.holders.provided(UserHolders),
    R: () => this.holders.provided(RoleHolders),
    C: () => this.holders.provided(ClientHolders),
    AK: () => {
      const keys = this.holders.provided(ApiKeyHolders)
      return keys && { named: (ids) => keys.named(ids), search: (...page) => this.ownKeys(keys, ...page) }
    },
  }

  /** Keys are found by their owners alone. */
  private async ownKeys(
    keys: ApiKeyHolders,
    text: string,
    skip: number,
    limit: number,
  ): Promise<readonly NamedHolder[]> {
    const { userId, apiKeyId } = ambient().principal
    if (userId === undefined || apiKeyId !== undefined) return []
    const wanted = text.toLowerCase()
    const own = await keys.ofOwners([userId])
    return own
      .filter(({ displayName }) => displayName.toLowerCase().includes(wanted))
      .slice(skip, skip + limit)
  }

  private nameOf(permission: string): string {
    return this.texts.displayName(permission, ambient().culture)
  }

  private providerText(providerName: GrantProvider): string {
    const key = `PermissionManagement:Provider:${providerName}`
    return this.application.localization.find(key, ambient().culture) ?? providerName
  }
}

type Directory = Pick<UserHolders, 'search' | 'named'>
