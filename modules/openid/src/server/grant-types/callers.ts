import { Configuration, Injectable } from '@keel/framework'
import { SessionSource } from '@keel/framework/security'
import { type Account, SignIn } from '@keel/identity/contracts'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { authTimeOf, type GrantImpersonator, impersonatorOf } from '../grants/grants.js'
import { maxSessionSeconds } from '../requests/settings.js'
import { AccessTokens } from '../tokens/access-tokens.js'

/** The user who asks for other tokens with an access token. */
export interface Caller {
  readonly account: Account
  /** The grant and session of the token. */
  readonly sessionId: string
  /** The impersonator who acts in the caller's name already. */
  readonly impersonator: GrantImpersonator | undefined
  /** When the person last proved who they are, in seconds since 1970: tokens that are made from theirs tell this too. */
  readonly authTime: number
}

/** Finds the user of the parameter `access_token` at the token endpoint, as ABP's own grant types have it. */
@Injectable()
export class Callers {
  private readonly maxSessionSeconds: number

  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly signIn: SignIn,
    private readonly sessions: SessionSource,
    configuration: Configuration,
  ) {
    this.maxSessionSeconds = maxSessionSeconds(configuration)
  }

  /**
   * The user of the access token. Refuses with `invalid_access_token` what is no token of a live session of
   * the client at hand: with another client's, one could help itself to more than it was given. After the limit
   * of a session, which counts from the sign-in, no token leads to others.
   */
  async of(ctx: KoaContextWithOIDC): Promise<Caller> {
    const token = ctx.oidc.params?.access_token
    const claims =
      typeof token === 'string' ? await this.accessTokens.find(token, ctx.oidc.issuer) : undefined
    if (!claims?.oi_au_id || claims.client_id !== ctx.oidc.client?.clientId) throw refused()
    const grant = await ctx.oidc.provider.Grant.find(claims.oi_au_id)
    const account = grant && (await this.signIn.find(claims.sub))
    if (!account || grant.accountId !== account.id || !(await this.sessions.isLive(grant.jti, account.id)))
      throw refused()
    const authTime = authTimeOf(grant)
    if (authTime + this.maxSessionSeconds <= Date.now() / 1000) throw refused()
    return { account, sessionId: grant.jti, impersonator: impersonatorOf(grant), authTime }
  }
}

function refused(): Error {
  return new errors.CustomOIDCProviderError('invalid_access_token', 'The access token is not valid.')
}
