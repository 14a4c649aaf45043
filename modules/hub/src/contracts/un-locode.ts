import { AppService, Dto, importable, z } from '@keel/framework/contracts'
import { Hub } from './hub.js'
import { PortDto } from './ports.js'

/** A place as the official list of UN/LOCODE has it. */
export class UnLocodeRow extends Dto({
  unLocode: PortDto.shape.unLocode,
  name: PortDto.shape.name,
  nameWoDiacritics: z.string().trim().max(100).nullish(),
  subdivisionCode: PortDto.shape.subdivisionCode,

  /**
   * A character for each function that the place has, and hyphens.
   * @example 1--4----
   */
  functionCodes: z
    .string()
    .regex(/^[0-9A-Z-]{1,8}$/, 'Hub:Validation:FunctionCodes')
    .nullish(),

  /** How far the entry is approved, e.g. `AI`; `XX` for places that leave the list. */
  entryStatus: z.string().max(2).nullish(),

  /** What is no IATA code counts as none. */
  iataCode: z.string().max(10).nullish(),

  /**
   * Degrees and minutes. What cannot be read counts as none.
   * @example 5155N 00430E
   */
  coordinates: z.string().max(40).nullish(),

  /** The mark of a change since the last release: `X` for places that leave the list. */
  change: z.string().max(4).nullish(),
}) {}

/**
 * The official list of places of UN/LOCODE, as UNECE publishes it: files of CSV with twelve columns and no header, or with a header that names them. It
 * writes the ports of Hub by their codes. Needs `ReferenceData.Import`.
 */
export abstract class UnLocodeAppService extends AppService(Hub, 'UnLocodeAppService', {
  ...importable(),
}) {}
