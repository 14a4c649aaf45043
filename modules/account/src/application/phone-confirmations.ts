import { ambient, Injectable, Settings } from '@keel/framework'
import {
  BusinessError,
  e164,
  ForbiddenError,
  faultOf,
  isSamePhoneNumber,
  ValidationError,
} from '@keel/framework/contracts'
import { networkOf } from '@keel/framework/http'
import { smsNotConfigured } from '@keel/framework/sms'
import { Reauthentication, SignInSettings, UserDirectory, type UserRecord } from '@keel/identity/contracts'
import {
  AccountErrors,
  type ConfirmPhoneNumberInput,
  type SendPhoneNumberConfirmationTokenDto,
} from '../contracts/index.js'
import { withDashes } from '../domain/account-id.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import { CurrentAccount } from './current-account.js'
import { PurposeTokens } from './purpose-tokens.js'
import { SmsCodes } from './sms-codes.js'
import { UserConfirmationService } from './user-confirmation-service.js'

/** A code of six digits: twenty guesses a day are a chance of one in 50,000. */
const triesOfUser: AttemptLimit = { name: 'phone confirmation', most: 5, seconds: 900 }
const triesOfUserDaily: AttemptLimit = { name: 'phone confirmation of a day', most: 20, seconds: 86_400 }
const triesOfNetwork: AttemptLimit = { name: 'phone confirmation from a network', most: 100, seconds: 900 }

/** The user who asks. `mayChoose` is true when they may name another number than their own. */
interface Asker {
  readonly user: UserRecord
  readonly mayChoose: boolean
}

/**
 * Confirms telephone numbers by codes. Users who are signed in confirm theirs, or another one, with a recent
 * proof of who they are; who may not sign in before the number is confirmed does so with what the right
 * password got them. Strangers can do neither.
 */
@Injectable()
export class PhoneConfirmations {
  constructor(
    private readonly codes: SmsCodes,
    private readonly current: CurrentAccount,
    private readonly users: UserDirectory,
    private readonly confirmations: UserConfirmationService,
    private readonly tokens: PurposeTokens,
    private readonly limits: AttemptLimits,
    private readonly reauthentication: Reauthentication,
    private readonly settings: Settings,
  ) {}

  async send({ userId, phoneNumber, confirmUserToken }: SendPhoneNumberConfirmationTokenDto): Promise<void> {
    await this.demandOffered()
    const { user, mayChoose } = await this.askerFor(userId, confirmUserToken)
    const asked = phoneNumber?.trim() || user.phoneNumber
    if (!asked) throw new BusinessError(AccountErrors.PhoneNumberEmpty)
    if (!mayChoose && !isSamePhoneNumber(asked, user.phoneNumber))
      throw new BusinessError(AccountErrors.SignInBeforeConfirming)
    const number = e164(asked)
    if (number === undefined) throw new ValidationError([faultOf('phoneNumber', 'Validation:PhoneNumber')])
    await this.codes.send(user, number, 'PhoneConfirmation')
  }

  async confirm({ userId, token, confirmUserToken }: ConfirmPhoneNumberInput): Promise<void> {
    await this.demandOffered()
    const { user, mayChoose } = await this.askerFor(userId, confirmUserToken)
    const { request } = ambient()
    for (const limit of [triesOfUser, triesOfUserDaily]) await this.limits.spend(limit, user.id)
    if (request?.ip) await this.limits.spend(triesOfNetwork, networkOf(request.ip))
    const number = await this.codes.take(user, 'PhoneConfirmation', token)
    if (number === undefined || (!mayChoose && !isSamePhoneNumber(number, user.phoneNumber)))
      throw new BusinessError(AccountErrors.InvalidToken)
    await this.users.setConfirmedPhoneNumber(user.id, number)
    await this.limits.forget(triesOfUser, user.id)
    await this.limits.giveBack(triesOfUserDaily, user.id)
  }

  private async demandOffered(): Promise<void> {
    if (!this.codes.isAvailable) throw new BusinessError(smsNotConfigured)
    if (!(await this.settings.isOn(SignInSettings.EnablePhoneNumberConfirmation)))
      throw new BusinessError(AccountErrors.PhoneNumberConfirmationDisabled)
  }

  private async askerFor(userId: string, confirmUserToken: string | null | undefined): Promise<Asker> {
    const id = withDashes(userId)
    if (ambient().principal.userId !== undefined) {
      const user = await this.current.userInPerson()
      if (user.id !== id) throw new ForbiddenError()
      await this.reauthentication.demand()
      return { user, mayChoose: true }
    }
    const user = await this.users.find(id)
    const hasToken = confirmUserToken ? await this.tokens.isFor('ConfirmUser', user, confirmUserToken) : false
    const isAdmitted = user !== undefined && (hasToken || (await this.confirmations.admitsClients(user)))
    // A number that is confirmed may be a second factor: the password alone does not change it.
    if (!isAdmitted || !user.isActive || user.isPhoneNumberConfirmed)
      throw new BusinessError(AccountErrors.SignInBeforeConfirming)
    return { user, mayChoose: hasToken }
  }
}
