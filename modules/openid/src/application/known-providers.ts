import { createHash } from 'node:crypto'
import { Clock, Configuration as HostConfiguration, Injectable } from '@keel/framework'
import { OutwardAddresses, outwardFetch } from '@keel/framework/security'
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  customFetch,
  type DiscoveryRequestOptions,
  enableNonRepudiationChecks,
} from 'openid-client'

/** The time limit of discovery and of every later call. */
export const timeoutSeconds = 10

/** The published configuration of a provider is fetched again after a day. */
const maxAgeMs = 24 * 3600_000

interface Known {
  readonly hash: string
  readonly sinceMs: number
  readonly configuration: Promise<Configuration>
}

/**
 * The published configurations of other providers, kept until their settings change. They are reached only
 * where {@link OutwardAddresses} allows it.
 */
@Injectable()
export class KnownProviders {
  /** A `fetch` for addresses of providers; it follows no redirects. */
  readonly fetch: CustomFetch
  private readonly known = new Map<string, Known>()

  constructor(
    private readonly clock: Clock,
    configuration: HostConfiguration,
  ) {
    this.fetch = outwardFetch(new OutwardAddresses(configuration))
  }

  /**
   * The configuration made of these settings before, else the one that `make` makes now. A failure is not
   * kept: the next caller tries again.
   */
  get(name: string, settings: unknown, make: () => Promise<Configuration>): Promise<Configuration> {
    const hash = createHash('sha256').update(JSON.stringify(settings)).digest('base64')
    const known = this.known.get(name)
    if (known?.hash === hash && this.clock.nowMs - known.sinceMs < maxAgeMs) return known.configuration
    const made = { hash, sinceMs: this.clock.nowMs, configuration: make() }
    this.known.set(name, made)
    made.configuration.catch(() => {
      if (this.known.get(name) === made) this.known.delete(name)
    })
    return made.configuration
  }

  /**
   * How a provider is discovered and spoken to. Only this machine may do without TLS: the settings allow no
   * other such authority.
   */
  optionsFor(address: string): DiscoveryRequestOptions {
    const insecure = address.startsWith('http:') ? [allowInsecureRequests] : []
    // openid-client would believe an identity token without its signature where it comes of the token
    // endpoint itself.
    const execute = [enableNonRepudiationChecks, ...insecure]
    return { timeout: timeoutSeconds, execute, [customFetch]: this.fetch }
  }
}

/** Sends the secret as the provider takes it: in the header by default, which is the standard's. */
export function authenticateBySecret(secret: string): ClientAuth {
  const [post, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, ...rest) => {
    const send = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ? post : basic
    return send(server, ...rest)
  }
}
