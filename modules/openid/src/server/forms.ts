import type { IncomingMessage } from 'node:http'

const maxBytes = 56 * 1024
const mostFields = 200

/** The fields of a form that was posted. Throws when it is larger than any form of ours. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return fieldsOf(await readText(request))
}

/** Refuses a form or an address with the character NUL in it: no text of ours has one, and PostgreSQL takes none. */
export function refuseNul(encoded: string): void {
  if (encoded.includes('%00') || encoded.includes('\0'))
    throw refusal(400, 'The character NUL is not allowed')
}

/** The fields of a form, which are counted before they are read. */
export function fieldsOf(form: string): URLSearchParams {
  refuseNul(form)
  let fields = 1
  for (let at = form.indexOf('&'); at >= 0; at = form.indexOf('&', at + 1))
    if (++fields > mostFields) throw refusal(413, 'The form has too many fields')
  return new URLSearchParams(form)
}

/** An error that is answered with a status, and told to the caller. */
export function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status, expose: true })
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
      else reject(refusal(413, 'The form is too large'))
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.on('error', reject)
    request.on('close', () => reject(refusal(400, 'The form was cut off')))
  })
}
