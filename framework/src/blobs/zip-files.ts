import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { FileBytes } from '../contracts/index.js'

/** A file on its way into an archive. */
export interface ZippedFile {
  /** As {@link uniqueFileNames} makes it. */
  readonly name: string
  readonly bytes: FileBytes
  /** Milliseconds since 1970. */
  readonly lastModified: number
  /** False for content that is compressed already: it is stored as it is. */
  readonly isCompressible: boolean
}

/**
 * A zip file as a stream. The files are read one after the other, as fast as the reader takes the archive, and none is ever in memory as a whole.
 * A file that can not be read ends the stream with an error. When the reader goes away the file at hand is closed.
 */
export function zipFiles(files: readonly ZippedFile[]): ReadableStream<Uint8Array> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  let reading: Readable | undefined
  zip.on('error', (error) => output.destroy(error as Error))
  output.once('close', () => reading?.destroy())
  for (const { name, bytes, lastModified, isCompressible } of files) {
    const options = { mtime: new Date(lastModified), mode: 0o100644, compress: isCompressible }
    zip.addReadStreamLazy(name, options, (answer) => {
      reading = Readable.fromWeb(bytes.stream() as never)
      answer(null, reading)
    })
  }
  zip.end()
  return Readable.toWeb(output) as ReadableStream<Uint8Array>
}

/** Names that Windows keeps for devices, whatever their extension. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i
/** Characters that lead into folders, that Windows refuses, that are not seen, or that turn the direction of writing. */
const unsafeCharacters =
  /[<>:"/\\|?*\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff]/g
/** The most characters of a name; a number for uniqueness may follow. */
const longest = 180

/**
 * The names of files in one folder, in the order of the given ones: without anything that leads out of the folder or that a file system refuses,
 * and unique, also where case or the form of accents does not count: `a.pdf`, `A (2).pdf`.
 */
export function uniqueFileNames(given: readonly string[]): string[] {
  const taken = new Set<string>()
  return given.map((one) => {
    const { stem, extension } = partsOf(one)
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? stem + extension : `${stem} (${number})${extension}`
      const key = name.normalize('NFKC').toLowerCase()
      if (taken.has(key)) continue
      taken.add(key)
      return name
    }
  })
}

function partsOf(given: string): { stem: string; extension: string } {
  const safe = given
    .normalize('NFC')
    .replace(/\p{Cs}/gu, '_')
    .replace(unsafeCharacters, '_')
    .trim()
  const name = safe.replace(/^\.+/, '_').replace(/[. ]+$/, '') || 'file'
  const [extension = ''] = /\.[^.\s]{1,20}$/.exec(name) ?? []
  const stem = name.slice(0, name.length - extension.length).replace(deviceName, '_$1') || 'file'
  return { stem: [...stem].slice(0, longest).join(''), extension }
}
