import { createHmac, timingSafeEqual } from 'node:crypto'
import { ambient, Clock, Configuration, Injectable } from '@keel/framework'
import { e164 } from '@keel/framework/contracts'
import { networkOf } from '@keel/framework/http'
import { DataProtection, type DataProtector } from '@keel/framework/security'
import { SmsSender } from '@keel/framework/sms'
import { TextTemplates } from '@keel/framework/texts'
import type { UserRecord } from '@keel/identity/contracts'
import { AccountSmsTemplates } from '../domain/account-texts.js'
import { newSixDigitCode } from '../domain/authenticator.js'
import { AccountSecrets } from '../persistence/account-secrets.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import { SignInLimits } from './sign-in-limits.js'

/** The purpose of a code: it counts for no other. */
export type SmsCodePurpose = keyof typeof AccountSmsTemplates

/** Limits the messages to a user, a number and a network, all purposes together. */
const ofUser: AttemptLimit = { name: 'text messages of a user', most: 5, seconds: 900 }
const ofUserDaily: AttemptLimit = { name: 'text messages of a user and day', most: 20, seconds: 86_400 }
const ofNumber: AttemptLimit = { name: 'text messages to a number', most: 5, seconds: 900 }
const ofNumberDaily: AttemptLimit = { name: 'text messages to a number and day', most: 20, seconds: 86_400 }

const minutes = 5

/**
 * Codes of six digits by text message. Each is for one user, number, purpose and security stamp, lasts five
 * minutes, counts once and is replaced by the next. The server keeps its keyed digest, beside the number that
 * it was sent to.
 */
@Injectable()
export class SmsCodes {
  private readonly protector: DataProtector
  private readonly ofNetwork: AttemptLimit

  constructor(
    private readonly sms: SmsSender,
    private readonly secrets: AccountSecrets,
    private readonly limits: AttemptLimits,
    private readonly protection: DataProtection,
    private readonly templates: TextTemplates,
    private readonly clock: Clock,
    configuration: Configuration,
  ) {
    const { textMessagesPerAddress: most, windowSeconds: seconds } = configuration.read(SignInLimits)
    this.ofNetwork = { name: 'text messages asked for by a network', most, seconds }
    this.protector = protection.protector('Account', 'SmsCodes')
  }

  /** True when this host sends text messages. */
  get isAvailable(): boolean {
    return this.sms.isAvailable
  }

  /** Sends a code to a number in E.164. Throws `TooManyRequestsError`, and as {@link SmsSender.sendLater}. */
  async send(user: UserRecord, phoneNumber: string, purpose: SmsCodePurpose): Promise<void> {
    const { request } = ambient()
    for (const limit of [ofUser, ofUserDaily]) await this.limits.spend(limit, user.id)
    for (const limit of [ofNumber, ofNumberDaily]) await this.limits.spend(limit, phoneNumber)
    if (request?.ip) await this.limits.spend(this.ofNetwork, networkOf(request.ip))
    const code = newSixDigitCode()
    await this.protection.load()
    const [key] = this.protector.keys
    const kept = `${phoneNumber} ${sealOf(key, user, { phoneNumber, purpose, code }).toString('base64url')}`
    await this.secrets.remember(user.id, purpose, kept, minutes * 60)
    const text = await this.templates.sms(AccountSmsTemplates[purpose], { code, lasts: minutes })
    const usefulUntil = new Date(this.clock.nowMs + minutes * 60_000)
    await this.sms.sendLater({ phoneNumber, text, usefulUntil })
  }

  /** The number that a right code was sent to. The code is used up. Callers limit the tries. */
  async take(user: UserRecord, purpose: SmsCodePurpose, text: string): Promise<string | undefined> {
    const code = text.replace(/\s/g, '')
    const kept = await this.secrets.find(user.id, purpose)
    const [phoneNumber, seal = ''] = kept?.split(' ') ?? []
    if (kept === undefined || e164(phoneNumber) !== phoneNumber || phoneNumber === undefined) return undefined
    const given = Buffer.from(seal, 'base64url')
    await this.protection.load()
    const matches = this.protector.keys.filter((key) => {
      const expected = sealOf(key, user, { phoneNumber, purpose, code })
      return expected.length === given.length && timingSafeEqual(expected, given)
    })
    // Of two requests with the code at once, one finds it taken.
    const isRight = matches.length > 0 && (await this.secrets.take(user.id, purpose, kept))
    return isRight ? phoneNumber : undefined
  }
}

function sealOf(
  key: Buffer,
  { id, securityStamp }: UserRecord,
  { phoneNumber, purpose, code }: { phoneNumber: string; purpose: SmsCodePurpose; code: string },
): Buffer {
  const sealed = JSON.stringify([id, securityStamp, phoneNumber, purpose, code])
  return createHmac('sha256', key).update(sealed).digest()
}
