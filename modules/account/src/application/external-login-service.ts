import { AutoApiController } from '@keel/framework'
import { Authenticated } from '@keel/framework/security'
import { Reauthentication, UserLogins } from '@keel/identity/contracts'
import { AccountExternalLoginAppService, AccountExternalLoginDto } from '../contracts/index.js'
import { CurrentAccount } from './current-account.js'

/** The caller's own accounts elsewhere. */
@AutoApiController(AccountExternalLoginAppService)
@Authenticated()
export class ExternalLoginService implements AccountExternalLoginAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly logins: UserLogins,
    private readonly reauthentication: Reauthentication,
  ) {}

  async getList(): Promise<AccountExternalLoginDto[]> {
    const logins = await this.logins.of((await this.current.user()).id)
    return logins.map((login) => new AccountExternalLoginDto(login))
  }

  async delete(loginProvider: string, providerKey: string): Promise<void> {
    const { id } = await this.current.userInPerson()
    await this.reauthentication.demand()
    await this.logins.remove(id, loginProvider, providerKey)
  }
}
