import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A message as an SMTP server got it. */
export interface ReceivedMail {
  readonly from: string
  /** Of the envelope. */
  readonly recipients: readonly string[]
  /** Lower-case names with their values, unfolded, as they came. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The first 200,000 characters, with the headers. */
  readonly source: string
  /** Of the whole message, as it came. */
  readonly bytes: number
  /** SHA-256 of the decoded lines of base64 in the last part that has at least 100,000 of them. */
  readonly largeFile?: string
}

/** An SMTP server on a free port, which keeps what it gets. */
export interface MailServer {
  readonly received: ReceivedMail[]
  /** For a host that sends its mail there. */
  readonly settings: Record<string, string>
  close(): Promise<void>
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      void read(stream).then((message) => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          recipients: rcptTo.map(({ address }) => address),
          ...message,
        })
        done()
      }, done)
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    settings: { 'Mail:Delivery': 'Smtp', 'Settings:Abp.Mailing.Smtp.Port': String(port) },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const kept = 200_000

/** Reads a message without keeping it: base64 of a large part is decoded line by line, into a digest. */
async function read(stream: Readable): Promise<Omit<ReceivedMail, 'from' | 'recipients'>> {
  let [source, bytes, lines, rest] = ['', 0, 0, '']
  let digest = createHash('sha256')
  for await (const chunk of stream) {
    const text = (chunk as Buffer).toString('utf8')
    bytes += (chunk as Buffer).length
    if (source.length < kept) source += text
    const split = (rest + text).split('\r\n')
    rest = split.pop() ?? ''
    for (const line of split) {
      if (lines < 100_000 && line.length !== 76) {
        ;[lines, digest] = [0, createHash('sha256')]
        continue
      }
      if (line === '' || line.startsWith('--')) continue
      digest.update(Buffer.from(line, 'base64'))
      lines += 1
    }
  }
  const [head = ''] = source.split('\r\n\r\n')
  const headers = head
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map(
      (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const,
    )
  return {
    source: source.slice(0, kept),
    bytes,
    headers,
    ...(lines >= 100_000 && { largeFile: digest.digest('hex') }),
  }
}
