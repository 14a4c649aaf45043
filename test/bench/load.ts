import { readFileSync } from 'node:fs'
import net from 'node:net'

/** The next request of a connection, by its number, as the bytes to send. */
export type RequestBytes = (connection: number) => string

/** What a load saw. */
export interface LoadResult {
  /** How many were answered. */
  readonly requests: number
  readonly requestsPerSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** CPU time of the server per request in µs, its database not included; undefined where /proc does not tell. */
  readonly cpuMicroseconds: number | undefined
  readonly bytes: number
  readonly errors: number
}

/** The bytes of an HTTP/1.1 request. */
export function requestBytes(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): string {
  const all = {
    host: `localhost:${port}`,
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    ...headers,
    ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/**
 * Sends requests over plain sockets, one at a time on each, for a number of seconds after a warm-up. Plain sockets because any HTTP client
 * would cost more than the servers that are measured.
 */
export async function load(options: {
  /** Of the server, or of its copies: connections are spread over them. */
  port: number | readonly number[]
  pid: number | readonly number[]
  connections: number
  seconds: number
  warmUpSeconds: number
  next: RequestBytes
  /** Told what a connection was answered, where the next request depends on it. */
  answered?: (connection: number, answer: string) => void
  /** Lets this process sleep while it waits: fairer to servers that keep all cores busy by themselves, their database among them. */
  sleeps?: boolean
}): Promise<LoadResult> {
  await run(options, options.warmUpSeconds)
  const cpuBefore = cpuSecondsOf([options.pid].flat())
  const seen = await run(options, options.seconds)
  const cpuAfter = cpuSecondsOf([options.pid].flat())
  const sorted = Float64Array.from(seen.latencies).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const count = sorted.length
  return {
    requests: count,
    requestsPerSecond: count / seen.seconds,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    cpuMicroseconds:
      cpuBefore === undefined || cpuAfter === undefined ? undefined : ((cpuAfter - cpuBefore) * 1e6) / count,
    bytes: seen.bytes / count,
    errors: seen.errors,
  }
}

interface Seen {
  latencies: number[]
  bytes: number
  errors: number
  seconds: number
}

async function run(options: Parameters<typeof load>[0], seconds: number): Promise<Seen> {
  const seen: Seen = { latencies: [], bytes: 0, errors: 0, seconds }
  const began = performance.now()
  const end = began + seconds * 1000
  const sleep = options.sleeps ? () => undefined : stayAwake()
  await Promise.all(
    Array.from({ length: options.connections }, (_unused, number) => connection(options, number, end, seen)),
  )
  sleep()
  return { ...seen, seconds: (performance.now() - began) / 1000 }
}

/**
 * Keeps this process from waiting for its sockets until the returned function is called. Waking a sleeping process costs the one that sends
 * it something: on virtual machines more than a small request, and only the servers that are slow enough for us to fall asleep would pay.
 */
function stayAwake(): () => void {
  let isOver = false
  const turn = (): void => {
    if (!isOver) setImmediate(turn)
  }
  turn()
  return () => {
    isOver = true
  }
}

function connection(
  { port, next, answered }: Parameters<typeof load>[0],
  number: number,
  end: number,
  seen: Seen,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const ports = [port].flat()
    const socket = net.connect(ports[number % ports.length] as number, '127.0.0.1')
    let sentAt = 0
    let received = 0
    let expected = -1
    let head = ''
    let answer = ''
    const send = (): void => {
      if (performance.now() >= end) {
        socket.destroy()
        resolve()
        return
      }
      sentAt = performance.now()
      received = 0
      expected = -1
      head = ''
      answer = ''
      socket.write(next(number))
    }
    socket.setNoDelay(true)
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      received += chunk.length
      if (answered) answer += chunk.toString('latin1')
      if (expected < 0) {
        head += chunk.toString('latin1', 0, Math.min(chunk.length, 4096))
        const headEnd = head.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        if (!/^HTTP\/1\.1 2/.test(head)) seen.errors += 1
        expected = headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      }
      if (received < expected) return
      seen.latencies.push(performance.now() - sentAt)
      seen.bytes += received
      answered?.(number, answer)
      send()
    })
  })
}

/** User and system time of processes so far, from Linux' /proc. */
export function cpuSecondsOf(pids: readonly number[]): number | undefined {
  try {
    let seconds = 0
    for (const pid of pids) {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      seconds += (Number(fields[11]) + Number(fields[12])) / 100
    }
    return seconds
  } catch {
    return undefined
  }
}
