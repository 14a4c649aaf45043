import { BusinessError, faultOf, type ValidationFault } from '@keel/framework/contracts'
import { type ReferenceSets, refusalOf } from '@keel/framework/data'
import { PricingErrors } from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'
import { Currency } from '../domain/currency.js'

const texts = { unknown: 'Validation:NoSuchEntity', inactive: 'Validation:Deactivated' }

/**
 * Refuses codes of no currency, and of a deactivated one.
 * @param before the code so far: a row keeps a currency that was deactivated later
 */
export async function demandCurrency(
  references: ReferenceSets,
  code: string,
  before?: string | null,
): Promise<void> {
  const currencies = await references.matching(Currency, 'code', [code])
  const [id] = currencies.idsBy('code', code)
  if (id === undefined) throw new BusinessError(PricingErrors.CurrencyUnknown, { code })
  if (code !== before && currencies.value(id, 'isActive') === 'f')
    throw new BusinessError(PricingErrors.CurrencyDeactivated, { code })
}

/**
 * The fault of a charge code that does not exist or is deactivated.
 * @param before the id so far: a row keeps a charge code that was deactivated later
 */
export async function chargeCodeFaults(
  references: ReferenceSets,
  chargeCodeId: string | null | undefined,
  before?: string | null,
): Promise<ValidationFault[]> {
  if (!chargeCodeId) return []
  const charges = await references.rows(ChargeCode, [chargeCodeId])
  const key = refusalOf(charges, chargeCodeId, texts, chargeCodeId === before)
  return key === undefined ? [] : [faultOf('chargeCodeId', key)]
}
