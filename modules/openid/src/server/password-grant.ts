import { SecondFactor, type SecondFactorProof } from '@keel/account/contracts'
import type { Account, RequestOrigin, SignIn } from '@keel/identity/contracts'
import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { toBusyAnswer } from './busy.js'
import type { Grants } from './grants.js'
import { originOf } from './requests.js'
import { checkScopes } from './scopes.js'
import { issueTokens } from './token-answer.js'

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
  const handle = (ctx: KoaContextWithOIDC): Promise<void> =>
    answer(ctx, parts).catch((error: unknown) => {
      throw toBusyAnswer(ctx, error)
    })
  provider.registerGrantType('password', handle, ['username', 'password', 'scope', ...proofs])
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
  const amr = demand ? ['pwd', 'otp', 'mfa'] : ['pwd']
  ctx.body = await issueTokens(ctx, { account, grant, amr, gty: 'password' })
}

function proofIn(params: Readonly<Record<string, unknown>>): SecondFactorProof | undefined {
  const [provider, code, recoveryCode] = proofs.map((name) => params[name])
  if (typeof recoveryCode === 'string' && recoveryCode) return { recoveryCode }
  if (typeof provider === 'string' && provider && typeof code === 'string' && code) return { provider, code }
  return undefined
}

async function prove(secondFactor: SecondFactor, userId: string, proof: SecondFactorProof): Promise<void> {
  if (await secondFactor.isProven(userId, proof)) return
  const text = 'recoveryCode' in proof ? 'Invalid recovery code!' : 'Invalid authenticator code!'
  throw new errors.CustomOIDCProviderError('invalid_grant', text, { detail: 'second factor' })
}

async function check(
  signIn: SignIn,
  { username, password, origin }: { username: string; password: string; origin: RequestOrigin },
): Promise<Account> {
  const result = await signIn.check(username, password, origin)
  if (result.outcome === 'signed-in') return result.account
  throw new errors.CustomOIDCProviderError('invalid_grant', refused, { detail: result.outcome })
}
