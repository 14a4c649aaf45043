import { type Database, newStamp, sql } from '@keel/framework/data'
import type { SessionSource } from '@keel/framework/security'
import { type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { Clients } from '../clients/clients.js'
import { type AccessTokenClaims, type AccessTokens, unwrapJwt } from '../tokens/access-tokens.js'
import { withBooleans } from '../tokens/claims.js'
import { Batches } from './batches.js'
import { isRefresh, requestMemory } from './request-memory.js'
import { expiryOf, payloadText, preparedStatement, RowAdapter, rowIdOf } from './row-adapter.js'

/** The time in which a used refresh token counts again: for two tabs, or after a lost answer. */
const reuseLeewaySeconds = 30

const types: Readonly<Record<string, string>> = {
  AuthorizationCode: 'authorization_code',
  RefreshToken: 'refresh_token',
  DeviceCode: 'device_code',
  AccessToken: 'access_token',
  ClientCredentials: 'access_token',
}

interface TokenRow {
  readonly id: string
  readonly payload: string
  readonly redemption: Date | null
  /** Of the grant it comes from, while that is valid. */
  readonly grantId: string | null
  readonly grant: string | null
  readonly isLive: boolean
}

/** A refresh token that was used, and the one that replaces it. */
interface Replacement {
  /** Rows. */
  readonly used: string
  readonly id: string
  readonly payload: AdapterPayload
  readonly expiresIn: number | undefined
  readonly applicationId: string | null
}

/** Codes and refresh tokens, and access tokens that are not JWTs, in `OpenIddictTokens`. */
export class TokenRows extends RowAdapter {
  private readonly finds = new Batches((ids: readonly string[]) => this.findAll(ids))
  private readonly replacements = new Batches((all: readonly Replacement[]) => this.replaceAll(all))

  constructor(
    protected readonly kind: string,
    protected readonly database: Database,
    protected readonly clients: Clients,
    private readonly sessions: SessionSource,
  ) {
    super()
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const client = await this.clients.find(payload.clientId ?? '')
    const memory = requestMemory()
    const used = this.kind === 'RefreshToken' ? memory?.usedRefreshToken : undefined
    if (memory && used !== undefined) {
      memory.usedRefreshToken = undefined
      const applicationId = client?.id ?? null
      const isDone = await this.replacements.add({
        used,
        id: this.rowOf(id),
        payload,
        expiresIn,
        applicationId,
      })
      if (!isDone) throw new errors.InvalidGrant('RefreshToken was used already')
      return
    }
    await this.database.execute(
      preparedStatement(
        'insert-token',
        sql`insert into "OpenIddictTokens" ("Id", "ApplicationId", "AuthorizationId", "CreationDate", "ExpirationDate", "Payload", "Status",
              "Subject", "Type", "ExtraProperties", "ConcurrencyStamp")
            values (${this.rowOf(id)}, ${client?.id ?? null}, ${payload.grantId ?? null}, ${new Date()}, ${expiryOf(expiresIn)},
              ${payloadText(payload)}, 'valid', ${payload.accountId ?? payload.clientId ?? null}, ${types[this.kind] ?? this.kind}, '{}', ${newStamp()})`,
      ),
    )
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const row = await this.finds.add(this.rowOf(id))
    if (!row) return undefined
    if (row.grantId && row.grant !== null)
      requestMemory()?.grants.set(row.grantId, { payload: row.grant, isLive: row.isLive })
    const consumed =
      row.redemption && !this.mayBeReused(row.redemption)
        ? Math.floor(row.redemption.getTime() / 1000)
        : undefined
    return {
      ...(JSON.parse(row.payload) as AdapterPayload),
      jti: id,
      ...(consumed !== undefined && { consumed }),
    }
  }

  /** Marks it as used. One statement decides which of several at once was first; the others are refused. */
  override async consume(id: string): Promise<void> {
    const memory = requestMemory()
    if (memory && this.kind === 'RefreshToken' && isRefresh()) {
      // The next call stores the one that replaces it: both in one statement.
      memory.usedRefreshToken = this.rowOf(id)
      return
    }
    const leeway = this.kind === 'RefreshToken' ? reuseLeewaySeconds : 0
    // `now()` is the beginning of the transaction. One that waited for another may have begun earlier, before the time of the use.
    const touched = await this.database.execute(
      preparedStatement(
        'consume-token',
        sql`update "OpenIddictTokens" set "RedemptionDate" = coalesce("RedemptionDate", now() at time zone 'utc'), "Status" = 'redeemed'
            where "Id" = ${this.rowOf(id)} and "Status" <> 'revoked' and ("RedemptionDate" is null
              or ${leeway}::int > 0 and "RedemptionDate" > (now() at time zone 'utc') - make_interval(secs => ${leeway}::int))`,
      ),
    )
    if (touched > 0) return
    await this.endGrantOf(id)
    throw new errors.InvalidGrant(`${this.kind} was used already`)
  }

  /** Ends what a token gave to the request that was first, as oidc-provider does when it finds a used one (RFC 6749, section 4.1.2). */
  private async endGrantOf(id: string): Promise<void> {
    const ctx = currentContext()
    const [row] = await this.database.query<{ grantId: string | null }>(
      sql`select "AuthorizationId" as "grantId" from "OpenIddictTokens" where "Id" = ${this.rowOf(id)}`,
    )
    const grant = row?.grantId ? await ctx?.oidc.provider.Grant.find(row.grantId) : undefined
    if (!ctx || !grant) return
    await grant.destroy()
    ctx.oidc.provider.emit('grant.revoked', ctx, grant.jti)
  }

  private async findAll(ids: readonly string[]): Promise<readonly (TokenRow | undefined)[]> {
    const rows = await this.database.query<TokenRow>(
      preparedStatement(
        'find-tokens',
        sql`select t."Id" as id, t."Payload" as payload, t."RedemptionDate" as redemption, a."Id" as "grantId", a."Properties" as grant,
              ${this.sessions.liveCondition(sql`a."Id"::text`, sql`a."Subject"`)} as "isLive"
            from "OpenIddictTokens" t left join "OpenIddictAuthorizations" a on a."Id" = t."AuthorizationId" and a."Status" = 'valid'
            where t."Id" = any(${ids}::uuid[]) and t."Status" <> 'revoked'`,
      ),
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => byId.get(id))
  }

  /**
   * Marks refresh tokens as used and stores those that replace them; for each whether it could be used, else
   * neither happened.
   */
  private async replaceAll(all: readonly Replacement[]): Promise<readonly boolean[]> {
    const of = <T>(member: (replacement: Replacement) => T): T[] => all.map(member)
    const rows = await this.database.query<{ id: string }>(
      preparedStatement(
        'replace-tokens',
        sql`with used as (
              update "OpenIddictTokens" set "RedemptionDate" = coalesce("RedemptionDate", now() at time zone 'utc'), "Status" = 'redeemed'
              where "Id" = any(${of(({ used }) => used)}::uuid[]) and "Status" <> 'revoked'
                and ("RedemptionDate" is null or "RedemptionDate" > (now() at time zone 'utc') - make_interval(secs => ${reuseLeewaySeconds}::int))
              returning "Id")
            insert into "OpenIddictTokens" ("Id", "ApplicationId", "AuthorizationId", "CreationDate", "ExpirationDate", "Payload", "Status",
              "Subject", "Type", "ExtraProperties", "ConcurrencyStamp")
            select n.id, n.application, n.grant_id, now() at time zone 'utc', n.expiry, n.payload, 'valid', n.subject, 'refresh_token', '{}', n.stamp
            from unnest(${of(({ used }) => used)}::uuid[], ${of(({ id }) => id)}::uuid[], ${of(({ applicationId }) => applicationId)}::uuid[],
              ${of(({ payload }) => payload.grantId ?? null)}::uuid[], ${of(({ expiresIn }) => expiryOf(expiresIn))}::timestamp[],
              ${of(({ payload }) => payloadText(payload))}::text[], ${of(({ payload }) => payload.accountId ?? null)}::text[],
              ${of(() => newStamp())}::text[]) as n(used, id, application, grant_id, expiry, payload, subject, stamp)
            join used on used."Id" = n.used
            returning "Id" as id`,
      ),
    )
    const done = new Set(rows.map(({ id }) => id))
    return all.map(({ id }) => done.has(id))
  }

  /** It stays as a row until it ends, so that a later use is still noticed. */
  override async destroy(id: string): Promise<void> {
    await this.revoke(id)
  }

  override async revokeByGrantId(grantId: string): Promise<void> {
    if (revokesAccessTokenOnly()) return
    await this.database.execute(sql`
      update "OpenIddictTokens" set "Status" = 'revoked' where "AuthorizationId" = ${grantId} and "Type" = ${types[this.kind]}`)
  }

  protected async revoke(id: string): Promise<boolean> {
    return (
      (await this.database.execute(
        sql`update "OpenIddictTokens" set "Status" = 'revoked' where "Id" = ${this.rowOf(id)}`,
      )) > 0
    )
  }

  /** The id of the row of a value. */
  protected rowOf(id: string): string {
    return rowIdOf(this.kind, id)
  }

  private mayBeReused(redemption: Date): boolean {
    return this.kind === 'RefreshToken' && Date.now() - redemption.getTime() < reuseLeewaySeconds * 1000
  }
}

/** Access tokens: JWTs, which have no row, and those for no API, which are opaque and have one. */
export class AccessTokenRows extends TokenRows {
  constructor(
    kind: 'AccessToken' | 'ClientCredentials',
    database: Database,
    clients: Clients,
    sessions: SessionSource,
    private readonly jwts: AccessTokens,
  ) {
    super(kind, database, clients, sessions)
  }

  override async find(value: string): Promise<AdapterPayload | undefined> {
    const jwt = unwrapJwt(value)
    if (!jwt) return super.find(value)
    const issuer = currentContext()?.oidc.issuer ?? ''
    const claims = await this.jwts.find(jwt, issuer)
    const isOfThisKind = claims && (this.kind === 'ClientCredentials') === (claims.oi_au_id === undefined)
    return isOfThisKind ? payloadOf(this.kind, claims) : undefined
  }

  override async destroy(id: string): Promise<void> {
    if (!(await this.revoke(id))) await this.jwts.revoke(id)
  }
}

/** A JWT's claims as oidc-provider would have stored them. */
function payloadOf(
  kind: string,
  { jti, iat, exp, sub, aud, scope, client_id, oi_au_id, iss: _iss, ...extra }: AccessTokenClaims,
): AdapterPayload {
  // oidc-provider keeps tokens that have an audience from its userinfo endpoint; ABP's clients call it with
  // theirs.
  const isForUserinfo = currentContext()?.oidc.route === 'userinfo'
  return {
    kind,
    jti,
    iat,
    exp,
    clientId: client_id,
    ...(oi_au_id && { accountId: sub, grantId: oi_au_id }),
    ...(scope && { scope }),
    ...(aud && !isForUserinfo && { aud }),
    // The claims that introspection answers beside its own members.
    extra: withBooleans(extra),
  }
}

/**
 * Taking back an access token leaves the refresh token alone, as OpenIddict does; oidc-provider would take
 * back all of the grant.
 */
function revokesAccessTokenOnly(): boolean {
  const { route, entities } = currentContext()?.oidc ?? {}
  return route === 'revocation' && entities?.RefreshToken === undefined
}

function currentContext() {
  return Provider.ctx
}
