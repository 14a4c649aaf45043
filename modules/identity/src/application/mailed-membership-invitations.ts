import { Application, ambient, Provides } from '@keel/framework'
import { ForbiddenError, UnavailableError } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import {
  InvitationMails,
  type InvitedGroup,
  MembershipInvitations,
  type NewMembershipInvitation,
} from '../contracts/index.js'
import { StoredMembershipInvitations } from '../persistence/stored-membership-invitations.js'
import { InviterRights } from './inviter-rights.js'
import { RoleAssignment } from './role-assignment.js'

/** The identity module's {@link MembershipInvitations}. It never asks whether an account has the address. */
@Provides(MembershipInvitations)
export class MailedMembershipInvitations implements MembershipInvitations {
  constructor(
    private readonly application: Application,
    private readonly stored: StoredMembershipInvitations,
    private readonly assignment: RoleAssignment,
    private readonly inviters: InviterRights,
  ) {}

  getList(group: InvitedGroup, page: { readonly skipCount: number; readonly maxResultCount: number }) {
    return this.stored.getList(group, page)
  }

  find(kind: string, id: string) {
    return this.stored.find(kind, id)
  }

  findOf(group: InvitedGroup, email: string) {
    return this.stored.findOf(group, email)
  }

  async invite(invitation: NewMembershipInvitation) {
    const mails = this.application.find(InvitationMails)
    if (!mails)
      throw new UnavailableError('This host sends no invitations.', 0, {
        text: { key: 'AbpIdentity:NoInvitations' },
      })
    const inviterId = await this.demand(invitation.permission)
    // A refused mail takes the invitation back.
    return UnitOfWork.run(async () => {
      const saved = await this.stored.save(invitation, inviterId)
      await mails.sendIntoGroup({ email: invitation.email, token: saved.token, inviterId })
      return saved.invitation
    })
  }

  revoke(kind: string, id: string): Promise<void> {
    return this.stored.remove(kind, id)
  }

  revokeAll(group: InvitedGroup, inviterId?: string): Promise<void> {
    return this.stored.removeAll(group, inviterId)
  }

  /**
   * The caller, who could give the roles of new users now and, going by grants alone, when the invitation is accepted: the invited person may
   * be a new user, whom nobody may give more than they hold.
   */
  private async demand(permission: string): Promise<string> {
    const { userId } = ambient().principal
    if (userId === undefined)
      throw new ForbiddenError('Users invite; a client has no rights of a user to give.', {
        text: { key: 'AbpIdentity:OnlyUsersInvite' },
      })
    await this.assignment.defaults()
    if (!(await this.inviters.rolesFrom(userId, null, permission)))
      throw new ForbiddenError('You can not add users.', { text: { key: 'AbpIdentity:MayNotAddUsers' } })
    return userId
  }
}
