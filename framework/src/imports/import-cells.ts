import type { TextReference } from '../contracts/index.js'
import type { Localization } from '../modularity/localization.js'
import {
  type CellKind,
  type CellTypes,
  cellFaultKeys,
  isEmpty,
  type RawCell,
  type SheetLine,
  ZoneTimes,
} from '../spreadsheets/index.js'
import type { ImportColumn, ImportedEnumeration } from './import-columns.js'

/** The most characters of a cell. */
const mostCharacters = 8000

/** The value of a cell: undefined when it is not given, null when it clears. */
export type CellValue = CellTypes[CellKind] | null | undefined

/** The reason that a cell has no value. */
export class CellFault {
  constructor(readonly text: TextReference) {}
}

/** Makes values of cells for a caller's language and time zone. */
export class CellValues {
  private readonly times: ZoneTimes
  private readonly truths: ReadonlyMap<string, boolean>
  /** The values of enumerations by their numbers, names and texts in lower case. */
  private readonly members = new Map<string, ReadonlyMap<string, number>>()

  constructor(
    private readonly texts: Pick<Localization, 'find'>,
    private readonly culture: string,
    timeZone: string,
  ) {
    this.times = new ZoneTimes(timeZone)
    // As CSV files have them.
    const told = (key: string): string => (texts.find(key, culture) ?? key).toLowerCase()
    this.truths = new Map([
      [told('Yes'), true],
      [told('No'), false],
    ])
  }

  /** The value of a cell; of a reference its code. */
  valueOf(column: ImportColumn, cell: RawCell | undefined, line: SheetLine): CellValue | CellFault {
    if (cell === undefined || isEmpty(cell)) return column.isClearable ? null : undefined
    if (typeof cell === 'string' && cell.length > mostCharacters)
      return new CellFault({ key: 'Import:CellTooLong', data: { most: mostCharacters } })
    const { kind, enumeration } = column
    if (column.reference) return String(line.read('text', cell)).trim()
    if (enumeration) {
      const text = String(line.read('text', cell)).trim()
      return (
        this.membersOf(enumeration).get(text.toLowerCase()) ??
        new CellFault({ key: 'Validation:Option', data: { options: this.optionsOf(enumeration) } })
      )
    }
    if (kind === 'boolean' && typeof cell === 'string') {
      const known = this.truths.get(cell.trim().toLowerCase())
      if (known !== undefined) return known
    }
    const value = kind === 'instant' ? this.instantOf(cell, line) : line.read(kind, cell)
    return value === undefined ? new CellFault({ key: cellFaultKeys[kind] }) : value
  }

  /** A point in time; without an offset as the caller's clock shows it. */
  private instantOf(cell: RawCell, line: SheetLine): Date | undefined {
    const read = line.read('instant', cell) as Date | undefined
    const isAbsolute = typeof cell === 'string' && /(?:Z|[+-]\d\d:?\d\d)\s*$/i.test(cell) && /:/.test(cell)
    return read === undefined || isAbsolute ? read : this.times.instantOf(read)
  }

  private membersOf(enumeration: ImportedEnumeration): ReadonlyMap<string, number> {
    let members = this.members.get(enumeration.name)
    if (!members) {
      const named = [...enumeration.byValue]
      members = new Map([
        ...named.map(([value, member]) => [member.toLowerCase(), value] as const),
        ...named.map(([value]) => [this.shown(enumeration, value)?.toLowerCase() ?? '', value] as const),
        ...named.map(([value]) => [String(value), value] as const),
      ])
      this.members.set(enumeration.name, members)
    }
    return members
  }

  private optionsOf(enumeration: ImportedEnumeration): string {
    return [...enumeration.byValue]
      .map(([value, member]) => this.shown(enumeration, value) ?? member)
      .join(', ')
  }

  private shown({ name, byValue, labelOf }: ImportedEnumeration, value: number): string | undefined {
    return (
      labelOf?.(byValue.get(value) ?? '', this.culture) ??
      this.texts.find(`Enum:${name}.${value}`, this.culture)
    )
  }
}
