import type { IncomingMessage } from 'node:http'

const maxBytes = 56 * 1024

/** The fields of a form that was posted. Throws when it is larger than any form of ours. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(request))
}

/** The JSON that was sent; undefined for what is none. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw Object.assign(new Error('The form is too large'), { status: 413, expose: true })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
