import type { IncomingMessage } from 'node:http'

const maxBytes = 56 * 1024
const mostFields = 200

/** The fields of a form that was posted. Throws when it is larger than any form of ours. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return fieldsOf(await readText(request))
}

/** Refuses the character NUL in a form or an address: PostgreSQL takes none. */
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

/** A form that may bring a file. */
export interface UploadedForm {
  readonly fields: URLSearchParams
  /** Undefined when none was chosen. */
  readonly file: File | undefined
}

/** Room for the fields and the headers of a form beside its file. */
const maxFieldBytes = 16 * 1024
/** As much of a file that is too large is taken and dropped, so that its sender comes to read the answer. */
const mostTimesTooLarge = 8

/**
 * The fields of a form (`multipart/form-data`) and one of its files, all of it in memory; undefined when the
 * file is too large. Throws when the form is beyond all measure or no form.
 */
export async function readUpload(
  request: IncomingMessage,
  { field, maxBytes }: { readonly field: string; readonly maxBytes: number },
): Promise<UploadedForm | undefined> {
  const most = maxBytes + maxFieldBytes
  const { bytes, size } = await readBytes(request, { kept: most, most: most * mostTimesTooLarge })
  if (size > most) return undefined
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(bytes, { headers }).formData().catch(() => {
    throw refusal(400, 'The form can not be read')
  })
  const fields = new URLSearchParams()
  for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value)
  refuseNul([...fields].flat().join(''))
  const file = form.get(field)
  return { fields, file: file instanceof File && file.size > 0 ? file : undefined }
}

/** Reads the body by events: an iterator costs much more. Throws when it is larger than any form of ours. */
export async function readText(request: IncomingMessage): Promise<string> {
  const { bytes } = await readBytes(request, { kept: maxBytes, most: maxBytes })
  return bytes.toString('utf8')
}

/** The first bytes of what was sent, and how many there were. Throws when they are more than `most`. */
function readBytes(
  request: IncomingMessage,
  { kept, most }: { readonly kept: number; readonly most: number },
): Promise<{ bytes: Buffer<ArrayBuffer>; size: number }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= kept) chunks.push(chunk)
      else if (size > most) reject(refusal(413, 'The form is too large'))
    })
    request.on('end', () => resolve({ bytes: Buffer.concat(chunks), size }))
    request.on('error', reject)
    request.on('close', () => reject(refusal(400, 'The form was cut off')))
  })
}
