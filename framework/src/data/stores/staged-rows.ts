import type { AnyDto } from '../../contracts/index.js'
import { compileInputCheck } from '../../modularity/validation.js'
import { type CopiedColumn, CopyBuffer, type RowValue } from '../connections/copy-rows.js'
import type { Database } from '../connections/database.js'
import { type ColumnMeta, DataType, type EntityMeta } from '../entities/entity.js'
import { newStamp } from '../entities/guid.js'
import { typeKey } from '../entities/text-columns.js'
import { identifier, join, quote, raw, type Sql, sql } from '../wire/sql.js'
import { ValueFault, type ValueWriter, valueWriter } from './column-values.js'
import { mostRowFaults, type RowFault, rowFault } from './rows-refused.js'

/** Rows as they are given: an array, or anything that can be iterated, such as a stream. They are taken one by one. */
export type RowSource<R> = Iterable<R> | AsyncIterable<R>

/** Rows are sent in pieces of this size: the memory that they take here. */
const pieceBytes = 512 * 1024

/** The columns beside those of the entity. */
const own: readonly CopiedColumn[] = [
  // The place of the row among those that were given.
  { column: 'keel_row', type: DataType.INTEGER },
  // Which columns the row gives: a digit for each column of the entity, 1 for a column that is given.
  { column: 'keel_given', type: DataType.TEXT },
  // The concurrency stamp that the row of the table must have.
  { column: 'keel_stamp', type: DataType.TEXT },
  // The id of the row of the table.
  { column: 'keel_id', type: DataType.UUID },
  // True when that row is to be made.
  { column: 'keel_new', type: DataType.BOOLEAN },
]

/** How rows are taken. */
export interface StagingOptions {
  /** True when the rows change rows that exist: then each has an id. */
  readonly changes: boolean
  /** The values of columns that a row does not give. */
  readonly filledIn: () => Readonly<Record<string, unknown>> & { readonly id: string }
  readonly input: AnyDto | undefined
}

let tables = 0

/**
 * Rows on their way into a table: in a temporary table of the transaction at hand, with the same columns. From there one statement writes
 * thousands of them, and finds the rows that are at fault when it fails.
 */
export class StagedRows {
  /** The temporary table. */
  readonly table: Sql
  /** The number of rows. */
  count = 0
  readonly faults: RowFault[] = []
  /** Columns that some row gives, and among them those that every row gives. */
  private readonly given = new Map<ColumnMeta, number>()
  private readonly name = `KeelRows${++tables}`
  private readonly columns: readonly ColumnMeta[]
  private readonly writers: readonly ValueWriter[]
  private readonly buffer: CopyBuffer

  constructor(
    private readonly database: Database,
    private readonly meta: EntityMeta,
  ) {
    this.columns = [...meta.columns.values()]
    this.writers = this.columns.map(valueWriter)
    this.table = identifier(this.name)
    this.buffer = new CopyBuffer(this.name, [...own, ...this.columns])
  }

  /** The columns that some row gives, id and stamp aside. */
  get changed(): ColumnMeta[] {
    return this.columns.filter((column) => this.given.has(column))
  }

  /** Takes all rows. Rows with faults are left out, and nothing is taken after the most faults that an error lists. */
  async take(rows: RowSource<object>, options: StagingOptions): Promise<void> {
    const { database, table, buffer } = this
    const columns = this.columns.map(({ column }) => raw(`t.${quote(column)}`))
    await database.execute(sql`
      create temp table ${table} on commit drop as
      select null::int as keel_row, null::text as keel_given, null::text as keel_stamp, null::uuid as keel_id,
        null::boolean as keel_new, ${join(columns, ', ')} from ${identifier(this.meta.table)} t with no data`)
    const check = options.input && compileInputCheck(options.input)
    for await (const row of rows) {
      this.add(row, options, check)
      if (buffer.length >= pieceBytes) await this.send()
      if (this.faults.length >= mostRowFaults) break
    }
    await this.send()
    await database.execute(sql`create index on ${table} (keel_row)`)
    await database.execute(sql`create index on ${table} (keel_id)`)
    await database.execute(sql`analyze ${table}`)
  }

  async drop(): Promise<void> {
    await this.database.execute(sql`drop table ${this.table}`)
  }

  /**
   * Gives the rows that change others the values of these in the columns that only some rows give; with `all`, in all columns. Extra properties
   * that a row does not give stay, and null clears one.
   */
  async complete(which: 'given' | 'all'): Promise<void> {
    const partial = this.columns.flatMap((column, index) => {
      const count = this.given.get(column) ?? 0
      const isPartial = count < this.count && (which === 'all' || count > 0) && column.attribute !== 'id'
      const isMerged = count > 0 && column.attribute === 'extraProperties' && typeKey(column) === 'JSONB'
      const name = identifier(column.column)
      const given = isMerged ? mergedProperties(name) : sql`s.${name}`
      return isPartial || isMerged
        ? [
            sql`${name} = case substr(s.keel_given, ${index + 1}, 1) when '1' then ${given} else t.${name} end`,
          ]
        : []
    })
    if (partial.length === 0) return
    await this.database.execute(sql`
      update ${this.table} s set ${join(partial, ', ')} from ${identifier(this.meta.table)} t
      where not s.keel_new and t."Id" = s.keel_id`)
  }

  private async send(): Promise<void> {
    const { buffer } = this
    if (buffer.length === 0) return
    await this.database.copyRows([buffer.rows(0, buffer.length)], 'current')
    buffer.cut(0)
  }

  private add(
    given: object,
    { changes, filledIn }: StagingOptions,
    check: ReturnType<typeof compileInputCheck> | undefined,
  ): void {
    const index = this.count++
    const row = this.checked(index, given, check)
    if (!row) return
    const filled = filledIn()
    let isWhole = true
    let mask = ''
    const values: RowValue[] = []
    for (const [place, column] of this.columns.entries()) {
      const { attribute } = column
      const own = row[attribute]
      const isGiven = own !== undefined && !(changes && keptFromChanges.has(attribute))
      mask += isGiven ? '1' : '0'
      if (isGiven && !keptFromChanges.has(attribute))
        this.given.set(column, (this.given.get(column) ?? 0) + 1)
      const value = isGiven ? own : (filled[attribute] ?? defaultOf(column))
      const written =
        value === null || value === undefined ? null : (this.writers[place] as ValueWriter)(value)
      if (written instanceof ValueFault) {
        this.faults.push(rowFault(index, attribute, written.code, written.data))
        isWhole = false
      } else values.push(written)
    }
    const id = changes ? row.id : values[this.idPlace]
    if (changes && !isGuid(id)) {
      this.faults.push(rowFault(index, 'id', 'Validation:NoSuchEntity'))
      return
    }
    const stamp = typeof row.concurrencyStamp === 'string' ? row.concurrencyStamp : null
    if (isWhole) this.buffer.add([index, mask, stamp, id as string, !changes, ...values])
  }

  /** The row as its DTO leaves it; undefined where that refuses it. */
  private checked(
    index: number,
    row: object,
    check: ReturnType<typeof compileInputCheck> | undefined,
  ): Readonly<Record<string, unknown>> | undefined {
    if (!check) return row as Readonly<Record<string, unknown>>
    const { value, faults } = check(row)
    for (const { message, members, text } of faults) {
      const column = members[0]
      const member = column === undefined ? `[${index}]` : `[${index}].${column}`
      const fault = { message: `[${index}].${message}`, members: [member], text }
      this.faults.push({ index, column, code: text?.key ?? 'ThisFieldIsNotValid.', fault })
    }
    return faults.length ? undefined : { ...row, ...(value as object) }
  }

  private get idPlace(): number {
    return this.columns.findIndex(({ attribute }) => attribute === 'id')
  }
}

/** The extra properties of a row with those of a staged one over them, without those that are null. */
function mergedProperties(name: Sql): Sql {
  return sql`(select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(t.${name} || coalesce(s.${name}, '{}')) e where e.value <> 'null')`
}

/** Attributes of a row that a change does not write as they are given. */
const keptFromChanges = new Set(['id', 'concurrencyStamp'])

const isGuid = (id: unknown): boolean =>
  typeof id === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

function defaultOf({ attribute, defaultValue }: ColumnMeta): unknown {
  if (attribute === 'concurrencyStamp') return newStamp()
  return typeof defaultValue === 'function' ? defaultValue() : defaultValue
}
