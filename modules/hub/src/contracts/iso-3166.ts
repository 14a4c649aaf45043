import { AppService, Dto, importable, z } from '@keel/framework/contracts'
import { Hub } from './hub.js'

/** A country as the list of ISO 3166-1 has it. */
export class Iso3166Row extends Dto({
  /**
   * Code of two letters.
   * @example NL
   */
  code: z.string().regex(/^[A-Z]{2}$/, 'Validation:CountryCode'),

  /**
   * Code of three letters.
   * @example NLD
   */
  alpha3Code: z.string().regex(/^[A-Z]{3}$/, 'Hub:Validation:Alpha3Code'),

  /**
   * Code of three digits.
   * @example "528"
   */
  numericCode: z.string().regex(/^\d{3}$/, 'Hub:Validation:CountryNumber'),

  /** The short name of the list. */
  shortName: z.string().trim().min(1).max(100),

  /** The full name of the list. */
  fullName: z.string().trim().max(200).nullish(),
}) {}

/**
 * The official list of countries, ISO 3166-1: CSV or XLSX with a header. It adds countries, and gives those that are there the codes and the official name of the
 * list; the name that people know them by stays. Needs `ReferenceData.Import`.
 */
export abstract class Iso3166AppService extends AppService(Hub, 'Iso3166AppService', {
  ...importable(),
}) {}
