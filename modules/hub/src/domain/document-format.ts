import { documentFormats } from '../contracts/documents.js'

/** How much of a file's beginning tells what it is. */
export const headBytes = 4096

/** The extension of an allowed file, in lower case; undefined for others. */
export function allowedExtension(fileName: string): string | undefined {
  const [, extension = ''] = /\.([a-z0-9]+)$/i.exec(fileName) ?? []
  const lower = extension.toLowerCase()
  return Object.hasOwn(documentFormats, lower) ? lower : undefined
}

/**
 * The media type of a file whose name and content say the same; undefined for what may not be uploaded. Who
 * sends a file may call it what they like: neither their word nor the extension alone counts.
 * @param head the first {@link headBytes}, or all of a shorter file
 */
export function mediaTypeOf(fileName: string, head: Uint8Array): string | undefined {
  const extension = allowedExtension(fileName)
  return extension && signatures[extension]?.(head) ? documentFormats[extension] : undefined
}

type Signature = (head: Uint8Array) => boolean

const beginsWith =
  (...starts: readonly (readonly number[])[]): Signature =>
  (head) =>
    starts.some((start) => start.every((byte, index) => head[index] === byte))

const zip = beginsWith([0x50, 0x4b, 3, 4])
const jpeg = beginsWith([0xff, 0xd8, 0xff])
const tiff = beginsWith([0x49, 0x49, 0x2a, 0], [0x4d, 0x4d, 0, 0x2a])

const signatures: Readonly<Record<string, Signature>> = {
  // Readers of PDF allow for something before it.
  pdf: (head) => latin1(head.subarray(0, 1024)).includes('%PDF-'),
  png: beginsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  jpg: jpeg,
  jpeg,
  tif: tiff,
  tiff,
  xlsx: zip,
  docx: zip,
  // The second is an empty archive.
  zip: (head) => zip(head) || beginsWith([0x50, 0x4b, 5, 6])(head),
  csv: (head) => textOf(head) !== undefined,
  xml: (head) => /^\s*</.test(textOf(head) ?? ''),
  json: (head) => /^\s*([[{"\d-]|true|false|null)/.test(textOf(head) ?? ''),
  eml: (head) => /^(From .*\r?\n)?[!-9;-~]+:/.test(textOf(head) ?? ''),
}

/** The beginning of a text without its byte order mark, a byte per character; undefined for binary data. */
function textOf(head: Uint8Array): string | undefined {
  if (beginsWith([0xff, 0xfe], [0xfe, 0xff])(head)) return latin1(head.subarray(2)).replaceAll('\0', '')
  const bytes = beginsWith([0xef, 0xbb, 0xbf])(head) ? head.subarray(3) : head
  return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(latin1(bytes)) ? undefined : latin1(bytes)
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}
