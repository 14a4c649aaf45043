import { Injectable } from '@keel/framework'
import { DataProtection } from '@keel/framework/security'

/** Encrypts the secrets of webhooks as they lie in the database. */
@Injectable()
export class ExportSecrets {
  private readonly protector

  constructor(private readonly protection: DataProtection) {
    this.protector = protection.protector('App', 'ExportWebhook')
  }

  async protect(secret: string): Promise<string> {
    await this.protection.load()
    return this.protector.protect(secret)
  }

  /** The secret; undefined when it can't be read any more. */
  async unprotect(text: string): Promise<string | undefined> {
    await this.protection.load()
    return this.protector.unprotect(text)
  }
}
