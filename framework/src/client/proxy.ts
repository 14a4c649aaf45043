import type { AnyAppService, RemoteService } from '../contracts/index.js'
import { type ClientOptions, createClient } from './client.js'
import { baseUrlOf, type RemoteServiceSettings } from './remote-services.js'

/** How a proxy reaches its remote service: at `baseUrl`, else where `settings` say that the service is. */
export interface ProxyOptions extends Omit<ClientOptions, 'baseUrl'> {
  readonly baseUrl?: ClientOptions['baseUrl']
  /** Holds `RemoteServices:<name>:BaseUrl`, else `RemoteServices:Default:BaseUrl`. */
  readonly settings?: RemoteServiceSettings
}

/** The clients of a proxy, by the names it gives them. */
export type ProxyOf<S extends Readonly<Record<string, AnyAppService>>> = {
  readonly [K in keyof S]: InstanceType<S[K]>
}

/**
 * The contracts of a remote service as clients that share an address, a token and headers. Throws when neither `baseUrl` nor `settings` give
 * an address.
 * @example const createHubProxy = (options: ProxyOptions) => createProxy(Hub, { ports: PortAppService }, options)
 */
export function createProxy<const S extends Readonly<Record<string, AnyAppService>>>(
  service: RemoteService,
  contracts: S,
  { settings = {}, ...options }: ProxyOptions,
): ProxyOf<S> {
  const baseUrl = options.baseUrl ?? baseUrlOf(service.name, settings)
  const clients = Object.entries(contracts).map(([name, contract]) => [
    name,
    createClient(contract, { ...options, baseUrl }),
  ])
  return Object.fromEntries(clients) as ProxyOf<S>
}
