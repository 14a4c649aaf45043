// Signs in by code and PKCE, without a library. Tokens are in memory alone: a reloaded page asks the auth server again, which knows the browser.
import { type RefreshingTokens, refresh, refreshing } from '@keel/hub-proxy'

const authority = import.meta.env.VITE_AUTH_URL ?? 'http://localhost:4001'
const clientId = 'Core_App'
/** The address of this page without its query: where the auth server sends the browser back to. */
const redirectUri = location.origin

/** Tokens of the person at the page. Leaves for the auth server, and does not return, when nobody has signed in yet. */
export async function signIn(): Promise<RefreshingTokens> {
  const query = new URLSearchParams(location.search)
  const code = query.get('code')
  if (query.has('error')) throw new Error(query.get('error_description') ?? query.get('error') ?? '')
  if (code === null) return leave()
  const { state, verifier } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}')
  sessionStorage.removeItem('sign-in')
  // An answer that this page did not ask for.
  if (!verifier || query.get('state') !== state) return leave()
  history.replaceState(null, '', '/')
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  }
  const sent = Date.now()
  const answer = await fetch(`${authority}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const { access_token, refresh_token, expires_in, error_description } = await answer.json()
  if (!answer.ok) throw new Error(error_description)
  return refreshing({
    initial: { accessToken: access_token, refreshToken: refresh_token, expiresAt: sent + expires_in * 1000 },
    renew: async (current) =>
      (current?.refreshToken && (await refresh({ authority, clientId }, current.refreshToken))) || undefined,
  })
}

async function leave(): Promise<never> {
  const [state, verifier] = [randomText(), randomText()]
  sessionStorage.setItem('sign-in', JSON.stringify({ state, verifier }))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid offline_access Core',
    state,
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  })
  location.assign(`${authority}/connect/authorize?${query}`)
  return new Promise(() => undefined)
}

const randomText = () => base64Url(crypto.getRandomValues(new Uint8Array(32)))

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
