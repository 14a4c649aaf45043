import { Application, AutoApiController, Clock } from '@keel/framework'
import { EntityNotFoundError, faultOf, pageOf, ValidationError } from '@keel/framework/contracts'
import { RequiresPermission } from '@keel/framework/security'
import { type MembershipInvitation, MembershipInvitations } from '@keel/identity/contracts'
import {
  AccessScope,
  type CreateOrganizationInvitationDto,
  OrganizationInvitationAppService,
  OrganizationInvitationDto,
  type OrganizationInvitationListInput,
  OrganizationPermissions,
} from '../contracts/index.js'
import { invitedAccess, organizationGroup, organizationKind } from '../domain/organization-invitation.js'
import type { OrganizationAccess } from '../persistence/memberships.js'
import { OrganizationStore } from '../persistence/stores.js'
import { MemberRules } from './member-rules.js'
import { OrganizationParents } from './organization-parents.js'

const Page = pageOf(OrganizationInvitationDto)

@AutoApiController(OrganizationInvitationAppService)
@RequiresPermission(OrganizationPermissions.ManageMembers)
export class OrganizationInvitationService implements OrganizationInvitationAppService {
  constructor(
    /** Asked for invitations when they are needed: programs that only bring up Hub's database have none. */
    private readonly application: Application,
    private readonly organizations: OrganizationStore,
    private readonly parents: OrganizationParents,
    private readonly rules: MemberRules,
    private readonly clock: Clock,
  ) {}

  async getList({ organizationId, ...page }: OrganizationInvitationListInput) {
    await this.organizations.get(organizationId)
    const { totalCount, items } = await this.invitations.getList(organizationGroup(organizationId), page)
    return new Page({ totalCount, items: items.map(dtoOf) })
  }

  async create({
    organizationId,
    emailAddress,
    accessScope = AccessScope.IncludeChildren,
    validUntil = null,
  }: CreateOrganizationInvitationDto): Promise<OrganizationInvitationDto> {
    await this.rules.lock()
    await this.parents.demandActive(organizationId)
    await this.rules.demandAccess({ organizationId, accessScope, validUntil })
    const open = await this.invitations.findOf(organizationGroup(organizationId), emailAddress)
    if (open) await this.rules.demandHold(accessOf(open))
    return this.send(emailAddress, { organizationId, accessScope, validUntil })
  }

  async resend(id: string): Promise<OrganizationInvitationDto> {
    await this.rules.lock()
    const open = await this.find(id)
    const access = accessOf(open)
    await this.parents.demandActive(access.organizationId)
    // Whoever sends it again answers for it from now on.
    await this.rules.demandAccess(access)
    return this.send(open.email, access)
  }

  async delete(id: string): Promise<void> {
    await this.rules.lock()
    await this.rules.demandHold(accessOf(await this.find(id)))
    await this.invitations.revoke(organizationKind, id)
  }

  private async send(
    email: string,
    { organizationId, accessScope, validUntil }: OrganizationAccess,
  ): Promise<OrganizationInvitationDto> {
    if (validUntil && validUntil <= this.clock.now)
      throw new ValidationError([faultOf('validUntil', 'Hub:Validation:EndHasPassed')])
    const { fullName } = await this.organizations.get(organizationId)
    const invitation = await this.invitations.invite({
      ...organizationGroup(organizationId),
      email,
      groupName: fullName,
      terms: { accessScope, validUntil: validUntil?.toISOString() ?? null },
      permission: OrganizationPermissions.ManageMembers,
    })
    return dtoOf(invitation)
  }

  /** An open invitation into an organization that the caller sees; every other one is refused like one that does not exist. */
  private async find(id: string): Promise<MembershipInvitation> {
    const found = await this.invitations.find(organizationKind, id)
    if (!found || !(await this.organizations.find(found.groupId)))
      throw new EntityNotFoundError('OrganizationInvitation', id)
    return found
  }

  private get invitations(): MembershipInvitations {
    return this.application.get(MembershipInvitations)
  }
}

function accessOf({ groupId, terms }: MembershipInvitation): OrganizationAccess {
  return { organizationId: groupId, ...invitedAccess.parse(terms) }
}

function dtoOf(invitation: MembershipInvitation): OrganizationInvitationDto {
  const { id, email: emailAddress, invitationDate, expirationTime } = invitation
  return new OrganizationInvitationDto({
    id,
    ...accessOf(invitation),
    emailAddress,
    invitationDate,
    expirationTime,
  })
}
