import type { KoaContextWithOIDC } from 'oidc-provider'

/** A request as pages see it; `oidc` is only there on oidc-provider's own endpoints. */
export type Context = Omit<KoaContextWithOIDC, 'oidc'>
