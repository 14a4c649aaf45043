import { Configuration, Provides } from '@keel/framework'
import { networkOf } from '@keel/framework/http'
import { AddressLimits, type LimitedAttempt } from '../contracts/index.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import { SignInLimits } from './sign-in-limits.js'

/** The account module's {@link AddressLimits}. */
@Provides(AddressLimits)
export class AttemptsOfAddresses implements AddressLimits {
  private readonly of: Readonly<Record<LimitedAttempt, AttemptLimit>>

  constructor(
    private readonly limits: AttemptLimits,
    configuration: Configuration,
  ) {
    const {
      failuresPerAddress,
      registrationsPerAddress,
      deviceCodesPerAddress,
      windowSeconds: seconds,
    } = configuration.read(SignInLimits)
    this.of = {
      registration: { name: 'registration from an address', most: registrationsPerAddress, seconds },
      'second-factor': { name: 'second factor from an address', most: failuresPerAddress, seconds },
      passkey: { name: 'passkey from an address', most: failuresPerAddress, seconds },
      'device-code': { name: 'device code from an address', most: deviceCodesPerAddress, seconds },
    }
  }

  async spend(attempt: LimitedAttempt, address: string | undefined): Promise<void> {
    if (address) await this.limits.spend(this.of[attempt], networkOf(address))
  }

  async giveBack(attempt: LimitedAttempt, address: string | undefined): Promise<void> {
    if (address) await this.limits.giveBack(this.of[attempt], networkOf(address))
  }
}
