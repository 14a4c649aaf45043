import { Injectable } from '@keel/framework'
import { sequentialGuid } from '@keel/framework/data'
import type { PricedCharge, PricedOption } from '../domain/calculation.js'
import type { Quote } from '../domain/quote.js'
import { QuoteCargoLineStore, QuoteChargeStore, QuoteOptionStore } from '../persistence/stores.js'
import { PriceCalculation } from './price-calculation.js'

const told = { audit: 'count', events: 'batch' } as const

/** The options of quotes with their charges: calculated, written and forgotten together. */
@Injectable()
export class QuoteOptions {
  constructor(
    private readonly lines: QuoteCargoLineStore,
    private readonly options: QuoteOptionStore,
    private readonly charges: QuoteChargeStore,
    private readonly calculation: PriceCalculation,
  ) {}

  /** Prices a quote by the rates of a day; at least one option. Throws what is missing. */
  async calculate(
    quote: Quote,
    { includeOptional, pricingDate = quote.pricingDate }: { includeOptional: boolean; pricingDate?: string },
  ): Promise<PricedOption[]> {
    return this.calculation.optionsOf({
      ...requestOf(quote),
      cargo: await this.lines.ofQuote(quote.id),
      ...{ pricingDate, includeOptional, buying: true, carrierCodes: [] },
    })
  }

  async replace(quote: Quote, options: readonly PricedOption[]): Promise<void> {
    await this.forget(quote)
    const rows = options.map(({ charges: _, validUntil: __, ...option }) => ({
      ...option,
      ...{ id: sequentialGuid(), quoteId: quote.id },
    }))
    const charges = options.flatMap((option, at) =>
      option.charges.map((charge, index) => {
        const { chargeCode: _, chargeName: __, chargeGroup: ___, containerTypeCode: ____, ...values } = charge
        return {
          ...values,
          quoteOptionId: rows[at]?.id ?? '',
          description: descriptionOf(charge),
          sortOrder: at * 1000 + index,
        }
      }),
    )
    await this.options.insertMany(rows, told)
    await this.charges.insertMany(charges, told)
  }

  async forget(quote: Quote): Promise<void> {
    for (const charge of await this.charges.ofQuote(quote.id)) await this.charges.remove(charge)
    for (const option of await this.options.ofQuote(quote.id)) await this.options.remove(option)
  }
}

/** The text of a charge on a quote. */
export function descriptionOf({ chargeName, chargeCode, containerTypeCode }: PricedCharge): string {
  return [chargeName, containerTypeCode].filter(Boolean).join(' ') || chargeCode
}

/** The members of a quote by which it is priced. */
export function requestOf(quote: Quote) {
  const { transportModeCode, containerModeCode, originUnLocode, destinationUnLocode, pricingDate } = quote
  const { cargoReadyDate, currencyCode, organizationId, goodsValue } = quote
  const { isDangerousGoods, isTemperatureControlled } = quote
  return {
    ...{ transportModeCode, containerModeCode, originUnLocode, destinationUnLocode, pricingDate },
    ...{
      cargoReadyDate,
      currencyCode,
      organizationId,
      isDangerousGoods,
      isTemperatureControlled,
      goodsValue,
    },
  }
}
