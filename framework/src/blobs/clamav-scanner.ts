import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { UnavailableError, z } from '../contracts/index.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'
import type { HealthState } from '../modularity/health-check.js'
import { FileScanner, type ScanVerdict } from './file-scanner.js'

/** The scanner that looks for malware in uploaded files. */
export const FileScanning = configurationSection('FileScanner', {
  /** Host name of a `clamd` that listens on TCP, or of another scanner that speaks its protocol. Without it files are not scanned. */
  host: z.string().min(1).optional(),
  /** The port of the scanner. */
  port: z.int().min(1).max(65_535).default(3310),
  /** The longest time that the scan of a file may take. */
  timeoutMs: z.number().positive().max(3_600_000).default(120_000),
})

const retryAfterSeconds = 30
const pingMs = 2000
/** An answer is one short line. */
const mostAnswerBytes = 4096
/** `clamd` scans chunks as they come; the limit of a chunk is that of the whole stream. */
const mostChunkBytes = 64 * 1024

/** Scans files with ClamAV's daemon, a connection per file. @see man page clamd(8): INSTREAM, PING */
export class ClamAvScanner extends FileScanner {
  readonly isConfigured = true
  private readonly host: string
  private readonly port: number
  private readonly timeoutMs: number

  constructor(configuration: Configuration) {
    super()
    const { host = 'localhost', port, timeoutMs } = configuration.read(FileScanning)
    this.host = host
    this.port = port
    this.timeoutMs = timeoutMs
  }

  async scan(content: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<ScanVerdict> {
    return verdictOf(await this.ask('zINSTREAM\0', this.timeoutMs, chunksOf(content), signal))
  }

  /** Healthy when the scanner answers. */
  async state(): Promise<HealthState> {
    const answer = await this.ask('zPING\0', pingMs).catch(() => undefined)
    return answer === 'PONG'
      ? { status: 'Healthy' }
      : { status: 'Degraded', description: 'The file scanner does not answer: uploaded files wait for it.' }
  }

  private async ask(
    command: string,
    timeoutMs: number,
    body?: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<string> {
    const socket = connect({ host: this.host, port: this.port })
    const end = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
    const stop = () => socket.destroy(end.reason as Error)
    end.addEventListener('abort', stop, { once: true })
    const answer = answerOn(socket)
    try {
      socket.write(command)
      if (!body) return await answer
      // The scanner may answer and hang up before it has everything.
      const sent = pipeline(body, socket, { end: false })
      return await Promise.race([
        answer,
        sent.then(
          () => answer,
          (error) => answerOr(answer, error),
        ),
      ])
    } catch (error) {
      throw scannerFailed(error)
    } finally {
      end.removeEventListener('abort', stop)
      socket.destroy()
    }
  }
}

/** The text that comes on a connection up to its zero byte. Rejects when the connection ends without any. */
function answerOn(socket: Socket): Promise<string> {
  const answer = new Promise<string>((resolve, reject) => {
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      text += piece
      const end = text.indexOf('\0')
      if (end >= 0) resolve(text.slice(0, end))
      else if (text.length > mostAnswerBytes) reject(new Error('The answer of the file scanner has no end.'))
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('The file scanner closed the connection without an answer.')))
  })
  answer.catch(() => undefined)
  return answer
}

/** The answer that came although not everything could be sent; else the error of sending. */
async function answerOr(answer: Promise<string>, error: unknown): Promise<string> {
  try {
    return await answer
  } catch {
    throw error
  }
}

/** The frames of INSTREAM: each has its length in four bytes, big-endian, before it; one of length 0 is the end. */
async function* chunksOf(content: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const piece of content)
    for (let start = 0; start < piece.length; start += mostChunkBytes) {
      const chunk = piece.subarray(start, start + mostChunkBytes)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(chunk.length)
      yield length
      yield chunk
    }
  yield Buffer.alloc(4)
}

function verdictOf(answer: string): ScanVerdict {
  if (/^stream: OK$/.test(answer)) return { isClean: true }
  const [, found] = /^stream: (.+) FOUND$/.exec(answer) ?? []
  // A file beyond `StreamMaxLength` of the daemon will not get any smaller.
  const [, limit] = /^(.*size limit exceeded)\.? ERROR$/.exec(answer) ?? []
  const reason = found ?? limit
  if (reason === undefined) throw scannerFailed(answer)
  return { isClean: false, reason: reason.replace(/[^ -~]/g, '?').slice(0, 200) }
}

function scannerFailed(cause: unknown): UnavailableError {
  return new UnavailableError('The file scanner does not answer, or fails.', retryAfterSeconds, {
    cause,
    text: { key: 'Files:ScannerUnavailable' },
  })
}
