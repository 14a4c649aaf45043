import { AggregateRoot, Column, DataType, Entity } from '@keel/framework/data'
import { ExchangeRateType, PricingErrors } from '../contracts/index.js'

/** A dated rate between two currencies. */
@Entity('PricingExchangeRates', {
  watched: true,
  conflicts: { IX_PricingExchangeRates_Rate: PricingErrors.ExchangeRateDuplicate },
})
export class ExchangeRate extends AggregateRoot {
  @Column(DataType.CHAR(3)) declare fromCurrencyCode: string
  @Column(DataType.CHAR(3)) declare toCurrencyCode: string
  @Column(DataType.DATEONLY) declare rateDate: string
  @Column(DataType.SMALLINT, { enumeration: { ExchangeRateType }, defaultValue: ExchangeRateType.Mid })
  declare rateType: ExchangeRateType
  @Column(DataType.DECIMAL(18, 8)) declare rate: string
  @Column(DataType.STRING(50)) declare source: string
}
