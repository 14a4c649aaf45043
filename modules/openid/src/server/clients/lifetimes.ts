import { type TokenLifetimes, tokenLifetimeBounds } from '../../contracts/index.js'
import { sessionSeconds } from '../requests/routes.js'

/** The member of a client's metadata, ours, with the lifetimes that its tokens were given. */
export const lifetimesMember = 'keel_lifetimes'

/** Seconds that the tokens of a client live which was given no others: OpenIddict's defaults. */
const defaults: { readonly [Kind in keyof TokenLifetimes]: number } = {
  accessTokenLifetime: 3600,
  authorizationCodeLifetime: 300,
  deviceCodeLifetime: 600,
  identityTokenLifetime: 1200,
  refreshTokenLifetime: sessionSeconds,
  userCodeLifetime: 600,
}

/**
 * Seconds that tokens of a kind live for a client, or by its metadata: never outside the bounds, whoever
 * wrote the row.
 */
export function lifetimeOf(
  kind: keyof TokenLifetimes,
  client: { readonly [member: string]: unknown } | undefined,
): number {
  const own = (client?.[lifetimesMember] as TokenLifetimes | undefined)?.[kind]
  const [least, greatest] = tokenLifetimeBounds[kind]
  return Math.min(greatest, Math.max(least, own ?? defaults[kind]))
}
