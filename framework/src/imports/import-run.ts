import {
  type FileContent,
  ImportStatus,
  type TextReference,
  ValidationError,
  type ValidationFault,
} from '../contracts/index.js'
import { entityMeta } from '../data/entities/entity.js'
import type { BaseEntity } from '../data/entities/entity-bases.js'
import { sequentialGuid } from '../data/entities/guid.js'
import type { ReferenceSets } from '../data/lists/reference-sets.js'
import { sqlType } from '../data/schema/model-snapshot.js'
import {
  ImportedRow,
  type ImportJob,
  type ImportReference,
  type ImportTarget,
  importKeyOf,
} from '../data/stores/imports.js'
import type { ManyWritten } from '../data/stores/many-rows.js'
import { mostRowFaults, RowsRefusedError } from '../data/stores/rows-refused.js'
import { identifier, join, raw, type Sql, sql } from '../data/wire/sql.js'
import { ambient } from '../modularity/ambient.js'
import type { Application } from '../modularity/application.js'
import { timeZoneOfCaller } from '../modularity/time-zone-of-caller.js'
import { compileInputCheck } from '../modularity/validation.js'
import { isEmpty, type RawCell, readLines, type SheetLine } from '../spreadsheets/index.js'
import { CellFault, CellValues } from './import-cells.js'
import type { ImportColumn, ImportColumns, ImportedOwnFields, UnderstoodHeader } from './import-columns.js'
import type { ImportOutcome, ImportRecord, StoredFault } from './import-records.js'

/** Rows that are checked and written together: fewer where they are long. */
const rowsOfPiece = 2000
const charactersOfPiece = 4 * 1024 * 1024
const longestValue = 60
/** The limits of an unpacked workbook. */
const unpacked = { maxUnpackedBytes: 256 * 1024 * 1024, maxSharedCharacters: 8 * 1024 * 1024 }

/** The services that an import run uses. */
export interface ImportRunParts {
  readonly application: Application
  readonly references: ReferenceSets
  readonly target: ImportTarget
  readonly columns: ImportColumns
  readonly record: ImportRecord
  readonly maxRows: number
  readonly job: ImportJob
}

/** A row of the file on its way. */
interface Row {
  readonly line: number
  readonly cells: readonly (RawCell | undefined)[]
  /** By member of the columns, without own fields. */
  readonly values: Record<string, unknown>
  /** The values of own fields by their names. */
  readonly own: Record<string, unknown>
  isRefused: boolean
  /** Members whose cells are at fault already. */
  readonly faulty: Set<string>
  /** The values as the input's DTO leaves them. */
  input?: object
  imported?: ImportedRow
}

/** Reads a file, checks each of its rows, and writes those without a fault in the unit of work at hand. The caller rolls that back where there are faults. */
export class ImportRun {
  private readonly faults: StoredFault[] = []
  private faultCount = 0
  private rowCount = 0
  private written: ManyWritten = { inserted: 0, updated: 0 }
  private header: UnderstoodHeader | undefined
  private cells: CellValues | undefined
  /** The lines of rows by their keys: a key stands in one row. */
  private readonly lines = new Map<unknown, number>()
  private readonly check: ReturnType<typeof compileInputCheck>
  /** The attributes by which rows are found; none where every row is new. */
  private readonly key: readonly string[]

  constructor(private readonly parts: ImportRunParts) {
    this.check = compileInputCheck(parts.columns.input)
    this.key = importKeyOf(parts.target.options)
  }

  get hasFaults(): boolean {
    return this.faultCount > 0
  }

  get outcome(): ImportOutcome {
    const isRefused = this.hasFaults
    return {
      status: isRefused ? ImportStatus.Refused : ImportStatus.Completed,
      rowCount: this.rowCount,
      insertedCount: isRefused ? 0 : this.written.inserted,
      updatedCount: isRefused ? 0 : this.written.updated,
      faultCount: this.faultCount,
      ignoredColumns: this.header?.ignored ?? [],
      // Those of the whole file have no row.
      faults: this.faults.toSorted((a, b) => (a.row ?? 0) - (b.row ?? 0)),
    }
  }

  /** Notes a fault of the whole import. */
  refuse(code: string, text: TextReference, message = code): void {
    this.note({ row: null, column: null, value: null, code, message, text })
  }

  /** Reads and writes the whole file. Throws what is no fault of the file. */
  async run(file: FileContent): Promise<void> {
    const { application, job, maxRows, record, target } = this.parts
    const { localization } = application
    this.cells = new CellValues(localization, ambient().culture, await timeZoneOfCaller(application))
    let piece: Row[] = []
    let characters = 0
    const read = target.linesOf ?? readLines
    // Readers of published lists leave rows out, which nobody else counts.
    const options = { encoding: record.encoding, ...unpacked, maxRows, maxLines: 2 * maxRows }
    for await (const line of read(observed(file, job), options)) {
      if (line.cells.every(isEmpty)) continue
      if (!this.header) {
        if (!this.takeHeader(line)) return
        continue
      }
      this.rowCount += 1
      if (this.rowCount > maxRows) return this.refuseFile('Spreadsheet:TooManyRows', { most: maxRows })
      piece.push(this.readRow(line))
      characters += charactersOf(line)
      if (piece.length < rowsOfPiece && characters < charactersOfPiece) continue
      await this.take(piece)
      piece = []
      characters = 0
    }
    if (!this.header) {
      const headers = Object.values(this.parts.columns.headed(localization, ambient().culture))
      return this.refuseFile('Spreadsheet:NoHeader', {
        headers: headers.map(({ header }) => header).join(', '),
      })
    }
    await this.take(piece)
  }

  private refuseFile(key: string, data: TextReference['data'] = {}): void {
    this.refuse(key, { key, data })
  }

  /** False when the header has faults: then no row can be understood. */
  private takeHeader({ cells }: SheetLine): boolean {
    this.header = this.parts.columns.understand(cells, this.parts.application.localization)
    for (const { header, key, data } of this.header.faults)
      this.note({
        row: null,
        column: header ? shortened(header) : null,
        value: null,
        code: key,
        message: key,
        text: { key, ...(data && { data }) },
      })
    return !this.hasFaults
  }

  private readRow(line: SheetLine): Row {
    const row: Row = {
      line: line.line,
      cells: line.cells,
      values: {},
      own: {},
      isRefused: false,
      faulty: new Set(),
    }
    for (const [place, column] of (this.header?.columns ?? []).entries()) {
      if (!column) continue
      const value = (this.cells as CellValues).valueOf(column, line.cells[place], line)
      if (value instanceof CellFault) this.refuseCell(row, column.member, value.text)
      else if (value !== undefined && column.own) row.own[column.own.name] = value
      else if (value !== undefined) row.values[column.member] = value
    }
    return row
  }

  /** Checks and writes some rows. */
  private async take(rows: readonly Row[]): Promise<void> {
    const { target, job } = this.parts
    job.signal.throwIfAborted()
    const newIds = this.newIdsOf(rows)
    for (const column of this.parts.columns.columns)
      if (column.reference && this.header?.columns.includes(column))
        await this.resolve(rows, column, column.reference, newIds)
    for (const row of rows) this.makeInput(row)
    await this.findExisting(rows, newIds)
    const good = () => rows.flatMap(({ imported, isRefused }) => (imported && !isRefused ? imported : []))
    await target.prepare(good())
    for (const row of rows)
      for (const { member, code, message, text } of row.imported?.faults ?? [])
        this.refuseMember(row, { member, code, message, text })
    const writable = good()
    if (writable.length === 0) return
    try {
      const { inserted, updated } = await target.write(writable)
      this.written = {
        inserted: this.written.inserted + inserted,
        updated: this.written.updated + updated,
      }
    } catch (error) {
      if (!(error instanceof RowsRefusedError)) throw error
      const byImported = new Map(rows.map((row) => [row.imported, row]))
      for (const { index, column, code, fault } of error.rows) {
        const row = byImported.get(writable[index])
        if (row) this.refuseMember(row, { member: column, code, message: code, text: fault.text })
      }
    }
  }

  /** The ids of rows by their keys, in case that they are new: rows further down may refer to them. */
  private newIdsOf(rows: readonly Row[]): ReadonlyMap<unknown, { readonly id: string; readonly row: Row }> {
    const [key, ...further] = this.key
    if (key === undefined || further.length) return new Map()
    return new Map(rows.map((row) => [row.values[key], { id: sequentialGuid(), row }]))
  }

  /** Puts ids in the place of codes. */
  private async resolve(
    rows: readonly Row[],
    { member }: ImportColumn,
    { entity, by, where = {}, unknown, visible }: ImportReference,
    newIds: ReadonlyMap<unknown, { readonly id: string; readonly row: Row }>,
  ): Promise<void> {
    const { references, target } = this.parts
    const codes = new Set(rows.flatMap(({ values }) => (values[member] as string | null | undefined) ?? []))
    if (codes.size === 0) return
    const isOwn = entityMeta(entity) === target.store.meta
    const ids = isOwn ? await this.visibleIds(by, codes) : new Map<string, string | undefined>()
    const set = isOwn ? undefined : await references.matching(entity, by, [...codes])
    for (const code of set ? codes : []) {
      const isMeant = (id: string): boolean =>
        !(entityMeta(entity).softDelete && set?.value(id, 'isDeleted') === 't') &&
        Object.entries(where).every(([attribute, text]) => set?.value(id, attribute) === text)
      ids.set(code, set?.idsBy(by, code).find(isMeant))
    }
    const found = [...ids.values()].filter((id) => id !== undefined)
    const seen = visible && found.length ? await visible(found) : undefined
    for (const [code, id] of seen ? ids : []) if (id !== undefined && !seen?.has(id)) ids.set(code, undefined)
    for (const row of rows) {
      const code = row.values[member]
      if (typeof code !== 'string') continue
      const earlier = isOwn ? newIds.get(code) : undefined
      const id = ids.get(code) ?? (earlier && earlier.row.line < row.line ? earlier.id : undefined)
      if (id === undefined) this.refuseCell(row, member, { key: unknown, data: { code } })
      else row.values[member] = id
    }
  }

  /** Rows of the list itself that the caller may see: a code of another row is refused like one that does not exist. */
  private async visibleIds(by: string, codes: ReadonlySet<string>): Promise<Map<string, string | undefined>> {
    const { store } = this.parts.target
    const column = store.meta.columns.get(by)
    if (!column) throw new Error(`${store.meta.name} has no ${by}`)
    const lower = [...codes].map((code) => code.toLowerCase())
    const found = await store.where(sql`lower(t.${identifier(column.column)}::text) = any(${lower}::text[])`)
    const ids = new Map(found.map((row) => [String(row[by]).toLowerCase(), row.id as string]))
    return new Map([...codes].map((code) => [code, ids.get(code.toLowerCase())]))
  }

  private makeInput(row: Row): void {
    const { target, columns } = this.parts
    const { own } = columns
    const given = target.inputOf?.(row.values) ?? row.values
    const { value, faults } = this.check(given)
    for (const { message, members, text } of faults) {
      const [member] = members
      if (member !== undefined && row.faulty.has(this.columnMemberOf(member, row))) continue
      this.refuseMember(row, {
        member,
        code: text?.key ?? 'ThisFieldIsNotValid.',
        message: withoutMember(message, members),
        text,
      })
    }
    // Every fault of the row at once; whether a required field is missing shows when it is known to be new.
    if (own) this.checkOwnFields(row, own.ofChange, withoutNulls(row.own))
    if (faults.length || row.isRefused) return
    const keyValue = this.keyOf(value as Readonly<Record<string, unknown>>)
    if (keyValue !== undefined) {
      const line = this.lines.get(keyValue)
      if (line !== undefined) {
        const [member, ...further] = this.key
        const text = { key: 'Import:RowTwice', data: { line } }
        this.refuseMember(row, {
          member: further.length ? undefined : member,
          ...{ code: text.key, message: text.key, text },
        })
        return
      }
      this.lines.set(keyValue, row.line)
    }
    row.input = value as object
  }

  /** The values of a key as a text; undefined where there is no key, or a row lacks one of them. */
  private keyOf(row: Readonly<Record<string, unknown>>): string | undefined {
    const values = this.key.map((attribute) => row[attribute] ?? null)
    return !values.length || values.includes(null) ? undefined : JSON.stringify(values.map(String))
  }

  /** Finds the rows that are there already, and gives ids to the new ones. */
  private async findExisting(
    rows: readonly Row[],
    newIds: ReadonlyMap<unknown, { readonly id: string }>,
  ): Promise<void> {
    const before = new Map<string | undefined, BaseEntity>()
    const good = rows.filter(({ input, isRefused }) => input && !isRefused)
    for (const row of await this.rowsThere(good)) before.set(this.keyOf(row as object as KeyValues), row)
    before.delete(undefined)
    for (const row of good) {
      const { line, input = {} } = row
      const existing = before.get(this.keyOf(input as KeyValues))
      row.imported = new ImportedRow(line, { ...input, ...this.ownFieldsOf(row, existing) }, existing)
      if (!row.imported.before)
        row.imported.values = { id: newIds.get(row.values[this.key[0] ?? ''])?.id ?? sequentialGuid() }
    }
  }

  /** The rows of the list that have the keys of these ones. */
  private async rowsThere(rows: readonly Row[]): Promise<BaseEntity[]> {
    const { store } = this.parts.target
    const keyed = rows.filter(({ input }) => this.keyOf(input as KeyValues) !== undefined)
    if (!keyed.length) return []
    const parts = this.key.map((attribute, at) => {
      const column = store.meta.columns.get(attribute)
      if (!column) throw new Error(`${store.meta.name} has no ${attribute}`)
      const type = keyTypeOf(sqlType(column.type, attribute))
      const values = keyed.map(({ input }) => String((input as KeyValues)[attribute]))
      return { column: sql`t.${identifier(column.column)}`, name: raw(`key${at}`), type: raw(type), values }
    })
    const [only, ...further] = parts
    if (only && !further.length) return store.where(sql`${only.column} = any(${only.values}::${only.type}[])`)
    const given = parts.map(({ values, type }): Sql => sql`${values}::${type}[]`)
    const same = parts.map(({ column, name }) => sql`${column} = g.${name}`)
    const names = parts.map(({ name }) => name)
    return store.where(
      sql`exists (select from unnest(${join(given, ', ')}) g(${join(names, ', ')}) where ${join(same, ' and ')})`,
    )
  }

  /** The member of the input with the own fields of a row, where it gives any that differ. Refuses the row for faults in them. */
  private ownFieldsOf(row: Row, before: BaseEntity | undefined): Readonly<Record<string, unknown>> {
    const { own } = this.parts.columns
    if (!own) return {}
    // An empty cell of a new row says nothing: the row has the default of the field.
    const values = before
      ? this.checkOwnFields(row, own.ofChange, row.own)
      : this.checkOwnFields(row, own.ofNew, withoutNulls(row.own))
    const { extraProperties: stored = {} } = (before ?? {}) as {
      readonly extraProperties?: Readonly<Record<string, unknown>>
    }
    const isChanged = Object.entries(values).some(
      ([name, value]) => (value ?? null) !== (stored[name] ?? null),
    )
    return isChanged ? { [own.member]: values } : {}
  }

  /** The values of own fields as they are stored. Refuses the row for faults in them. */
  private checkOwnFields(
    row: Row,
    check: ImportedOwnFields['ofNew'],
    given: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>> {
    try {
      return check(given)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      for (const { message, members, text } of error.validationErrors) {
        const told = withoutMember(message, members)
        const code = text?.key ?? 'ThisFieldIsNotValid.'
        this.refuseMember(row, { member: members[0], code, message: told, text })
      }
      return {}
    }
  }

  private refuseMember(
    row: Row,
    {
      member,
      code,
      message,
      text,
    }: Pick<ValidationFault, 'message' | 'text'> & {
      readonly member: string | undefined
      readonly code: string
    },
  ): void {
    row.isRefused = true
    const root = member === undefined ? undefined : this.columnMemberOf(member, row)
    if (root !== undefined) row.faulty.add(root)
    const place = this.header?.columns.findIndex((column) => column?.member === root) ?? -1
    this.note({
      row: row.line,
      column: place < 0 ? null : shortened(this.header?.headers[place] ?? ''),
      value: place < 0 ? null : shownCell(row.cells[place]),
      code,
      message,
      ...(text && { text }),
    })
  }

  /** The member of the values of a row that a path into its input was made from. */
  private columnMemberOf(path: string, { values }: Row): string {
    if (this.parts.columns.columns.some(({ own, member }) => own && member === path)) return path
    return this.parts.target.memberOf?.(path, values) ?? rootOf(path)
  }

  private refuseCell(row: Row, member: string, text: TextReference): void {
    this.refuseMember(row, { member, code: text.key, message: text.key, text })
  }

  private note(fault: StoredFault): void {
    this.faultCount += 1
    if (this.faults.length < mostRowFaults) this.faults.push(fault)
    else if (fault.row === null) this.faults[mostRowFaults - 1] = fault
  }
}

type KeyValues = Readonly<Record<string, unknown>>

/** The type that values of a key are compared in: one without a length, which would cut them off. */
function keyTypeOf(type: string): string {
  if (/^char/i.test(type)) return 'bpchar'
  return /^varchar/i.test(type) ? 'text' : type
}

function withoutNulls(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

/** `addresses[0].role` → `addresses` */
function rootOf(member: string): string {
  return member.split(/[.[]/, 1)[0] ?? ''
}

function shownCell(cell: RawCell | undefined): string | null {
  return cell === undefined || isEmpty(cell) ? null : shortened(String(cell))
}

function charactersOf({ cells }: SheetLine): number {
  return cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0)
}

function shortened(text: string): string {
  const plain = text.replaceAll('\0', '\ufffd')
  return plain.length <= longestValue ? plain : `${plain.slice(0, longestValue - 1)}…`
}

/** `code: a value is required` → `a value is required`. */
function withoutMember(message: string, [member]: readonly string[]): string {
  return member !== undefined && message.startsWith(`${member}: `)
    ? message.slice(member.length + 2)
    : message
}

/** The same file, which tells the job how much of it was read. The last percents are left for the commit. */
function observed(file: FileContent, { progress, signal }: ImportJob): FileContent {
  let read = 0
  let told = -1
  const watch = (stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
    stream.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          signal.throwIfAborted()
          read += chunk.byteLength
          const percent = Math.min(95, Math.floor((read / (file.size || 1)) * 95))
          if (percent > told) progress(percent)
          told = Math.max(told, percent)
          controller.enqueue(chunk)
        },
      }),
    )
  const { slice } = file
  return {
    name: file.name,
    type: file.type,
    size: file.size,
    stream: () => watch(file.stream()),
    ...(slice && { slice: (start, end) => ({ stream: () => watch(slice.call(file, start, end).stream()) }) }),
  }
}
