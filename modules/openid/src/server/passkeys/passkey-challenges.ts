import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Passkeys } from '@keel/account/contracts'
import { Clock, Injectable } from '@keel/framework'
import { DataProtection, type DataProtector } from '@keel/framework/security'
import { Antiforgery } from '../pages/antiforgery.js'
import type { Context } from '../requests/context.js'

/** The use of a passkey's signature; a signature that was asked for counts for no other use. */
export type PasskeyPurpose = 'sign-in' | 'registration'

/** The challenge that an authenticator is to sign. */
export interface PasskeyChallenge {
  readonly challenge: Uint8Array<ArrayBuffer>
  /** Comes back with the signature: the challenge, sealed for this browser and purpose. */
  readonly state: string
}

interface ChallengeState {
  readonly challenge: string
  readonly browser: string
  /** The user who adds a passkey. */
  readonly userId?: string
}

/** Seconds from the request to the signature. */
export const challengeSeconds = 600

/**
 * Random challenges for authenticators. They travel sealed with the form, so that every copy of the host
 * takes the answer, and count once, for ten minutes, in the browser that asked.
 */
@Injectable()
export class PasskeyChallenges {
  constructor(
    private readonly protection: DataProtection,
    private readonly antiforgery: Antiforgery,
    private readonly passkeys: Passkeys,
    private readonly clock: Clock,
  ) {}

  issue(ctx: Context, purpose: PasskeyPurpose, userId?: string): PasskeyChallenge {
    const challenge = Uint8Array.from(randomBytes(32))
    const ends = new Date(this.clock.nowMs + challengeSeconds * 1000)
    const state: ChallengeState = {
      challenge: Buffer.from(challenge).toString('base64url'),
      browser: this.antiforgery.browserOf(ctx),
      ...(userId && { userId }),
    }
    return { challenge, state: this.protector(purpose).protect(JSON.stringify(state), ends) }
  }

  /**
   * The challenge (base64url) that a state was made with; undefined when it has ended, was used, or is of
   * another browser, purpose or user.
   */
  async take(
    ctx: Context,
    purpose: PasskeyPurpose,
    { state, userId }: { readonly state: string; readonly userId?: string },
  ): Promise<string | undefined> {
    const text = this.protector(purpose).unprotect(state)
    if (!text) return undefined
    const known = JSON.parse(text) as ChallengeState
    if (!isEqual(known.browser, this.antiforgery.browserOf(ctx)) || known.userId !== userId) return undefined
    const isFirst = await this.passkeys.takeChallenge(known.challenge, challengeSeconds)
    return isFirst ? known.challenge : undefined
  }

  private protector(purpose: PasskeyPurpose): DataProtector {
    return this.protection.protector('OpenId', 'Passkeys', purpose)
  }
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
