import { connect, createServer } from 'node:net'

/**
 * True when no process listens on `port`, on IPv4 or IPv6, and a server may bind it on `host` (by default:
 * everywhere).
 */
export async function isPortFree(port: number, host?: string): Promise<boolean> {
  // Binding alone is not enough: some systems let 127.0.0.1 be bound beside a listener on all addresses.
  const answers = await Promise.all(['127.0.0.1', '::1'].map((address) => accepts(port, address)))
  return !answers.includes(true) && (await binds(port, host))
}

/** The first free port from `wanted` upwards; refused when a hundred in a row are taken. */
export async function nextFreePort(wanted: number, host?: string): Promise<number> {
  for (let port = wanted; port < wanted + 100; port++) if (await isPortFree(port, host)) return port
  throw new Error(`no free port between ${wanted} and ${wanted + 99}`)
}

function accepts(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1000 })
    const answer = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.once('connect', () => answer(true))
    socket.once('timeout', () => answer(false))
    socket.once('error', () => answer(false))
  })
}

function binds(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
