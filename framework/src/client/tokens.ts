/** A token with what renews it, as an authorization server gave them. */
export interface Tokens {
  readonly accessToken: string
  /** When the access token ends, in milliseconds since 1970; undefined for one whose end is not known. */
  readonly expiresAt?: number | undefined
  readonly refreshToken?: string | undefined
}

/** Gives calls their bearer token. A client asks `token` before each call, and `renew` once after a 401. */
export interface TokenSource {
  /** The token of the moment; undefined calls anonymously. */
  token(): Promise<string | undefined>
  /** Another token than the one that was refused; undefined when there is none. */
  renew(refused: string | undefined): Promise<string | undefined>
}

/** Where tokens outlive the process or the page, e.g. `sessionStorage`. Whoever can read it can act as the user. */
export interface TokenStore {
  load(): Tokens | undefined | Promise<Tokens | undefined>
  /** Undefined when there are none any more. */
  save(tokens: Tokens | undefined): void | Promise<void>
}

/** How {@link refreshing} gets tokens. */
export interface RefreshingOptions {
  /**
   * Gets new tokens. `current` are the last ones, undefined at first. Undefined as a result means that nobody
   * is signed in: calls go out anonymously. Errors are those of the call that needed the token.
   */
  renew(current: Tokens | undefined): Promise<Tokens | undefined>
  /** Tokens to start with, e.g. of a sign-in that a page has just finished. */
  readonly initial?: Tokens
  /** Keeps tokens; without it they are in memory alone. */
  readonly store?: TokenStore
  /** How long before its end a token is renewed; 30 s when not given. */
  readonly earlyMs?: number
}

/** A {@link TokenSource} whose tokens can be looked at and set. */
export interface RefreshingTokens extends TokenSource {
  /** The last tokens, without renewing them. */
  current(): Promise<Tokens | undefined>
  /** Puts others in their place, as after a sign-in; undefined forgets them. A renewal under way no longer counts. */
  set(tokens: Tokens | undefined): Promise<void>
}

const defaultEarlyMs = 30_000

/**
 * Tokens that are renewed shortly before they end and after a 401, once at a time: calls at the same moment
 * wait for the same renewal. When a renewal before the end fails, the old token is used as long as it lasts.
 * @example
 * const tokens = refreshing({ initial: signedIn, renew: (current) => renewInTheBackground(current?.refreshToken) })
 * const hub = createHubProxy({ baseUrl, accessToken: tokens })
 */
export function refreshing({
  renew,
  initial,
  store,
  earlyMs = defaultEarlyMs,
}: RefreshingOptions): RefreshingTokens {
  let tokens = initial
  let version = 0
  let loading: Promise<void> | undefined
  let renewal: Promise<Tokens | undefined> | undefined

  return {
    async token() {
      await loaded()
      // Short tokens: half their life is early enough, or each call would renew them.
      if (tokens && !isEnding(tokens, earlyMs)) return tokens.accessToken
      const last = tokens
      try {
        return (await renewOnce())?.accessToken
      } catch (error) {
        if (last && !isEnding(last, 0)) return last.accessToken
        throw error
      }
    },
    async renew(refused) {
      await loaded()
      // Another call may have renewed it while this one was under way.
      if (tokens && tokens.accessToken !== refused) return tokens.accessToken
      return (await renewOnce())?.accessToken
    },
    async current() {
      await loaded()
      return tokens
    },
    async set(next) {
      loading ??= Promise.resolve()
      renewal = undefined
      await keep(next)
    },
  }

  async function loaded(): Promise<void> {
    loading ??= load()
    await loading
  }

  async function load(): Promise<void> {
    if (initial) return await store?.save(initial)
    const before = version
    const found = await store?.load()
    if (version === before) tokens = found
  }

  function renewOnce(): Promise<Tokens | undefined> {
    if (renewal) return renewal
    const own: Promise<Tokens | undefined> = renewNow(version).finally(() => {
      if (renewal === own) renewal = undefined
    })
    renewal = own
    return own
  }

  async function renewNow(before: number): Promise<Tokens | undefined> {
    const next = await renew(tokens)
    // Tokens that were set meanwhile are newer.
    if (version !== before) return tokens
    await keep(next)
    return next
  }

  async function keep(next: Tokens | undefined): Promise<void> {
    version++
    tokens = next
    await store?.save(next)
  }
}

function isEnding({ expiresAt }: Tokens, earlyMs: number): boolean {
  return expiresAt !== undefined && expiresAt - earlyMs <= Date.now()
}
