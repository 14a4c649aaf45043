import { AddressLimits } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import type { Context } from '../requests/context.js'
import { originOf } from '../requests/request-origin.js'
import { PasskeyCeremonies, type PasskeyProof } from './passkey-ceremonies.js'

/** Takes the form that brings a signature of a passkey: `passkeyState` and `passkey`. */
@Injectable()
export class PasskeyForm {
  constructor(
    private readonly ceremonies: PasskeyCeremonies,
    private readonly limits: AddressLimits,
  ) {}

  /** True for a form with a signature. */
  isPresentIn(form: URLSearchParams): boolean {
    return form.has('passkey')
  }

  /**
   * The proof of the user who signed; undefined for a signature that does not count. Throws
   * `TooManyRequestsError` after too many refusals from one address or network.
   */
  async proofIn(ctx: Context, form: URLSearchParams): Promise<PasskeyProof | undefined> {
    const { ipAddress } = originOf(ctx)
    await this.limits.spend('passkey', ipAddress)
    if (!(await this.ceremonies.areOn())) return undefined
    const proof = await this.ceremonies.verifySignIn(ctx, {
      state: form.get('passkeyState') ?? '',
      answer: form.get('passkey') ?? '',
    })
    if (proof) await this.limits.giveBack('passkey', ipAddress)
    return proof
  }
}
