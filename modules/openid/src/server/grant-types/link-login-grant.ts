import { LinkedAccounts } from '@keel/account/contracts'
import { Clock, Injectable } from '@keel/framework'
import { UserSource } from '@keel/framework/security'
import { SecurityActions, SecurityEvents, SignIn } from '@keel/identity/contracts'
import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { checkScopes } from '../clients/scopes.js'
import { Grants } from '../grants/grants.js'
import { originOf } from '../requests/request-origin.js'
import { issueTokens } from '../tokens/token-answer.js'
import { Callers } from './callers.js'
import { addGrantType } from './grant-type.js'

const grantType = 'LinkLogin'

/** Lets a user continue as an account that is linked, over any number of links: ABP's grant `LinkLogin`. */
@Injectable()
export class LinkLoginGrant {
  constructor(
    private readonly callers: Callers,
    private readonly links: LinkedAccounts,
    private readonly users: UserSource,
    private readonly signIn: SignIn,
    private readonly grants: Grants,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  addTo(provider: Provider): void {
    const parameters = ['scope', 'access_token', 'LinkUserId', 'LinkTenantId']
    addGrantType(provider, { name: grantType, parameters, handle: (ctx) => this.answer(ctx) })
  }

  private async answer(ctx: KoaContextWithOIDC): Promise<void> {
    checkScopes(ctx.oidc.client as Client, ctx.oidc.requestParamScopes)
    const { account: source, impersonator, authTime } = await this.callers.of(ctx)
    // The links are the person's own. An impersonator is not that person.
    if (impersonator) throw new errors.CustomOIDCProviderError('access_denied', 'Go back to yourself first.')
    const account = await this.linked(source.id, ctx.oidc.params ?? {})
    const grant = await this.grants.begin(ctx, 'OAuth', account.id, ctx.oidc.requestParamScopes, { authTime })
    ctx.body = await issueTokens(ctx, { account, grant, amr: [], gty: grantType })
    await this.events.write({
      action: SecurityActions.LoginSucceeded,
      identity: 'OpenIddict',
      userId: account.id,
      userName: account.userName,
      origin: originOf(ctx),
      extraProperties: { LinkSourceUserId: source.id, LinkSourceUserName: source.userName },
    })
  }

  private async linked(sourceId: string, { LinkUserId, LinkTenantId }: Readonly<Record<string, unknown>>) {
    const targetId = typeof LinkUserId === 'string' && !LinkTenantId ? LinkUserId.toLowerCase() : ''
    const isLinked = await this.links.areLinked(sourceId, targetId)
    const user = isLinked ? await this.users.find(targetId) : undefined
    const isLocked = user?.lockoutEnd != null && user.lockoutEnd > this.clock.now
    const account = user && !isLocked ? await this.signIn.find(user.id) : undefined
    if (!account)
      throw new errors.CustomOIDCProviderError(
        'invalid_link_user_id',
        'The user is not linked with yours, or may not sign in.',
      )
    return account
  }
}
