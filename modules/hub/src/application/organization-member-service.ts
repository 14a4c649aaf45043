import { AutoApiController, ambient, Clock } from '@keel/framework'
import { EntityNotFoundError, pageLimits } from '@keel/framework/contracts'
import { CrudService, Databases, expectStamp, PageReader, RowRules } from '@keel/framework/data'
import { Authenticated, demandPermission, RequiresPermission } from '@keel/framework/security'
import {
  AccessScope,
  type CreateOrganizationMemberDto,
  type OrganizationAccessDto,
  OrganizationMemberAppService,
  OrganizationMemberDto,
  OrganizationPermissions,
  type UpdateOrganizationMemberDto,
} from '../contracts/index.js'
import { OrganizationMember } from '../domain/organization.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { membershipCounts, type OrganizationAccess } from '../persistence/memberships.js'
import { OrganizationMemberStore } from '../persistence/stores.js'
import { MemberRules } from './member-rules.js'
import { OrganizationParents } from './organization-parents.js'

@AutoApiController(OrganizationMemberAppService)
@RequiresPermission(OrganizationPermissions.ManageMembers)
export class OrganizationMemberService extends CrudService(OrganizationMemberAppService, OrganizationMember, {
  searchIn: ['userName'],
  filterBy: ['organizationId', 'userId'],
  defaultSorting: 'userName',
}) {
  constructor(
    databases: Databases,
    rowRules: RowRules,
    pages: PageReader,
    private readonly members: OrganizationMemberStore,
    private readonly rules: MemberRules,
    private readonly parents: OrganizationParents,
    private readonly context: OrganizationContext,
    private readonly clock: Clock,
  ) {
    super(databases, rowRules, pages)
  }

  override async create(input: CreateOrganizationMemberDto): Promise<OrganizationMemberDto> {
    const { organizationId, accessScope = AccessScope.IncludeChildren, validUntil = null } = input
    await this.rules.lock()
    await this.parents.demandActive(organizationId)
    const user = await this.rules.userNamed(input)
    await this.rules.demandAccess({ organizationId, accessScope, validUntil })
    if (input.isDefault) {
      await this.rules.demandDefaultOf(user.id)
      await this.clearDefault(user.id)
    }
    return super.create({ ...input, accessScope, userId: user.id, userName: user.userName })
  }

  override async update(id: string, input: UpdateOrganizationMemberDto): Promise<OrganizationMemberDto> {
    await this.rules.lock()
    const row = await this.store.get(id)
    expectStamp(row, input)
    await this.rules.demandHold(row)
    const { accessScope = row.accessScope, validUntil = row.validUntil } = input
    const after = { organizationId: row.organizationId, accessScope, validUntil }
    if (isWider(after, row)) await this.rules.demandAccess(after)
    if (endOf(after) <= this.clock.nowMs) await this.rules.keepAdministrator(row)
    if (input.isDefault !== undefined && input.isDefault !== row.isDefault) {
      await this.rules.demandDefaultOf(row.userId)
      if (input.isDefault) await this.clearDefault(row.userId)
    }
    return super.update(id, input)
  }

  override async delete(id: string): Promise<void> {
    await this.rules.lock()
    const row = await this.store.get(id)
    await this.rules.demandHold(row)
    await this.rules.keepAdministrator(row)
    await this.store.remove(row)
    await this.rules.revokeInvitations(row.organizationId, row.userId)
  }

  @Authenticated()
  async getMyOrganizations(): Promise<OrganizationMemberDto[]> {
    const { userId } = ambient().principal
    if (!userId) return []
    return this.pages.array(OrganizationMemberDto, this.view, {
      conditions: [membershipCounts(userId, this.clock.now)],
      maxResultCount: pageLimits.most,
      defaultSorting: 'creationTime',
    })
  }

  @Authenticated()
  async getMyAccess(): Promise<OrganizationAccessDto> {
    const { all, organizationIds } = await this.context.current()
    return { all, organizationIds: [...organizationIds] }
  }

  /** For everybody who is signed in. A key needs the permission to manage members. */
  @Authenticated()
  async setDefault(id: string): Promise<OrganizationMemberDto> {
    const { userId, apiKeyId } = ambient().principal
    if (apiKeyId !== undefined) demandPermission(OrganizationPermissions.ManageMembers)
    await this.rules.lock()
    const row = userId ? await this.members.findCounting(id, userId, this.clock.now) : undefined
    if (!row || !userId) throw new EntityNotFoundError('OrganizationMember', id)
    if (!row.isDefault) {
      await this.clearDefault(userId)
      await this.store.update(row, { isDefault: true })
    }
    return this.get(id)
  }

  /** Takes the mark from the default of a user: before another row gets it, because the database allows one. */
  private async clearDefault(userId: string): Promise<void> {
    for (const member of await this.members.ofUser(userId))
      await this.members.update(member, { isDefault: false })
  }
}

/** True when access reaches further, or lasts longer, than before. */
function isWider(after: OrganizationAccess, before: OrganizationAccess): boolean {
  return after.accessScope > before.accessScope || endOf(after) > endOf(before)
}

/** The end in ms since 1970; infinity without one. */
function endOf({ validUntil }: Pick<OrganizationAccess, 'validUntil'>): number {
  return validUntil?.getTime() ?? Number.POSITIVE_INFINITY
}
