import { SecondFactor, type SecondFactorProof } from '@keel/account/contracts'
import { TooManyRequestsError, UnavailableError } from '@keel/framework/contracts'
import type { Account, RequestOrigin, SignIn } from '@keel/identity/contracts'
import { type Client, errors, type Grant, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { accountOf } from './accounts.js'
import type { Grants } from './grants.js'
import { originOf } from './requests.js'
import { apiResource, areForApi, checkScopes, resourceServerFor } from './scopes.js'

/** ABP's text. It stands for an account that is locked or inactive too: who has no page is not told more. */
const refused = 'Invalid username or password!'

/** ABP's names of what proves a second factor. */
const proofs = ['TwoFactorProvider', 'TwoFactorCode', 'RecoveryCode'] as const

/** What the password grant leans on. */
export interface PasswordGrantParts {
  readonly signIn: SignIn
  readonly secondFactor: SecondFactor
  readonly grants: Grants
}

/** Adds the password grant: user name or e-mail address and password, and a code where one is asked for, for tokens at once. */
export function addPasswordGrant(provider: Provider, parts: PasswordGrantParts): void {
  provider.registerGrantType('password', (ctx) => answer(ctx, parts), [
    'username',
    'password',
    'scope',
    ...proofs,
  ])
}

async function answer(
  ctx: KoaContextWithOIDC,
  { signIn, secondFactor, grants }: PasswordGrantParts,
): Promise<void> {
  const client = ctx.oidc.client as Client
  const { username, password } = ctx.oidc.params ?? {}
  if (typeof username !== 'string' || typeof password !== 'string')
    throw new errors.InvalidRequest('username and password are required')
  const scopes = ctx.oidc.requestParamScopes
  checkScopes(client, scopes)
  const account = await check(signIn, { username, password, origin: originOf(ctx) })
  const demand = await secondFactor.demandOf(account.id)
  const proof = proofIn(ctx.oidc.params ?? {})
  if (demand && !proof) {
    ctx.status = 400
    ctx.body = {
      error: 'invalid_grant',
      error_description: 'RequiresTwoFactor',
      userId: account.id.replaceAll('-', ''),
      twoFactorToken: demand.token,
    }
    return
  }
  if (demand && proof) await prove(secondFactor, account.id, proof)
  const grant = await grants.begin(ctx, 'OAuth', account.id, scopes)
  ctx.body = await issueTokens(ctx, { account, grant, amr: demand ? ['pwd', 'otp', 'mfa'] : ['pwd'] })
}

function proofIn(params: Readonly<Record<string, unknown>>): SecondFactorProof | undefined {
  const [provider, code, recoveryCode] = proofs.map((name) => params[name])
  if (typeof recoveryCode === 'string' && recoveryCode) return { recoveryCode }
  if (typeof provider === 'string' && provider && typeof code === 'string' && code) return { provider, code }
  return undefined
}

async function prove(secondFactor: SecondFactor, userId: string, proof: SecondFactorProof): Promise<void> {
  const isProven = await secondFactor.isProven(userId, proof).catch((error: unknown) => {
    if (!(error instanceof TooManyRequestsError)) throw error
    throw Object.assign(new errors.TemporarilyUnavailable(error.message), { status: 429, statusCode: 429 })
  })
  if (isProven) return
  const text = 'recoveryCode' in proof ? 'Invalid recovery code!' : 'Invalid authenticator code!'
  throw new errors.CustomOIDCProviderError('invalid_grant', text, { detail: 'second factor' })
}

async function check(
  signIn: SignIn,
  { username, password, origin }: { username: string; password: string; origin: RequestOrigin },
): Promise<Account> {
  try {
    const result = await signIn.check(username, password, origin)
    if (result.outcome === 'signed-in') return result.account
    throw new errors.CustomOIDCProviderError('invalid_grant', refused, { detail: result.outcome })
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    throw Object.assign(new errors.TemporarilyUnavailable(error.message), { status: 503, statusCode: 503 })
  }
}

async function issueTokens(
  ctx: KoaContextWithOIDC,
  { account, grant, amr }: { account: Account; grant: Grant; amr: string[] },
): Promise<object> {
  const { provider, requestParamScopes: scopes } = ctx.oidc
  const client = ctx.oidc.client as Client
  const accountId = account.id
  const scope = [...scopes].join(' ')
  const isForApi = areForApi(client, scopes)
  // The claims of the tokens are made from these.
  const signedIn = accountOf(account)
  ctx.oidc.entity('Account', signedIn)
  ctx.oidc.entity('Grant', grant)
  const source = {
    accountId,
    client,
    grantId: grant.jti,
    gty: 'password',
    scope,
    amr,
    authTime: Math.floor(Date.now() / 1000),
  }

  const accessToken = new provider.AccessToken(source)
  if (isForApi) {
    const api = new provider.ResourceServer(apiResource, resourceServerFor(client))
    Object.assign(accessToken, {
      resourceServer: api,
      scope: grant.getResourceScopeFiltered(apiResource, scopes),
    })
  }
  ctx.oidc.entity('AccessToken', accessToken)
  const refreshToken = scopes.has('offline_access')
    ? new provider.RefreshToken({
        ...source,
        ...(isForApi && { resource: apiResource }),
        rotations: 0,
      })
    : undefined
  return {
    access_token: await accessToken.save(),
    expires_in: accessToken.expiration,
    token_type: 'Bearer',
    ...(scope && { scope: accessToken.scope ?? scope }),
    ...(refreshToken && { refresh_token: await refreshToken.save() }),
    ...(scopes.has('openid') && { id_token: await identityToken() }),
  }

  async function identityToken(): Promise<string> {
    const claims = await signedIn.claims('id_token')
    const token = new provider.IdToken({ ...claims, auth_time: source.authTime, amr: source.amr }, { ctx })
    Object.assign(token, { scope: grant.getOIDCScopeFiltered(scopes) })
    return token.issue({ use: 'idtoken' })
  }
}
