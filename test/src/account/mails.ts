import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A mail as its reader sees it. */
export interface ReadMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A folder that a host under test writes its mail to. */
export interface MailFolder {
  readonly path: string
  /** The mails to an address once there are so many, oldest first. */
  to(address: string, count?: number): Promise<ReadMail[]>
  remove(): Promise<void>
}

export async function createMailFolder(): Promise<MailFolder> {
  const path = await mkdtemp(join(tmpdir(), 'keel-mail-'))
  return { path, to, remove: () => rm(path, { recursive: true, force: true }) }

  async function to(address: string, count = 1): Promise<ReadMail[]> {
    // Mail is sent behind the answer.
    for (const end = Date.now() + 10_000; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const found = (await all()).filter((mail) => mail.to === address)
      if (found.length >= count) return found
      if (Date.now() > end) throw new Error(`${found.length} of ${count} mails to ${address} came`)
    }
  }

  async function all(): Promise<ReadMail[]> {
    const names = (await readdir(path)).filter((name) => name.endsWith('.eml')).sort()
    return Promise.all(names.map(async (name) => readMail(await readFile(join(path, name), 'utf8'))))
  }
}

/** Reads what the mailer writes: two alternatives, each as it is, in quoted-printable or in base64. */
function readMail(source: string): ReadMail {
  const [head = ''] = source.split('\r\n\r\n')
  const header = (name: string) =>
    decodeWords(
      new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(head)?.[1]?.replace(/\r\n[ \t]/g, ' ') ?? '',
    )
  const part = (type: string) => {
    const [, fields = '', body = ''] =
      new RegExp(`\r\nContent-Type: ${type}[^\r]*((?:\r\n[^\r]+)*)\r\n\r\n([^]*?)\r\n----`, 'i').exec(
        source,
      ) ?? []
    if (/base64/i.test(fields)) return Buffer.from(body, 'base64').toString('utf8')
    if (/quoted-printable/i.test(fields)) return decodeQuotedPrintable(body)
    return body
  }
  return {
    to: header('To'),
    subject: header('Subject'),
    text: part('text/plain').replaceAll('\r\n', '\n'),
    html: part('text/html'),
  }
}

function decodeQuotedPrintable(body: string): string {
  const bytes = body
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** RFC 2047. */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?(.*?)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodeQuotedPrintable(text.replaceAll('_', ' ')),
    )
}
