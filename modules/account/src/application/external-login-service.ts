import { AutoApiController } from '@keel/framework'
import { EntityNotFoundError, ForbiddenError } from '@keel/framework/contracts'
import { Authenticated } from '@keel/framework/security'
import { Reauthentication, UserLogins } from '@keel/identity/contracts'
import {
  AccountExternalLoginAppService,
  AccountExternalLoginDto,
  PasswordVerifiedLogins,
} from '../contracts/index.js'
import { CurrentAccount } from './current-account.js'

/** The caller's own accounts elsewhere. */
@AutoApiController(AccountExternalLoginAppService)
@Authenticated()
export class ExternalLoginService implements AccountExternalLoginAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly logins: UserLogins,
    private readonly reauthentication: Reauthentication,
    private readonly verified: PasswordVerifiedLogins,
  ) {}

  async getList(): Promise<AccountExternalLoginDto[]> {
    const logins = await this.logins.of((await this.current.user()).id)
    return logins.map((login) => new AccountExternalLoginDto(login))
  }

  async delete(loginProvider: string, providerKey: string): Promise<void> {
    const { id } = await this.current.userInPerson()
    await this.reauthentication.demand()
    await this.logins.remove(id, loginProvider, providerKey)
    await this.verified.remove(id, { loginProvider, providerKey })
  }

  async hasPasswordVerified(userId: string, loginProvider: string, providerKey: string): Promise<boolean> {
    const { id } = await this.current.user()
    if (userId.toLowerCase() !== id) throw new ForbiddenError()
    return this.verified.has(id, { loginProvider, providerKey })
  }

  async setPasswordVerified(loginProvider: string, providerKey: string): Promise<void> {
    const { id } = await this.current.userInPerson()
    await this.reauthentication.demand()
    const isOwn = (await this.logins.of(id)).some(
      (login) => login.loginProvider === loginProvider && login.providerKey === providerKey,
    )
    if (!isOwn) throw new EntityNotFoundError('UserLogin', `${loginProvider}/${providerKey}`)
    await this.verified.add(id, { loginProvider, providerKey })
  }

  async removePasswordVerified(loginProvider: string, providerKey: string): Promise<void> {
    const { id } = await this.current.userInPerson()
    await this.verified.remove(id, { loginProvider, providerKey })
  }
}
