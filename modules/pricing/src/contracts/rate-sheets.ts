import { Dto, file, importMediaTypes, listOf, z } from '@keel/framework/contracts'
import { stamp } from './fields.js'

/** The most rows of a rate sheet, its header left out. */
export const mostSheetRows = 20_000

/** A rate sheet to import. */
export class ImportRateSheetInput extends Dto({
  /** XLSX or CSV, in the shape of the exported sheet. */
  file: file(...importMediaTypes),

  /** True: everything is checked and counted, and nothing is written. */
  dryRun: z.boolean().default(false),
  ...stamp,
}) {}

/** A fault of a rate sheet. */
export class RateSheetFaultDto extends Dto({
  /** The name of the sheet; null in CSV. */
  sheet: z.string().nullable(),

  /** The line of the row, the header being line 1; null for faults of the whole file. */
  row: z.int().nullable(),

  /** The header of the column as it stands in the file; null for faults of the whole file, and where the file lacks the column. */
  column: z.string().nullable(),

  /** The beginning of the text of the cell; null when it is empty. */
  value: z.string().nullable(),

  /** The code of an error, or the key of a text. */
  code: z.string(),
  message: z.string(),
}) {}

/** How many rows of a kind a rate sheet adds to a card, changes and removes. */
export class RateSheetChangesDto extends Dto({ added: z.int(), changed: z.int(), removed: z.int() }) {}

/** What became of a rate sheet, or would become of it. */
export class RateSheetReportDto extends Dto({
  isDryRun: z.boolean(),

  /** False after a dry run, and where there are faults: then nothing was written. */
  isWritten: z.boolean(),

  /** Rows that were read, the header left out. */
  rowCount: z.int(),
  lanes: RateSheetChangesDto.schema,
  lines: RateSheetChangesDto.schema,
  breaks: RateSheetChangesDto.schema,

  /** All faults. */
  faultCount: z.int(),

  /** The first thousand faults. */
  faults: listOf(RateSheetFaultDto),
}) {}
