import type { ExternalProvider } from '../contracts/index.js'

/** The providers that are always offered. Any number of directories join them, each as `OpenIdConnect.<name>`. */
export const socialProviders = ['Google', 'Microsoft', 'GitHub'] as const

const directory = /^OpenIdConnect\.[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** What a provider must be told before it can be enabled; undefined for a name that is no provider's. */
export function neededOf(
  provider: string,
): { readonly properties: readonly string[]; readonly secretProperties: readonly string[] } | undefined {
  const isSocial = (socialProviders as readonly string[]).includes(provider)
  if (!isSocial && !directory.test(provider)) return undefined
  return {
    properties: isSocial ? ['ClientId'] : ['Authority', 'ClientId'],
    secretProperties: ['ClientSecret'],
  }
}

/** Members of a provider that it needs and does not have. */
export function missingOf({ name, properties, secretProperties }: ExternalProvider): string[] {
  const needed = neededOf(name)
  return [
    ...(needed?.properties ?? []).filter((property) => !properties[property]),
    ...(needed?.secretProperties ?? []).filter((property) => !secretProperties[property]),
  ]
}

/** An authority is reached by TLS; only one of this machine may do without. */
export function isAuthority(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === 'localhost')
}
