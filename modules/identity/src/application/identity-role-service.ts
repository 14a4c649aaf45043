import { Application, AutoApiController } from '@keel/framework'
import { BusinessError, type FilteredPagedInput, listResultOf, pageOf } from '@keel/framework/contracts'
import { expectStamp, PageReader } from '@keel/framework/data'
import { Authority, RequiresPermission } from '@keel/framework/security'
import {
  type ClaimTypeDto,
  IdentityErrors,
  IdentityRoleAppService,
  type IdentityRoleClaimDto,
  type IdentityRoleCreateDto,
  IdentityRoleDto,
  IdentityRolePermissions,
  type IdentityRoleUpdateDto,
} from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { withExtraProperties } from '../domain/extra-properties.js'
import { Administrators } from '../persistence/administrators.js'
import { Claims } from '../persistence/claims.js'
import { Memberships } from '../persistence/memberships.js'
import { RoleViews } from '../persistence/role-views.js'
import { RoleStore } from '../persistence/stores.js'
import { HolderAnnouncer } from './holder-announcer.js'
import { RoleAssignment } from './role-assignment.js'

const Page = pageOf(IdentityRoleDto)

@AutoApiController(IdentityRoleAppService)
@RequiresPermission(IdentityRolePermissions.Default)
export class IdentityRoleService implements IdentityRoleAppService {
  private readonly roles: Application['roles']

  constructor(
    application: Application,
    private readonly store: RoleStore,
    private readonly views: RoleViews,
    private readonly pages: PageReader,
    private readonly claims: Claims,
    private readonly authority: Authority,
    private readonly assignment: RoleAssignment,
    private readonly administrators: Administrators,
    private readonly memberships: Memberships,
    private readonly holders: HolderAnnouncer,
  ) {
    this.roles = application.roles
  }

  async getList(input: FilteredPagedInput) {
    return this.pages.page(Page, this.views.view, { ...input, defaultSorting: 'name' })
  }

  async getAllList() {
    return this.pages.items(listResultOf(IdentityRoleDto), this.views.view, { defaultSorting: 'name' })
  }

  get(id: string): Promise<IdentityRoleDto> {
    return this.pages.one(IdentityRoleDto, this.views.view, id)
  }

  @RequiresPermission(IdentityRolePermissions.Create)
  async create({
    name,
    isDefault,
    isPublic,
    extraProperties,
  }: IdentityRoleCreateDto): Promise<IdentityRoleDto> {
    // Grants or parents may wait for a role of this name.
    await this.authority.demandRoles([name])
    if (isDefault) await this.demandDefault(name)
    const { id } = await this.store
      .insert({
        name,
        normalizedName: normalizedName(name),
        isDefault,
        isPublic,
        isStatic: false,
        entityVersion: 0,
        extraProperties: JSON.stringify(extraProperties ?? {}),
      })
      .catch((error: unknown) => {
        throw named(error, name)
      })
    return this.get(id)
  }

  @RequiresPermission(IdentityRolePermissions.Update)
  async update(id: string, input: IdentityRoleUpdateDto): Promise<IdentityRoleDto> {
    const row = await this.store.get(id)
    expectStamp(row, input)
    const { name: oldName } = row
    const { name, isDefault, isPublic, extraProperties } = input
    if (this.views.isStatic(row) && name !== oldName)
      throw new BusinessError(IdentityErrors.StaticRoleRenaming)
    await this.authority.demandRoles(name === oldName ? [name] : [oldName, name])
    if (isDefault && !row.isDefault) await this.demandDefault(oldName)
    const changes = {
      name,
      normalizedName: normalizedName(name),
      isDefault,
      isPublic,
      entityVersion: row.entityVersion + 1,
      ...(extraProperties && {
        extraProperties: withExtraProperties(row.extraProperties, extraProperties),
      }),
    }
    await this.store.update(row, changes).catch((error: unknown) => {
      throw named(error, name)
    })
    if (name !== oldName) await this.holders.renamed({ providerName: 'R', providerKey: oldName }, name)
    return this.get(id)
  }

  @RequiresPermission(IdentityRolePermissions.Delete)
  async delete(id: string): Promise<void> {
    await this.authority.lock()
    const row = await this.store.find(id)
    if (!row) return
    if (this.views.isStatic(row)) throw new BusinessError(IdentityErrors.StaticRoleDeletion)
    await this.authority.demandRoles([row.name])
    await this.assignment.demandRemoval([row.name])
    await this.demandHolders(id)
    await this.store.remove(row)
    await this.holders.removed({ providerName: 'R', providerKey: row.name })
  }

  async getClaims(id: string): Promise<IdentityRoleClaimDto[]> {
    await this.get(id)
    return this.claims.of('role', id)
  }

  @RequiresPermission(IdentityRolePermissions.Update)
  async updateClaims(id: string, input: IdentityRoleClaimDto[]): Promise<void> {
    const { name } = await this.store.get(id)
    await this.authority.demandRoles([name])
    await this.claims.set('role', id, input)
  }

  async getAllClaimTypes(): Promise<ClaimTypeDto[]> {
    return this.claims.types()
  }

  @RequiresPermission(IdentityRolePermissions.Update)
  async moveAllUsers(id: string, roleId: string | null | undefined): Promise<void> {
    if (id === roleId) return
    await this.administrators.keepOne(async () => {
      await this.authority.lock()
      const from = await this.store.get(id)
      const to = roleId ? await this.store.get(roleId) : undefined
      await this.assignment.demand([from.name, ...(to ? [to.name] : [])])
      await this.assignment.demandRemoval([from.name])
      if (!this.authority.isUnlimited())
        await this.authority.demandUsers(await this.memberships.membersOf('role', [id]))
      await this.memberships.moveMembers('role', id, to?.id)
    })
  }

  /** Refuses to take a role from users who hold more than the caller, directly or through a unit. */
  private async demandHolders(id: string): Promise<void> {
    if (this.authority.isUnlimited()) return
    await this.authority.demandUsers([
      ...(await this.memberships.membersOf('role', [id])),
      ...(await this.memberships.membersByRole(id)),
    ])
  }

  /** Every new user gets a default role. Administrators are made one by one. */
  private async demandDefault(name: string): Promise<void> {
    if (this.roles.get(name)?.isAdministrator)
      throw new BusinessError(IdentityErrors.DefaultAdministrators, { role: name })
    await this.assignment.demand([name])
  }
}

/** The conflict of two roles of one name, with the name. */
function named(error: unknown, name: string): unknown {
  return error instanceof BusinessError && error.code === IdentityErrors.DuplicateRoleName
    ? new BusinessError(error.code, { 0: name }, { cause: error })
    : error
}
