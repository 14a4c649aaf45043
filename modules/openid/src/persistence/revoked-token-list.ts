import { Provides } from '@keel/framework'
import { type Database, Databases, entityMeta, sql, type TableWatch } from '@keel/framework/data'
import { RevokedTokens } from '@keel/framework/security'
import { AuthRevokedToken } from '../domain/auth-key.js'

interface Load {
  readonly version: number
  readonly done: Promise<void>
}

/** A row may be written this much later than its time: reads look back, so that none is missed. */
const overlapMs = 60_000

/**
 * The access tokens that were taken back and have not ended by themselves, kept in memory: one statement for
 * each change in any process, none for a request. Each change reads only what is new, since rows end in the
 * order they are written in.
 */
@Provides(RevokedTokens)
export class RevokedTokenList implements RevokedTokens {
  private readonly database: Database
  private readonly watch: TableWatch
  /** The ends of revoked tokens in ms since 1970, by `jti`. */
  private known = new Map<string, number>()
  private newest = 0
  private version: number | undefined
  private epoch: number | undefined
  private loading: Load | undefined

  constructor(databases: Databases) {
    this.database = databases.of(AuthRevokedToken)
    this.watch = this.database.feed.watch([entityMeta(AuthRevokedToken).table])
  }

  isRevoked(jti: string): boolean | Promise<boolean> {
    if (this.watch.version !== undefined) return this.isRevokedNow(jti)
    return this.watch.refresh().then(() => this.isRevokedNow(jti))
  }

  private isRevokedNow(jti: string): boolean | Promise<boolean> {
    const { version } = this.watch
    if (version === undefined) return this.ask(jti)
    if (version === this.version) return this.known.has(jti)
    return this.refresh(version).then(() => this.known.has(jti))
  }

  /** Many requests that come at once wait for the same look. */
  private refresh(version: number): Promise<void> {
    if (this.loading?.version === version) return this.loading.done
    const load = { version, done: this.load(version) }
    this.loading = load
    const forget = (): void => {
      if (this.loading === load) this.loading = undefined
    }
    load.done.then(forget, forget)
    return load.done
  }

  private async load(version: number): Promise<void> {
    const { epoch } = this.database.feed
    // A new connection may lead to a restored database.
    const isWhole = epoch === undefined || epoch !== this.epoch
    const since = new Date(isWhole ? 0 : this.newest - overlapMs)
    const rows = await this.database.query<{ jti: string; until: Date }>(sql`
      select "Jti" as jti, "ExpirationTime" as until from "AuthRevokedTokens" where "ExpirationTime" > greatest(now(), ${since})
      order by "ExpirationTime"`)
    const known = isWhole ? new Map<string, number>() : this.known
    for (const { jti, until } of rows) {
      known.set(jti, until.getTime())
      this.newest = Math.max(this.newest, until.getTime())
    }
    forgetEnded(known)
    this.known = known
    this.epoch = epoch
    this.version = Math.max(version, this.version ?? 0)
  }

  private async ask(jti: string): Promise<boolean> {
    return (await this.database.query(sql`select from "AuthRevokedTokens" where "Jti" = ${jti}`)).length > 0
  }
}

/** A token that ended a minute ago is refused for that, on every clock. */
function forgetEnded(known: Map<string, number>): void {
  const before = Date.now() - overlapMs
  // In the order they were added, which is that of their ends.
  for (const [jti, until] of known) {
    if (until > before) return
    known.delete(jti)
  }
}
