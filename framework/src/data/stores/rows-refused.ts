import { ValidationError, type ValidationFault } from '../../contracts/errors.js'

/** The most faults that one error lists. */
export const mostRowFaults = 1000

/** A fault of one of many rows. */
export interface RowFault {
  /** The place of the row among those that were given, from 0. */
  readonly index: number
  /** The attribute; undefined where the fault is the whole row's. */
  readonly column: string | undefined
  /** The key of its text: of a conflict the entity's code, of a value e.g. `Validation:Required`. */
  readonly code: string
  /** The fault as the error envelope shows it, under `[index].column`. */
  readonly fault: ValidationFault
}

/** Some of many rows are refused, and so none of them was written. Lists the first {@link mostRowFaults} faults by row. */
export class RowsRefusedError extends ValidationError {
  readonly rows: readonly RowFault[]

  constructor(faults: readonly RowFault[], cause?: unknown) {
    const rows = faults.toSorted((a, b) => a.index - b.index).slice(0, mostRowFaults)
    super(
      rows.map(({ fault }) => fault),
      { cause },
    )
    this.rows = rows
  }
}

/** A fault of a row whose text is known by its code. */
export function rowFault(
  index: number,
  column: string | undefined,
  code: string,
  data: Readonly<Record<string, unknown>> = {},
): RowFault {
  const member = column === undefined ? `[${index}]` : `[${index}].${column}`
  return {
    index,
    column,
    code,
    fault: { message: `${member}: ${code}`, members: [member], text: { key: code, data } },
  }
}
