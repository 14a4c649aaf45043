import { createHash } from 'node:crypto'
import { Configuration as HostConfiguration, Injectable } from '@keel/framework'
import { OutwardAddresses, outwardFetch } from '@keel/framework/security'
import { type ExternalProvider, ExternalProviders } from '@keel/setting-management/contracts'
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import { type ExternalScheme, schemeOf } from './external-scheme.js'

/** What discovery and every later call may take. */
const timeoutSeconds = 10
/** What a provider publishes is asked for again after a day. */
const maxAgeMs = 24 * 3600_000

/** A provider that people can sign in with now. */
export interface ExternalClient {
  readonly scheme: ExternalScheme
  /** What openid-client knows of it. Rejects when the provider does not tell. */
  configuration(): Promise<Configuration>
}

interface Known {
  readonly hash: string
  readonly since: number
  readonly configuration: Promise<Configuration>
}

/**
 * The providers of the settings as they are at this moment: one that is switched on, off or changed counts from the next request on. What was
 * discovered is kept until the settings of the provider change.
 */
@Injectable()
export class ExternalClients {
  private readonly known = new Map<string, Known>()

  private readonly fetch: CustomFetch

  constructor(
    private readonly providers: ExternalProviders,
    configuration: HostConfiguration,
  ) {
    this.fetch = outwardFetch(new OutwardAddresses(configuration))
  }

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
    return { scheme, configuration: () => this.configurationOf(provider, scheme) }
  }

  private configurationOf(provider: ExternalProvider, scheme: ExternalScheme): Promise<Configuration> {
    const hash = createHash('sha256').update(JSON.stringify(provider)).digest('base64')
    const known = this.known.get(provider.name)
    if (known?.hash === hash && Date.now() - known.since < maxAgeMs) return known.configuration
    const configuration = configure(provider, scheme, this.fetch)
    const made = { hash, since: Date.now(), configuration }
    this.known.set(provider.name, made)
    // A failure is not kept: who tries again asks again.
    configuration.catch(() => {
      if (this.known.get(provider.name) === made) this.known.delete(provider.name)
    })
    return configuration
  }
}

async function configure(
  { properties, secretProperties }: ExternalProvider,
  { authority, metadata }: ExternalScheme,
  fetch: CustomFetch,
): Promise<Configuration> {
  const clientId = properties.ClientId ?? ''
  const auth = bySecret(secretProperties.ClientSecret ?? '')
  const address = authority ?? metadata?.issuer ?? ''
  // Only this machine may do without TLS: the settings allow no other such authority.
  const insecure = address.startsWith('http:') ? [allowInsecureRequests] : []
  if (metadata) {
    const configuration = new Configuration(metadata, clientId, undefined, auth)
    configuration.timeout = timeoutSeconds
    configuration[customFetch] = fetch
    for (const apply of insecure) apply(configuration)
    return configuration
  }
  // openid-client would believe an identity token without its signature where it comes of the token endpoint itself.
  const execute = [enableNonRepudiationChecks, ...insecure]
  return discovery(new URL(address), clientId, undefined, auth, {
    timeout: timeoutSeconds,
    execute,
    [customFetch]: fetch,
  })
}

/** Sends the secret as the provider takes it; without a word from it in the header, which is the standard's default. */
function bySecret(secret: string): ClientAuth {
  const [post, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, ...rest) => {
    const send = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ? post : basic
    return send(server, ...rest)
  }
}
