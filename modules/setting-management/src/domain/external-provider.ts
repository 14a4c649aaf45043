import type { ExternalProvider } from '../contracts/index.js'

/** The providers that are always offered. Any number of directories join them, each as `OpenIdConnect.<name>`. */
export const socialProviders = ['Google', 'Microsoft', 'GitHub'] as const

const directory = /^OpenIdConnect\.[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** The members of a provider. */
export interface ProviderMembers {
  /** Without these it can't be enabled. */
  readonly properties: readonly string[]
  readonly secretProperties: readonly string[]
  /** Those it may have besides. */
  readonly optional: readonly string[]
}

/** What a provider is told; undefined for a name that is no provider's. */
export function neededOf(provider: string): ProviderMembers | undefined {
  const secretProperties = ['ClientSecret']
  if ((socialProviders as readonly string[]).includes(provider)) {
    // Google has one address; a company may have a GitHub of its own, and a tenant of Microsoft's.
    const optional = provider === 'Google' ? [] : ['Authority']
    return { properties: ['ClientId'], secretProperties, optional }
  }
  if (!directory.test(provider)) return undefined
  const optional = ['DisplayName', 'TrustedEmailDomains']
  return { properties: ['Authority', 'ClientId'], secretProperties, optional }
}

/** Members of a provider that it needs and does not have. */
export function missingOf({ name, properties, secretProperties }: ExternalProvider): string[] {
  const needed = neededOf(name)
  return [
    ...(needed?.properties ?? []).filter((property) => !properties[property]),
    ...(needed?.secretProperties ?? []).filter((property) => !secretProperties[property]),
  ]
}
