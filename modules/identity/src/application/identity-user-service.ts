import { Application, AutoApiController, ambient, Clock, Settings } from '@keel/framework'
import {
  BusinessError,
  EntityNotFoundError,
  faultOf,
  listResultOf,
  pageOf,
  ValidationError,
} from '@keel/framework/contracts'
import { expectStamp, PageReader, type Sql } from '@keel/framework/data'
import { Authority, hasPermission, RequiresPermission } from '@keel/framework/security'
import {
  type ClaimTypeDto,
  confirmedEmail,
  type GetIdentityUsersInput,
  type GetPendingInvitationsInput,
  IdentityErrors,
  IdentityRoleDto,
  IdentityRoleLookupDto,
  IdentityUserAppService,
  type IdentityUserClaimDto,
  type IdentityUserCreateDto,
  IdentityUserDto,
  IdentityUserPermissions,
  type IdentityUserUpdateDto,
  type IdentityUserUpdatePasswordInput,
  type IdentityUserUpdateRolesDto,
  type InviteUsersInput,
  type InviteUsersSummaryDto,
  OrganizationUnitDto,
  OrganizationUnitLookupDto,
  OrganizationUnitSettings,
  OrganizationUnitWithDetailsDto,
  PersonAccounts,
  Reauthentication,
  type ResendInvitationInput,
  Sessions,
  SignInGuard,
  type UserProfile,
  UserTokens,
} from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import type { User } from '../domain/user.js'
import { Administrators } from '../persistence/administrators.js'
import { Claims } from '../persistence/claims.js'
import { isHeldBy, isNamedOneOf, isOneOf, isUnitOf } from '../persistence/membership-conditions.js'
import { Memberships } from '../persistence/memberships.js'
import {
  OrganizationUnitViews,
  organizationUnitLookupView,
  organizationUnitView,
} from '../persistence/organization-unit-views.js'
import { RoleViews, roleLookupView } from '../persistence/role-views.js'
import { UserStore } from '../persistence/stores.js'
import { isUser, usersAskedFor, userView } from '../persistence/user-views.js'
import { PasswordService } from './password-service.js'
import { except, RoleAssignment } from './role-assignment.js'
import { UserDirectoryService } from './user-directory-service.js'
import { UserInvitations } from './user-invitations.js'

const Page = pageOf(IdentityUserDto)

@AutoApiController(IdentityUserAppService)
@RequiresPermission(IdentityUserPermissions.Default)
export class IdentityUserService implements IdentityUserAppService {
  private readonly guard: SignInGuard | undefined
  private readonly reauthentication: Reauthentication | undefined

  constructor(
    private readonly store: UserStore,
    private readonly pages: PageReader,
    private readonly directory: UserDirectoryService,
    private readonly passwords: PasswordService,
    private readonly authority: Authority,
    private readonly assignment: RoleAssignment,
    private readonly administrators: Administrators,
    private readonly memberships: Memberships,
    private readonly claims: Claims,
    private readonly roleViews: RoleViews,
    private readonly unitViews: OrganizationUnitViews,
    private readonly accounts: PersonAccounts,
    private readonly invitations: UserInvitations,
    private readonly settings: Settings,
    private readonly sessions: Sessions,
    private readonly tokens: UserTokens,
    private readonly clock: Clock,
    application: Application,
  ) {
    this.guard = application.find(SignInGuard)
    this.reauthentication = application.find(Reauthentication)
  }

  async getList(input: GetIdentityUsersInput) {
    const { sorting, skipCount, maxResultCount } = input
    const request = { sorting, skipCount, maxResultCount, ...usersAskedFor(input) }
    return this.pages.page(Page, userView, { ...request, defaultSorting: 'userName' })
  }

  @RequiresPermission(IdentityUserPermissions.Create)
  async getPendingInvitations(input: GetPendingInvitationsInput) {
    return this.invitations.getList(input)
  }

  @RequiresPermission(IdentityUserPermissions.Create)
  async inviteUsers(input: InviteUsersInput): Promise<InviteUsersSummaryDto> {
    return this.invitations.invite(input)
  }

  @RequiresPermission(IdentityUserPermissions.Create)
  async resendInvitation(input: ResendInvitationInput): Promise<void> {
    await this.invitations.resend(input)
  }

  @RequiresPermission(IdentityUserPermissions.Create)
  async cancelInvitation(id: string): Promise<void> {
    await this.invitations.cancel(id)
  }

  @RequiresPermission(IdentityUserPermissions.Create)
  async cancelAllPendingInvitations(): Promise<void> {
    await this.invitations.cancelAll()
  }

  async get(id: string): Promise<IdentityUserDto> {
    const found = await this.findById(id)
    if (!found) throw new EntityNotFoundError('User', id)
    return found
  }

  async findById(id: string) {
    return this.one(isUser.withId(id))
  }

  async findByUsername(userName: string) {
    return this.one(isUser.named(userName))
  }

  async findByEmail(email: string) {
    return this.one(isUser.withEmail(email))
  }

  @RequiresPermission(IdentityUserPermissions.Create)
  async create(input: IdentityUserCreateDto): Promise<IdentityUserDto> {
    const named = this.rolesIn(input)
    if (named) await this.assignment.demand(named)
    // The very names that were checked: another role may become a default role meanwhile.
    const roleNames = named ?? (await this.assignment.defaults())
    const { id } = await this.directory.create({
      ...profileOf(input),
      password: input.password,
      roleNames,
      isActive: input.isActive ?? true,
      ...(typeof input.lockoutEnabled === 'boolean' && { isLockoutEnabled: input.lockoutEnabled }),
      isEmailConfirmed: input.emailConfirmed ?? false,
      isPhoneNumberConfirmed: input.phoneNumberConfirmed ?? false,
      shouldChangePasswordOnNextLogin: input.shouldChangePasswordOnNextLogin ?? false,
    })
    await this.setUnits(id, input.organizationUnitIds)
    return this.get(id)
  }

  @RequiresPermission(IdentityUserPermissions.Update)
  async update(id: string, input: IdentityUserUpdateDto): Promise<IdentityUserDto> {
    const { password } = input
    // Before the first statement: no transaction is open while the hash is made.
    const passwordHash = password ? await this.passwords.hashNew(password, profileOf(input)) : undefined
    return this.administrators.keepOne(async () => {
      await this.authority.demandUsers([id])
      const row = await this.store.get(id)
      expectStamp(row, input)
      const isNewEmail = normalizedName(input.email.trim()) !== row.normalizedEmail
      if (isNewEmail || password) await this.demandOwner(id)
      const isDeactivated = row.isActive && input.isActive === false
      await this.directory.change(row, profileOf(input), changesOf(row, input))
      // An administrator vouches for the address: nobody is asked at the one before.
      if (isNewEmail) await this.tokens.take({ userId: id, ...confirmedEmail })
      if (isDeactivated) await this.sessions.endAll(id)
      const roleNames = this.rolesIn(input)
      if (roleNames) await this.assignment.set(id, roleNames)
      await this.setUnits(id, input.organizationUnitIds)
      if (password && passwordHash) await this.passwords.give(id, password, passwordHash)
      return this.get(id)
    })
  }

  @RequiresPermission(IdentityUserPermissions.Delete)
  async delete(id: string): Promise<void> {
    await this.accounts.close(id)
  }

  async getRoles(id: string) {
    await this.get(id)
    return this.readRoles(isHeldBy(id))
  }

  async getAssignableRoles() {
    const assignable = await this.assignment.assignable()
    return this.readRoles(assignable && isNamedOneOf(assignable))
  }

  @RequiresPermission(IdentityUserPermissions.ManageRoles)
  async updateRoles(id: string, { roleNames }: IdentityUserUpdateRolesDto): Promise<void> {
    await this.administrators.keepOne(async () => {
      await this.store.get(id)
      await this.authority.demandUsers([id])
      await this.assignment.set(id, roleNames)
    })
  }

  async getClaims(id: string): Promise<IdentityUserClaimDto[]> {
    await this.get(id)
    return this.claims.of('user', id)
  }

  @RequiresPermission(IdentityUserPermissions.Update)
  async updateClaims(id: string, input: IdentityUserClaimDto[]): Promise<void> {
    await this.store.get(id)
    await this.authority.demandUsers([id])
    await this.claims.set('user', id, input)
  }

  async getAllClaimTypes(): Promise<ClaimTypeDto[]> {
    return this.claims.types()
  }

  async getOrganizationUnits(id: string): Promise<OrganizationUnitDto[]> {
    await this.get(id)
    return this.pages.array(OrganizationUnitDto, organizationUnitView, {
      defaultSorting: 'code',
      conditions: [isUnitOf(id)],
    })
  }

  async getAvailableOrganizationUnits() {
    const list = listResultOf(OrganizationUnitWithDetailsDto)
    return this.pages.items(list, this.unitViews.view, { defaultSorting: 'code' })
  }

  getRoleLookup(): Promise<IdentityRoleLookupDto[]> {
    return this.pages.array(IdentityRoleLookupDto, roleLookupView, { defaultSorting: 'name' })
  }

  getOrganizationUnitLookup(): Promise<OrganizationUnitLookupDto[]> {
    return this.pages.array(OrganizationUnitLookupDto, organizationUnitLookupView, { defaultSorting: 'code' })
  }

  @RequiresPermission(IdentityUserPermissions.Update)
  async updatePassword(id: string, { newPassword }: IdentityUserUpdatePasswordInput): Promise<void> {
    const passwordHash = await this.passwords.hashNewOf(id, newPassword)
    await this.demandOwner(id)
    await this.authority.demandUsers([id])
    await this.passwords.give(id, newPassword, passwordHash)
  }

  @RequiresPermission(IdentityUserPermissions.Update)
  async lock(id: string, lockoutEnd: Date): Promise<void> {
    await this.administrators.keepOne(async () => {
      const row = await this.store.get(id)
      await this.authority.demandUsers([id])
      if (!row.lockoutEnabled) throw new BusinessError(IdentityErrors.UserLockoutNotEnabled)
      await this.store.update(row, { lockoutEnd })
      if (lockoutEnd > this.clock.now) await this.sessions.endAll(id)
    })
  }

  @RequiresPermission(IdentityUserPermissions.Update)
  async unlock(id: string): Promise<void> {
    const row = await this.store.get(id)
    await this.authority.demandUsers([id])
    await this.store.update(row, { lockoutEnd: null, accessFailedCount: 0 })
    await this.guard?.forgive([row.userName, row.email])
  }

  async getTwoFactorEnabled(id: string): Promise<boolean> {
    return (await this.get(id)).twoFactorEnabled
  }

  @RequiresPermission(IdentityUserPermissions.Update)
  async setTwoFactorEnabled(id: string, enabled: boolean): Promise<void> {
    await this.authority.demandUsers([id])
    await this.demandOwner(id)
    await this.directory.setTwoFactorEnabled(id, enabled)
  }

  /** Administrators who change their own means of signing in must prove their identity first. */
  private async demandOwner(id: string): Promise<void> {
    if (id === ambient().principal.userId) await this.reauthentication?.demand()
  }

  private async one(condition: Sql): Promise<IdentityUserDto | null> {
    return (await this.pages.find(IdentityUserDto, userView, condition)) ?? null
  }

  private readRoles(condition: Sql | undefined) {
    const request = { defaultSorting: 'name', conditions: [condition] }
    return this.pages.items(listResultOf(IdentityRoleDto), this.roleViews.view, request)
  }

  /** The roles that an input asks for; undefined when it asks for none or the caller may not manage them. */
  private rolesIn({ roleNames }: { roleNames?: string[] | null | undefined }): string[] | undefined {
    return roleNames && hasPermission(IdentityUserPermissions.ManageRoles) ? roleNames : undefined
  }

  private async setUnits(userId: string, unitIds: readonly string[] | null | undefined): Promise<void> {
    if (!unitIds || !hasPermission(IdentityUserPermissions.ManageOrganizationUnits)) return
    await this.authority.lock()
    const current = await this.memberships.unitsOf(userId)
    const added = except([...new Set(unitIds)], current)
    const removed = except(current, unitIds)
    await this.refuseUnits(added, current.length + added.length - removed.length)
    await this.assignment.demandRemoval(await this.memberships.rolesOf(removed))
    if (added.length) await this.memberships.addMembers(added, [userId])
    if (removed.length) await this.memberships.removeMembers(removed, [userId])
  }

  private async refuseUnits(added: readonly string[], count: number): Promise<void> {
    if ((await this.pages.count(organizationUnitView, { conditions: [isOneOf(added)] })) !== added.length)
      throw new ValidationError([
        faultOf('organizationUnitIds', 'AbpIdentity:Validation:NoSuchOrganizationUnit'),
      ])
    const most = Number(await this.settings.valueOf(OrganizationUnitSettings.MaxUserMembershipCount.name))
    if (count > most) throw new BusinessError(IdentityErrors.MaxOrganizationUnitMembership, { count: most })
    await this.assignment.demand(await this.memberships.rolesOf(added))
  }
}

function profileOf(input: IdentityUserCreateDto | IdentityUserUpdateDto): UserProfile {
  const { userName, email, name, surname, phoneNumber, extraProperties } = input
  return { userName, email, name, surname, phoneNumber, extraProperties }
}

/**
 * The changes of an update beside the profile. Users do not change their own lockout, and a new address or
 * number is not confirmed.
 */
function changesOf(row: User, input: IdentityUserUpdateDto): object {
  const isSelf = row.id === ambient().principal.userId
  const isSameEmail = normalizedName(input.email) === row.normalizedEmail
  const isSamePhone = input.phoneNumber === undefined || (input.phoneNumber || null) === row.phoneNumber
  const changes = {
    isActive: input.isActive,
    shouldChangePasswordOnNextLogin: input.shouldChangePasswordOnNextLogin,
    ...(!isSelf && { lockoutEnabled: input.lockoutEnabled }),
    ...(isSameEmail && { emailConfirmed: input.emailConfirmed }),
    ...(isSamePhone && { phoneNumberConfirmed: input.phoneNumberConfirmed }),
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => typeof value === 'boolean'))
}
