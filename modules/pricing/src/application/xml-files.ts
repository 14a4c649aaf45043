import { type FileContent, faultOf, ValidationError } from '@keel/framework/contracts'
import { type RawCell, type SheetLine, valueOfText } from '@keel/framework/spreadsheets'
import { SaxesParser } from 'saxes'

/** Elements nest far less deep. */
const maxDepth = 16
/** Characters without a tag. */
const maxTokenCharacters = 64 * 1024

/** The cells of a row. */
type Cells = readonly (RawCell | undefined)[]

/** How rows come out of a document. The names of elements are local ones. */
export interface XmlRows {
  /** The names of the columns. */
  readonly columns: readonly string[]
  /** The name of the root element; documents with another one are refused. */
  readonly root: string
  /** The key of the text that refuses a file; its `line` is where the fault is. */
  readonly fault: string
  /** Takes the beginning of an element. What it answers is a row. */
  opened?(name: string, attributes: Readonly<Record<string, string>>): Cells | undefined
  /** Takes the end of an element, with the text of one that has no others in it. What it answers is a row. */
  closed?(name: string, text: string): Cells | undefined
}

/** True for a file that begins as XML does. */
export async function beginsAsXml(file: FileContent): Promise<boolean> {
  if (!file.slice) return /\.xml$/i.test(file.name)
  const begin = file.slice(0, Math.min(file.size ?? 0, 64)).stream() as unknown as AsyncIterable<Uint8Array>
  let text = ''
  for await (const chunk of begin) text += Buffer.from(chunk).toString('latin1')
  return /^(ï»¿)?\s*</.test(text)
}

/**
 * The rows of an XML document, the first with the names of the columns. Nothing of the document is kept. Document types are refused, and with them all
 * entities beside those of XML itself.
 */
export async function* xmlLines(file: FileContent, rows: XmlRows): AsyncGenerator<SheetLine> {
  const read: SheetLine['read'] = (kind, cell) => valueOfText(kind, String(cell))
  const parser = new SaxesParser()
  let found: SheetLine[] = [{ line: 1, cells: rows.columns, read }]
  let [depth, sinceTag, content] = [0, 0, '']
  const refuse = (cause?: unknown): never => {
    throw new ValidationError([faultOf('file', rows.fault, { line: parser.line })], { cause })
  }
  const add = (cells: Cells | undefined): void => {
    if (cells) found.push({ line: parser.line, cells, read })
  }
  parser.on('error', refuse)
  parser.on('doctype', () => refuse())
  parser.on('text', (text) => {
    content += text
  })
  parser.on('opentag', ({ name, attributes }) => {
    ;[sinceTag, content] = [0, '']
    depth += 1
    const local = localName(name)
    if ((depth === 1 && local !== rows.root) || depth > maxDepth) refuse()
    add(rows.opened?.(local, attributes))
  })
  parser.on('closetag', ({ name }) => {
    add(rows.closed?.(localName(name), content))
    ;[sinceTag, content] = [0, '']
    depth -= 1
  })
  for await (const text of textsOf(file, refuse)) {
    sinceTag += text.length
    parser.write(text)
    if (sinceTag > maxTokenCharacters) refuse()
    yield* found
    found = []
  }
  parser.close()
  yield* found
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The text of a file in UTF-8. */
async function* textsOf(file: FileContent, refuse: (cause: unknown) => never): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (error) {
      return refuse(error)
    }
  }
  for await (const chunk of file.stream() as unknown as AsyncIterable<Uint8Array>) yield decoded(chunk)
  yield decoded()
}
