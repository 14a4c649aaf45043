import { Readable } from 'node:stream'
import { Clock, Injectable } from '@keel/framework'
import { BlobStore, type ZippedFile, zipFiles } from '@keel/framework/blobs'
import type { Person, PersonalFile, PersonalRows } from '@keel/framework/data'
import { personalDataLimits } from '../contracts/index.js'
import type { PersonalDataResult } from '../persistence/personal-data-requests.js'
import { PersonalRecords } from '../persistence/personal-records.js'

const headBytes = 64

/** An archive on its way: what is in it is known when it has been read to its end. */
export interface PersonalDataArchive {
  readonly stream: ReadableStream<Uint8Array>
  readonly result: PersonalDataResult
}

/** Makes zip files with everything about a person: a JSON array for each kind of data, files as they are, and a table of contents. */
@Injectable()
export class PersonalDataArchives {
  constructor(
    private readonly records: PersonalRecords,
    private readonly blobs: BlobStore,
    private readonly clock: Clock,
  ) {}

  /** An archive as a stream: whatever its size, a piece of it is in memory. @param omitted kinds and own fields that it leaves out */
  async make(person: Person, omitted: ReadonlySet<string>): Promise<PersonalDataArchive> {
    const result: PersonalDataResult = []
    const shown = this.records.rows.filter(({ exported }) => exported.length > 0)
    for (const { name } of shown.filter(({ name }) => omitted.has(name)))
      result.push({ name, outcome: 'Omitted', reason: null, rows: null })
    const kinds = shown.filter(({ name }) => !omitted.has(name))
    const files = [
      ...kinds.map((rows) =>
        this.file(`${rows.name}.json`, () => this.rowsOf(rows, person, omitted, result)),
      ),
      ...(await this.filesOf(person, result)),
      // The last one: it counts what the others had.
      this.file('contents.json', () => this.contents(person, result)),
    ]
    return { stream: zipFiles(files), result }
  }

  private file(name: string, content: () => AsyncGenerator<Buffer>): ZippedFile {
    const stream = (): ReadableStream<Uint8Array> =>
      Readable.toWeb(Readable.from(content(), { objectMode: false })) as ReadableStream<Uint8Array>
    return { name, bytes: { stream }, lastModified: this.clock.nowMs, isCompressible: true }
  }

  private async *rowsOf(
    rows: PersonalRows,
    person: Person,
    omitted: ReadonlySet<string>,
    result: PersonalDataResult,
  ): AsyncGenerator<Buffer> {
    let count = 0
    yield Buffer.from('[')
    for await (const piece of this.records.read(rows, person, {
      omitted,
      most: personalDataLimits.rowsPerKind,
    })) {
      const lines = piece.map((row) => `\n${JSON.stringify(row)}`).join(',')
      yield Buffer.from(count ? `,${lines}` : lines)
      count += piece.length
    }
    yield Buffer.from('\n]\n')
    result.push({ name: rows.name, outcome: 'Exported', reason: null, rows: count })
  }

  private async filesOf(person: Person, result: PersonalDataResult): Promise<ZippedFile[]> {
    const files: ZippedFile[] = []
    for (const declared of this.records.files) {
      const blob = await this.blobs.find(declared.blobOf(person))
      result.push({ name: declared.name, outcome: 'Exported', reason: null, rows: blob ? 1 : 0 })
      if (!blob) continue
      const head = await bytesOf(blob.slice(0, Math.min(headBytes, blob.size)).stream())
      files.push({
        name: `${declared.name}.${declared.extensionOf(head)}`,
        bytes: blob,
        lastModified: blob.lastModified,
        isCompressible: false,
      })
    }
    return files
  }

  private async *contents({ id }: Person, result: PersonalDataResult): AsyncGenerator<Buffer> {
    const { now } = this.clock
    yield Buffer.from(`${JSON.stringify({ userId: id, time: now, contents: result }, undefined, 2)}\n`)
  }

  /** Deletes the files about a person. Idempotent. */
  async deleteFiles(person: Person): Promise<void> {
    for (const { blobOf } of this.records.files) await this.blobs.delete(blobOf(person))
  }

  /** Counts the files of a kind about a person. */
  async countFiles({ blobOf }: PersonalFile, person: Person): Promise<number> {
    return (await this.blobs.find(blobOf(person))) ? 1 : 0
  }
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
