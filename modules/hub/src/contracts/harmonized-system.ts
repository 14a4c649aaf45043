import { AppService, Dto, importable, z } from '@keel/framework/contracts'
import { HsCodeDto } from './hs-codes.js'
import { Hub } from './hub.js'

/** A row of a file of the Harmonized System. */
export class HarmonizedSystemRow extends Dto({
  code: HsCodeDto.shape.code,
  description: HsCodeDto.shape.description,
  sectionCode: HsCodeDto.shape.sectionCode,

  /** Where the file says it: the code of the chapter or heading above, `TOTAL` for a chapter. It has to be that of the digits. */
  parentCode: z.string().trim().max(5).nullish(),

  /** Where the file says it: how many digits the code has. */
  level: z.int().nullish(),
}) {}

/**
 * The nomenclature of the Harmonized System: CSV or XLSX with a header (`section`, `hscode`, `description`, `parent`, `level`). It adds codes, and changes sections
 * and descriptions of those that are there. Needs `ReferenceData.Import`.
 */
export abstract class HarmonizedSystemAppService extends AppService(Hub, 'HarmonizedSystemAppService', {
  ...importable(),
}) {}
