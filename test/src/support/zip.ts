import { Readable } from 'node:stream'
import { fromBufferPromise } from 'yauzl'

/** The files of a zip file, by their names. */
export async function unzip(file: Pick<File, 'stream'>): Promise<Record<string, string>> {
  const archive = await fromBufferPromise(Buffer.from(await new Response(file.stream()).arrayBuffer()), {
    lazyEntries: true,
  })
  const files: Record<string, string> = {}
  for await (const entry of archive.eachEntry())
    files[entry.fileName] = await new Response(
      Readable.toWeb(await archive.openReadStreamPromise(entry)) as never,
    ).text()
  return files
}
