import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { checkTarget } from '../clients/scopes.js'

/** A grant type of ours: its name, and the parameters it takes beside those of every grant type. */
export interface GrantType {
  readonly name: string
  readonly parameters: readonly string[]
  handle(ctx: KoaContextWithOIDC): Promise<void>
}

/** Adds a grant type to those of oidc-provider. Like them it refuses a `resource` that is no API of ours. */
export function addGrantType(provider: Provider, { name, parameters, handle }: GrantType): void {
  const handleForTarget = async (ctx: KoaContextWithOIDC): Promise<void> => {
    checkTarget(ctx.oidc.params?.resource)
    return handle(ctx)
  }
  provider.registerGrantType(name, handleForTarget, [...parameters, 'resource'], ['resource'])
}
