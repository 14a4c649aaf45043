import {
  AppService,
  activityMembers,
  crud,
  Dto,
  EntityDto,
  file,
  ImportInput,
  InputOf,
  importable,
  importMediaTypes,
  ownFields,
  ReferenceListInput,
  reactivation,
  z,
} from '@keel/framework/contracts'
import { Pricing } from './pricing.js'

/** A currency of ISO 4217 with the digits that amounts in it are rounded to. */
export class CurrencyDto extends EntityDto({
  /**
   * ISO 4217 code of three letters.
   * @example EUR
   */
  code: z.string().regex(/^[A-Z]{3}$/, 'Validation:CurrencyCode'),

  /**
   * ISO 4217 code of three digits.
   * @example "978"
   */
  numericCode: z.string().regex(/^\d{3}$/, 'Pricing:Validation:NumericCode'),
  name: z.string().trim().min(1).max(100),
  /**
   * Digits behind the point that amounts are rounded to.
   * @example 2
   */
  minorUnits: z.int().min(0).max(4),

  /**
   * How prices show it; null where it has none.
   * @example €
   */
  symbol: z.string().max(5).nullish(),
  ...activityMembers,

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.Currency'),
}) {}

/** The input for creating and changing a currency. */
export class CurrencyInput extends Dto({ ...InputOf(CurrencyDto).shape, isActive: reactivation() }) {}

/** A file of currencies: rows of the list, or list one of ISO 4217 as XML. */
export class CurrencyImportInput extends Dto({
  ...ImportInput.shape,
  file: file(...importMediaTypes, 'application/xml', 'text/xml'),
}) {}

/** Currencies. Deleting one deactivates it, and a change brings it back (`isActive`). */
export abstract class CurrencyAppService extends AppService(Pricing, 'CurrencyAppService', {
  ...crud(CurrencyDto, CurrencyInput, CurrencyInput, ReferenceListInput),
  ...importable(CurrencyImportInput),
}) {}
