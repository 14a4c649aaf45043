import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type PDFDocument from 'pdfkit'

/** How a text looks. Lengths are points. */
export interface TextStyle {
  readonly size?: number
  readonly isBold?: boolean
  readonly color?: string
  readonly align?: 'left' | 'right'
}

/** A column of a table. */
export interface PdfColumn {
  readonly header: string
  /** Its share of the width. */
  readonly share: number
  readonly align?: 'left' | 'right'
}

/** What a document says about itself. */
export interface PdfInfo {
  readonly title: string
  readonly author: string
  /** E.g. `de`. */
  readonly language: string
  readonly creationTime: Date
}

type Document = InstanceType<typeof PDFDocument>
type Script = 'own' | 'GB' | 'Korean'

const [margin, footerHeight, lineSpacing, cellPadding, columnGap] = [50, 30, 1.3, 4, 8]
const grey = '#666666'
const fonts = { regular: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf' } as const
/** Fonts that readers of PDF bring, with the encodings of ISO 32000, 9.7.5.2: their codes are those of UTF-16. */
const readersFonts = {
  GB: { name: 'STSong-Light', encoding: 'UniGB-UTF16-H', ordering: 'GB1' },
  Korean: { name: 'HYSMyeongJo-Medium', encoding: 'UniKS-UTF16-H', ordering: 'Korea1' },
} as const
const han =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u
const hangul = /\p{Script=Hangul}/u

/**
 * Writes a PDF from top to bottom, with page breaks. Latin, Greek, Cyrillic, Arabic and Hebrew texts have an embedded font, DejaVu Sans, of which the file has the
 * characters that it shows. Chinese, Japanese and Korean texts name standard fonts that readers of PDF bring. Any other character is a box.
 */
export class PdfWriter {
  private y = margin
  private readonly readers = new Map<Script, unknown>()
  /** The widths of words at a size of 1, by font. */
  private readonly widths = { regular: new Map<string, number>(), bold: new Map<string, number>() }

  private constructor(private readonly document: Document) {}

  /** Loads the library, and begins a document of A4 pages. */
  static async begin({ title, author, language, creationTime }: PdfInfo): Promise<PdfWriter> {
    const { default: PDFDocument } = await import('pdfkit')
    const fileOf = (name: string) => fileURLToPath(new URL(`../../fonts/${name}`, import.meta.url))
    const document = new PDFDocument({
      ...{ size: 'A4', margin, bufferPages: true, lang: language },
      // No default font: one with the name of a registered font would be opened again for each text.
      font: '',
      info: { Title: title, Author: author, Producer: 'Keel', Creator: 'Keel', CreationDate: creationTime },
    })
    for (const [name, file] of Object.entries(fonts)) document.registerFont(name, fileOf(file))
    return new PdfWriter(document)
  }

  /** The width between the margins. */
  get width(): number {
    return this.document.page.width - 2 * margin
  }

  /** Leaves space. */
  space(height: number): void {
    this.y += height
  }

  /** Shows a picture in the upper right corner; false when the library cannot read it. */
  picture(content: Buffer, [width, height]: readonly [number, number]): boolean {
    try {
      const x = margin + this.width - width
      this.document.image(content, x, margin, { fit: [width, height], align: 'right' })
      return true
    } catch {
      return false
    }
  }

  /** Writes a paragraph. */
  text(text: string, style: TextStyle = {}): void {
    const lines = this.linesOf(text, this.width, style)
    for (const line of lines) {
      this.demandHeight(heightOf(style))
      this.drawLine(line, { x: margin, width: this.width }, style)
      this.y += heightOf(style)
    }
  }

  /** Writes pairs of labels and values, two pairs beside each other. */
  facts(pairs: readonly (readonly [label: string, value: string])[], style: TextStyle = {}): void {
    const half = this.width / 2
    for (let at = 0; at < pairs.length; at += 2) {
      const row = pairs.slice(at, at + 2).flatMap(([label, value], side) => [
        { text: label, x: margin + side * half, width: half * 0.38, style: { ...style, color: grey } },
        { text: value, x: margin + side * half + half * 0.38, width: half * 0.6, style },
      ])
      this.row(row)
    }
  }

  /** Writes a table, whose header comes again on each of its pages. */
  table(columns: readonly PdfColumn[], rows: readonly (readonly string[])[], style: TextStyle = {}): void {
    const shares = columns.reduce((sum, { share }) => sum + share, 0)
    const places = columns.map(({ share, align = 'left' }, index) => {
      const before = columns.slice(0, index).reduce((sum, column) => sum + column.share, 0)
      const [x, width] = [margin + (this.width * before) / shares, (this.width * share) / shares]
      const indent = index && columnGap / 2
      return { x: x + indent, width: width - indent - columnGap / 2, align }
    })
    const cellsOf = (texts: readonly string[], own: TextStyle) =>
      places.map(({ align, ...place }, at) => ({ text: texts[at] ?? '', ...place, style: { ...own, align } }))
    const header = () => {
      this.row(
        cellsOf(
          columns.map((column) => column.header),
          { ...style, isBold: true },
        ),
      )
      this.rule()
    }
    header()
    for (const texts of rows) this.row(cellsOf(texts, style), header)
    this.rule()
  }

  /** Draws a line across the page. */
  rule(): void {
    const { document, y } = this
    document
      .moveTo(margin, y)
      .lineTo(margin + this.width, y)
      .lineWidth(0.5)
      .strokeColor('#bbbbbb')
      .stroke()
    this.y += cellPadding
  }

  /** Writes a text and the number below each page, and answers the document. */
  async end(footer: string): Promise<Buffer> {
    const { document } = this
    const { start, count } = document.bufferedPageRange()
    const style = { size: 7.5, color: grey } as const
    for (let page = start; page < start + count; page++) {
      document.switchToPage(page)
      this.y = document.page.height - margin
      this.drawLine(footer, { x: margin, width: this.width * 0.8 }, style)
      const number = `${page - start + 1} / ${count}`
      this.drawLine(number, { x: margin, width: this.width }, { ...style, align: 'right' })
    }
    document.end()
    return buffer(document)
  }

  private demandHeight(height: number): boolean {
    if (this.y + height <= this.document.page.height - margin - footerHeight) return false
    this.document.addPage()
    this.y = margin
    return true
  }

  /** Writes texts beside each other, each of them broken into lines. */
  private row(
    cells: readonly {
      readonly text: string
      readonly x: number
      readonly width: number
      readonly style: TextStyle
    }[],
    onNewPage?: () => void,
  ): void {
    const broken = cells.map((cell) => ({ ...cell, lines: this.linesOf(cell.text, cell.width, cell.style) }))
    const height = Math.max(...broken.map(({ lines, style }) => lines.length * heightOf(style))) + cellPadding
    if (this.demandHeight(height)) onNewPage?.()
    const top = this.y
    for (const { lines, style, ...place } of broken)
      for (const [at, line] of lines.entries()) {
        this.y = top + at * heightOf(style)
        this.drawLine(line, place, style)
      }
    this.y = top + height
  }

  /** Breaks a text at spaces and between Chinese characters, and words that are too long anywhere. */
  private linesOf(text: string, width: number, style: TextStyle): string[] {
    const lines: string[] = []
    for (const paragraph of text.split(/\r\n|\r|\n/)) {
      let line = ''
      let used = 0
      const take = (piece: string, pieceWidth: number): void => {
        if (line && used + pieceWidth > width) {
          lines.push(line.trimEnd())
          line = ''
          used = 0
        }
        line += piece
        used += pieceWidth
      }
      for (const [piece] of paragraph.matchAll(pieces)) {
        const pieceWidth = this.widthOf(piece, style)
        if (pieceWidth <= width) take(piece, pieceWidth)
        else for (const character of piece) take(character, this.widthOf(character, style))
      }
      lines.push(line.trimEnd())
    }
    return lines
  }

  /** The sum of the widths of its words, each of which is measured once. */
  private widthOf(text: string, { size = 9, isBold = false }: TextStyle): number {
    const font = isBold ? 'bold' : 'regular'
    let width = 0
    for (const [piece] of text.matchAll(pieces)) {
      let known = this.widths[font].get(piece)
      if (known === undefined) {
        this.document.font(font).fontSize(1)
        known = runsOf(piece).reduce((sum, { script, text }) => {
          return sum + (script === 'own' ? this.document.widthOfString(text) : [...text].length)
        }, 0)
        this.widths[font].set(piece, known)
      }
      width += known
    }
    return width * size
  }

  private setFont({ size = 9, isBold = false, color = 'black' }: TextStyle): void {
    this.document
      .font(isBold ? 'bold' : 'regular')
      .fontSize(size)
      .fillColor(color)
  }

  private drawLine(
    text: string,
    place: { readonly x: number; readonly width: number },
    style: TextStyle,
  ): void {
    const { size = 9, align = 'left' } = style
    const baseline = this.y + size
    let { x } = place
    if (align === 'right') x += place.width - this.widthOf(text, style)
    for (const run of runsOf(text)) {
      this.setFont(style)
      if (run.script === 'own')
        this.document.text(run.text, x, baseline, { lineBreak: false, baseline: 'alphabetic' })
      else this.drawByReader(run, x, baseline, size)
      x += this.widthOf(run.text, style)
    }
  }

  /** Shows a text in a font that the file names and does not have. Each of its characters is a square. */
  private drawByReader({ script, text }: Run, x: number, baseline: number, size: number): void {
    const { document } = this
    const page = document.page as unknown as { height: number; fonts: Record<string, unknown> }
    const name = `R${script}`
    page.fonts[name] = this.readersFont(script as keyof typeof readersFonts)
    const hex = Buffer.from(text, 'utf16le').swap16().toString('hex')
    document.save().transform(1, 0, 0, -1, 0, page.height)
    document.addContent(
      `BT /${name} ${size} Tf 1 0 0 1 ${x.toFixed(3)} ${(page.height - baseline).toFixed(3)} Tm <${hex}> Tj ET`,
    )
    document.restore()
  }

  private readersFont(script: keyof typeof readersFonts): unknown {
    const known = this.readers.get(script)
    if (known) return known
    const { name, encoding, ordering } = readersFonts[script]
    const part = (members: Record<string, unknown>) => {
      const reference = this.document.ref(members)
      reference.end(undefined)
      return reference
    }
    const descriptor = part({
      ...{ Type: 'FontDescriptor', FontName: name, Flags: 6, FontBBox: [-25, -254, 1000, 880] },
      ...{ ItalicAngle: 0, Ascent: 880, Descent: -120, CapHeight: 880, StemV: 93 },
    })
    const descendant = part({
      ...{ Type: 'Font', Subtype: 'CIDFontType0', BaseFont: name, FontDescriptor: descriptor, DW: 1000 },
      // Names are plain texts for the library, texts are objects.
      CIDSystemInfo: { Registry: new String('Adobe'), Ordering: new String(ordering), Supplement: 2 },
    })
    const font = part({
      ...{ Type: 'Font', Subtype: 'Type0', BaseFont: `${name}-${encoding}`, Encoding: encoding },
      DescendantFonts: [descendant],
    })
    this.readers.set(script, font)
    return font
  }
}

/** Words with the spaces behind them, and single Chinese characters. */
const pieces = new RegExp(`${han.source}|(?:(?!${han.source})\\S)+\\s*|\\s+`, 'gu')

interface Run {
  readonly script: Script
  readonly text: string
}

/** A text in pieces of one font each. */
function runsOf(text: string): Run[] {
  const runs: { script: Script; text: string }[] = []
  for (const character of text) {
    const script = han.test(character) ? 'GB' : hangul.test(character) ? 'Korean' : 'own'
    const last = runs.at(-1)
    if (last?.script === script) last.text += character
    else runs.push({ script, text: character })
  }
  return runs
}

const heightOf = ({ size = 9 }: TextStyle): number => size * lineSpacing
