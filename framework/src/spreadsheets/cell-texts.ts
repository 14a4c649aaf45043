import { calendarDate, instant } from '../contracts/index.js'
import type { CellKind, CellTypes } from './sheet-columns.js'

const instants = instant()
const dates = calendarDate()
const plainNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i
const plainDecimal = /^-?\d+(\.\d+)?$/

/** The value of a text in a column; undefined if not of its kind. A decimal comma is refused as ambiguous. */
export function valueOfText(kind: CellKind, text: string): CellTypes[CellKind] | undefined {
  const trimmed = text.trim()
  switch (kind) {
    case 'text':
      return text
    case 'number':
      return plainNumber.test(trimmed) ? Number(trimmed) : undefined
    case 'decimal':
      return plainDecimal.test(trimmed) ? trimmed : undefined
    case 'boolean':
      return booleanOf(trimmed)
    case 'date':
      return dates.safeParse(trimmed).data
    case 'instant':
      return instants.safeParse(trimmed).data
  }
}

function booleanOf(text: string): boolean | undefined {
  if (/^(true|1|yes)$/i.test(text)) return true
  return /^(false|0|no)$/i.test(text) ? false : undefined
}
