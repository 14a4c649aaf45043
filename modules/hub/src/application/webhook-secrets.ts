import { Clock, Injectable } from '@keel/framework'
import { DataProtection } from '@keel/framework/security'
import type { Webhook } from '../domain/webhook.js'

/** Encrypts the secrets of webhooks as they lie in the database. */
@Injectable()
export class WebhookSecrets {
  private readonly protector

  constructor(
    private readonly protection: DataProtection,
    private readonly clock: Clock,
  ) {
    this.protector = protection.protector('Hub', 'Webhook')
  }

  async protect(secret: string): Promise<string> {
    await this.protection.load()
    return this.protector.protect(secret)
  }

  /** The secrets that sign now: the present one, and the one before it as long as it counts. Throws when none can be read any more. */
  async of({ secret, previousSecret, previousSecretEndTime }: Webhook): Promise<readonly string[]> {
    await this.protection.load()
    const counts = previousSecret && previousSecretEndTime && previousSecretEndTime > this.clock.now
    const secrets = [secret, ...(counts ? [previousSecret] : [])]
      .map((text) => this.protector.unprotect(text))
      .filter((text) => text !== undefined)
    if (secrets.length === 0) throw new Error('The secret of a webhook can not be read: its key is gone')
    return secrets
  }
}
