import { ambient, compileInputCheck, type Localization } from '@keel/framework'
import { type FileContent, type TextReference, ValidationError } from '@keel/framework/contracts'
import {
  CellFault,
  CellValues,
  type ImportColumn,
  type UnderstoodHeader,
  understandHeader,
} from '@keel/framework/imports'
import { isEmpty, readLines, type SheetLine } from '@keel/framework/spreadsheets'
import {
  ChargeCondition,
  LanePointType,
  mostBreaks,
  mostSheetRows,
  PricingErrors,
  RateBasis,
} from '../contracts/index.js'
import { exact } from '../domain/exact.js'
import {
  breakShape,
  laneShape,
  lineShape,
  type RateSheetColumn,
  RateSheetRow,
  rateSheetColumns,
  sheetHeaderOf,
} from './rate-sheet.js'

/** A row that was read. */
export interface SheetRowRead {
  readonly line: SheetLine
  /** The values of its cells; what is empty or at fault is null or undefined. */
  values: Partial<RateSheetRow>
  /** The columns of its faulty cells. */
  readonly faulty: Set<string>
}

/** A quantity break as a sheet has it. */
export interface SheetBreak {
  readonly fromQuantity: string
  readonly amount: string
  readonly isFlat: boolean
}

/** A charge on a lane as a sheet has it: the first of its rows. */
export interface SheetCharge {
  readonly row: SheetRowRead
  readonly breaks: SheetBreak[]
}

/** A lane as a sheet has it: the first of its rows. */
export interface SheetLane {
  readonly row: SheetRowRead
  /** By charge, type of container and condition. */
  readonly charges: Map<string, SheetCharge>
}

/** A fault of a cell, of a row or of the file. */
export interface SheetFault {
  readonly sheet: string | null
  readonly row: number | null
  readonly column: string | null
  readonly value: string | null
  readonly text: TextReference
}

/** The most faults that are listed. */
export const mostSheetFaults = 1000
const longestValue = 60
const limits = {
  maxRows: mostSheetRows,
  maxUnpackedBytes: 64 * 1024 * 1024,
  maxSharedCharacters: 4 * 1024 * 1024,
}
const laneColumns = Object.keys(laneShape) as (keyof typeof laneShape)[]
const lineColumns = Object.keys(lineShape) as (keyof typeof lineShape)[]
/** Those that do not say which charge it is. */
const rateColumns = lineColumns.filter(
  (column) => !['chargeCode', 'containerTypeCode', 'appliesWhen'].includes(column),
)
const breakColumns = Object.keys(breakShape) as (keyof typeof breakShape)[]
const checkRow = compileInputCheck(RateSheetRow)

/** Reads rate sheets: collects lanes with their charges and breaks, and every faulty cell. Rows of a lane and of a charge may leave what their first row says empty. */
export class RateSheetReader {
  readonly lanes = new Map<number, SheetLane>()
  readonly rows: SheetRowRead[] = []
  readonly faults: SheetFault[] = []
  faultCount = 0
  private header: UnderstoodHeader | undefined
  private sheet: string | null = null
  private readonly cells: CellValues

  constructor(private readonly texts: Localization) {
    this.cells = new CellValues(texts, ambient().culture, 'UTC')
  }

  /** Reads a whole file. */
  async read(file: FileContent): Promise<void> {
    try {
      for await (const line of readLines(file, limits)) if (!this.take(line)) return
      if (!this.header) this.refuseFile({ key: 'Spreadsheet:NoHeader', data: { headers: this.headers() } })
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      for (const { text, message } of error.validationErrors) this.refuseFile(text ?? { key: message })
    }
  }

  /** Notes a fault of a cell: the first one. */
  refuse(row: SheetRowRead, member: RateSheetColumn, key: string, data: TextReference['data'] = {}): void {
    const { line, faulty } = row
    if (faulty.has(member)) return
    faulty.add(member)
    const place = this.header?.columns.findIndex((column) => column?.member === member) ?? -1
    const cell = line.cells[place]
    this.note({
      row: line.line,
      column: (this.header?.headers[place] && shortened(this.header.headers[place])) ?? null,
      value: cell === undefined || isEmpty(cell) ? null : shortened(String(cell)),
      text: { key, data },
    })
  }

  private refuseFile(text: TextReference, column: string | null = null): void {
    this.note({ row: null, column, value: null, text })
  }

  private note(fault: Omit<SheetFault, 'sheet'>): void {
    this.faultCount += 1
    if (this.faults.length < mostSheetFaults) this.faults.push({ sheet: this.sheet, ...fault })
  }

  private headerOf = ({ name }: Pick<ImportColumn, 'name'>): string =>
    sheetHeaderOf(this.texts, ambient().culture, name)

  private headers(): string {
    return rateSheetColumns.map(this.headerOf).join(', ')
  }

  /** False when nothing of the file is read any more. */
  private take(line: SheetLine): boolean {
    this.sheet ??= line.sheet ?? null
    if (!this.header) {
      this.header = understandHeader(line.cells, { columns: rateSheetColumns, headerOf: this.headerOf })
      for (const { header, ...text } of this.header.faults)
        this.refuseFile(text, header ? shortened(header) : null)
      return !this.faultCount
    }
    if (this.rows.length === mostSheetRows) {
      this.refuseFile({ key: 'Spreadsheet:TooManyRows', data: { most: mostSheetRows } })
      return false
    }
    const row = this.rowOf(line, this.header)
    this.rows.push(row)
    const { laneNumber } = row.values
    if (laneNumber !== undefined) this.takeLane(row, laneNumber)
    return true
  }

  /** The values of a row, those of faulty cells left out. */
  private rowOf(line: SheetLine, { columns }: UnderstoodHeader): SheetRowRead {
    const row: SheetRowRead = { line, values: {}, faulty: new Set() }
    const given: Record<string, unknown> = {}
    for (const [place, column] of columns.entries()) {
      if (!column) continue
      const value = this.cells.valueOf(column, line.cells[place], line)
      if (value instanceof CellFault)
        this.refuse(row, column.member as RateSheetColumn, value.text.key, value.text.data)
      else if (value !== undefined) given[column.member] = value
    }
    for (const { members, text, message } of checkRow(given).faults)
      this.refuse(row, (members[0] ?? 'laneNumber') as RateSheetColumn, text?.key ?? message, text?.data)
    for (const member of row.faulty) delete given[member]
    const { value } = checkRow({ ...given, laneNumber: given.laneNumber ?? 1 })
    row.values = { ...(value as RateSheetRow), laneNumber: given.laneNumber as number }
    return row
  }

  private takeLane(row: SheetRowRead, laneNumber: number): void {
    let lane = this.lanes.get(laneNumber)
    if (lane) this.demandSame(row, lane.row, laneColumns)
    else {
      lane = { row, charges: new Map() }
      this.lanes.set(laneNumber, lane)
      this.demandPoint(row, 'origin')
      this.demandPoint(row, 'destination')
    }
    this.takeCharge(row, lane)
  }

  private takeCharge(row: SheetRowRead, { charges }: SheetLane): void {
    const { values } = row
    const { chargeCode, containerTypeCode, appliesWhen } = values
    if (!chargeCode) {
      if ([...lineColumns, ...breakColumns].some((column) => values[column] != null))
        this.refuse(row, 'chargeCode', 'Validation:Required')
      return
    }
    const key = JSON.stringify([
      chargeCode.toUpperCase(),
      containerTypeCode ?? null,
      appliesWhen ?? ChargeCondition.Always,
    ])
    let charge = charges.get(key)
    if (charge) {
      this.demandSame(row, charge.row, rateColumns)
      if (values.fromQuantity == null) this.refuse(row, 'chargeCode', PricingErrors.RateLineDuplicate)
    } else {
      charge = { row, breaks: [] }
      charges.set(key, charge)
      this.demandRate(row)
    }
    this.takeBreak(row, charge)
  }

  private takeBreak(row: SheetRowRead, { breaks }: SheetCharge): void {
    const { fromQuantity, breakAmount, isFlat } = row.values
    if (fromQuantity == null) {
      if (breakAmount != null || isFlat) this.refuse(row, 'fromQuantity', 'Validation:Required')
      return
    }
    if (breakAmount == null) this.refuse(row, 'breakAmount', 'Validation:Required')
    const before = breaks.at(-1)
    const isRight = before ? exact(fromQuantity).gt(before.fromQuantity) : exact(fromQuantity).isZero()
    if (!isRight) this.refuse(row, 'fromQuantity', PricingErrors.RateBreakNotAscending, { fromQuantity })
    if (breaks.length === mostBreaks)
      this.refuse(row, 'fromQuantity', 'Pricing:Validation:TooManyBreaks', { most: mostBreaks })
    breaks.push({ fromQuantity, amount: breakAmount ?? '0', isFlat: isFlat ?? false })
  }

  /** A later row of a lane or a charge says the same as the first one, or nothing. */
  private demandSame(row: SheetRowRead, first: SheetRowRead, columns: readonly RateSheetColumn[]): void {
    for (const column of columns) {
      const [value, before] = [row.values[column], first.values[column]]
      if (value != null && !first.faulty.has(column) && !isSameValue(column, value, before))
        this.refuse(row, column, 'Pricing:Validation:RowDiffers', { row: first.line.line })
    }
  }

  /** Anywhere has no place, and every other type one. */
  private demandPoint(row: SheetRowRead, end: 'origin' | 'destination'): void {
    const [type, place] = [row.values[`${end}Type`], row.values[end]]
    if (type == null) this.refuse(row, `${end}Type`, 'Validation:Required')
    else if ((type === LanePointType.Any) === (place != null))
      this.refuse(row, end, 'Pricing:Validation:LanePoint', { type: LanePointType[type] })
  }

  private demandRate(row: SheetRowRead): void {
    const { basis, currencyCode, containerTypeCode, minAmount, maxAmount } = row.values
    if (basis == null) this.refuse(row, 'basis', 'Validation:Required')
    if (currencyCode == null) this.refuse(row, 'currencyCode', 'Validation:Required')
    if (containerTypeCode && basis !== RateBasis.PerContainer && basis !== RateBasis.PerTeu)
      this.refuse(row, 'containerTypeCode', 'Pricing:Validation:ContainerTypeOfOtherBasis')
    if (minAmount && maxAmount && exact(maxAmount).lt(minAmount))
      this.refuse(row, 'maxAmount', 'Pricing:Validation:MaxBelowMin')
  }
}

const decimals = new Set(rateSheetColumns.flatMap(({ kind, name }) => (kind === 'decimal' ? name : [])))

/** True for values of a column that mean the same: `2.50` and `2.5`, null and undefined. */
export function isSameValue(column: string, one: unknown, other: unknown): boolean {
  if (one == null || other == null) return (one ?? null) === (other ?? null)
  return decimals.has(column) ? exact(one as string).eq(other as string) : one === other
}

function shortened(text: string): string {
  const plain = text.replaceAll('\0', '\ufffd')
  return plain.length <= longestValue ? plain : `${plain.slice(0, longestValue - 1)}…`
}
