import { ambient, Injectable, system, withAmbient } from '@keel/framework'
import { BusinessError, ForbiddenError } from '@keel/framework/contracts'
import {
  type ActingUser,
  Authenticator,
  type TokenClaims,
  TokenVerifier,
  UserContext,
} from '@keel/framework/security'

/** The caller who had a download token issued: by their own token, or by an API key. */
export type DownloadAsker = { readonly claims: TokenClaims } | { readonly acting: ActingUser }

/** Finds the rights of the person behind a download token when the token is used: they may be gone by then. */
@Injectable()
export class DownloadRights {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly verifier: TokenVerifier,
    private readonly people: UserContext,
  ) {}

  /** Describes the caller. Throws `ForbiddenError` for clients without a user. */
  async asker(): Promise<DownloadAsker> {
    const acting = this.people.actingFor()
    const { authorization, principal } = ambient()
    if (principal.apiKeyId !== undefined) return { acting }
    const token = authorization?.replace(/^Bearer /, '')
    const claims = token && (this.verifier.known(token) ?? (await this.verifier.verify(token)))
    if (!claims) throw new ForbiddenError()
    return { claims }
  }

  /**
   * Runs `work` with the rights that the caller of then has now. Throws `ForbiddenError` when the user, the session or the API key
   * has ended.
   */
  async as<T>(asker: DownloadAsker, work: () => Promise<T>): Promise<T> {
    if ('acting' in asker) {
      const run = () => this.people.runAs(asker.acting, work, 'download')
      return withAmbient({ ...ambient(), principal: system }, run).catch((error: unknown) => {
        throw error instanceof BusinessError ? new ForbiddenError(undefined, { cause: error }) : error
      })
    }
    const principal = await this.authenticator.principalNow(asker.claims)
    if (principal.kind !== 'user') throw new ForbiddenError()
    return withAmbient({ ...ambient(), principal }, work)
  }
}
