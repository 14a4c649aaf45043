import { createHash } from 'node:crypto'
import { ambient, Clock, Configuration, configurationSection, Provides } from '@keel/framework'
import { BusinessError, z } from '@keel/framework/contracts'
import { authServerAddress } from '@keel/framework/texts'
import { Reauthentication } from '@keel/identity/contracts'
import { AccountErrors, reauthenticationPath } from '../contracts/index.js'
import { AccountSecrets } from '../persistence/account-secrets.js'

/** The time for which a proof of identity lets users change what they prove it with. */
export const ReauthenticationSettings = configurationSection('Reauthentication', {
  /** Minutes after a sign-in, or a new proof, in which credentials can be changed. */
  minutes: z.int().min(1).max(1440).default(10),
})

/** The account module's {@link Reauthentication}: proofs by session, known to all processes. */
@Provides(Reauthentication)
export class RecentProofs implements Reauthentication {
  private readonly minutes: number
  /** The page where people prove who they are. */
  readonly address: string

  constructor(
    private readonly secrets: AccountSecrets,
    private readonly clock: Clock,
    configuration: Configuration,
  ) {
    this.minutes = configuration.read(ReauthenticationSettings).minutes
    this.address = (authServerAddress(configuration)?.replace(/\/$/, '') ?? '') + reauthenticationPath
  }

  async demand(): Promise<void> {
    if (await this.hasProof()) return
    const { address, minutes } = this
    throw new BusinessError(AccountErrors.ReauthenticationRequired, { address, minutes })
  }

  /** True when the caller needs no further proof. */
  async hasProof(): Promise<boolean> {
    const { kind, apiKeyId, impersonator, ranBy, userId, sessionId, provenAt } = ambient().principal
    if (kind !== 'user' || userId === undefined || apiKeyId !== undefined) return true
    if (impersonator) throw new BusinessError(AccountErrors.NotWhileImpersonating)
    if (ranBy !== undefined) return false
    if (provenAt && this.restOf(provenAt) > 0) return true
    return this.secrets.has(userId, purposeOf(sessionId), proven)
  }

  async note(userId: string, sessionIds: readonly string[], since: Date = this.clock.now): Promise<void> {
    const seconds = this.restOf(since)
    if (seconds <= 0) return
    for (const sessionId of sessionIds)
      await this.secrets.remember(userId, purposeOf(sessionId), proven, seconds)
  }

  /** The seconds for which a proof of that time counts on. */
  private restOf(time: Date): number {
    return this.minutes * 60 - Math.max(0, this.clock.nowMs - time.getTime()) / 1000
  }
}

const proven = 'proven'

/** One for each session; those of tokens without a session are the user's one. */
function purposeOf(sessionId = ''): string {
  return `proof ${createHash('sha256').update(sessionId).digest('base64url').slice(0, 26)}`
}
