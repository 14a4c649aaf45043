import type http from 'node:http'
import type { Socket } from 'node:net'

/** Time between two looks; who is too slow at two of them in a row is cut off. */
const lookMs = 5000

interface Progress {
  readonly written: number
  readonly queued: number
  readonly isSlow: boolean
}

/**
 * How many bytes the system has not taken yet of what it was given; Node has no other word for progress
 * within a large chunk.
 */
const queuedIn = (socket: Socket): number =>
  (socket as unknown as { _handle?: { writeQueueSize?: number } })._handle?.writeQueueSize ?? 0

/**
 * Cuts off connections whose clients take what is waiting for them more slowly than a minimum: an answer that
 * nobody takes is memory, and often something scarcer, that others could use.
 */
export function cutSlowReaders(server: http.Server, minBytesPerSecond: number): void {
  const sockets = new Map<Socket, Progress | undefined>()
  server.on('connection', (socket) => {
    sockets.set(socket, undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  const least = (minBytesPerSecond * lookMs) / 1000
  const look = setInterval(() => {
    for (const [socket, before] of sockets) {
      if (socket.writableLength === 0) {
        if (before) sockets.set(socket, undefined)
        continue
      }
      const now = { written: socket.bytesWritten - socket.writableLength, queued: queuedIn(socket) }
      const taken = before && now.written - before.written + Math.max(before.queued - now.queued, 0)
      const isSlow = taken !== undefined && taken < least
      if (isSlow && before?.isSlow) socket.destroy()
      else sockets.set(socket, { ...now, isSlow })
    }
  }, lookMs)
  look.unref()
  server.once('close', () => clearInterval(look))
}
