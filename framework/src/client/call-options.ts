import type { CallOptions } from './exchange.js'

type Adjust = (more: CallOptions) => object

const adjustments = new WeakMap<object, Adjust>()

/** Remembers how a client is made with other options, for {@link withOptions}. */
export function adjustable<T extends object>(client: T, adjust: (more: CallOptions) => T): T {
  adjustments.set(client, adjust)
  return client
}

/**
 * A client, or a whole proxy, with other options for its calls; the given one stays as it is. Throws for what
 * is no client.
 * @example await withOptions(hub.shipments, { signal: controller.signal, timeoutMs: 5_000 }).getList({})
 */
export function withOptions<T extends object>(client: T, options: CallOptions): T {
  const adjust = adjustments.get(client)
  if (adjust) return adjust(options) as T
  const members = Object.entries(client as Record<string, unknown>)
  if (!members.length || members.some(([, member]) => typeof member !== 'object' || member === null))
    throw new TypeError('withOptions takes a client, or a proxy of clients')
  return Object.fromEntries(
    members.map(([name, member]) => [name, withOptions(member as object, options)]),
  ) as T
}
