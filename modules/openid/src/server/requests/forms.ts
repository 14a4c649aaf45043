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
  if (!hasFewFields(form)) throw refusal(413, 'The form has too many fields')
  return new URLSearchParams(form)
}

/** True for a form, or the query of an address, with no more fields than any of ours: Koa takes a minute to read a query of some ten thousand. */
export function hasFewFields(form: string): boolean {
  let fields = 1
  for (let at = form.indexOf('&'); at >= 0; at = form.indexOf('&', at + 1))
    if (++fields > mostFields) return false
  return true
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
  /** Undefined when none was chosen, and when it is too large. */
  readonly file: File | undefined
  /** True for a file that is too large. Then there are the fields that stand before it in the form. */
  readonly isTooLarge: boolean
}

/** Room for the fields and the headers of a form beside its file. */
const maxFieldBytes = 16 * 1024
/** As much of a file that is too large is taken and dropped, so that its sender comes to read the answer. */
const mostTimesTooLarge = 8

/**
 * The fields of a form (`multipart/form-data`) and one of its files, all of it in memory. Throws when the form is beyond all measure or no
 * form.
 */
export async function readUpload(
  request: IncomingMessage,
  { field, maxBytes }: { readonly field: string; readonly maxBytes: number },
): Promise<UploadedForm> {
  const most = maxBytes + maxFieldBytes
  const { bytes, size } = await readBytes(request, { kept: most, most: most * mostTimesTooLarge })
  refuseManyParts(bytes)
  const type = request.headers['content-type'] ?? ''
  const isTooLarge = size > most
  const body = isTooLarge ? withoutLastPart(bytes, type) : bytes
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => {
    throw refusal(400, 'The form can not be read')
  })
  const fields = new URLSearchParams()
  for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value)
  refuseNul([...fields].flat().join(''))
  const file = form.get(field)
  const isChosen = !isTooLarge && file instanceof File && file.size > 0
  return { fields, file: isChosen ? file : undefined, isTooLarge }
}

/**
 * Reading a part costs much more than its bytes: parts are counted before they are read. Whatever separates them begins like this, which files hardly
 * have in them.
 */
function refuseManyParts(bytes: Buffer): void {
  let parts = 0
  for (let at = bytes.indexOf(partStart); at >= 0; at = bytes.indexOf(partStart, at + 1))
    if (++parts > mostFields) throw refusal(413, 'The form has too many fields')
}

const partStart = '\r\n--'

/** The first bytes of a form, which break off in its file, as a form of the parts before that. */
function withoutLastPart(bytes: Buffer<ArrayBuffer>, type: string): Buffer<ArrayBuffer> {
  const [, quoted, plain = ''] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? []
  const delimiter = `--${quoted ?? plain}`
  const end = Math.max(bytes.lastIndexOf(`\r\n${delimiter}`), 0)
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(`${end ? '\r\n' : ''}${delimiter}--\r\n`)])
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
