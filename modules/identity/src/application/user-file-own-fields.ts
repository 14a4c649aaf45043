import { type Localization, ownFieldLabel, ownValueLabel } from '@keel/framework'
import type { OwnField } from '@keel/framework/contracts'
import { ownCellKinds } from '@keel/framework/data'
import type { CellTypes, SheetColumn } from '@keel/framework/spreadsheets'
import { importColumns } from '../domain/user-sheet.js'

type Cells = Readonly<Record<string, CellTypes[keyof CellTypes] | null>>

/** The columns of own fields in a file of users to be: each headed by its label, its name or `extraProperties.` and its name. */
export class OwnFieldColumns {
  /** By their headers. A header that ABP's columns or an earlier field have is theirs. */
  readonly columns: Readonly<Record<string, SheetColumn>>
  private readonly fields = new Map<string, OwnField>()

  constructor(
    fields: readonly OwnField[],
    private readonly localization: Pick<Localization, 'find'>,
    private readonly culture: string,
  ) {
    const taken = new Set(Object.values(importColumns).map((column) => column.header.toLowerCase()))
    const columns: Record<string, SheetColumn> = {}
    for (const field of fields)
      for (const header of [ownFieldLabel(field, culture), field.name, `extraProperties.${field.name}`]) {
        if (taken.has(header.toLowerCase())) continue
        taken.add(header.toLowerCase())
        // Files have truths in the language of their reader.
        const kind = field.type === 'boolean' ? 'text' : ownCellKinds[field.type]
        columns[columnOf(header)] = { header, kind }
        this.fields.set(columnOf(header), field)
      }
    this.columns = columns
  }

  /** The own fields of a row by their names; those of empty cells are absent. */
  valuesIn(cells: Cells): Record<string, unknown> {
    return Object.fromEntries(
      [...this.fields].flatMap(([column, field]) => {
        const cell = cells[column] ?? null
        return cell === null ? [] : [[field.name, this.valueOf(field, cell)]]
      }),
    )
  }

  /** The cells of a row as texts, by the columns that a file of refused rows shows them in. */
  textsIn(cells: Cells): Record<string, string> {
    return Object.fromEntries(
      [...this.fields.keys()].flatMap((column) => {
        const cell = cells[column] ?? null
        return cell === null ? [] : [[column, cell instanceof Date ? cell.toISOString() : String(cell)]]
      }),
    )
  }

  /** The value of a cell; the cell itself where it stands for none, so that the check of the field refuses it. */
  private valueOf(field: OwnField, cell: CellTypes[keyof CellTypes]): unknown {
    const text = String(cell).trim().toLowerCase()
    if (field.type === 'boolean') {
      const told = ['Yes', 'No'].map((key) => this.localization.find(key, this.culture)?.toLowerCase())
      if ([told[0], 'true', 'yes', '1'].includes(text)) return true
      return [told[1], 'false', 'no', '0'].includes(text) ? false : cell
    }
    const member = Object.entries(field.values ?? {}).find(([name, value]) =>
      [name.toLowerCase(), ownValueLabel(field, name, this.culture).toLowerCase(), String(value)].includes(
        text,
      ),
    )
    return member ? member[1] : cell
  }
}

const columnOf = (header: string): string => `own:${header}`
