import { Injectable } from '@keel/framework'
import { type ExternalProvider, ExternalProviders } from '@keel/setting-management/contracts'
import { allowInsecureRequests, Configuration, customFetch, discovery } from 'openid-client'
import { authenticateBySecret, KnownProviders, timeoutSeconds } from '../../application/known-providers.js'
import { type ExternalScheme, schemeOf } from './external-scheme.js'

/** A provider that people can sign in with now. */
export interface ExternalClient {
  readonly scheme: ExternalScheme
  /** The configuration of openid-client. Rejects when the provider can't be discovered. */
  configuration(): Promise<Configuration>
}

/**
 * The providers of the settings as they are at this moment: one that is switched on, off or changed counts
 * from the next request on. What was discovered is kept until the settings of the provider change.
 */
@Injectable()
export class ExternalClients {
  constructor(
    private readonly providers: ExternalProviders,
    private readonly known: KnownProviders,
  ) {}

  /** Those that are switched on. */
  async all(): Promise<ExternalClient[]> {
    const enabled = (await this.providers.all()).filter((provider) => provider.enabled)
    return enabled.flatMap((provider) => this.clientOf(provider) ?? [])
  }

  async find(name: string): Promise<ExternalClient | undefined> {
    return (await this.all()).find(({ scheme }) => scheme.name === name)
  }

  private clientOf(provider: ExternalProvider): ExternalClient | undefined {
    const scheme = schemeOf(provider)
    if (!scheme || !provider.properties.ClientId || !provider.secretProperties.ClientSecret) return undefined
    const configure = () => this.configure(provider, scheme)
    return { scheme, configuration: () => this.known.get(provider.name, provider, configure) }
  }

  private async configure(
    { properties, secretProperties }: ExternalProvider,
    { authority = '', oauth }: ExternalScheme,
  ): Promise<Configuration> {
    const clientId = properties.ClientId ?? ''
    const auth = authenticateBySecret(secretProperties.ClientSecret ?? '')
    if (oauth) {
      const configuration = new Configuration({ ...oauth.metadata }, clientId, undefined, auth)
      configuration.timeout = timeoutSeconds
      configuration[customFetch] = this.known.fetch
      if (oauth.metadata.issuer.startsWith('http:')) allowInsecureRequests(configuration)
      return configuration
    }
    return discovery(new URL(authority), clientId, undefined, auth, this.known.optionsFor(authority))
  }
}
