import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { z } from '../contracts/index.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'
import type { HealthState } from '../modularity/health-check.js'
import { type BlobReceipt, BlobStore, checkBlobName, type StoredBlob } from './blob-store.js'
import { DiskSpace } from './disk-space.js'
import { bytesOf } from './file-bytes.js'

/** Where blobs are kept. */
export const Blobs = configurationSection('Blobs', {
  /** A folder, relative to the working directory; created with the first blob. Hosts may share it. */
  folder: z.string().min(1).default('.keel/blobs'),
  /** Unfinished files that were not written to for so long are removed, at the start and as often again. */
  unfinishedMinutes: z.number().positive().max(10_080).default(60),
})

/** Keeps blobs as files in the folder `Blobs:Folder`. */
export class FolderBlobStore extends BlobStore {
  /** How often leftovers are looked for, and how old they are then. */
  readonly unfinishedMs: number
  private readonly folder: string
  private readonly space: DiskSpace

  constructor(configuration: Configuration) {
    super()
    const { folder, unfinishedMinutes } = configuration.read(Blobs)
    this.folder = resolve(folder)
    this.unfinishedMs = unfinishedMinutes * 60_000
    this.space = new DiskSpace(this.folder, 'Blobs:Folder')
  }

  /** True when the folder takes files. */
  state(): Promise<HealthState> {
    return this.space.state()
  }

  /** Removes what processes left that ended while they wrote. Answers how many files. */
  async sweep(): Promise<number> {
    const names = (await readdir(this.unfinished).catch(undefinedWhenMissing)) ?? []
    const removed = await Promise.all(
      names.map(async (name) => {
        const path = join(this.unfinished, name)
        const found = await stat(path).catch(undefinedWhenMissing)
        // The disk's own time, as that of the file; other processes write here too.
        if (!found || Date.now() - found.mtimeMs < this.unfinishedMs) return 0
        await rm(path, { force: true })
        return 1
      }),
    )
    return removed.reduce<number>((sum, count) => sum + count, 0)
  }

  async save(name: string, content: ReadableStream<Uint8Array>): Promise<BlobReceipt> {
    const target = this.pathOf(name)
    return this.space.guard(() => this.write(target, content))
  }

  private async write(target: string, content: ReadableStream<Uint8Array>): Promise<BlobReceipt> {
    const unfinished = join(this.unfinished, randomUUID())
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

  /** No name of a blob begins with a point, so that nobody finds one that is not whole. */
  private get unfinished(): string {
    return join(this.folder, '.unfinished')
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
    // A row will refer to this file: it must survive a power cut.
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
