import { createHmac } from 'node:crypto'
import { Clock, Injectable, Settings } from '@keel/framework'
import { e164 } from '@keel/framework/contracts'
import { DataProtection, type DataProtector, hashPassword, verifyPassword } from '@keel/framework/security'
import { type UserRecord, UserTokens } from '@keel/identity/contracts'
import { TwoFactorSettings } from '../contracts/index.js'
import { AccountMailTemplates } from '../domain/account-texts.js'
import {
  earlierRecoveryCodeHash,
  newSixDigitCode,
  plainRecoveryCode,
  stepOfCode,
} from '../domain/authenticator.js'
import { AccountSecrets } from '../persistence/account-secrets.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import { AccountMails, recipientOf } from './account-mails.js'
import { SmsCodes } from './sms-codes.js'

/** Ways to prove a second factor, by ASP.NET Core Identity's names. */
export type TwoFactorProvider = 'Email' | 'Phone' | 'Authenticator'

/** ASP.NET Core Identity's places of an authenticator's key and of recovery codes (ours as hashes). */
const keyInUse = { loginProvider: '[AspNetUserStore]', name: 'AuthenticatorKey' } as const
const recoveryCodes = { loginProvider: '[AspNetUserStore]', name: 'RecoveryCodes' } as const
/** Our own: a key that was shown but not proven yet. */
const keyOffered = { loginProvider: '[Keel]', name: 'OfferedAuthenticatorKey' } as const

/**
 * Rounds of the hash of a recovery code. A code has 47 random bits, so these make more work than a password
 * of people does with all of its rounds, and the ten codes of a user together cost what one password costs.
 */
const recoveryIterations = 20_000

const mailCodeSeconds = 600
/** A step is remembered longer than any of its codes count. */
const stepSeconds = 600

/** A guess of six digits is right once in 333,333 times: twenty a day, once in 16,000 days. */
const burst: AttemptLimit = { name: 'two-factor code', most: 5, seconds: 900 }
const daily: AttemptLimit = { name: 'two-factor code of a day', most: 20, seconds: 86_400 }
const codeMails: AttemptLimit = { name: 'two-factor mail', most: 5, seconds: 900 }

/** The second factors of users: which they have, and whether a code is right. Each code counts once. */
@Injectable()
export class TwoFactor {
  private readonly protector: DataProtector

  constructor(
    private readonly userTokens: UserTokens,
    private readonly secrets: AccountSecrets,
    private readonly limits: AttemptLimits,
    private readonly protection: DataProtection,
    private readonly mails: AccountMails,
    private readonly sms: SmsCodes,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.protector = protection.protector('Account', 'MailCodes')
  }

  /** True when a user must prove a second factor after the right password. */
  async isRequiredOf(user: UserRecord): Promise<boolean> {
    const behaviour = await this.behaviour()
    if (behaviour === 'disabled' || (behaviour !== 'forced' && !user.isTwoFactorEnabled)) return false
    // Users who chose a second factor are not let in with the password alone where their telephone can not be
    // reached.
    return (user.isTwoFactorEnabled && hasPhone(user)) || (await this.providersOf(user)).length > 0
  }

  /** True when users switch their second factor themselves. */
  async isOptional(): Promise<boolean> {
    return (
      (await this.settings.isOn(TwoFactorSettings.UsersCanChange)) && (await this.behaviour()) === 'optional'
    )
  }

  /** True when a browser that proved a second factor may be asked for none for a while. */
  mayRememberBrowser(): Promise<boolean> {
    return this.settings.isOn(TwoFactorSettings.IsRememberBrowserEnabled)
  }

  /** The ways in which a user can prove a second factor. */
  async providersOf(user: UserRecord): Promise<TwoFactorProvider[]> {
    const hasAuthenticator = (await this.keyOf(user.id)) !== undefined
    return [
      ...(user.isEmailConfirmed ? (['Email'] as const) : []),
      ...(hasPhone(user) && this.sms.isAvailable ? (['Phone'] as const) : []),
      ...(hasAuthenticator ? (['Authenticator'] as const) : []),
    ]
  }

  /**
   * Sends a code by mail or text message, which replaces the one before of its kind. The provider must be one
   * of the user's.
   */
  async sendCode(user: UserRecord, provider: 'Email' | 'Phone'): Promise<void> {
    if (provider === 'Email') return this.sendMailCode(user)
    const phoneNumber = e164(user.phoneNumber)
    if (phoneNumber !== undefined) await this.sms.send(user, phoneNumber, 'PhoneSignIn')
  }

  private async sendMailCode(user: UserRecord): Promise<void> {
    await this.limits.spend(codeMails, user.id)
    const code = newSixDigitCode()
    await this.protection.load()
    const sealed = sealOf(user, code, this.protector.keys[0])
    await this.secrets.remember(user.id, 'MailCode', sealed, mailCodeSeconds)
    await this.mails.send(AccountMailTemplates.SecurityCode, recipientOf(user), {
      code,
      lasts: mailCodeSeconds / 60,
    })
  }

  /**
   * True for a right code of a provider that the user has. Throws `TooManyRequestsError` after too many wrong
   * ones.
   */
  async isRight(user: UserRecord, provider: TwoFactorProvider, code: string): Promise<boolean> {
    return this.guarded(user, async () => {
      if (provider === 'Authenticator') {
        const key = await this.keyOf(user.id)
        return key !== undefined && (await this.isAuthenticatorCode(user.id, key, code))
      }
      if (provider === 'Phone') return this.isPhoneCode(user, code)
      return user.isEmailConfirmed && this.takeMailCode(user, code.replace(/\s/g, ''))
    })
  }

  /**
   * True for one of the user's recovery codes, which is then used up. Throws `TooManyRequestsError` after too
   * many wrong ones.
   */
  async redeemRecoveryCode(user: UserRecord, code: string): Promise<boolean> {
    return this.guarded(user, async () => {
      const key = { userId: user.id, ...recoveryCodes }
      const stored = await this.userTokens.find(key)
      const hashes = stored?.split(';').filter(Boolean) ?? []
      const hash = await hashOf(code, hashes)
      if (stored === undefined || hash === undefined) return false
      const left = hashes.filter((other) => other !== hash)
      // Of two codes at once, one finds the list changed.
      return this.userTokens.replace(key, stored, left.join(';'))
    })
  }

  /** The key of the authenticator application that a user has proven to hold. */
  keyOf(userId: string): Promise<string | undefined> {
    return this.userTokens.find({ userId, ...keyInUse })
  }

  /** The key that was shown to a user last, and not proven since. */
  pendingKeyOf(userId: string): Promise<string | undefined> {
    return this.userTokens.find({ userId, ...keyOffered })
  }

  async offerKey(userId: string, key: string): Promise<void> {
    await this.userTokens.save({ userId, ...keyOffered }, key)
  }

  /**
   * True when a code proves that the user holds the offered key, or the one in use. An offered key is in use
   * from then on.
   */
  async proveKey(user: UserRecord, code: string): Promise<boolean> {
    return this.guarded(user, async () => {
      const offered = await this.pendingKeyOf(user.id)
      const key = offered ?? (await this.keyOf(user.id))
      if (key === undefined || !(await this.isAuthenticatorCode(user.id, key, code))) return false
      if (offered === undefined) return true
      await this.userTokens.save({ userId: user.id, ...keyInUse }, offered)
      await this.userTokens.take({ userId: user.id, ...keyOffered })
      return true
    })
  }

  /** Puts these recovery codes in the place of all others. */
  async replaceRecoveryCodes(userId: string, codes: readonly string[]): Promise<void> {
    const hashes = await Promise.all(
      codes.map((code) => hashPassword(plainRecoveryCode(code), recoveryIterations)),
    )
    await this.userTokens.save({ userId, ...recoveryCodes }, hashes.join(';'))
  }

  /** Forgets the authenticator application and the recovery codes. */
  async forgetAuthenticator(userId: string): Promise<void> {
    for (const key of [keyInUse, keyOffered, recoveryCodes]) await this.userTokens.take({ userId, ...key })
    await this.secrets.forget(userId, 'AuthenticatorStep')
  }

  private async isAuthenticatorCode(userId: string, key: string, code: string): Promise<boolean> {
    const step = stepOfCode(key, code, this.clock.now)
    return step !== undefined && (await this.secrets.raise(userId, 'AuthenticatorStep', step, stepSeconds))
  }

  /** True for a code that was sent to the number that the user has confirmed. */
  private async isPhoneCode(user: UserRecord, code: string): Promise<boolean> {
    const phoneNumber = hasPhone(user) ? await this.sms.take(user, 'PhoneSignIn', code) : undefined
    return phoneNumber !== undefined && phoneNumber === e164(user.phoneNumber)
  }

  /** Attempts count before they are made. A right one clears the short count, not that of the day. */
  private async guarded(user: UserRecord, check: () => Promise<boolean>): Promise<boolean> {
    await this.limits.spend(burst, user.id)
    await this.limits.spend(daily, user.id)
    if (!(await check())) return false
    await Promise.all([this.limits.forget(burst, user.id), this.limits.giveBack(daily, user.id)])
    return true
  }

  /** True for the code that was mailed; it counts once. Its key may have been replaced meanwhile. */
  private async takeMailCode(user: UserRecord, code: string): Promise<boolean> {
    await this.protection.load()
    for (const key of this.protector.keys)
      if (await this.secrets.take(user.id, 'MailCode', sealOf(user, code, key))) return true
    return false
  }

  private async behaviour(): Promise<string> {
    return ((await this.settings.valueOf(TwoFactorSettings.Behaviour.name)) ?? 'Optional').toLowerCase()
  }
}

/**
 * Which of the hashes is that of a recovery code; undefined when none is. One after the other: the hashes of
 * one guess leave room for those of others.
 */
async function hashOf(code: string, hashes: readonly string[]): Promise<string | undefined> {
  const earlier = earlierRecoveryCodeHash(code)
  if (hashes.includes(earlier)) return earlier
  for (const hash of hashes)
    if ((await verifyPassword(plainRecoveryCode(code), hash)) !== 'wrong') return hash
  return undefined
}

/** True for a user with a telephone that messages reach. */
function hasPhone({ isPhoneNumberConfirmed, phoneNumber }: UserRecord): boolean {
  return isPhoneNumberConfirmed && e164(phoneNumber) !== undefined
}

function sealOf({ id, email, securityStamp }: UserRecord, code: string, key: Buffer): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([id, email, securityStamp, code]))
    .digest('base64url')
}
