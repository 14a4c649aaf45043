import { createHash, randomBytes } from 'node:crypto'
import { type AuthHost, password, type TokenAnswer, webApp } from './auth-host.js'
import type { Arrival, Browser } from './browser.js'

/** An authorization request as ABP's Angular UI sends it, and the verifier that goes with it. */
export interface AuthorizationRequest {
  readonly address: string
  readonly verifier: string
}

/** Parameters that are given replace the usual ones; undefined leaves them out. */
export function authorizationRequest(changed: Record<string, string | undefined> = {}): AuthorizationRequest {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    response_type: 'code',
    ...webApp,
    state: 'nonce;%2Fshipments',
    scope: 'openid offline_access Core',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    nonce: 'nonce',
    culture: 'en',
    'ui-culture': 'en',
    ...changed,
  }
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return { address: `/connect/authorize?${new URLSearchParams(given)}`, verifier }
}

/** Where a browser ends that makes a request and, if it is asked, signs in. */
export async function signIn(
  browser: Browser,
  { address }: AuthorizationRequest,
  userName = 'admin',
): Promise<Arrival> {
  const page = await browser.open(address)
  return page.callback ? page : browser.submit(page, { userName, password })
}

/** Changes the code of a callback into tokens. */
export function redeem(
  auth: AuthHost,
  { callback }: Arrival,
  { verifier }: AuthorizationRequest,
  changed: Record<string, string> = {},
): Promise<TokenAnswer> {
  const code = callback?.searchParams.get('code') ?? ''
  return auth.post('/connect/token', {
    grant_type: 'authorization_code',
    ...webApp,
    code,
    code_verifier: verifier,
    ...changed,
  })
}

/** Signs in and answers the tokens. */
export async function tokensFor(
  auth: AuthHost,
  browser: Browser,
  userName?: string,
  scope?: string,
): Promise<TokenAnswer['body']> {
  const request = authorizationRequest(scope === undefined ? {} : { scope })
  return (await redeem(auth, await signIn(browser, request, userName), request)).body
}

/** Asks for tokens with a refresh token. */
export function refresh(
  auth: AuthHost,
  refreshToken: string,
  changed: Record<string, string> = {},
): Promise<TokenAnswer> {
  return auth.post('/connect/token', {
    grant_type: 'refresh_token',
    client_id: webApp.client_id,
    refresh_token: refreshToken,
    ...changed,
  })
}
