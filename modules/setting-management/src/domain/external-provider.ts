import { type ExternalProvider, findLoginProvider, loginProviders } from '../contracts/index.js'

/** The providers that are always offered. Administrators add any number to a family (`OpenIdConnect.<name>`). */
export const socialProviders = loginProviders.filter(({ isFamily }) => !isFamily).map(({ name }) => name)

/** The names that a provider can have, for messages. */
export const providerNames = loginProviders
  .map(({ name, isFamily }) => (isFamily ? `${name}<name>` : name))
  .join(', ')

/** The members of a provider. */
export interface ProviderMembers {
  /** Without these it can't be enabled. */
  readonly properties: readonly string[]
  readonly secretProperties: readonly string[]
  /** Members that it may have besides. */
  readonly optional: readonly string[]
}

/** The members of a provider by its name; undefined for a name that no provider has. */
export function membersOf(name: string): ProviderMembers | undefined {
  const { provider } = findLoginProvider(name) ?? {}
  return (
    provider && {
      properties: provider.required,
      secretProperties: ['ClientSecret'],
      optional: provider.optional,
    }
  )
}

/** Members that a provider needs and does not have. */
export function missingOf({ name, properties, secretProperties }: ExternalProvider): string[] {
  const needed = membersOf(name)
  return [
    ...(needed?.properties ?? []).filter((property) => !properties[property]),
    ...(needed?.secretProperties ?? []).filter((property) => !secretProperties[property]),
  ]
}
