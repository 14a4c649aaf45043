import { AutoApiController, ambient } from '@keel/framework'
import { BusinessError, faultOf, ValidationError } from '@keel/framework/contracts'
import { Authenticated } from '@keel/framework/security'
import { IdentityErrors, SignIn, type UserRecord } from '@keel/identity/contracts'
import {
  AccountErrors,
  type ReauthenticateInput,
  ReauthenticationAppService,
  type ReauthenticationCodeInput,
  ReauthenticationDto,
  SecondFactor,
} from '../contracts/index.js'
import { CurrentAccount } from './current-account.js'
import { RecentProofs } from './recent-proofs.js'
import { TwoFactor } from './two-factor.js'

/** New proofs of the caller's identity. Wrong proofs count as failed sign-ins. */
@AutoApiController(ReauthenticationAppService)
@Authenticated()
export class ReauthenticationService implements ReauthenticationAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly signIn: SignIn,
    private readonly secondFactor: SecondFactor,
    private readonly twoFactor: TwoFactor,
    private readonly proofs: RecentProofs,
  ) {}

  async get(): Promise<ReauthenticationDto> {
    const user = await this.current.userInPerson()
    const hasPassword = await this.signIn.takesPasswordOf(user)
    return new ReauthenticationDto({
      isProven: await this.proofs.hasProof(),
      methods: [...(hasPassword ? ['Password'] : []), ...(await this.twoFactor.providersOf(user))],
      address: this.proofs.address,
    })
  }

  async sendCode({ provider: asked }: ReauthenticationCodeInput): Promise<void> {
    const provider = asked ?? 'Email'
    const user = await this.current.userInPerson()
    if (!(await this.twoFactor.providersOf(user)).includes(provider))
      throw new BusinessError(AccountErrors.NoSuchTwoFactorProvider, { provider })
    await this.twoFactor.sendCode(user, provider)
  }

  async prove(input: ReauthenticateInput): Promise<void> {
    const user = await this.current.userInPerson()
    const { password, twoFactorProvider: provider, twoFactorCode: code, recoveryCode } = input
    if (password) await this.provePassword(user, password)
    else if (recoveryCode) await this.proveCode(user, { recoveryCode })
    else if (provider && code) await this.proveCode(user, { provider, code })
    else throw new ValidationError([faultOf('password', 'ThisFieldIsRequired.')])
    await this.proofs.note(user.id, [ambient().principal.sessionId ?? ''])
  }

  private async provePassword({ id, userName }: UserRecord, password: string): Promise<void> {
    const result = await this.signIn.check(userName, password)
    if (result.outcome !== 'signed-in' || result.account.id !== id)
      throw new BusinessError(IdentityErrors.PasswordMismatch)
  }

  private async proveCode({ id }: UserRecord, proof: Parameters<SecondFactor['isProven']>[1]): Promise<void> {
    if (!(await this.secondFactor.isProven(id, proof)))
      throw new BusinessError(AccountErrors.InvalidAuthenticatorCode)
  }
}
