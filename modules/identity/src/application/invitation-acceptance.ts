import { Application, newOwnFields, Provides } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Authority } from '@keel/framework/security'
import {
  type AcceptedInvitation,
  IdentityErrors,
  Invitations,
  type UserRecord,
  userOwnFields,
} from '../contracts/index.js'
import { StoredInvitations } from '../persistence/stored-invitations.js'
import { InviterRights } from './inviter-rights.js'
import { UserDirectoryService } from './user-directory-service.js'

/** The identity module's {@link Invitations}. */
@Provides(Invitations)
export class InvitationAcceptance implements Invitations {
  constructor(
    private readonly application: Application,
    private readonly stored: StoredInvitations,
    private readonly inviters: InviterRights,
    private readonly directory: UserDirectoryService,
  ) {}

  async find(token: string): Promise<{ readonly email: string } | undefined> {
    const found = await this.stored.byToken(token)
    return found && { email: found.email }
  }

  async accept({ token, userName, password, ...given }: AcceptedInvitation): Promise<UserRecord> {
    const found = await this.stored.byToken(token)
    if (!found) throw invalid()
    const { email } = found
    const { ownFields } = this.application
    const extraProperties = newOwnFields(ownFields, userOwnFields, given.extraProperties)
    const user = { userName, email, password, extraProperties, isEmailConfirmed: true }
    return this.directory.create(user, async () => {
      // The rights of the inviter must not change until the roles are written.
      await this.application.get(Authority).lock()
      const taken = await this.stored.take(token)
      const roleNames = taken && (await this.inviters.rolesFrom(taken.inviterId, taken.roleNames))
      if (!roleNames) throw invalid()
      return roleNames
    })
  }
}

function invalid(): BusinessError {
  return new BusinessError(IdentityErrors.InvalidInvitation)
}
