/** The requests that a cookie is sent with. */
export interface CookiePlace {
  /** True when the server is reached over TLS. */
  readonly secure: boolean
  /** The only path that it is sent to; every path when not given. */
  readonly path?: string
}

/**
 * The name of a cookie with the prefix that browsers enforce (RFC 6265bis): with `__Host-` no other host of
 * the domain can set or replace it, with `__Secure-`, which a cookie of one path must make do with, nobody
 * can without TLS. Plain where there is no TLS: browsers would refuse it.
 */
export function protectedName(name: string, { secure, path = '/' }: CookiePlace): string {
  if (!secure) return name
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`
}
