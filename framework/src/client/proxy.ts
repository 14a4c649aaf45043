import { type AnyAppService, type AnyDto, pascalCase, type RemoteService } from '../contracts/index.js'
import { adjustable } from './call-options.js'
import { type ClientOptions, createClient } from './client.js'
import { createEntitySetClient, type EntitySetClient } from './entity-set-client.js'
import { nameOperations } from './operation-names.js'
import { baseUrlOf, type RemoteServiceSettings } from './remote-services.js'

/** How a proxy reaches its remote service: at `baseUrl`, else where `settings` say that the service is. */
export interface ProxyOptions extends Omit<ClientOptions, 'baseUrl'> {
  readonly baseUrl?: ClientOptions['baseUrl']
  /** Holds `RemoteServices:<name>:BaseUrl`, else `RemoteServices:Default:BaseUrl`. */
  readonly settings?: RemoteServiceSettings
}

/**
 * The members of a proxy: a service, the rows of an entity set, or both. A set is named like the member, with
 * a capital letter: `codeEntities` queries `/odata/CodeEntities`. `set` is its name
 * where that differs.
 */
export type ProxyMembers = Readonly<
  Record<string, { readonly service?: AnyAppService; readonly rows?: AnyDto; readonly set?: string }>
>

/** The clients of a proxy, by the names it gives them. */
export type ProxyOf<M extends ProxyMembers> = {
  readonly [K in keyof M]: (M[K] extends { readonly service: infer S extends AnyAppService }
    ? InstanceType<S>
    : unknown) &
    (M[K] extends { readonly rows: infer D extends AnyDto } ? EntitySetClient<D> : unknown)
}

/**
 * The services and entity sets of a remote service as clients that share an address, a token and headers. Throws when neither `baseUrl` nor
 * `settings` give an address.
 * @example
 * const hub = createProxy(Hub, { ports: { service: PortAppService, rows: PortDto } }, options)
 * await hub.ports.getList({})
 * await hub.ports.query((q) => q.top(10))
 */
export function createProxy<const M extends ProxyMembers>(
  remote: RemoteService,
  members: M,
  { settings = {}, ...given }: ProxyOptions,
): ProxyOf<M> {
  const options = { ...given, baseUrl: given.baseUrl ?? baseUrlOf(remote.name, settings) }
  const clients = Object.entries(members).map(([name, member]) => [
    name,
    memberClient(remote.name, name, member, options),
  ])
  return Object.fromEntries(clients) as ProxyOf<M>
}

function memberClient(
  remote: string,
  name: string,
  member: ProxyMembers[string],
  options: ClientOptions,
): object {
  const { service, rows, set } = member
  const client = {
    ...(service && createClient(service, options)),
    ...(rows && createEntitySetClient(set ?? pascalCase(name), rows, options, remote)),
  }
  return adjustable(nameOperations(remote, name, client), (more) =>
    memberClient(remote, name, member, { ...options, ...more }),
  )
}
