/** The one scope and the one audience of the platform's API: a token for it carries `aud=Core`. */
export const apiScope = 'Core'

/**
 * The scopes of OpenID Connect that a client can be allowed to ask for; `openid` it always may,
 * `offline_access` with refresh tokens.
 */
export const identityScopes = ['address', 'email', 'phone', 'profile', 'roles'] as const
