import { inflateSync } from 'node:zlib'

/** An object of a PDF file. */
interface PdfObject {
  readonly dictionary: string
  readonly stream: string | undefined
}

/** The texts of a PDF as our library writes it, a line for each piece: glyphs are read by the `ToUnicode` map of their font, others by UTF-16. */
export function pdfText(file: Uint8Array): string {
  const objects = objectsOf(Buffer.from(file).toString('latin1'))
  const fonts = new Map<string, (hex: string) => string>()
  for (const { dictionary } of objects.values())
    for (const [, name = '', number] of dictionary.matchAll(/\/([FR]\w+) (\d+) 0 R/g)) {
      const font = objects.get(Number(number))
      if (font?.dictionary.includes('/Type0')) fonts.set(name, readerOf(font, objects))
    }
  const pieces: string[] = []
  for (const { stream = '' } of objects.values())
    for (const [block] of stream.matchAll(/BT[\s\S]*?ET/g)) {
      const [, name = ''] = /\/(\w+) [\d.]+ Tf/.exec(block) ?? []
      const hex = [...block.matchAll(/<([0-9a-f]+)>/g)].map(([, code = '']) => code).join('')
      pieces.push(fonts.get(name)?.(hex) ?? '')
    }
  return pieces.join('\n')
}

function objectsOf(text: string): ReadonlyMap<number, PdfObject> {
  const objects = new Map<number, PdfObject>()
  for (const [, number, body = ''] of text.matchAll(/\n(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [, dictionary = body, content] = /^([\s\S]*?)\nstream\n([\s\S]*)\nendstream/.exec(body) ?? []
    const isPacked = dictionary.includes('FlateDecode') && !dictionary.includes('/Image')
    const bytes = content === undefined ? undefined : Buffer.from(content, 'latin1')
    const stream = bytes && (isPacked ? inflateSync(bytes) : bytes).toString('latin1')
    objects.set(Number(number), { dictionary, stream })
  }
  return objects
}

function readerOf(
  { dictionary }: PdfObject,
  objects: ReadonlyMap<number, PdfObject>,
): (hex: string) => string {
  const [, map] = /\/ToUnicode (\d+) 0 R/.exec(dictionary) ?? []
  if (map === undefined) return (hex) => Buffer.from(hex, 'hex').swap16().toString('utf16le')
  const texts = new Map<string, string>()
  const ranges = objects.get(Number(map))?.stream ?? ''
  for (const [, first = '', list = ''] of ranges.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g))
    for (const [at, [, code = '']] of [...list.matchAll(/<([0-9a-f ]+)>/g)].entries())
      texts.set(
        (Number.parseInt(first, 16) + at).toString(16).padStart(4, '0'),
        Buffer.from(code.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
      )
  return (hex) => (hex.match(/.{4}/g) ?? []).map((glyph) => texts.get(glyph) ?? '').join('')
}
