import { KeelError, UnauthenticatedError, UnavailableError } from '../contracts/index.js'
import { defaultRetry, passing, type RetryOptions, retryAfterMs, retrying } from './retries.js'
import { type RefreshingTokens, refreshing, type TokenStore, type Tokens } from './tokens.js'

/** A client of the authorization server. */
export interface LoginOptions {
  /** Address of the authorization server, e.g. `http://localhost:4001`. */
  readonly authority: string
  readonly clientId: string
  /** Of confidential clients; never in a page. */
  readonly clientSecret?: string
  /** Scopes, separated by blanks. With `offline_access` the server gives a refresh token as well. */
  readonly scope?: string
  /** Keeps tokens; without it they are in memory alone. */
  readonly store?: TokenStore
  /** How long before its end a token is renewed; 30 s when not given. */
  readonly earlyMs?: number
  /** Another `fetch` than the global one. */
  readonly fetch?: typeof fetch
  /** How long the server may take; 30 s when not given. */
  readonly timeoutMs?: number
  /** As in `ClientOptions`. A refresh token is never sent twice: its second use ends the whole sign-in. */
  readonly retry?: RetryOptions | false
}

/** The name and password of a user. */
export interface PasswordLoginOptions extends LoginOptions {
  readonly userName: string
  readonly password: string
}

/**
 * Tokens by the password grant, for programs that act as a user whose password they know. Tokens are renewed by their refresh token, and with the
 * password when there is none or it is refused. A refused sign-in throws {@link UnauthenticatedError} with OAuth's error as its `code`.
 * @example
 * const login = passwordLogin({ authority, clientId: 'Core_App', scope: 'Core', userName: 'admin', password })
 * const hub = createHubProxy({ baseUrl, accessToken: login })
 */
export function passwordLogin({ userName, password, ...options }: PasswordLoginOptions): RefreshingTokens {
  return login(options, { grant_type: 'password', username: userName, password })
}

/** Tokens by the client credentials grant, for programs that act as themselves. Errors as in {@link passwordLogin}. */
export function clientCredentials(
  options: LoginOptions & { readonly clientSecret: string },
): RefreshingTokens {
  return login(options, { grant_type: 'client_credentials' })
}

function login(options: LoginOptions, grant: Readonly<Record<string, string>>): RefreshingTokens {
  const { scope, store, earlyMs, retry = defaultRetry } = options
  return refreshing({
    ...(store && { store }),
    ...(earlyMs !== undefined && { earlyMs }),
    async renew(current) {
      if (current?.refreshToken) {
        const renewed = await refresh(options, current.refreshToken)
        if (renewed) return renewed
      }
      return retrying(retry, undefined, () => askForTokens(options, { ...grant, ...(scope && { scope }) }))
    },
  })
}

/**
 * Tokens for a refresh token; undefined when the server refuses it, because it ended or was used before. For
 * the `renew` of {@link refreshing} in pages too.
 */
export async function refresh(
  options: Pick<LoginOptions, 'authority' | 'clientId' | 'clientSecret' | 'fetch' | 'timeoutMs'>,
  refreshToken: string,
): Promise<Tokens | undefined> {
  try {
    const tokens = await askForTokens(options, { grant_type: 'refresh_token', refresh_token: refreshToken })
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
  } catch (error) {
    if (error instanceof UnauthenticatedError && error.code === 'invalid_grant') return undefined
    throw error
  }
}

async function askForTokens(
  { authority, clientId, clientSecret, timeoutMs = 30_000, ...options }: LoginOptions,
  grant: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const url = `${authority.replace(/\/+$/, '')}/connect/token`
  const form = { ...grant, client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }
  const sent = Date.now()
  const { status, headers, body } = await post()
  const answer = (body ?? {}) as Partial<Record<string, unknown>>
  if (status === 200 && typeof answer.access_token === 'string')
    return {
      accessToken: answer.access_token,
      // From the sending on: the token is no older than that.
      ...(typeof answer.expires_in === 'number' && { expiresAt: sent + answer.expires_in * 1000 }),
      ...(typeof answer.refresh_token === 'string' && { refreshToken: answer.refresh_token }),
    }
  throw refusal()

  async function post() {
    try {
      const response = await (options.fetch ?? fetch)(url, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams(form),
        signal: AbortSignal.timeout(timeoutMs),
      })
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json().catch(() => undefined)) as unknown,
      }
    } catch (cause) {
      const text = { key: 'RemoteServiceUnavailable', data: { verb: 'POST', url } }
      throw passing(new UnavailableError(`POST ${url} was not answered.`, undefined, { cause, text }))
    }
  }

  function refusal(): KeelError {
    const told = typeof answer.error_description === 'string' ? answer.error_description : undefined
    const code = typeof answer.error === 'string' ? answer.error : undefined
    const wait = retryAfterMs(headers)
    const isUnavailable = status === 429 || status >= 500 || !code
    const error = isUnavailable
      ? new UnavailableError(
          told ?? `The authorization server answered ${status}.`,
          wait && Math.ceil(wait / 1000),
          { ...(code && { code }) },
        )
      : new UnauthenticatedError(told ?? code, { ...(code && { code }) })
    if (status === 429 || status === 503) passing(error, wait)
    error.status = status
    return error
  }
}
