import { Application, ambient, Clock, Injectable } from '@keel/framework'
import { BusinessError, beyondOwnRights, faultOf, ValidationError } from '@keel/framework/contracts'
import { Authority, Principals } from '@keel/framework/security'
import { MembershipInvitations, UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { HubErrors, OrganizationPermissions } from '../contracts/index.js'
import type { OrganizationMember } from '../domain/organization.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { organizationGroup } from '../domain/organization-invitation.js'
import { Memberships, type OrganizationAccess } from '../persistence/memberships.js'
import { OrganizationHierarchy } from '../persistence/organization-hierarchy.js'
import { type NamedUser, OrganizationMemberStore, OrganizationStore } from '../persistence/stores.js'

/**
 * The rules of who may change whose membership. Callers who see all organizations are limited in nothing but the last
 * administrator; others give and take no more access than they have themselves.
 */
@Injectable()
export class MemberRules {
  constructor(
    /** Asked for users and rights when they are needed: programs that only bring up Hub's database have neither. */
    private readonly application: Application,
    private readonly context: OrganizationContext,
    private readonly hierarchy: OrganizationHierarchy,
    private readonly memberships: Memberships,
    private readonly members: OrganizationMemberStore,
    private readonly organizations: OrganizationStore,
    private readonly clock: Clock,
  ) {}

  /** Keeps changes of the hierarchy and of rights waiting, so that what a rule allowed is still right when it is written. */
  async lock(): Promise<void> {
    await this.hierarchy.lock()
    await this.authority.lock()
  }

  /**
   * The user that an input names. A caller who does not see all organizations can name members of visible organizations only: every
   * other user is refused like one that does not exist, so that no names can be tried out.
   */
  async userNamed(named: NamedUser): Promise<UserRecord> {
    const { userId, userName } = named
    if (!userId === !userName)
      throw new ValidationError([faultOf(userId ? 'userName' : 'userId', 'Hub:Validation:UserByIdOrName')])
    const directory = this.application.get(UserDirectory)
    const { all } = await this.context.current()
    const known: NamedUser = all ? named : { userId: (await this.members.findVisible(named))?.userId }
    const user = known.userId
      ? await directory.find(known.userId.toLowerCase())
      : known.userName
        ? await directory.findByUserName(known.userName)
        : undefined
    if (!user?.isActive)
      throw new ValidationError([faultOf(userId ? 'userId' : 'userName', 'Hub:Validation:NoActiveUser')])
    return user
  }

  /** Refuses to give, or to take, access that the caller does not have. */
  async demandAccess(access: OrganizationAccess): Promise<void> {
    if ((await this.context.current()).all) return
    const { userId } = ambient().principal
    if (!userId || !(await this.memberships.include(userId, access))) throw new BusinessError(beyondOwnRights)
  }

  /** Refuses to take access from a membership, or to change its kind, when the caller has less. Its end does not count. */
  demandHold({
    organizationId,
    accessScope,
  }: Pick<OrganizationAccess, 'organizationId' | 'accessScope'>): Promise<void> {
    return this.demandAccess({ organizationId, accessScope, validUntil: this.clock.now })
  }

  /** Refuses to choose the default of another user who sees organizations that the caller does not see. */
  async demandDefaultOf(userId: string): Promise<void> {
    if (userId === ambient().principal.userId || (await this.context.current()).all) return
    await this.authority.demandData([userId])
  }

  /** Refuses to end the membership of the last user who can manage the members of an organization (domain model, section 6.1). */
  async keepAdministrator({ id, organizationId, userId, validUntil }: OrganizationMember): Promise<void> {
    const hasEnded = validUntil !== null && validUntil <= this.clock.now
    if (hasEnded || !(await this.isAdministrator(userId))) return
    for (const other of await this.memberships.usersOf(organizationId, id))
      if (await this.isAdministrator(other)) return
    const organization = await this.organizations.find(organizationId)
    throw new BusinessError(HubErrors.LastAdministrator, { organization: organization?.code ?? '' })
  }

  /** Takes back the open invitations into an organization, or those that one user sent. */
  async revokeInvitations(organizationId: string, inviterId?: string): Promise<void> {
    await this.application
      .find(MembershipInvitations)
      ?.revokeAll(organizationGroup(organizationId), inviterId)
  }

  private get authority(): Authority {
    return this.application.get(Authority)
  }

  private async isAdministrator(userId: string): Promise<boolean> {
    const { permissions } = await this.application.get(Principals).ofUser(userId)
    return permissions.has(OrganizationPermissions.ManageMembers)
  }
}
