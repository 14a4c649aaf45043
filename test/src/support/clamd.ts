import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** The test file that every scanner finds, in two parts: none shall find it here. @see eicar.org */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

/** What the stand-in does with a file: `scans`, `fails` with an error, or `hangs` without an answer. */
export type ClamdMood = 'scans' | 'fails' | 'hangs'

/** A stand-in for ClamAV's daemon that speaks its protocol. */
export interface Clamd {
  readonly port: number
  mood: ClamdMood
  /** The sizes of the files that came as a whole. */
  readonly sizes: readonly number[]
  /** Connections that are open. */
  readonly open: number
  close(): Promise<void>
}

/**
 * Starts a stand-in for `clamd`: the commands PING and INSTREAM with a zero byte at their end, chunks with their length before them, and a limit of the
 * stream, beyond which it answers and hangs up as `clamd` does.
 * @see man page clamd(8)
 */
export async function startClamd(streamMaxLength: number): Promise<Clamd> {
  const sizes: number[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    serve(socket).catch(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clamd = {
    port: (server.address() as { port: number }).port,
    mood: 'scans' as ClamdMood,
    sizes,
    get open() {
      return sockets.size
    },
    async close() {
      if (!server.listening) return
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return clamd

  async function serve(socket: Socket): Promise<void> {
    const read = reader(socket)
    const command = await read.upToZero()
    if (command === 'zPING') socket.end('PONG\0')
    else if (command === 'zINSTREAM') await scan(socket, read)
    else socket.end('UNKNOWN COMMAND\0')
  }

  async function scan(socket: Socket, read: ReturnType<typeof reader>): Promise<void> {
    const chunks: Buffer[] = []
    let size = 0
    for (;;) {
      const length = (await read.bytes(4)).readUInt32BE()
      if (length === 0) break
      size += length
      if (size > streamMaxLength) {
        socket.end('INSTREAM size limit exceeded. ERROR\0')
        return
      }
      chunks.push(await read.bytes(length))
    }
    sizes.push(size)
    if (clamd.mood === 'hangs') return
    if (clamd.mood === 'fails') socket.end('stream: Error reading file ERROR\0')
    else if (Buffer.concat(chunks).includes(eicar)) socket.end('stream: Win.Test.EICAR_HDB-1 FOUND\0')
    else socket.end('stream: OK\0')
  }
}

function reader(socket: Socket) {
  const pieces = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let rest = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const { value, done } = await pieces.next()
    if (done) throw new Error('The connection ended.')
    rest = Buffer.concat([rest, value])
  }
  return {
    async bytes(count: number): Promise<Buffer> {
      while (rest.length < count) await more()
      const taken = rest.subarray(0, count)
      rest = rest.subarray(count)
      return taken
    },
    async upToZero(): Promise<string> {
      while (!rest.includes(0)) await more()
      const end = rest.indexOf(0)
      const text = rest.toString('latin1', 0, end)
      rest = rest.subarray(end + 1)
      return text
    },
  }
}
