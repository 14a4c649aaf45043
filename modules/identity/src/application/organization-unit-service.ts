import { AutoApiController, Settings } from '@keel/framework'
import {
  BusinessError,
  type FilteredPagedInput,
  faultOf,
  listResultOf,
  pageOf,
  ValidationError,
} from '@keel/framework/contracts'
import { expectStamp, PageReader, type Sql } from '@keel/framework/data'
import { Authority, RequiresPermission } from '@keel/framework/security'
import {
  IdentityErrors,
  IdentityRoleDto,
  IdentityUserDto,
  OrganizationUnitAppService,
  type OrganizationUnitCreateDto,
  type OrganizationUnitMoveInput,
  OrganizationUnitPermissions,
  type OrganizationUnitRoleInput,
  OrganizationUnitSettings,
  type OrganizationUnitUpdateDto,
  type OrganizationUnitUserInput,
  OrganizationUnitWithDetailsDto,
} from '../contracts/index.js'
import type { OrganizationUnit } from '../domain/organization-unit.js'
import { childCode, deepestLevel, isWithin, levelOf, ordinalOf } from '../domain/organization-unit-code.js'
import { isInUnit, isOneOf, isRoleOf, not } from '../persistence/membership-conditions.js'
import { Memberships } from '../persistence/memberships.js'
import { OrganizationUnitTree } from '../persistence/organization-unit-tree.js'
import { OrganizationUnitViews } from '../persistence/organization-unit-views.js'
import { RoleViews } from '../persistence/role-views.js'
import { OrganizationUnitStore } from '../persistence/stores.js'
import { userView } from '../persistence/user-views.js'
import { RoleAssignment } from './role-assignment.js'

const UnitPage = pageOf(OrganizationUnitWithDetailsDto)
const UserPage = pageOf(IdentityUserDto)
const RolePage = pageOf(IdentityRoleDto)

@AutoApiController(OrganizationUnitAppService)
@RequiresPermission(OrganizationUnitPermissions.Default)
export class OrganizationUnitService implements OrganizationUnitAppService {
  constructor(
    private readonly tree: OrganizationUnitTree,
    private readonly store: OrganizationUnitStore,
    private readonly pages: PageReader,
    private readonly views: OrganizationUnitViews,
    private readonly roleViews: RoleViews,
    private readonly memberships: Memberships,
    private readonly authority: Authority,
    private readonly assignment: RoleAssignment,
    private readonly settings: Settings,
  ) {}

  async getList(input: FilteredPagedInput) {
    return this.pages.page(UnitPage, this.views.view, { ...input, defaultSorting: 'code' })
  }

  async getListAll() {
    const list = listResultOf(OrganizationUnitWithDetailsDto)
    return this.pages.items(list, this.views.view, { defaultSorting: 'code' })
  }

  get(id: string): Promise<OrganizationUnitWithDetailsDto> {
    return this.pages.one(OrganizationUnitWithDetailsDto, this.views.view, id)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageTree)
  async create({ displayName, parentId, extraProperties }: OrganizationUnitCreateDto) {
    await this.tree.lock()
    const parent = await this.parentOf(parentId)
    await this.refuseName(displayName, parent?.id)
    const { id } = await this.store.insert({
      parentId: parent?.id ?? null,
      code: await this.nextCode(parent),
      displayName,
      entityVersion: 0,
      extraProperties: JSON.stringify(extraProperties ?? {}),
    })
    return this.get(id)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageTree)
  async update(id: string, input: OrganizationUnitUpdateDto) {
    await this.tree.lock()
    const row = await this.store.get(id)
    expectStamp(row, input)
    const { displayName, extraProperties } = input
    if (displayName !== row.displayName) await this.refuseName(displayName, row.parentId ?? undefined, id)
    await this.store.update(row, {
      displayName,
      entityVersion: row.entityVersion + 1,
      ...(extraProperties && { extraProperties: JSON.stringify(extraProperties) }),
    })
    return this.get(id)
  }

  /** Everything below goes too. */
  @RequiresPermission(OrganizationUnitPermissions.ManageTree)
  async delete(id: string): Promise<void> {
    await this.lockRights()
    const row = await this.store.find(id)
    if (!row) return
    const below = await this.tree.subtree(row.code)
    const ids = below.map((unit) => unit.id)
    await this.demandChange(ids, await this.memberships.membersOf('unit', ids))
    await this.memberships.clear(ids)
    for (const unit of below) await this.store.remove(unit)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageTree)
  async move(id: string, { newParentId }: OrganizationUnitMoveInput): Promise<void> {
    await this.tree.lock()
    const row = await this.store.get(id)
    if ((newParentId ?? null) === row.parentId) return
    const parent = await this.parentOf(newParentId)
    if (parent && isWithin(parent.code, row.code))
      throw new BusinessError(IdentityErrors.OrganizationUnitCycle)
    await this.refuseName(row.displayName, parent?.id)
    const code = await this.nextCode(parent)
    await this.refuseDepth(row.code, levelOf(code))
    await this.tree.renumber(row.code, code)
    // Read again, because its code is another one by now.
    await this.store.update(await this.store.get(id), { parentId: parent?.id ?? null })
  }

  async getMembers(id: string, page: FilteredPagedInput) {
    await this.store.get(id)
    return this.readUsers(isInUnit(id), page)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageMembers)
  async addMembers(id: string, { userIds }: OrganizationUnitUserInput): Promise<void> {
    await this.lockRights()
    await this.store.get(id)
    await this.assignment.demand(await this.memberships.rolesOf([id]))
    await this.demandChange([id], userIds)
    const known = await this.pages.count(userView, { conditions: [isOneOf(userIds)] })
    if (known !== new Set(userIds).size)
      throw new ValidationError([faultOf('userIds', 'AbpIdentity:Validation:NoSuchUser')])
    await this.memberships.addMembers([id], userIds)
    const most = Number(await this.settings.valueOf(OrganizationUnitSettings.MaxUserMembershipCount.name))
    if ((await this.memberships.mostUnitsOf(userIds)) > most)
      throw new BusinessError(IdentityErrors.MaxOrganizationUnitMembership, { count: most })
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageMembers)
  async removeMember(id: string, memberId: string): Promise<void> {
    await this.lockRights()
    await this.store.get(id)
    await this.demandChange([id], [memberId])
    await this.memberships.removeMembers([id], [memberId])
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageMembers)
  async moveAllUsers(id: string, organizationId: string | null | undefined): Promise<void> {
    if (id === organizationId) return
    await this.lockRights()
    await this.store.get(id)
    if (organizationId) {
      await this.store.get(organizationId)
      await this.assignment.demand(await this.memberships.rolesOf([organizationId]))
    }
    const units = organizationId ? [id, organizationId] : [id]
    await this.demandChange(units, await this.memberships.membersOf('unit', [id]))
    await this.memberships.moveMembers('unit', id, organizationId ?? undefined)
  }

  async getAvailableUsers(id: string, page: FilteredPagedInput) {
    await this.store.get(id)
    return this.readUsers(not(isInUnit(id)), page)
  }

  async getRoles(id: string, page: FilteredPagedInput) {
    await this.store.get(id)
    return this.readRoles(isRoleOf(id), page)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageRoles)
  async addRoles(id: string, { roleIds }: OrganizationUnitRoleInput): Promise<void> {
    await this.lockRights()
    await this.store.get(id)
    const names = await this.memberships.roleNames(roleIds)
    if (names.length < new Set(roleIds).size)
      throw new ValidationError([faultOf('roleIds', 'AbpIdentity:Validation:NoSuchRole', { role: '' })])
    await this.assignment.demand(names)
    await this.authority.demandUsers(await this.memberships.membersOf('unit', [id]))
    await this.memberships.addRoles(id, roleIds)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageRoles)
  async removeRole(id: string, roleId: string): Promise<void> {
    await this.lockRights()
    await this.store.get(id)
    await this.demandChange([id], await this.memberships.membersOf('unit', [id]))
    await this.memberships.removeRole(id, roleId)
  }

  async getAvailableRoles(id: string, page: FilteredPagedInput) {
    await this.store.get(id)
    return this.readRoles(not(isRoleOf(id)), page)
  }

  /**
   * Refuses to change the holders of these units' roles if one holds more than the caller, or a role
   * prohibits more.
   */
  private async demandChange(unitIds: readonly string[], userIds: readonly string[]): Promise<void> {
    if (this.authority.isUnlimited()) return
    const roleNames = await this.memberships.rolesOf(unitIds)
    if (roleNames.length === 0) return
    await this.assignment.demandRemoval(roleNames)
    await this.authority.demandUsers(userIds)
  }

  /** Serializes changes of members and roles: each check reads what the other changes. */
  private async lockRights(): Promise<void> {
    await this.tree.lock()
    await this.authority.lock()
  }

  private async parentOf(parentId: string | null | undefined): Promise<OrganizationUnit | undefined> {
    if (!parentId) return undefined
    const parent = await this.store.find(parentId)
    if (!parent)
      throw new ValidationError([faultOf('parentId', 'AbpIdentity:Validation:NoSuchOrganizationUnit')])
    return parent
  }

  /** The code after the last one that a child has or had: numbers are not given twice. */
  private async nextCode(parent: OrganizationUnit | undefined): Promise<string> {
    const last = await this.tree.lastCodeBelow(parent?.id ?? null)
    const code = childCode(parent?.code ?? null, last ? ordinalOf(last) + 1 : 1)
    if (levelOf(code) > deepestLevel) throw tooDeep()
    return code
  }

  private async refuseName(
    displayName: string,
    parentId: string | undefined,
    exceptId?: string,
  ): Promise<void> {
    if (await this.tree.hasChild(displayName, parentId ?? null, exceptId))
      throw new BusinessError(IdentityErrors.DuplicateOrganizationUnitName, { 0: displayName })
  }

  private async refuseDepth(code: string, newLevel: number): Promise<void> {
    const below = await this.tree.subtree(code)
    const levels = Math.max(0, ...below.map((unit) => levelOf(unit.code) - levelOf(code)))
    if (newLevel + levels > deepestLevel) throw tooDeep()
  }

  private readUsers(condition: Sql, page: FilteredPagedInput) {
    return this.pages.page(UserPage, userView, {
      ...page,
      defaultSorting: 'userName',
      conditions: [condition],
    })
  }

  private readRoles(condition: Sql, page: FilteredPagedInput) {
    return this.pages.page(RolePage, this.roleViews.view, {
      ...page,
      defaultSorting: 'name',
      conditions: [condition],
    })
  }
}

const tooDeep = (): BusinessError =>
  new BusinessError(IdentityErrors.OrganizationUnitTooDeep, { levels: deepestLevel })
