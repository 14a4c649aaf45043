import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that a host under test writes its text messages to. */
export interface SmsFolder {
  readonly path: string
  /** The texts to a number once there are so many, oldest first. */
  to(phoneNumber: string, count?: number): Promise<string[]>
  /** The code of the latest of so many messages. */
  codeTo(phoneNumber: string, count?: number): Promise<string>
  remove(): Promise<void>
}

export async function createSmsFolder(): Promise<SmsFolder> {
  const path = await mkdtemp(join(tmpdir(), 'keel-sms-'))
  return { path, to, codeTo, remove: () => rm(path, { recursive: true, force: true }) }

  async function to(phoneNumber: string, count = 1): Promise<string[]> {
    // Messages are sent behind the answer.
    for (const end = Date.now() + 10_000; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const head = `To: ${phoneNumber}\n\n`
      const found = (await all()).flatMap((one) => (one.startsWith(head) ? [one.slice(head.length)] : []))
      if (found.length >= count) return found
      if (Date.now() > end) throw new Error(`${found.length} of ${count} messages to ${phoneNumber} came`)
    }
  }

  async function codeTo(phoneNumber: string, count?: number): Promise<string> {
    return /\b\d{6}\b/.exec((await to(phoneNumber, count)).at(-1) ?? '')?.[0] ?? ''
  }

  async function all(): Promise<string[]> {
    const names = (await readdir(path)).filter((name) => name.endsWith('.txt')).sort()
    return Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))
  }
}
