import type { AnyAppService, AnyDto, RemoteService } from '../contracts/index.js'
import { type ClientOptions, createClient } from './client.js'
import { createEntitySetClient, type EntitySetClient } from './entity-set-client.js'
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

/** Entity sets that a proxy queries: the name under `/odata`, and the DTO that their rows are read into. */
export type EntitySets = Readonly<Record<string, readonly [name: string, dto: AnyDto]>>

/**
 * Entity sets of a remote service as clients, by the names a proxy gives them.
 * @example createEntitySets(Hub, { ports: ['Ports', PortDto] }, options).ports.query((q) => q.top(10))
 */
export function createEntitySets<const S extends EntitySets>(
  service: RemoteService,
  sets: S,
  { settings = {}, ...options }: ProxyOptions,
): { readonly [K in keyof S]: EntitySetClient<S[K][1]> } {
  const baseUrl = options.baseUrl ?? baseUrlOf(service.name, settings)
  const clients = Object.entries(sets).map(([key, [name, dto]]) => [
    key,
    createEntitySetClient(name, dto, { ...options, baseUrl }),
  ])
  return Object.fromEntries(clients) as { readonly [K in keyof S]: EntitySetClient<S[K][1]> }
}

/** Two groups of clients as one: what has the same name in both has the members of both. */
export function joinClients<A extends object, B extends object>(first: A, second: B): A & B {
  const joined: Record<string, object> = { ...(first as Record<string, object>) }
  for (const [name, client] of Object.entries(second))
    joined[name] = { ...joined[name], ...(client as object) }
  return joined as A & B
}
