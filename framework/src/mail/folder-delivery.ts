import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SendMailOptions } from 'nodemailer'

/** Writes messages as `.eml` files, which mail programs open; nobody else may read them, for they carry links that sign in. */
export class FolderDelivery {
  private readonly folder: string

  constructor(folder: string) {
    this.folder = resolve(folder)
  }

  /** Writes a message and answers its path. */
  async deliver(message: SendMailOptions): Promise<string> {
    const content = await composed(message)
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
    const path = join(this.folder, name)
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    try {
      await pipeline(content, createWriteStream(`${path}.part`, { mode: 0o600, flags: 'wx' }))
    } catch (error) {
      await rm(`${path}.part`, { force: true })
      throw error
    }
    // Renamed when complete: programs that watch the folder never see a part of a file.
    await rename(`${path}.part`, path)
    return path
  }
}

/** Writes a message to nowhere. */
export async function throwAway(message: SendMailOptions): Promise<void> {
  for await (const _ of await composed(message));
}

async function composed(message: SendMailOptions): Promise<Readable> {
  // Loaded by the first mail: most programs that can send one do not.
  const { createTransport } = await import('nodemailer')
  const composer = createTransport({ streamTransport: true, newline: 'windows' })
  return (await composer.sendMail(message)).message as Readable
}
