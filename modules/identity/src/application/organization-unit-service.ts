import { AutoApiController, Settings } from '@keel/framework'
import {
  BusinessError,
  type FilteredPagedInput,
  faultOf,
  listResultOf,
  pageOf,
  ValidationError,
} from '@keel/framework/contracts'
import {
  type Database,
  Databases,
  expectStamp,
  PageReader,
  type Sql,
  sql,
  UnitOfWork,
} from '@keel/framework/data'
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
import { OrganizationUnit } from '../domain/organization-unit.js'
import { childCode, deepestLevel, isWithin, levelOf, ordinalOf } from '../domain/organization-unit-code.js'
import { Memberships } from '../persistence/memberships.js'
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
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly store: OrganizationUnitStore,
    private readonly pages: PageReader,
    private readonly views: OrganizationUnitViews,
    private readonly roleViews: RoleViews,
    private readonly memberships: Memberships,
    private readonly authority: Authority,
    private readonly assignment: RoleAssignment,
    private readonly settings: Settings,
  ) {
    this.database = databases.of(OrganizationUnit)
  }

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
    await this.lockTree()
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
    await this.lockTree()
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
    const below = await this.store.where(
      sql`t."Code" = ${row.code} or starts_with(t."Code", ${`${row.code}.`})`,
    )
    const ids = below.map((unit) => unit.id)
    await this.demandChange(ids, await this.memberships.membersOf(ids))
    await this.memberships.clear(ids)
    for (const unit of below) await this.store.remove(unit)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageTree)
  async move(id: string, { newParentId }: OrganizationUnitMoveInput): Promise<void> {
    await this.lockTree()
    const row = await this.store.get(id)
    if ((newParentId ?? null) === row.parentId) return
    const parent = await this.parentOf(newParentId)
    if (parent && isWithin(parent.code, row.code))
      throw new BusinessError(IdentityErrors.OrganizationUnitCycle)
    await this.refuseName(row.displayName, parent?.id)
    const code = await this.nextCode(parent)
    await this.refuseDepth(row.code, levelOf(code))
    await this.renumber(row.code, code)
    // Read again, because its code is another one by now.
    await this.store.update(await this.store.get(id), { parentId: parent?.id ?? null })
  }

  async getMembers(id: string, page: FilteredPagedInput) {
    await this.store.get(id)
    return this.readUsers(sql`exists (${membershipIn(id)})`, page)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageMembers)
  async addMembers(id: string, { userIds }: OrganizationUnitUserInput): Promise<void> {
    await this.lockRights()
    await this.store.get(id)
    await this.assignment.demand(await this.memberships.rolesOf([id]))
    await this.demandChange([id], userIds)
    const known = await this.pages.count(userView, { conditions: [sql`t."Id" = any(${userIds}::uuid[])`] })
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
    await this.demandChange(units, await this.memberships.membersOf([id]))
    await this.memberships.moveMembers(id, organizationId ?? undefined)
  }

  async getAvailableUsers(id: string, page: FilteredPagedInput) {
    await this.store.get(id)
    return this.readUsers(sql`not exists (${membershipIn(id)})`, page)
  }

  async getRoles(id: string, page: FilteredPagedInput) {
    await this.store.get(id)
    return this.readRoles(sql`exists (${roleOf(id)})`, page)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageRoles)
  async addRoles(id: string, { roleIds }: OrganizationUnitRoleInput): Promise<void> {
    await this.lockRights()
    await this.store.get(id)
    const named = await this.database.query<{ name: string }>(sql`
      select "Name" as name from "AbpRoles" where "Id" = any(${roleIds}::uuid[])`)
    const unknown = new Set(roleIds).size - named.length
    if (unknown)
      throw new ValidationError([faultOf('roleIds', 'AbpIdentity:Validation:NoSuchRole', { role: '' })])
    await this.assignment.demand(named.map(({ name }) => name))
    await this.authority.demandUsers(await this.memberships.membersOf([id]))
    await this.memberships.addRoles(id, roleIds)
  }

  @RequiresPermission(OrganizationUnitPermissions.ManageRoles)
  async removeRole(id: string, roleId: string): Promise<void> {
    await this.lockRights()
    await this.store.get(id)
    await this.demandChange([id], await this.memberships.membersOf([id]))
    await this.memberships.removeRole(id, roleId)
  }

  async getAvailableRoles(id: string, page: FilteredPagedInput) {
    await this.store.get(id)
    return this.readRoles(sql`not exists (${roleOf(id)})`, page)
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
    await this.lockTree()
    await this.authority.lock()
  }

  /** Serializes changes of the tree: codes stay unique, and no cycle can arise. */
  private async lockTree(): Promise<void> {
    await this.database.execute(sql`select pg_advisory_xact_lock(hashtext('AbpIdentity.OrganizationUnits'))`)
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
    const [last] = await this.database.query<{ code: string | null }>(sql`
      select max("Code") as code from "AbpOrganizationUnits" where "ParentId" is not distinct from ${parent?.id ?? null}::uuid`)
    const code = childCode(parent?.code ?? null, last?.code ? ordinalOf(last.code) + 1 : 1)
    if (levelOf(code) > deepestLevel) throw tooDeep()
    return code
  }

  private async refuseName(
    displayName: string,
    parentId: string | undefined,
    exceptId?: string,
  ): Promise<void> {
    const [same] = await this.store.where(sql`
      t."ParentId" is not distinct from ${parentId ?? null}::uuid and t."DisplayName" = ${displayName} and t."Id" is distinct from ${exceptId ?? null}::uuid`)
    if (same) throw new BusinessError(IdentityErrors.DuplicateOrganizationUnitName, { 0: displayName })
  }

  private async refuseDepth(code: string, newLevel: number): Promise<void> {
    const below = await this.store.where(sql`starts_with(t."Code", ${`${code}.`})`)
    const levels = Math.max(0, ...below.map((unit) => levelOf(unit.code) - levelOf(code)))
    if (newLevel + levels > deepestLevel) throw tooDeep()
  }

  /** Gives a unit and everything below it their new codes; those that are deleted keep theirs. */
  private async renumber(from: string, to: string): Promise<void> {
    await this.database.execute(sql`
      update "AbpOrganizationUnits" set "Code" = ${to} || substr("Code", ${from.length + 1}::int)
      where ("Code" = ${from} or starts_with("Code", ${`${from}.`})) and "IsDeleted" = false`)
    UnitOfWork.current?.changed(this.database, this.store.meta.table)
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

function membershipIn(unitId: string): Sql {
  return sql`select from "AbpUserOrganizationUnits" m where m."OrganizationUnitId" = ${unitId} and m."UserId" = t."Id"`
}

function roleOf(unitId: string): Sql {
  return sql`select from "AbpOrganizationUnitRoles" p where p."OrganizationUnitId" = ${unitId} and p."RoleId" = t."Id"`
}
