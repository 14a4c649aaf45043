import { connect, createServer } from 'node:net'
import type { App } from './app.js'
import { directServer, templates } from './test-databases.js'

/** What a client sent between two answers of PostgreSQL: the types of its messages, and all of its text. */
export interface Turn {
  readonly messages: readonly string[]
  readonly text: string
}

/** Stands between a host and PostgreSQL, and notes what is sent without waiting for an answer in between. */
export interface RecordingProxy {
  /** The address of a database, through the proxy. */
  through(databaseUrl: string): string
  /** The turns of all connections so far, in their order. */
  turns(): readonly Turn[]
  close(): Promise<void>
}

/** Starts a proxy before the server of a database address. */
export async function startRecordingProxy(databaseUrl: string): Promise<RecordingProxy> {
  const target = new URL(databaseUrl)
  const turns: Buffer[][] = []
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((near) => {
    const far = connect({ port: Number(target.port), host: target.hostname })
    let turn: Buffer[] | undefined
    near.on('data', (bytes: Buffer) => {
      if (!turn) {
        turn = []
        turns.push(turn)
      }
      turn.push(bytes)
    })
    far.on('data', () => {
      turn = undefined
    })
    near.pipe(far)
    far.pipe(near)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    through: (url) => {
      const address = new URL(url)
      address.hostname = '127.0.0.1'
      address.port = String(port)
      return address.href
    },
    turns: () => turns.map((turn) => turnOf(Buffer.concat(turn))),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** The settings with which another host reaches the databases of a host through the proxy. */
export function settingsThrough(proxy: RecordingProxy, { host }: App): Record<string, string> {
  const addresses = Object.keys(templates).map((name) => {
    const database = new URL(host.databaseUrl(name)).pathname.slice(1)
    return [`ConnectionStrings:${name}`, proxy.through(directServer.urlOf(database))]
  })
  return { ...Object.fromEntries(addresses), 'AuthServer:Authority': host.issuer.address }
}

/** Messages have a letter and their length; the one that begins a connection has no letter. */
function turnOf(bytes: Buffer): Turn {
  const messages: string[] = []
  for (let at = 0; at + 5 <= bytes.length && bytes[at] !== 0; at += 1 + bytes.readUInt32BE(at + 1))
    messages.push(String.fromCharCode(bytes[at] as number))
  return { messages, text: bytes.toString('latin1') }
}
