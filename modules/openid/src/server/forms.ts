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

/** What was sent, by events: an iterator over the request costs much more. Throws when it is larger than any form of ours. */
export function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else reject(Object.assign(new Error('The form is too large'), { status: 413, expose: true }))
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.on('error', reject)
    request.on('close', () =>
      reject(Object.assign(new Error('The form was cut off'), { status: 400, expose: true })),
    )
  })
}
