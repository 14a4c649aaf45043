import { Clock, Injectable } from '@keel/framework'
import { DataProtection, type DataProtector } from '@keel/framework/security'
import type { UserRecord } from '@keel/identity/contracts'
import { isTokenFor, sealToken, type TokenPurpose, type TokenSubject } from '../domain/purpose-token.js'

const minutes = 60
const hours = 60 * minutes
const days = 24 * hours

/** The life of a token of each purpose, in seconds. */
export const tokenSeconds: Readonly<Record<TokenPurpose, number>> = {
  PasswordReset: 1 * hours,
  EmailConfirmation: 24 * hours,
  TwoFactorSignIn: 10 * minutes,
  ConfirmUser: 10 * minutes,
  PasswordRenewal: 10 * minutes,
  RememberedBrowser: 14 * days,
  LinkUser: 10 * minutes,
  LinkUserLogin: 10 * minutes,
}

/** What a token is made of. */
export type TokenOwner = Pick<UserRecord, 'id' | 'securityStamp' | 'email' | 'isEmailConfirmed'>

/** Tokens that prove one thing of one user: they got a mail, gave their password, or hold another account. */
@Injectable()
export class PurposeTokens {
  private readonly protector: DataProtector

  constructor(
    private readonly protection: DataProtection,
    private readonly clock: Clock,
  ) {
    this.protector = protection.protector('Account', 'Tokens')
  }

  /** @param state what else the token is to vouch for */
  async make(purpose: TokenPurpose, user: TokenOwner, state?: string): Promise<string> {
    const expires = new Date(this.clock.nowMs + tokenSeconds[purpose] * 1000)
    await this.protection.load()
    const [key] = this.protector.keys
    return sealToken(key, purpose, subjectOf(purpose, user, state), expires)
  }

  /**
   * True for a token that was made for this purpose and user and still counts. The answer for no user is
   * false and takes as long.
   */
  async isFor(
    purpose: TokenPurpose,
    user: TokenOwner | undefined,
    token: string,
    state?: string,
  ): Promise<boolean> {
    const subject = user ? subjectOf(purpose, user, state) : { userId: '', securityStamp: '' }
    await this.protection.load()
    const { now } = this.clock
    const genuine = this.protector.keys.filter((key) => isTokenFor(token, key, purpose, subject, now))
    return user !== undefined && genuine.length > 0
  }
}

function subjectOf(purpose: TokenPurpose, user: TokenOwner, state?: string): TokenSubject {
  const { id: userId, securityStamp, email, isEmailConfirmed } = user
  // Confirming leaves the credentials alone: it is the confirmation that uses this token up.
  return purpose === 'EmailConfirmation'
    ? { userId, securityStamp, state: `${isEmailConfirmed} ${email}` }
    : { userId, securityStamp, ...(state !== undefined && { state }) }
}
