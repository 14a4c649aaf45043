import { AggregateRoot, Column, DataType, Entity } from '@keel/framework/data'
import { ExchangeRateType, PricingErrors } from '../contracts/index.js'
import { currencyOf } from './currency.js'

/** A dated rate between two currencies. */
@Entity('PricingExchangeRates', {
  watched: true,
  conflicts: { IX_PricingExchangeRates_Rate: PricingErrors.ExchangeRateDuplicate },
  indexes: [
    {
      attributes: ['fromCurrencyCode', 'toCurrencyCode', 'rateType', 'rateDate'],
      name: 'Rate',
      unique: true,
      where: '"IsDeleted" = false',
    },
    // The rate in force on a day: one index-only step
    {
      attributes: [
        'fromCurrencyCode',
        'toCurrencyCode',
        'rateType',
        { attribute: 'rateDate', order: 'desc' },
      ],
      name: 'LatestRate',
      include: ['rate'],
      where: '"IsDeleted" = false',
    },
    { attributes: ['toCurrencyCode'] },
  ],
  checks: {
    ToCurrencyCode: '"ToCurrencyCode" <> "FromCurrencyCode"',
    RateType: '"RateType" between 0 and 2',
    Rate: '"Rate" > 0',
    RateIsNumber: `"Rate" <> 'NaN'`,
  },
})
export class ExchangeRate extends AggregateRoot {
  @Column(DataType.CHAR(3), currencyOf) declare fromCurrencyCode: string
  @Column(DataType.CHAR(3), currencyOf) declare toCurrencyCode: string
  @Column(DataType.DATEONLY) declare rateDate: string
  @Column(DataType.SMALLINT, { enumeration: { ExchangeRateType }, defaultValue: ExchangeRateType.Mid })
  declare rateType: ExchangeRateType
  @Column(DataType.DECIMAL(18, 8)) declare rate: string
  @Column(DataType.STRING(50)) declare source: string
}
