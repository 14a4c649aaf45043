import { defineSetting } from '@keel/framework/contracts'

const prefix = 'Abp.Account.ExternalProviders.'

/**
 * One setting for each external provider, encrypted: `Abp.Account.ExternalProviders.Google`,
 * `….OpenIdConnect.contoso`. Each holds {@link ExternalProvider} as JSON.
 */
export const ExternalProviderSettings = defineSetting(`${prefix}*`, {
  displayName: 'External providers',
  isEncrypted: true,
})

/** The setting of a provider. */
export function externalProviderSetting(provider: string): string {
  return prefix + provider
}

/** The provider of a setting; undefined for other settings. */
export function externalProviderOf(setting: string): string | undefined {
  return setting.startsWith(prefix) ? setting.slice(prefix.length) : undefined
}

/** Somebody else who says who a user is, with the credentials that we have there. */
export interface ExternalProvider {
  /**
   * Also the name of its scheme: that of an entry of `loginProviders`, or `OpenIdConnect.<name>` for a
   * directory.
   */
  readonly name: string
  readonly enabled: boolean
  /** By name; `loginProviders` tells which a provider has. */
  readonly properties: Readonly<Record<string, string>>
  /** `ClientSecret`. */
  readonly secretProperties: Readonly<Record<string, string>>
}

/** The stored values of external providers. */
export abstract class ExternalProviders {
  /** All that were ever set, with their secrets, by name. Those that are not enabled must not be offered. */
  abstract all(): Promise<readonly ExternalProvider[]>
  /** Replaces all. */
  abstract replace(providers: readonly ExternalProvider[]): Promise<void>
}
