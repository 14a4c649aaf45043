import type http from 'node:http'
import type { Logger } from '../../modularity/logging.js'

/**
 * Clients behind one address that say a proxy stands in between: one can forge the header, and a few may have
 * proxies of their own.
 */
const manyClients = 10
/** Addresses that are watched; those after them are not. */
const mostAddresses = 100

/**
 * Warns once when many clients come from one address and `X-Forwarded-For` names them, though no proxy is
 * trusted: limits and logs take all of them for one. Costs a request the look at one header, and nothing once
 * it has warned.
 */
export function watchForUntrustedProxy(server: http.Server, logger: Logger): void {
  const clientsOf = new Map<string, Set<string>>()
  server.on('request', look)

  function look({ headers, socket }: http.IncomingMessage): void {
    const forwarded = headers['x-forwarded-for']
    const address = socket.remoteAddress
    if (forwarded === undefined || address === undefined) return
    const clients = clientsOf.get(address) ?? new Set()
    if (clients.size === 0 && clientsOf.size === mostAddresses) return
    clientsOf.set(address, clients.add(lastOf(String(forwarded))))
    if (clients.size < manyClients) return
    server.off('request', look)
    clientsOf.clear()
    logger.warn(
      { address, clients: manyClients },
      'many clients share one address and X-Forwarded-For tells them apart, but no proxy is trusted: limits and logs take them for one; when the address is a proxy of yours, set App:TrustedProxies',
    )
  }
}

/** The client that the nearest proxy saw, no longer than an address is. */
function lastOf(forwarded: string): string {
  return forwarded
    .slice(forwarded.lastIndexOf(',') + 1)
    .trim()
    .slice(0, 45)
}
