import { createHash, randomBytes, scryptSync } from 'node:crypto'
import type { ClientBase } from 'pg'
import { UnavailableError, z } from '../contracts/index.js'
import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import { sequentialGuid } from '../data/entities/guid.js'
import { inTransaction, takeAdvisoryLock } from '../data/wire/session.js'
import { type Sql, sql, toStatement } from '../data/wire/sql.js'
import { Application } from '../modularity/application.js'
import { configurationSection } from '../modularity/configuration.js'
import { Injectable } from '../modularity/injectable.js'
import { StartupError } from '../modularity/startup-error.js'
import { DataProtectionKey } from './data-protection-key.js'
import { seal, unseal } from './sealing.js'

/** How the keys of data protection are kept. */
export const DataProtectionSettings = configurationSection('DataProtection', {
  /**
   * Encrypts the keys in the database. Without it they lie there as they are, which is said at the start
   * outside Development.
   */
  secret: z.string().min(16).optional(),
  /** Secrets of before, that keys may still be encrypted with. */
  previousSecrets: z.array(z.string()).default([]),
  /** Days that a key is in use. */
  keyLifetimeDays: z.int().min(7).max(3650).default(90),
})

/** Begins the content of a key that is not encrypted. */
const plainMark = 'plain.'
const dayMs = 86_400_000
/** A key is made so long before it is used: every process has looked for new ones by then. */
const announcedMs = 2 * dayMs
const lookEveryMs = 3_600_000
/**
 * The least time between two look-ups of keys that are not in the ring: an invented key id must not cost a
 * query each time.
 */
const lookAgainMs = 10_000

/** A key of the ring, opened. */
export interface ProtectionKey {
  readonly id: string
  readonly bytes: Buffer
  readonly activeFromMs: number
  readonly expiresMs: number
}

type KeyRow = Pick<DataProtectionKey, 'id' | 'content' | 'activationTime' | 'expirationTime'>

/** The ring of keys in the Default database. Exactly one of several processes makes a key that is missing. */
@Injectable()
export class DataProtectionKeys {
  private readonly database: Database
  private readonly secrets: readonly Secret[]
  private readonly hasSecret: boolean
  private readonly lifetimeMs: number
  private keys: readonly ProtectionKey[] = []
  private loading: Promise<void> | undefined
  private loadedMs = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly application: Application,
    databases: Databases,
  ) {
    const { secret, previousSecrets, keyLifetimeDays } =
      application.configuration.read(DataProtectionSettings)
    this.database = databases.of(DataProtectionKey)
    this.hasSecret = secret !== undefined
    this.secrets = [...(secret === undefined ? [] : [secret]), ...previousSecrets].map(
      (one) => new Secret(one),
    )
    this.lifetimeMs = keyLifetimeDays * dayMs
  }

  /**
   * Undefined when the keys are known. Throws a {@link StartupError} when the secret is not the one that they
   * are encrypted with.
   */
  load(): Promise<void> | undefined {
    return this.keys.length ? undefined : this.read()
  }

  /** The key in use, then all others, the newest first. */
  known(): readonly [ProtectionKey, ...ProtectionKey[]] {
    const { keys } = this
    const now = this.application.clock.nowMs
    const inUse = keys.find(({ activeFromMs }) => activeFromMs <= now) ?? keys[0]
    if (!inUse)
      throw new UnavailableError('The keys of data protection are not loaded yet.', undefined, {
        text: { key: 'KeysNotLoaded' },
      })
    return [inUse, ...keys.filter((key) => key !== inUse)]
  }

  /** Reads the keys again, beside the request at hand: another process may have one that we don't know. */
  lookForNewKeys(): void {
    if (performance.now() - this.loadedMs > lookAgainMs) this.refresh()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private refresh(): void {
    // A query that is under way may have begun before the change that was just announced.
    const before = this.loading?.catch(() => undefined) ?? Promise.resolve()
    before
      .then(() => this.read())
      .catch((error: unknown) =>
        this.application.logger.warn({ err: error }, 'keys of data protection could not be read again'),
      )
  }

  private read(): Promise<void> {
    this.loading ??= this.readNow().finally(() => {
      this.loading = undefined
    })
    return this.loading
  }

  private async readNow(): Promise<void> {
    const found = await this.database.withConnection(async (client) => {
      await this.sealPlain(client)
      const rows = async () => this.open((await client.query<KeyRow>(allKeys)).rows)
      const keys = await rows()
      if (!this.missing(keys)) return keys
      // A key must not vanish with the work that needed it first: the transaction is its own.
      return inTransaction(client, async () => {
        await takeAdvisoryLock(client, 'KeelDataProtectionKeys')
        const activation = this.missing(await rows())
        if (activation) {
          const { text: insert, values } = toStatement(this.insertOf(activation))
          await client.query(insert, [...values])
        }
        return rows()
      })
    })
    this.keys = found
    this.loadedMs = performance.now()
    if (this.timer) return
    this.timer = setInterval(() => this.refresh(), lookEveryMs)
    this.timer.unref()
    this.database.feed.onChanged('KeelDataProtectionKeys', () => this.refresh())
  }

  /** Encrypts keys that were made before there was a secret. */
  private async sealPlain(client: Pick<ClientBase, 'query'>): Promise<void> {
    const [secret] = this.secrets
    if (!secret || !this.hasSecret) return
    const { rows } = await client.query<KeyRow>(allKeys)
    for (const { id, content } of rows) {
      if (!content.startsWith(plainMark)) continue
      const sealed = secret.close(Buffer.from(content.slice(plainMark.length), 'base64url'), id)
      await client.query(
        'update "KeelDataProtectionKeys" set "Content" = $1 where "Id" = $2 and "Content" = $3',
        [sealed, id, content],
      )
      this.application.logger.info({ key: id }, 'key of data protection encrypted')
    }
  }

  /** When the next key is to become active, when it has to be made now. */
  private missing([newest]: readonly ProtectionKey[]): Date | undefined {
    const now = this.application.clock.nowMs
    if (!newest || newest.expiresMs <= now) return new Date(now)
    return newest.expiresMs - now <= announcedMs ? new Date(newest.expiresMs) : undefined
  }

  private insertOf(activation: Date): Sql {
    const id = sequentialGuid()
    const expiration = new Date(activation.getTime() + this.lifetimeMs)
    this.application.logger.info({ key: id, activation }, 'key of data protection made')
    if (!this.hasSecret && !this.application.configuration.isDevelopment)
      this.application.logger.warn(
        {},
        'keys of data protection lie unencrypted in the database: set DataProtection:Secret',
      )
    const bytes = randomBytes(32)
    const [secret] = this.secrets
    const content =
      secret && this.hasSecret ? secret.close(bytes, id) : plainMark + bytes.toString('base64url')
    return sql`
      insert into "KeelDataProtectionKeys" ("Id", "Content", "CreationTime", "ActivationTime", "ExpirationTime")
      values (${id}, ${content}, ${this.application.clock.now}, ${activation}, ${expiration})`
  }

  private open(rows: readonly KeyRow[]): ProtectionKey[] {
    const keys = rows.flatMap(({ id, content, activationTime, expirationTime }) => {
      const bytes = this.bytesOf(id, content)
      return bytes
        ? [{ id, bytes, activeFromMs: activationTime.getTime(), expiresMs: expirationTime.getTime() }]
        : []
    })
    if (rows.length && keys[0]?.id !== rows[0]?.id)
      throw new StartupError(
        'The keys of data protection are encrypted with another secret: set DataProtection:Secret to it, or list it in DataProtection:PreviousSecrets',
      )
    return keys
  }

  private bytesOf(id: string, content: string): Buffer | undefined {
    const [kind, ...parts] = content.split('.')
    if (kind === 'plain') return Buffer.from(parts[0] ?? '', 'base64url')
    return this.secrets
      .find((secret) => secret.id === parts[0])
      ?.open(Buffer.from(parts[1] ?? '', 'base64url'), id)
  }
}

const allKeys = `
  select "Id" as id, "Content" as content, "ActivationTime" as "activationTime", "ExpirationTime" as "expirationTime"
  from "KeelDataProtectionKeys" order by "ActivationTime" desc, "Id" desc`

/** A pass phrase as a key. */
class Secret {
  readonly id: string
  private readonly key: Buffer

  constructor(passPhrase: string) {
    this.key = scryptSync(passPhrase, 'Keel.DataProtection', 32)
    this.id = createHash('sha256').update(this.key).digest('hex').slice(0, 8)
  }

  close(bytes: Buffer, place: string): string {
    return `sealed.${this.id}.${seal(bytes, this.key, place).toString('base64url')}`
  }

  open(sealed: Buffer, place: string): Buffer | undefined {
    return unseal(sealed, this.key, place)
  }
}
