import { comparableArguments, type OperationName, operationNameOf } from '@keel/framework/client'
import type { QueryKey } from '@tanstack/react-query'

/** An operation of a proxy, such as `hub.shipments.get`. */
// biome-ignore lint/suspicious/noExplicitAny: operations of all inputs
export type Call<A extends any[] = any[], R = unknown> = (...args: A) => Promise<R>

function nameOf(call: object): OperationName {
  const name = operationNameOf(call)
  if (!name)
    throw new TypeError(
      'This function is no operation of a proxy: pass what holds it to nameOperations first.',
    )
  return name
}

/**
 * The key of an operation's cached answer. It names the remote service, not the host: pages that call several hosts, or as several users, have a
 * `QueryClient` for each.
 * @example client.setQueryData(keyOf(hub.shipments.get, id), shipment)
 */
export function keyOf<A extends unknown[]>(call: Call<A>, ...args: A): QueryKey {
  return [...nameOf(call), ...comparableArguments(call, args)]
}

/** The key of all cached answers of an operation's service, and of the entity set that its proxy has under the same name. */
export function serviceKeyOf(call: Call): QueryKey {
  return nameOf(call).slice(0, 2)
}
