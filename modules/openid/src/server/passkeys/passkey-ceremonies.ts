import { isIP } from 'node:net'
import { AccountErrors, Passkeys } from '@keel/account/contracts'
import { Configuration, Injectable, Logger } from '@keel/framework'
import { BusinessError, z } from '@keel/framework/contracts'
import {
  type Account,
  type NewUserPasskey,
  SecurityActions,
  SecurityEvents,
  UserPasskeys,
} from '@keel/identity/contracts'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { Branding } from '../pages/branding.js'
import type { Context } from '../requests/context.js'
import { originOf } from '../requests/request-origin.js'
import { issuerOf } from '../requests/settings.js'
import { challengeSeconds, PasskeyChallenges } from './passkey-challenges.js'

/**
 * The input of a page's script for an authenticator: WebAuthn's options as JSON, and the state that comes
 * back with the answer.
 */
export interface PasskeyRequest {
  readonly options: object
  readonly state: string
}

/** A user whose passkey signed. */
export interface PasskeyProof {
  readonly userId: string
  /**
   * How they proved who they are (RFC 8176): a key that stays on its device or one that is copied between
   * them, unlocked by its user.
   */
  readonly amr: readonly string[]
}

const base64url = z.string().regex(/^[\w-]+$/)
/** Far longer than any answer without attestation; the form is bounded too. */
const part = base64url.max(16_384)
const transports = z.array(z.string().max(32)).max(10)
const credential = {
  id: base64url.max(1400),
  rawId: base64url.max(1400),
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
}
const registration = z.object({
  ...credential,
  response: z.object({ clientDataJSON: part, attestationObject: part, transports: transports.optional() }),
})
const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: part,
    authenticatorData: part,
    signature: part,
    userHandle: base64url.max(128),
  }),
})

/**
 * WebAuthn's ceremonies: adding a passkey, and signing in with one. Only passkeys that hold their user's
 * handle, and that verify their user, count.
 */
@Injectable()
export class PasskeyCeremonies {
  private readonly origin: string
  /** The domain that passkeys are made for. */
  private readonly rpID: string

  constructor(
    private readonly passkeys: Passkeys,
    private readonly stored: UserPasskeys,
    private readonly challenges: PasskeyChallenges,
    private readonly events: SecurityEvents,
    private readonly branding: Branding,
    private readonly logger: Logger,
    configuration: Configuration,
  ) {
    const { origin, hostname } = new URL(issuerOf(configuration))
    this.origin = origin
    this.rpID = hostname
  }

  /** True when passkeys count. False at an address without a host name: browsers make none for it. */
  async areOn(): Promise<boolean> {
    return !isIP(this.rpID.replace(/^\[|\]$/g, '')) && (await this.passkeys.areOn())
  }

  /** The request for a sign-in: any passkey of this server that the browser has. */
  async requestFor(ctx: Context): Promise<PasskeyRequest> {
    const { challenge, state } = this.challenges.issue(ctx, 'sign-in')
    const options = await generateAuthenticationOptions({
      rpID: this.rpID,
      challenge,
      timeout: challengeSeconds * 1000,
      userVerification: 'required',
    })
    return { options, state }
  }

  /** The request for a new passkey. @param known the user's passkeys: an authenticator makes no second one */
  async creationFor(
    ctx: Context,
    { id, userName, name, surname }: Account,
    known: readonly { credentialId: string; transports: readonly string[] }[],
  ): Promise<PasskeyRequest> {
    const { challenge, state } = this.challenges.issue(ctx, 'registration', id)
    const options = await generateRegistrationOptions({
      rpName: this.branding.name,
      rpID: this.rpID,
      // ASP.NET Core Identity's handle of a user, so that passkeys of an ABP database count.
      userID: Uint8Array.from(Buffer.from(id)),
      userName,
      userDisplayName: [name, surname].filter(Boolean).join(' ') || userName,
      challenge,
      timeout: challengeSeconds * 1000,
      attestationType: 'none',
      excludeCredentials: known.map(({ credentialId, transports: ways }) => ({
        id: credentialId,
        transports: [...ways] as never,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    return { options, state }
  }

  /** The passkey that a browser made. Throws `AccountErrors.InvalidPasskey`. */
  async verifyRegistration(
    ctx: Context,
    { id: userId }: Account,
    form: { readonly name: string; readonly state: string; readonly answer: string },
  ): Promise<NewUserPasskey> {
    const { data: response } = registration.safeParse(parsed(form.answer))
    const challenge = await this.challenges.take(ctx, 'registration', { state: form.state, userId })
    if (!response || !challenge) throw new BusinessError(AccountErrors.InvalidPasskey)
    const info = await this.registered(response as RegistrationResponseJSON, challenge)
    if (!info) throw new BusinessError(AccountErrors.InvalidPasskey)
    return {
      credentialId: info.credential.id,
      name: form.name,
      publicKey: info.credential.publicKey,
      signCount: info.credential.counter,
      transports: response.response.transports ?? [],
      isBackupEligible: info.credentialDeviceType === 'multiDevice',
      isBackedUp: info.credentialBackedUp,
      attestationObject: info.attestationObject,
      clientDataJson: Buffer.from(response.response.clientDataJSON, 'base64url'),
    }
  }

  /**
   * The proof of the user who signed with a passkey; undefined for everything else, without a reason: an
   * unknown passkey is refused like a wrong signature. The security log holds the refusals.
   */
  async verifySignIn(
    ctx: Context,
    { state, answer }: { readonly state: string; readonly answer: string },
  ): Promise<PasskeyProof | undefined> {
    const { data: response } = assertion.safeParse(parsed(answer))
    const challenge = await this.challenges.take(ctx, 'sign-in', { state })
    const key = response && (await this.stored.find(response.id))
    const checked =
      response &&
      challenge &&
      key &&
      Buffer.from(response.response.userHandle, 'base64url').equals(Buffer.from(key.userId))
        ? await this.checked(response as AuthenticationResponseJSON, challenge, key.publicKey)
        : undefined
    const origin = originOf(ctx)
    const identity = 'IdentityPasskey'
    if (!response || !key || !checked) {
      await this.events.write({
        action: SecurityActions.PasskeyRefused,
        identity,
        userId: key?.userId,
        origin,
      })
      return undefined
    }
    const isBackedUp = checked.credentialBackedUp
    if (!(await this.stored.used(response.id, { signCount: checked.newCounter, isBackedUp }))) {
      const { userId } = key
      this.logger.warn({ userId, signCount: checked.newCounter }, 'the counter of a passkey did not go up')
      await this.events.write({ action: SecurityActions.PasskeyCopied, identity, userId, origin })
      return undefined
    }
    return { userId: key.userId, amr: [key.isBackupEligible ? 'swk' : 'hwk', 'user', 'mfa'] }
  }

  private async registered(response: RegistrationResponseJSON, expectedChallenge: string) {
    const { origin: expectedOrigin, rpID: expectedRPID } = this
    const expected = { expectedChallenge, expectedOrigin, expectedRPID, requireUserVerification: true }
    const result = await this.try(() => verifyRegistrationResponse({ response, ...expected }))
    return result?.registrationInfo
  }

  private async checked(
    response: AuthenticationResponseJSON,
    expectedChallenge: string,
    publicKey: Uint8Array,
  ) {
    const { origin: expectedOrigin, rpID: expectedRPID } = this
    const expected = { expectedChallenge, expectedOrigin, expectedRPID, requireUserVerification: true }
    // The counter is compared where it is stored, and after the signature: the id of a passkey alone does not
    // make it seem copied.
    const stored = { id: response.id, publicKey: Uint8Array.from(publicKey), counter: 0 }
    const result = await this.try(() =>
      verifyAuthenticationResponse({ response, ...expected, credential: stored }),
    )
    return result?.verified ? result.authenticationInfo : undefined
  }

  /** The library throws for everything that is not right. */
  private async try<T>(verify: () => Promise<T>): Promise<T | undefined> {
    try {
      return await verify()
    } catch (error) {
      this.logger.info({ err: error }, 'a passkey was refused')
      return undefined
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
