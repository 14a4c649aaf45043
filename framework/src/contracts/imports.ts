import { z } from 'zod'
import { type AnyDto, Dto, EntityDto } from './dto.js'
import type { FileContent } from './files.js'
import { id, type Operation, op } from './operation.js'
import { PagedInput, pageOf } from './paging.js'
import { enumeration, file, guid, instant } from './scalars.js'

const csv = 'text/csv'
const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The media types of files of rows. */
export const importMediaTypes = [csv, workbook] as const

/** The permission to see and cancel the jobs of others, and with them their imports. */
export const manageJobsPermission = 'BackgroundWork.Jobs.Manage'

/** How far an import is. */
export enum ImportStatus {
  Waiting = 0,
  Running = 1,

  /** All rows were written. A dry run found no fault, and wrote none. */
  Completed = 2,

  /** Rows or the file are at fault, or the caller may not import: nothing was written. */
  Refused = 3,

  /** The import was given up because of a fault of the program or of its surroundings: nothing was written. */
  Failed = 4,

  /** It was cancelled: nothing was written. */
  Cancelled = 5,
}

/** The encodings of CSV files beside those with a byte order mark. */
export const importEncodings = ['utf-8', 'windows-1252', 'iso-8859-15', 'utf-16le'] as const

/** The codes of a `BusinessError` of imports. */
export const ImportErrors = {
  TooManyUnfinished: 'Import:TooManyUnfinished',
  IsOver: 'Import:IsOver',
  /** Code of a fault of the whole import: the program failed. */
  Failed: 'Import:Failed',
} as const

/** A file of rows to write. */
export class ImportInput extends Dto({
  /** CSV or XLSX, with headers in the first row. */
  file: file(...importMediaTypes),

  /** True: everything is checked and nothing is written. */
  dryRun: z.boolean().default(false),

  /** Encoding of a CSV file without a byte order mark. */
  encoding: z.enum(importEncodings).default('utf-8'),
}) {}

/** The format of a template. */
export class ImportTemplateInput extends Dto({ format: z.enum(['xlsx', 'csv']).default('xlsx') }) {}

/** A fault of a file. */
export class ImportFaultDto extends Dto({
  /** The line of the row, the header being line 1; null for faults of the whole file. */
  row: z.int().nullable(),
  /** The header of the column; null for faults of the whole row. */
  column: z.string().nullable(),
  /** The beginning of the text of the cell; null when it is empty. */
  value: z.string().nullable(),
  /** The code of an error, or the key of a text. */
  code: z.string(),
  message: z.string(),
}) {}

/** An import, and what became of it. */
export class ImportDto extends EntityDto({
  fileName: z.string(),
  isDryRun: z.boolean(),
  status: enumeration('ImportStatus', ImportStatus),
  /** Percent. */
  progress: z.int(),
  creationTime: instant(),
  /** The user whose import it is. */
  creatorId: guid(),
  /** When it was over; null before. */
  completionTime: instant().nullable(),
  /** Rows that were read, the header left out. */
  rowCount: z.int(),
  /** Rows that were added; of a dry run those that would be. */
  insertedCount: z.int(),
  /** Rows that were changed. Rows that have their values already are not among them. */
  updatedCount: z.int(),
  /** All faults. The first thousand are listed. */
  faultCount: z.int(),
  /** Headers of columns that are known and cannot be imported. They were passed over. */
  ignoredColumns: z.array(z.string()),
  /** The first thousand faults. Null in lists. */
  faults: z.array(ImportFaultDto.schema).nullable(),
}) {}

/** The operations that {@link importable} adds. */
export interface ImportableOperations {
  import: Operation<
    [input: z.input<typeof ImportInput.schema>],
    ImportDto,
    [input: z.output<typeof ImportInput.schema>]
  >
  getImports: Operation<
    [input: z.input<typeof PagedInput.schema>],
    InstanceType<ReturnType<typeof pageOf<(typeof ImportDto)['shape']>>>,
    [input: z.output<typeof PagedInput.schema>]
  >
  getImport: Operation<[id: string], ImportDto>
  getImportFaults: Operation<[id: string], FileContent>
  cancelImport: Operation<[id: string], void>
  getImportTemplate: Operation<
    [input: z.input<typeof ImportTemplateInput.schema>],
    FileContent,
    [input: z.output<typeof ImportTemplateInput.schema>]
  >
}

/**
 * `POST …/import`, a file of rows that a background job writes in the caller's name, all of them or none, with reports under `…/import/{id}` and a
 * template under `…/import-template`. Needs the permissions Create and Edit; reports are shown to the caller and to those who manage jobs.
 * @param input that of `import`: a DTO with the members of {@link ImportInput}, whose file may be of further types
 * @example { ...crud(PortDto, PortInput), ...exportable(), ...importable() }
 */
export function importable(input: AnyDto = ImportInput): ImportableOperations {
  return {
    /** Uploads a CSV or XLSX file, which a background job imports: all of its rows, or none. */
    import: op(input).returns(ImportDto),
    /** Lists the imports of the caller, newest first; those of everybody for callers who manage jobs. */
    getImports: op(PagedInput).returns(pageOf(ImportDto)),
    /** Gets an import with its progress, its counts and its first thousand faults. */
    getImport: op(id).returns(ImportDto).at('GET', 'import/{id}'),
    /** Downloads the faults of an import as CSV. */
    getImportFaults: op(id).returns(file(csv)).at('GET', 'import/{id}/faults'),
    /** Cancels an import that waits or runs. Nothing is written. */
    cancelImport: op(id).at('POST', 'import/{id}/cancel'),
    /** Downloads a file with the headers of all columns that the caller can import. */
    getImportTemplate: op(ImportTemplateInput).returns(file(workbook, csv)),
  } as unknown as ImportableOperations
}
