import { constants, crc32, deflateRawSync, deflateSync, inflateSync } from 'node:zlib'

/** A PDF of these objects, the first of which is its catalog. A stream is its dictionary and its bytes. */
function pdfOf(
  objects: readonly (string | readonly [dictionary: string, bytes: Uint8Array])[],
): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [Buffer.from('%PDF-1.4\n')]
  for (const [index, object] of objects.entries()) {
    const [text, bytes] = typeof object === 'string' ? [object, undefined] : object
    pieces.push(Buffer.from(`${index + 1} 0 obj\n${text.replace('LENGTH', String(bytes?.length))}\n`))
    if (bytes) pieces.push(Buffer.from('stream\n'), bytes, Buffer.from('\nendstream\n'))
    pieces.push(Buffer.from('endobj\n'))
  }
  pieces.push(Buffer.from('trailer<</Root 1 0 R>>\n%%EOF'))
  return new Uint8Array(Buffer.concat(pieces))
}

/** A PDF with one page of 300 × 200 points, of this content. */
export function pdfPage(
  content: string,
  resources = '',
  ...others: Parameters<typeof pdfOf>[0]
): Uint8Array<ArrayBuffer> {
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/MediaBox[0 0 300 200]/Parent 2 0 R/Contents 4 0 R/Resources<<${resources}>>>>`,
    ['<</Length LENGTH>>', Buffer.from(content)],
    ...others,
  ])
}

/** A page that takes ages: forms that draw the next one ten times, twelve deep. */
export function endlessPdf(): Uint8Array<ArrayBuffer> {
  const depth = 12
  const form = (level: number): [string, Uint8Array] => [
    `<</Type/XObject/Subtype/Form/BBox[0 0 300 200]/Length LENGTH/Resources<<${level + 1 < depth ? `/XObject<</F ${level + 6} 0 R>>` : ''}>>>>`,
    Buffer.from(level + 1 < depth ? '/F Do '.repeat(10) : '1 0 0 rg 0 0 9 9 re f'),
  ]
  return pdfPage('/F Do', '/XObject<</F 5 0 R>>', ...Array.from({ length: depth }, (_, level) => form(level)))
}

/** A page whose content is 900 MB of spaces, in some kilobytes. */
export function swellingPdf(): Uint8Array<ArrayBuffer> {
  // Blocks that end with a full flush stand for themselves, so that one of them can be repeated.
  const block = deflateRawSync(Buffer.alloc(1_000_000, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const once = Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array<Buffer>(900).fill(block),
    deflateRawSync(''),
  ])
  const twice = deflateSync(once)
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/MediaBox[0 0 300 200]/Parent 2 0 R/Contents 4 0 R>>',
    ['<</Length LENGTH/Filter[/FlateDecode/FlateDecode]>>', twice],
  ])
}

/** A PNG of one colour, with transparency, whose packed pixels may be others than it says. */
export function pngImage(
  width: number,
  height: number,
  pixels = Buffer.concat(
    Array.from({ length: height }, () => Buffer.from([0, ...Array(width).fill([0, 0, 255, 255]).flat()])),
  ),
): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  const chunk = (type: string, data: Uint8Array) => {
    const typed = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(typed))
    return Buffer.concat([length, typed, sum])
  }
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat([signature, ...chunks]))
}

/** A green JPEG of 8 × 8 pixels. */
export const greenJpeg = Buffer.from(
  [
    '/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABh',
    'Y3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAAB',
    'UAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAA',
    'AAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9Y',
    'WVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAM',
    'ZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcg',
    'LikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09P',
    'T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/',
    'xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAABv/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhED',
    'EQA/ALgA8Cf/2Q==',
  ].join(''),
  'base64',
)

/** What a PNG without filters shows: its size, and the colour of its middle. */
export async function lookAt(
  file: Pick<File, 'stream'>,
): Promise<{ width: number; height: number; middle: number[] }> {
  const png = Buffer.from(await new Response(file.stream()).arrayBuffer())
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const start = png.indexOf('IDAT')
  const rows = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)))
  const middle = Math.floor(height / 2) * (1 + width * 3) + 1 + Math.floor(width / 2) * 3
  return { width, height, middle: [...rows.subarray(middle, middle + 3)] }
}
