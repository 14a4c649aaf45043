import type { FileContent } from '@keel/framework/contracts'
import {
  type CsvReadOptions,
  readLines,
  type SheetLine,
  type XlsxReadOptions,
} from '@keel/framework/spreadsheets'

/** The files that publishers give out of a list. */
export interface PublishedFiles<M extends string> {
  /** The members of a row by the headers that publishers give their columns, without case, signs and spaces. */
  readonly headers: Readonly<Record<string, M>>
  /** So many of them say that a file is a publisher's. */
  readonly fewestHeaders: number
  /** True for rows of a publisher's file that are left out, by the text of a member; none when not given. */
  readonly leavesOut?: (textOf: (member: M) => string) => boolean
}

/**
 * Reads files of a publisher: the rows, the first with the names of members. Other columns, such as names in further languages, are left out. A file whose headers
 * are none of a publisher's is read as it is: its headers are those of a template.
 */
export function publishedLines<M extends string>({
  headers,
  fewestHeaders,
  leavesOut,
}: PublishedFiles<M>): (
  file: FileContent,
  options?: CsvReadOptions & XlsxReadOptions,
) => AsyncGenerator<SheetLine> {
  return async function* (file, options = {}) {
    let places: readonly number[] | 'own' | undefined
    let members: readonly (M | undefined)[] = []
    for await (const line of readLines(file, options)) {
      if (places === undefined) {
        const names = line.cells.map((cell) => headers[plainHeader(cell)])
        const found = names.flatMap((name, place) => (name && names.indexOf(name) === place ? [place] : []))
        places = found.length < fewestHeaders ? 'own' : found
        members = places === 'own' ? [] : places.map((place) => names[place])
        yield places === 'own' ? line : { ...line, cells: members }
      } else if (places === 'own') yield line
      else {
        const cells = places.map((place) => line.cells[place])
        if (!leavesOut?.((member) => String(cells[members.indexOf(member)] ?? '').trim()))
          yield { ...line, cells }
      }
    }
  }
}

function plainHeader(cell: unknown): string {
  return String(cell ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}
