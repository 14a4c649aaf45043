import { AccountAppService, AccountErrors } from '@keel/account/contracts'
import { Injectable, Settings } from '@keel/framework'
import { SignInSettings } from '@keel/identity/contracts'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'

/** The owner of the number, with a token when they are not signed in yet. */
export interface PhoneOwner {
  readonly userId: string
  readonly confirmUserToken?: string
}

/** The outcome of the form. */
export interface PhoneAnswer {
  readonly refused?: RefusedForm | undefined
  /** The number that a code was sent to; the code is asked for next. */
  readonly sentTo?: string | undefined
  readonly isConfirmed?: boolean
}

const fields = {
  [AccountErrors.InvalidToken]: 'code',
  [AccountErrors.PhoneNumberEmpty]: 'phoneNumber',
}

/** The two steps in which pages confirm a telephone number: to send a code, and to take it. */
@Injectable()
export class PhoneForm {
  constructor(
    private readonly accounts: AccountAppService,
    private readonly settings: Settings,
    private readonly faults: FormFaults,
  ) {}

  /** True when numbers can be confirmed here at all. */
  isOffered(): Promise<boolean> {
    return this.settings.isOn(SignInSettings.EnablePhoneNumberConfirmation)
  }

  async answer(form: URLSearchParams, owner: PhoneOwner): Promise<PhoneAnswer> {
    const phoneNumber = (form.get('phoneNumber') ?? '').trim().slice(0, 32)
    const takesCode = form.get('action') === 'code'
    const refused =
      this.faults.missing(form, takesCode ? 'code' : 'phoneNumber') ??
      (await this.faults.of(form, fields, () =>
        takesCode
          ? this.accounts.confirmPhoneNumber({
              ...owner,
              token: (form.get('code') ?? '').trim().slice(0, 32),
            })
          : this.accounts.sendPhoneNumberConfirmationToken({ ...owner, phoneNumber }),
      ))
    if (!takesCode) return refused ? { refused } : { sentTo: phoneNumber }
    return refused ? { refused, sentTo: phoneNumber } : { isConfirmed: true }
  }
}
