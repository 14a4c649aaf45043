import type { IncomingMessage } from 'node:http'

const maxBytes = 56 * 1024

/** The fields of a form that was posted. Throws when it is larger than any form of ours. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw Object.assign(new Error('The form is too large'), { status: 413, expose: true })
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
