import { ambient, Injectable } from '@keel/framework'
import { BusinessError, ForbiddenError } from '@keel/framework/contracts'
import { UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { AccountErrors } from '../contracts/index.js'

/** The account of the caller. */
@Injectable()
export class CurrentAccount {
  constructor(private readonly users: UserDirectory) {}

  /** The signed-in user. Throws `ForbiddenError` for a client without a user: it has no account. */
  async user(): Promise<UserRecord> {
    const { userId } = ambient().principal
    const user = userId === undefined ? undefined : await this.users.find(userId)
    if (!user) throw new ForbiddenError()
    return user
  }

  /** The signed-in user in person: refuses impersonators, API keys and programs. */
  async userInPerson(): Promise<UserRecord> {
    const { impersonator, apiKeyId, ranBy } = ambient().principal
    if (ranBy !== undefined) throw new ForbiddenError()
    if (apiKeyId !== undefined) throw new BusinessError(AccountErrors.NotWithApiKey)
    if (impersonator) throw new BusinessError(AccountErrors.NotWhileImpersonating)
    return this.user()
  }
}
