import { createHmac, randomBytes } from 'node:crypto'
import { verifyPassword } from '@keel/framework/security'

/** The time for which a right secret is not hashed again, and the number of secrets that are remembered. */
const rememberMs = 5 * 60_000
const maxRemembered = 1000

/**
 * Compares client secrets with their hashes. A comparison costs tens of milliseconds, so what was right is
 * remembered for a few minutes, under a key that only this process has.
 */
export class ClientSecrets {
  private readonly key = randomBytes(32)
  private readonly remembered = new Map<string, number>()

  async isRight(secret: string, hash: string): Promise<boolean> {
    const mark = createHmac('sha256', this.key).update(hash).update('\0').update(secret).digest('base64')
    if ((this.remembered.get(mark) ?? 0) > Date.now()) return true
    if ((await verifyPassword(secret, hash)) === 'wrong') return false
    if (this.remembered.size >= maxRemembered) this.remembered.clear()
    this.remembered.set(mark, Date.now() + rememberMs)
    return true
  }
}
