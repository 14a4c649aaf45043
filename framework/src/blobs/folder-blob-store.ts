import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { z } from '../contracts/index.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'
import { type BlobReceipt, BlobStore, checkBlobName, type StoredBlob } from './blob-store.js'
import { bytesOf } from './file-bytes.js'

/** Where blobs are kept. */
export const Blobs = configurationSection('Blobs', {
  /** A folder, from the working directory on unless it is absolute; made when the first blob comes. Several hosts may share it. */
  folder: z.string().min(1).default('.keel/blobs'),
})

/** Keeps blobs as files in the folder `Blobs:Folder`. */
export class FolderBlobStore extends BlobStore {
  private readonly folder: string

  constructor(configuration: Configuration) {
    super()
    this.folder = resolve(configuration.read(Blobs).folder)
  }

  async save(name: string, content: ReadableStream<Uint8Array>): Promise<BlobReceipt> {
    const target = this.pathOf(name)
    // No name begins with a point, so that nobody finds a blob that is not whole.
    const unfinished = join(this.folder, '.unfinished', randomUUID())
    await Promise.all([target, unfinished].map((path) => mkdir(dirname(path), { recursive: true })))
    try {
      const receipt = await write(unfinished, content)
      await rename(unfinished, target)
      return receipt
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
  }

  async find(name: string): Promise<StoredBlob | undefined> {
    const path = this.pathOf(name)
    const found = await stat(path).catch(undefinedWhenMissing)
    if (!found?.isFile()) return undefined
    return { ...bytesOf(path, found.size), lastModified: Math.trunc(found.mtimeMs) }
  }

  async delete(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true })
  }

  private pathOf(name: string): string {
    checkBlobName(name)
    return join(this.folder, name)
  }
}

async function write(path: string, content: ReadableStream<Uint8Array>): Promise<BlobReceipt> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', 0o600)
  try {
    await writeFile(file, measured())
    // What the database will say is there must be there after a power cut, too.
    await file.sync()
  } finally {
    await file.close()
  }
  return { size, sha256: hash.digest('hex') }

  async function* measured(): AsyncIterable<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
}

function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
