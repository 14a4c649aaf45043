/** The paths of OpenIddict's endpoints; `revocat` is not a slip of ours. */
export const routes = {
  authorization: '/connect/authorize',
  token: '/connect/token',
  userinfo: '/connect/userinfo',
  end_session: '/connect/endsession',
  introspection: '/connect/introspect',
  revocation: '/connect/revocat',
  device_authorization: '/device',
  code_verification: '/connect/verify',
  jwks: '/.well-known/jwks',
} as const

const days = 24 * 3600
/** Seconds that a browser stays signed in, and that a refresh token is good for. */
export const sessionSeconds = 14 * days
