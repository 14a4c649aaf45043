import { Application, ambient, Injectable } from '@keel/framework'
import {
  BusinessError,
  EntityNotFoundError,
  ForbiddenError,
  UnavailableError,
} from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { hasPermission } from '@keel/framework/security'
import {
  type GetPendingInvitationsInput,
  IdentityErrors,
  IdentityUserPermissions,
  InvitationMails,
  type InviteUsersInput,
  InviteUsersSummaryDto,
  type ResendInvitationInput,
} from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { type NewInvitation, StoredInvitations } from '../persistence/stored-invitations.js'
import { UserRecords } from '../persistence/user-records.js'
import { InviterRights } from './inviter-rights.js'
import { RoleAssignment } from './role-assignment.js'

/** Inviting people by mail, under the rules of who may add users and give roles. */
@Injectable()
export class UserInvitations {
  constructor(
    private readonly application: Application,
    private readonly stored: StoredInvitations,
    private readonly records: UserRecords,
    private readonly assignment: RoleAssignment,
    private readonly inviters: InviterRights,
  ) {}

  getList(input: GetPendingInvitationsInput) {
    return this.stored.getList(input)
  }

  async invite({ emailAddress, assignedRoles, appName }: InviteUsersInput): Promise<InviteUsersSummaryDto> {
    const mails = this.mailsFor(appName)
    const named = assignedRoles?.length && hasPermission(IdentityUserPermissions.ManageRoles)
    const roleNames = named ? [...assignedRoles] : null
    const inviterId = await this.demand(roleNames)
    const emails = [...new Map(emailAddress.map((email) => [normalizedName(email), email])).values()]
    for (const email of emails) await this.refuseAccount(email)
    // A refused mail takes all of them back.
    const added = await UnitOfWork.run(async () => {
      let count = 0
      for (const email of emails) if (await this.send(mails, { email, roleNames, inviterId })) count++
      return count
    })
    return new InviteUsersSummaryDto({ newInvitations: added, resentInvitations: emails.length - added })
  }

  async resend({ id, appName }: ResendInvitationInput): Promise<void> {
    const mails = this.mailsFor(appName)
    const found = await this.stored.find(id)
    if (!found) throw new EntityNotFoundError('UserInvitation', id)
    const inviterId = await this.demand(found.roleNames)
    await this.refuseAccount(found.email)
    await UnitOfWork.run(() => this.send(mails, { ...found, inviterId }))
  }

  cancel(id: string): Promise<void> {
    return this.stored.remove(id)
  }

  cancelAll(): Promise<void> {
    return this.stored.removeAll()
  }

  /** True when it is a new invitation. */
  private async send(mails: InvitationMails, invitation: NewInvitation): Promise<boolean> {
    const { token, isNew } = await this.stored.save(invitation)
    await mails.send(invitation.email, token)
    return isNew
  }

  /** The caller, who may give these roles now and, going by grants alone, when the invitation is accepted. */
  private async demand(roleNames: readonly string[] | null): Promise<string> {
    const { userId } = ambient().principal
    if (userId === undefined)
      throw new ForbiddenError('Users invite; a client has no rights of a user to give.', {
        text: { key: 'AbpIdentity:OnlyUsersInvite' },
      })
    const [unknown] = await this.records.unknownRoles(roleNames ?? [])
    if (unknown !== undefined) throw notAssignable(unknown)
    if (roleNames) await this.assignment.demand(roleNames)
    else await this.assignment.defaults()
    if (!(await this.inviters.rolesFrom(userId, roleNames)))
      throw roleNames
        ? notAssignable(roleNames.join(', '))
        : new ForbiddenError('You can not add users.', { text: { key: 'AbpIdentity:MayNotAddUsers' } })
    return userId
  }

  private async refuseAccount(email: string): Promise<void> {
    const { userName, email: isTaken } = await this.records.taken(email, email, undefined)
    if (userName || isTaken) throw new BusinessError(IdentityErrors.DuplicateEmail, { 0: email })
  }

  private mailsFor(appName: string | null | undefined): InvitationMails {
    const mails = this.application.find(InvitationMails)
    if (!mails)
      throw new UnavailableError('This host sends no invitations.', 0, {
        text: { key: 'AbpIdentity:NoInvitations' },
      })
    if (appName) mails.demandApp(appName)
    return mails
  }
}

function notAssignable(role: string): BusinessError {
  return new BusinessError(IdentityErrors.RoleNotAssignable, { role })
}
