import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Clock, Injectable } from '@keel/framework'
import { UserTokens } from '../contracts/index.js'

/** The downloads that tokens are issued for. */
export type DownloadPurpose = 'Files' | 'InvalidUsers'

const loginProvider = '[KeelDownloads]'
const seconds: Readonly<Record<DownloadPurpose, number>> = { Files: 60, InvalidUsers: 600 }

interface Stored {
  readonly digest: string
  readonly until: number
  readonly content: unknown
}

/**
 * Tokens that open a file once, in any process: one of a purpose and user at a time, kept as a digest in
 * `AbpUserTokens` with what they open.
 */
@Injectable()
export class DownloadTokens {
  constructor(
    private readonly tokens: UserTokens,
    private readonly clock: Clock,
  ) {}

  async issue(userId: string, name: DownloadPurpose, content: unknown): Promise<string> {
    const token = `${userId}.${randomBytes(24).toString('base64url')}`
    const until = this.clock.nowMs + seconds[name] * 1000
    const stored: Stored = { digest: digestOf(token), until, content }
    await this.tokens.save({ userId, loginProvider, name }, JSON.stringify(stored))
    return token
  }

  /**
   * Consumes a token and returns its stored request; undefined when the token is unknown, used or expired.
   */
  async take(token: string, name: DownloadPurpose): Promise<unknown> {
    const [userId = ''] = token.split('.')
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(userId)) return undefined
    const key = { userId, loginProvider, name }
    const text = await this.tokens.find(key)
    const stored = text === undefined ? undefined : (JSON.parse(text) as Stored)
    if (!stored || !isSame(stored.digest, digestOf(token))) return undefined
    const isFirst = (await this.tokens.take(key)) === text
    return isFirst && stored.until > this.clock.nowMs ? stored.content : undefined
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
