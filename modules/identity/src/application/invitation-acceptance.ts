import { Application, Clock, newOwnFields, Provides } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { Authority } from '@keel/framework/security'
import {
  type AcceptedInvitation,
  type FoundInvitation,
  hasAddress,
  IdentityErrors,
  Invitations,
  MembershipInvitationAcceptedEto,
  SecurityActions,
  SecurityEvents,
  type UserRecord,
  userOwnFields,
} from '../contracts/index.js'
import { StoredInvitations } from '../persistence/stored-invitations.js'
import {
  type ShownInvitation,
  StoredMembershipInvitations,
} from '../persistence/stored-membership-invitations.js'
import { UserRecords } from '../persistence/user-records.js'
import { InviterRights } from './inviter-rights.js'
import { UserDirectoryService } from './user-directory-service.js'
import { whenCommitted } from './when-committed.js'

/** The identity module's {@link Invitations}. */
@Provides(Invitations)
export class InvitationAcceptance implements Invitations {
  constructor(
    private readonly application: Application,
    private readonly stored: StoredInvitations,
    private readonly intoGroups: StoredMembershipInvitations,
    private readonly inviters: InviterRights,
    private readonly directory: UserDirectoryService,
    private readonly records: UserRecords,
    private readonly bus: DistributedEventBus,
    private readonly security: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  async find(token: string): Promise<FoundInvitation | undefined> {
    const found = await this.stored.byToken(token)
    if (found) return { email: found.email, hasAccount: false }
    const intoGroup = await this.intoGroups.byToken(token)
    if (!intoGroup) return undefined
    const { email, groupName } = intoGroup
    const taken = await this.records.taken(email, email, undefined)
    return { email, groupName, hasAccount: taken.userName || taken.email }
  }

  async accept({ token, userName, password, ...given }: AcceptedInvitation): Promise<UserRecord> {
    const found = (await this.stored.byToken(token)) ?? (await this.intoGroups.byToken(token))
    if (!found) throw invalid()
    const { email } = found
    const { ownFields } = this.application
    const extraProperties = newOwnFields(ownFields, userOwnFields, given.extraProperties)
    const user = { userName, email, password, extraProperties, isEmailConfirmed: true }
    return this.directory.create(user, async (userId) => {
      // The rights of the inviter must not change until the roles are written.
      await this.application.get(Authority).lock()
      const taken = await this.stored.take(token)
      const roleNames = taken
        ? await this.inviters.rolesFrom(taken.inviterId, taken.roleNames)
        : await this.takeIntoGroup(token, userId)
      if (!roleNames) throw invalid()
      return roleNames
    })
  }

  async join(token: string, account: Pick<UserRecord, 'id' | 'userName' | 'email'>): Promise<void> {
    const found = await this.intoGroups.byToken(token)
    if (!found || !hasAddress(account, found.email)) throw invalid()
    await UnitOfWork.run(async () => {
      await this.application.get(Authority).lock()
      if (!(await this.takeIntoGroup(token, account.id))) throw invalid()
    })
  }

  /**
   * Uses up the token of an invitation into a group, and tells the module of the group.
   * @returns the roles of a new user; undefined when the invitation has ended or its sender may not give it any more
   */
  private async takeIntoGroup(token: string, userId: string): Promise<string[] | undefined> {
    const taken = await this.intoGroups.take(token)
    const roleNames = taken && (await this.inviters.rolesFrom(taken.inviterId, null, taken.permission))
    if (!roleNames) return undefined
    const { id: invitationId, kind, groupId, terms, inviterId } = taken
    const accepted = { invitationId, kind, groupId, terms, inviterId, userId, occurredAt: this.clock.now }
    await this.bus.publish(new MembershipInvitationAcceptedEto(accepted), { key: userId })
    await whenCommitted(() => this.note(taken, userId))
    return roleNames
  }

  private note({ kind, groupId, inviterId }: ShownInvitation, userId: string): Promise<void> {
    const action = SecurityActions.AcceptInvitation
    return this.security.write({ action, userId, extraProperties: { kind, groupId, inviterId } })
  }
}

function invalid(): BusinessError {
  return new BusinessError(IdentityErrors.InvalidInvitation)
}
