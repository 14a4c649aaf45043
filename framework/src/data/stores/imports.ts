import {
  type AnyAppService,
  type AnyDto,
  BusinessError,
  type FileContent,
  type ImportDto,
  type TextReference,
  ValidationError,
  type z,
} from '../../contracts/index.js'
import type { Localization } from '../../modularity/localization.js'
import type { CsvReadOptions, SheetLine, XlsxReadOptions } from '../../spreadsheets/index.js'
import type { EntityClass } from '../entities/entity.js'
import type { BaseEntity } from '../entities/entity-bases.js'
import type { ListSheet } from '../lists/list-sheet.js'
import type { ManyWritten } from './many-rows.js'
import type { NewRow } from './new-row.js'
import type { Store } from './store.js'

/** A column of a file that names a row of another list by its code. */
export interface ImportReference {
  /** The member of the values of a row that takes the id. */
  readonly member: string
  readonly entity: EntityClass
  /** The attribute that holds the code. */
  readonly by: string
  /** Texts that attributes of the row have, e.g. `{ type: 'Incoterm' }`. */
  readonly where?: Readonly<Record<string, string>>
  /** The key of the text that refuses a code which no row has. */
  readonly unknown: string
  /** Of rows with these ids, those that the caller may name. A code of another row is refused like one that no row has. All of them when not given. */
  visible?(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** The header of the column in a language; the label of its name when not given. */
  header?(texts: ColumnTexts, culture: string): string | undefined
}

/** Where headers of columns come from. */
export type ColumnTexts = Pick<Localization, 'find' | 'label'>

/** A column of a file whose value is no member of the input of `create`. `inputOf` of the target takes it by the name of the column. */
export interface ImportedColumn {
  /** Says the kind of the cells. The values themselves are checked as part of the input. */
  readonly schema: z.ZodType
  header?(texts: ColumnTexts, culture: string): string | undefined
}

/** How `importable()` writes rows of a file. */
export interface ImportOptions {
  /** The attributes of a unique key, by which rows that exist are found and changed. Without it every row is new. */
  readonly key?: string | readonly string[]
  /** Columns that name rows of other lists, by the names of the columns. Other columns are the plain members of the input of `create`. */
  readonly references?: Readonly<Record<string, ImportReference>>
  /** Further columns by their names. */
  readonly columns?: Readonly<Record<string, ImportedColumn>>
}

/** The attributes by which the rows of a file are found; none where every row is new. */
export function importKeyOf({ key = [] }: ImportOptions): readonly string[] {
  return typeof key === 'string' ? [key] : key
}

/** A fault of a row of a file. */
export interface ImportedFault {
  /** The member of the input or of the values of the row; undefined for faults of the whole row. */
  readonly member: string | undefined
  readonly code: string
  /** In the language of the run, without the member. */
  readonly message: string
  readonly text: TextReference | undefined
}

/** A row of a file that is as its input demands, on its way into a table. `I` is the input of `create`. */
export class ImportedRow<T extends BaseEntity = BaseEntity, I extends object = object> {
  /** Attributes that are written beside the input, or instead of its members. */
  values: NewRow<T> = {}
  readonly faults: ImportedFault[] = []

  constructor(
    /** The line in the file, the header being line 1. */
    readonly line: number,
    readonly input: I,
    /** The row that is there already; undefined for a new one. */
    readonly before: T | undefined,
  ) {}

  /** Refuses the row. */
  refuse(member: string | undefined, key: string, data: TextReference['data'] = {}): void {
    this.faults.push({ member, code: key, message: key, text: { key, data } })
  }

  /** Runs a rule. What it throws as a `ValidationError` or `BusinessError` refuses the row. */
  async check(rule: () => unknown): Promise<void> {
    try {
      await rule()
    } catch (error) {
      if (error instanceof ValidationError)
        for (const { message, members, text } of error.validationErrors)
          this.faults.push({ member: members[0], code: text?.key ?? 'ThisFieldIsNotValid.', message, text })
      else if (error instanceof BusinessError) {
        const { code = '', data, message } = error
        this.faults.push({ member: undefined, code, message, text: { key: code, ...(data && { data }) } })
      } else throw error
    }
  }
}

/** A list into which files are imported. */
// biome-ignore lint/suspicious/noExplicitAny: inputs of all shapes
export interface ImportTarget<T extends BaseEntity = any, I extends object = any> {
  readonly contract: AnyAppService
  /** The input that a row is checked by, and the DTO that shows it, where the contract has no `create` and `get` of such rows. */
  readonly rows?: { readonly input: AnyDto; readonly shown: AnyDto }
  /** The list as a file: its columns are accepted. */
  readonly sheet: ListSheet
  readonly store: Store<T>
  readonly options: ImportOptions
  /**
   * Reads files of other formats as rows, the first with the names of columns; CSV files and workbooks when not given. Throws a `ValidationError` for
   * a file that it cannot read.
   */
  linesOf?(file: FileContent, options: CsvReadOptions & XlsxReadOptions): AsyncIterable<SheetLine>
  /** Makes the input of `create` from the values of a row, where its columns are not members of that. */
  inputOf?(values: Readonly<Record<string, unknown>>): object
  /** The member of the values that a path into that input was made from, e.g. of `addresses[0].city`; undefined where the path itself begins with it. */
  memberOf?(path: string, values: Readonly<Record<string, unknown>>): string | undefined
  /** Applies the rules of create and update to rows that will be written together: fills `values`, and refuses rows. */
  prepare(rows: readonly ImportedRow<T, I>[]): Promise<void>
  /** Writes rows without faults. Throws `RowsRefusedError` for those that the database refuses. */
  write(rows: readonly ImportedRow<T, I>[]): Promise<ManyWritten>
}

/** Writes rows of a file with one entry in the audit log and one event. */
export function writeImportedRows<T extends BaseEntity>(
  { store, options }: Pick<ImportTarget<T>, 'store' | 'options'>,
  rows: readonly ImportedRow<T>[],
): Promise<ManyWritten> {
  const key = importKeyOf(options)
  const given = rows.map(({ input, values }) => ({ ...input, ...values }) as NewRow<T>)
  const inBatch = { audit: 'count', events: 'batch' } as const
  return key.length
    ? store.upsertMany(given, { ...inBatch, by: key as readonly (keyof T & string)[] })
    : store.insertMany(given, inBatch)
}

/** Writes the values of rows that are new or differ from what is there. */
export interface DifferingRows<T extends BaseEntity> {
  /** The attributes by which a row differs. */
  readonly members: readonly (keyof T & string)[]
  /** Values that are written beside those of each row, e.g. the time of the import: rows that are as before keep theirs. */
  readonly beside: NewRow<T>
}

/** As {@link writeImportedRows}, of the rows alone that are new or differ: for lists that repeat most rows with every edition. */
export function writeDifferingRows<T extends BaseEntity>(
  { store, options }: Pick<ImportTarget<T>, 'store' | 'options'>,
  rows: readonly ImportedRow<T>[],
  { members, beside }: DifferingRows<T>,
): Promise<ManyWritten> {
  const by = importKeyOf(options) as readonly (keyof T & string)[]
  const differs = ({ before, values }: ImportedRow<T>) =>
    !before || members.some((member) => (before[member] ?? null) !== (attributeOf(values, member) ?? null))
  const given = rows.filter(differs).map(({ values }): NewRow<T> => ({ ...values, ...beside }))
  return store.upsertMany(given, { audit: 'count', events: 'batch', by })
}

function attributeOf(values: object, name: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[name]
}

/** The job of an import. */
export interface ImportJob {
  readonly signal: AbortSignal
  progress(percent: number): void
}

/** The input of `import`. */
export interface ImportRequest {
  readonly file: FileContent
  readonly dryRun: boolean
  readonly encoding: string
}

/** A page of imports. */
export interface ImportPage {
  readonly totalCount: number
  readonly items: readonly ImportDto[]
}

/** Does the work of `importable()`; the `ImportsModule` provides it. */
export abstract class Imports {
  abstract start(target: ImportTarget, input: ImportRequest): Promise<ImportDto>
  abstract list(
    target: ImportTarget,
    input: { readonly skipCount: number; readonly maxResultCount: number },
  ): Promise<ImportPage>
  abstract get(target: ImportTarget, id: string): Promise<ImportDto>
  abstract faults(target: ImportTarget, id: string): Promise<FileContent>
  abstract cancel(target: ImportTarget, id: string): Promise<void>
  abstract template(target: ImportTarget, input: { readonly format: 'xlsx' | 'csv' }): Promise<FileContent>
}

/** The base of services whose contract has `importable()`; that of `CrudService`, too. */
export class ImportingService {
  constructor(readonly imports?: Imports) {}

  /** The list of the service. */
  get importTarget(): ImportTarget {
    throw new Error(`${this.constructor.name} does not say into which list it imports: override importTarget`)
  }

  import(input: ImportRequest): Promise<ImportDto> {
    return this.importsOf().start(this.importTarget, input)
  }

  // biome-ignore lint/suspicious/noExplicitAny: a page is written by its own class
  getImports(input: { readonly skipCount: number; readonly maxResultCount: number }): Promise<any> {
    return this.importsOf().list(this.importTarget, input)
  }

  getImport(id: string): Promise<ImportDto> {
    return this.importsOf().get(this.importTarget, id)
  }

  getImportFaults(id: string): Promise<FileContent> {
    return this.importsOf().faults(this.importTarget, id)
  }

  cancelImport(id: string): Promise<void> {
    return this.importsOf().cancel(this.importTarget, id)
  }

  getImportTemplate(input: { readonly format: 'xlsx' | 'csv' }): Promise<FileContent> {
    return this.importsOf().template(this.importTarget, input)
  }

  private importsOf(): Imports {
    if (this.imports) return this.imports
    throw new Error(`${this.constructor.name} has no importable()`)
  }
}
