import { createHmac, generateKeyPair, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Configuration, Injectable, Logger, StartupError } from '@keel/framework'
import { type Database, Databases, Locks, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { DataProtection, type DataProtector } from '@keel/framework/security'
import { calculateJwkThumbprint } from 'jose'
import type { JWK } from 'oidc-provider'
import { AuthKey } from '../../domain/auth-key.js'
import { certificateFor, signingKeysOf } from './certificate.js'

/** Begins the content of a row that is encrypted. */
const sealedMark = 'protected.'

/**
 * The keys that all copies of the auth server share, encrypted in the database with the keys of data
 * protection. Cookies are signed with random keys that live in `AuthKeys`; tokens with the key of a
 * certificate or, in Development without one, with a key in `AuthKeys` that the first start makes.
 */
@Injectable()
export class KeyRing {
  /** Private keys of tokens; the first signs, all are published. */
  signing: readonly JWK[] = []
  /** Keys of cookies; the first signs, all verify. */
  cookies: readonly string[] = []
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly configuration: Configuration,
    private readonly logger: Logger,
    private readonly protection: DataProtection,
    private readonly locks: Locks,
  ) {
    this.database = databases.of(AuthKey)
  }

  /**
   * Loads the keys, and makes those that are missing. Throws a {@link StartupError} outside Development
   * without a certificate.
   */
  async load(): Promise<void> {
    await this.protection.load()
    this.signing = await this.signingKeys()
    this.cookies = await this.shared('cookies', async () => randomBytes(32).toString('base64url'))
  }

  /** A code for a text that takes the keys to make. */
  seal(text: string): string {
    return seal(text, this.cookies[0] as string)
  }

  /** True when one of the keys made the code for the text. */
  isSealOf(text: string, code: string): boolean {
    return this.cookies.some((key) => isEqual(seal(text, key), code))
  }

  private async signingKeys(): Promise<JWK[]> {
    certificateFor('encryption', this.configuration)
    const keys = signingKeysOf(this.configuration)
    if (keys) return keys
    if (this.configuration.isDevelopment)
      return (await this.shared('signing', newSigningKey)).map((content) => JSON.parse(content) as JWK)
    throw new StartupError(
      'AuthServer:SigningCertificate is not set. Outside Development tokens are signed with a certificate: set it to PEM or PFX with its private key, or to the path of such a file.',
    )
  }

  /**
   * The keys of a purpose that have not ended, the newest active one first. Exactly one of several starting
   * copies makes the first key.
   */
  private shared(purpose: 'signing' | 'cookies', make: () => Promise<string>): Promise<string[]> {
    return UnitOfWork.run(async () => {
      await this.locks.hold('AuthKeys', { database: this.database })
      const rows = await this.database.query<KeyRow>(sql`
        select "Id" as id, "Content" as content, "ActiveFrom" <= now() as "isActive" from "AuthKeys"
        where "Purpose" = ${purpose} and ("ExpirationTime" is null or "ExpirationTime" > now())
        order by 3 desc, "ActiveFrom" desc`)
      const keys: string[] = []
      for (const row of rows) keys.push(await this.open(row))
      if (rows[0]?.isActive) return keys
      const made = await make()
      const id = sequentialGuid()
      await this.database.execute(sql`
        insert into "AuthKeys" ("Id", "Purpose", "Content", "CreationTime", "ActiveFrom")
        values (${id}, ${purpose}, ${this.close(made, id)}, now(), now())`)
      this.logger.info({ purpose }, 'key made')
      return [made, ...keys]
    })
  }

  /** The key of a row. One that lies there as it is, from before keys were encrypted, is encrypted now. */
  private async open({ id, content }: KeyRow): Promise<string> {
    if (!content.startsWith(sealedMark)) {
      await this.database.execute(
        sql`update "AuthKeys" set "Content" = ${this.close(content, id)} where "Id" = ${id}`,
      )
      return content
    }
    const key = this.protectorOf(id).unprotect(content.slice(sealedMark.length))
    if (key === undefined)
      throw new StartupError(
        'A key in AuthKeys was encrypted with keys of data protection that are gone: restore "KeelDataProtectionKeys", or delete the row, which ends what is signed with it.',
      )
    return key
  }

  private close(key: string, id: string): string {
    return sealedMark + this.protectorOf(id).protect(key)
  }

  private protectorOf(id: string): DataProtector {
    return this.protection.protector('OpenId', 'AuthKeys', id)
  }
}

interface KeyRow {
  readonly id: string
  readonly content: string
  readonly isActive: boolean
}

async function newSigningKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const jwk = privateKey.export({ format: 'jwk' }) as JWK
  return JSON.stringify({ ...jwk, alg: 'RS256', use: 'sig', kid: await calculateJwkThumbprint(jwk as never) })
}

function seal(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
