import { Application, Clock, Injectable, Logger } from '@keel/framework'
import { BusinessError, ForbiddenError, ValidationError } from '@keel/framework/contracts'
import { EventHandler } from '@keel/framework/events'
import { demandPermission, UserContext } from '@keel/framework/security'
import { MembershipInvitationAcceptedEto, UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { OrganizationPermissions } from '../contracts/index.js'
import { invitedAccess, organizationKind } from '../domain/organization-invitation.js'
import type { OrganizationAccess } from '../persistence/memberships.js'
import { OrganizationMemberStore } from '../persistence/stores.js'
import { MemberRules } from './member-rules.js'
import { OrganizationParents } from './organization-parents.js'

/** Makes people members who accepted an invitation, by the rights that its sender has now. */
@Injectable()
export class InvitedMembers {
  constructor(
    private readonly application: Application,
    private readonly members: OrganizationMemberStore,
    private readonly rules: MemberRules,
    private readonly parents: OrganizationParents,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  @EventHandler(MembershipInvitationAcceptedEto)
  async join({
    kind,
    groupId,
    terms,
    inviterId,
    userId,
    invitationId,
  }: MembershipInvitationAcceptedEto): Promise<void> {
    if (kind !== organizationKind) return
    const user = await this.application.get(UserDirectory).find(userId)
    if (!user) return
    const access = { organizationId: groupId, ...invitedAccess.parse(terms) }
    try {
      const people = this.application.get(UserContext)
      await people.runAs({ userId: inviterId }, () => this.add(user, access), 'invitation')
    } catch (error) {
      if (!isRefused(error)) throw error
      this.logger.warn(
        { err: error, invitationId, userId, inviterId },
        'an invitation gives nothing any more',
      )
    }
  }

  /** A membership that counts stays as it is; one that has ended is renewed. */
  private async add(
    { id: userId, userName }: UserRecord,
    { organizationId, ...terms }: OrganizationAccess,
  ): Promise<void> {
    demandPermission(OrganizationPermissions.ManageMembers)
    await this.rules.lock()
    await this.parents.demandActive(organizationId)
    await this.rules.demandAccess({ organizationId, ...terms })
    const memberships = await this.members.ofUser(userId)
    const known = memberships.find((membership) => membership.organizationId === organizationId)
    if (known && (known.validUntil === null || known.validUntil > this.clock.now)) return
    if (known) await this.members.update(known, terms)
    else
      await this.members.insert({
        organizationId,
        userId,
        userName,
        ...terms,
        isDefault: !memberships.some(({ isDefault }) => isDefault),
      })
  }
}

/** True for what the rules refuse, and would refuse again. */
function isRefused(error: unknown): boolean {
  return (
    error instanceof ForbiddenError ||
    error instanceof ValidationError ||
    (error instanceof BusinessError && error.cause === undefined)
  )
}
