import { UserDelegations } from '@keel/account/contracts'
import { Application, Injectable } from '@keel/framework'
import {
  type ImpersonationRefusal,
  Impersonators,
  type StoredUser,
  UserSource,
} from '@keel/framework/security'
import {
  IdentityUserPermissions,
  type SecurityAction,
  SecurityActions,
  SecurityEvents,
  SignIn,
} from '@keel/identity/contracts'
import { type Client, errors, type Grant, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { checkScopes } from '../clients/scopes.js'
import { type GrantCircumstances, type GrantImpersonator, Grants } from '../grants/grants.js'
import { originOf } from '../requests/request-origin.js'
import { issueTokens } from '../tokens/token-answer.js'
import { type Caller, Callers } from './callers.js'
import { addGrantType } from './grant-type.js'

/** The name of the grant type, and what ABP's clients send with it. */
const grantType = 'Impersonation'
const parameters = ['scope', 'access_token', 'UserId', 'TenantId', 'TenantUserName', 'UserDelegationId']

/** What somebody is told who may not act as a user. */
const refusals: Readonly<Record<ImpersonationRefusal, string>> = {
  NotPermitted: `The permission ${IdentityUserPermissions.Impersonation} is required.`,
  SeesLess: 'Only administrators, who see the data of all users, act as another user.',
  HoldsLess: 'You can only act as somebody who holds no more rights than you do.',
}

/**
 * Lets an administrator act as another user, or a user act for another one who delegated to them, and back:
 * ABP's grant type `Impersonation`. Tokens name both. They end with the session that the impersonator came
 * from, and only from there is a way back.
 */
@Injectable()
export class ImpersonationGrant {
  constructor(
    private readonly application: Application,
    private readonly callers: Callers,
    private readonly users: UserSource,
    private readonly impersonators: Impersonators,
    private readonly signIn: SignIn,
    private readonly grants: Grants,
    private readonly events: SecurityEvents,
    private readonly delegations: UserDelegations,
  ) {}

  addTo(provider: Provider): void {
    addGrantType(provider, { name: grantType, parameters, handle: (ctx) => this.answer(ctx) })
    provider.use(echoGrantType as never)
  }

  private async answer(ctx: KoaContextWithOIDC): Promise<void> {
    checkScopes(ctx.oidc.client as Client, ctx.oidc.requestParamScopes)
    const caller = await this.callers.of(ctx)
    const { UserId, TenantId, TenantUserName, UserDelegationId } = ctx.oidc.params ?? {}
    if (TenantId || TenantUserName) throw refused('invalid_request', 'There are no tenants.')
    if (UserDelegationId) return this.beginDelegated(ctx, caller, String(UserDelegationId))
    return typeof UserId === 'string' && UserId ? this.begin(ctx, caller, UserId) : this.goBack(ctx, caller)
  }

  private async begin(ctx: KoaContextWithOIDC, caller: Caller, userId: string): Promise<void> {
    refuseNested(caller)
    const refusal = await this.impersonators.refusalOf(caller.account.id, userId.toLowerCase())
    if (refusal) throw refused('access_denied', refusals[refusal])
    await this.act(ctx, caller, userId.toLowerCase())
  }

  /** Acts for the user who delegated, until the delegation ends or is taken back. It takes no permission. */
  private async beginDelegated(ctx: KoaContextWithOIDC, caller: Caller, id: string): Promise<void> {
    refuseNested(caller)
    const delegation = await this.delegations.findActive(id, caller.account.id)
    if (!delegation) throw refused('invalid_request', 'There is no such delegation.')
    await this.act(ctx, caller, delegation.sourceUserId, {
      id: delegation.id,
      until: delegation.endTime.getTime(),
    })
  }

  private async act(
    ctx: KoaContextWithOIDC,
    { account, sessionId, authTime }: Caller,
    userId: string,
    delegation?: GrantImpersonator['delegation'],
  ): Promise<void> {
    const target = await this.users.find(userId)
    if (!target || target.id === account.id)
      throw refused('invalid_request', 'There is no such user whom you could act as.')
    if (!this.isUsable(target)) throw refused('invalid_request', 'The user is inactive or locked out.')
    const impersonator = {
      userId: account.id,
      userName: account.userName,
      sessionId,
      ...(delegation && { delegation }),
    }
    const grant = await this.issue(ctx, target.id, { impersonator, authTime })
    // It may have been taken back while the session began, which only ends sessions that there are.
    if (delegation && !(await this.delegations.findActive(delegation.id, account.id))) {
      await this.grants.end(ctx, grant.jti)
      throw refused('invalid_request', 'There is no such delegation.')
    }
    const action = delegation ? SecurityActions.DelegatedImpersonate : SecurityActions.ImpersonateUser
    await this.tell(ctx, action, { impersonator, target })
  }

  private async goBack(
    ctx: KoaContextWithOIDC,
    { account, sessionId, impersonator, authTime }: Caller,
  ): Promise<void> {
    if (!impersonator) throw refused('invalid_request', 'Nobody acts in the name of this user.')
    const self = await this.users.find(impersonator.userId)
    if (!self || !this.isUsable(self)) throw refused('invalid_request', 'The user is inactive or locked out.')
    await this.issue(ctx, self.id, { authTime })
    await this.grants.end(ctx, sessionId)
    await this.tell(ctx, SecurityActions.BackToImpersonator, { impersonator, target: account })
  }

  private async issue(
    ctx: KoaContextWithOIDC,
    userId: string,
    circumstances: GrantCircumstances,
  ): Promise<Grant> {
    const account = await this.signIn.find(userId)
    if (!account) throw refused('invalid_request', 'The user is inactive or locked out.')
    const grant = await this.grants.begin(ctx, 'OAuth', userId, ctx.oidc.requestParamScopes, circumstances)
    ctx.body = await issueTokens(ctx, { account, grant, amr: [], gty: grantType })
    return grant
  }

  private isUsable({ isActive, lockoutEnd }: StoredUser): boolean {
    return isActive && (lockoutEnd === null || lockoutEnd <= this.application.clock.now)
  }

  /** In the logs of both. */
  private async tell(
    ctx: KoaContextWithOIDC,
    action: SecurityAction,
    {
      impersonator,
      target,
    }: { impersonator: GrantImpersonator; target: { readonly id: string; readonly userName: string } },
  ): Promise<void> {
    const common = { action, identity: 'OpenIddict', origin: originOf(ctx) }
    await this.events.write({
      ...common,
      userId: impersonator.userId,
      userName: impersonator.userName,
      extraProperties: { ImpersonatedUserId: target.id, ImpersonatedUserName: target.userName },
    })
    await this.events.write({
      ...common,
      userId: target.id,
      userName: target.userName,
      extraProperties: {
        ImpersonatorUserId: impersonator.userId,
        ImpersonatorUserName: impersonator.userName,
      },
    })
  }
}

function refuseNested({ impersonator }: Caller): void {
  if (impersonator)
    throw refused('invalid_request', 'Nested impersonation is not allowed: go back to yourself first.')
}

function refused(error: string, description: string): Error {
  return new errors.CustomOIDCProviderError(error, description)
}

/** ABP's user interface tells by this member that an error is its own to show. */
async function echoGrantType(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (ctx.oidc?.route === 'token' && ctx.status >= 400 && ctx.oidc.params?.grant_type === grantType)
    Object.assign(ctx.body as object, { grant_type: grantType })
}
