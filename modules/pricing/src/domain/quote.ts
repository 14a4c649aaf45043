import {
  AggregateRoot,
  Column,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
} from '@keel/framework/data'
import { ChargeStatus, QuoteStatus, RateBasis } from '../contracts/index.js'
import type { Explanation } from './calculation.js'
import { ChargeCode } from './charge-code.js'
import { currencyOf } from './currency.js'
import { MarginRule } from './margin-rule.js'
import {
  quotesOfCaller,
  shipmentChargesOfCaller,
  withItsQuote,
  withItsQuoteOption,
} from './pricing-context.js'
import { RateCard, RateLane } from './rate-card.js'

const finite = (column: string) => `"${column}" >= 0 and "${column}" not in ('NaN', 'Infinity')`

/** An offer to a customer. */
@Entity('PricingQuotes', {
  rules: [quotesOfCaller],
  watched: true,
  referred: 'joined',
  indexes: [
    { attributes: ['reference'], unique: true },
    { attributes: ['organizationId', 'status', { attribute: 'pricingDate', order: 'desc' }] },
    { attributes: ['validUntil'], name: 'Open', where: '"Status" = 3 and "IsDeleted" = false' },
    { attributes: ['creatorId'] },
    { attributes: ['shipmentId'] },
  ],
  checks: {
    Status: '"Status" between 0 and 8',
    GrossWeightKg: finite('GrossWeightKg'),
    VolumeM3: finite('VolumeM3'),
    GoodsValue: `"GoodsValue" >= 0 and "GoodsValue" <> 'NaN'`,
  },
})
export class Quote extends AggregateRoot {
  @Column(DataType.STRING(50)) declare reference: string
  @Column(DataType.UUID) declare organizationId: string
  @Column(DataType.STRING(20)) declare organizationCode: string
  @Column(DataType.STRING(200)) declare organizationName: string
  @Column(DataType.STRING(20)) declare transportModeCode: string
  @Column(DataType.STRING(20)) declare containerModeCode: string
  @OptionalColumn(DataType.CHAR(3)) declare incotermCode: string | null
  @Column(DataType.CHAR(5)) declare originUnLocode: string
  @Column(DataType.CHAR(5)) declare destinationUnLocode: string
  @OptionalColumn(DataType.DATEONLY) declare cargoReadyDate: string | null
  @Column(DataType.DATEONLY) declare pricingDate: string
  @Column(DataType.CHAR(3), currencyOf) declare currencyCode: string
  @Column(DataType.SMALLINT, { enumeration: { QuoteStatus }, defaultValue: QuoteStatus.Draft })
  declare status: QuoteStatus
  @OptionalColumn(DataType.DATEONLY) declare validUntil: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDangerousGoods: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isTemperatureControlled: boolean
  @OptionalColumn(DataType.DECIMAL(18, 2)) declare goodsValue: string | null
  @Column(DataType.DOUBLE, { defaultValue: 0 }) declare grossWeightKg: number
  @Column(DataType.DOUBLE, { defaultValue: 0 }) declare volumeM3: number
  @OptionalColumn(DataType.UUID) declare selectedOptionId: string | null
  @OptionalColumn(DataType.UUID) declare shipmentId: string | null
  @OptionalColumn(DataType.STRING(256)) declare statusReason: string | null
  @OptionalColumn(DataType.STRING(2000)) declare notes: string | null
}

/** A line of cargo of a quote. */
@Entity('PricingQuoteCargoLines', {
  rules: [withItsQuote],
  indexes: [{ attributes: ['quoteId', 'lineNumber'], unique: true, where: '"IsDeleted" = false' }],
  checks: {
    Quantity: '"Quantity" >= 1',
    GrossWeightKg: finite('GrossWeightKg'),
    VolumeM3: finite('VolumeM3'),
    LengthCm: finite('LengthCm'),
    WidthCm: finite('WidthCm'),
    HeightCm: finite('HeightCm'),
  },
})
export class QuoteCargoLine extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Quote }) declare quoteId: string
  @Column(DataType.SMALLINT) declare lineNumber: number
  @OptionalColumn(DataType.CHAR(4)) declare containerTypeCode: string | null
  @Column(DataType.INTEGER) declare quantity: number
  @OptionalColumn(DataType.STRING(20)) declare packageTypeCode: string | null
  @OptionalColumn(DataType.DOUBLE) declare lengthCm: number | null
  @OptionalColumn(DataType.DOUBLE) declare widthCm: number | null
  @OptionalColumn(DataType.DOUBLE) declare heightCm: number | null
  @Column(DataType.DOUBLE) declare grossWeightKg: number
  @OptionalColumn(DataType.DOUBLE) declare volumeM3: number | null
  @OptionalColumn(DataType.STRING(500)) declare description: string | null
}

/** One way to carry the cargo of a quote. */
@Entity('PricingQuoteOptions', {
  rules: [withItsQuote],
  referred: 'joined',
  indexes: [
    { attributes: ['quoteId', 'optionNumber'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['rateCardId'] },
    { attributes: ['rateLaneId'] },
  ],
  checks: {
    Amounts: `"TotalCost" <> 'NaN' and "TotalSell" <> 'NaN' and "MarginAmount" <> 'NaN' and "MarginPercent" <> 'NaN'`,
  },
})
export class QuoteOption extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Quote }) declare quoteId: string
  @Column(DataType.SMALLINT) declare optionNumber: number
  @OptionalColumn(DataType.STRING(20)) declare carrierCode: string | null
  @OptionalColumn(DataType.UUID, { references: () => RateCard }) declare rateCardId: string | null
  @OptionalColumn(DataType.UUID, { references: () => RateLane }) declare rateLaneId: string | null
  @OptionalColumn(DataType.CHAR(5)) declare viaUnLocode: string | null
  @OptionalColumn(DataType.INTEGER) declare transitDays: number | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare totalCost: string | null
  @Column(DataType.DECIMAL(18, 4)) declare totalSell: string
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare marginAmount: string | null
  @OptionalColumn(DataType.DECIMAL(9, 2)) declare marginPercent: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isRecommended: boolean
}

/** A priced charge of an option. */
@Entity('PricingQuoteCharges', {
  rules: [withItsQuoteOption],
  referred: 'joined',
  indexes: [
    { attributes: ['quoteOptionId', 'sortOrder'] },
    { attributes: ['chargeCodeId'] },
    { attributes: ['marginRuleId'] },
  ],
  checks: {
    Basis: '"Basis" between 0 and 10',
    Amounts: `"Quantity" <> 'NaN' and "RateAmount" <> 'NaN' and "CostAmount" <> 'NaN' and "ExchangeRate" <> 'NaN' and "CostAmountQuote" <> 'NaN' and "SellAmount" <> 'NaN'`,
  },
})
export class QuoteCharge extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => QuoteOption }) declare quoteOptionId: string
  @Column(DataType.UUID, { references: () => ChargeCode, onDelete: 'no action' }) declare chargeCodeId: string
  @Column(DataType.STRING(200)) declare description: string
  @Column(DataType.SMALLINT, { enumeration: { RateBasis } }) declare basis: RateBasis
  @Column(DataType.DECIMAL(18, 3)) declare quantity: string
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare rateAmount: string | null
  @OptionalColumn(DataType.CHAR(3), currencyOf) declare rateCurrencyCode: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare costAmount: string | null
  @OptionalColumn(DataType.DECIMAL(18, 8)) declare exchangeRate: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare costAmountQuote: string | null
  @Column(DataType.DECIMAL(18, 4)) declare sellAmount: string
  @OptionalColumn(DataType.UUID, { references: () => MarginRule }) declare marginRuleId: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isOptional: boolean
  @OptionalColumn(DataType.JSONB) declare explanation: Explanation | null
  @Column(DataType.INTEGER) declare sortOrder: number
}

/** What was bought and sold on a shipment. */
@Entity('PricingShipmentCharges', {
  rules: [shipmentChargesOfCaller],
  indexes: [
    { attributes: ['shipmentId'] },
    { attributes: ['debtorOrganizationId', 'status'] },
    { attributes: ['invoiceNumber'] },
    { attributes: ['chargeCodeId'] },
    { attributes: ['quoteChargeId'], unique: true, where: '"IsDeleted" = false' },
  ],
  checks: {
    Status: '"Status" between 0 and 4',
    TaxPercent: `"TaxPercent" between 0 and 100`,
    CostCurrencyCode: '"CostAmount" is null or "CostCurrencyCode" is not null',
    SellCurrencyCode: '"SellAmount" is null or "SellCurrencyCode" is not null',
    Amounts: `"CostAmount" <> 'NaN' and "SellAmount" <> 'NaN' and "TaxPercent" <> 'NaN'`,
  },
})
export class ShipmentCharge extends AggregateRoot {
  @Column(DataType.UUID) declare shipmentId: string
  @Column(DataType.STRING(100)) declare shipmentReference: string
  @Column(DataType.UUID, { references: () => ChargeCode, onDelete: 'no action' }) declare chargeCodeId: string
  @Column(DataType.STRING(200)) declare description: string
  @OptionalColumn(DataType.UUID) declare debtorOrganizationId: string | null
  @OptionalColumn(DataType.UUID) declare creditorOrganizationId: string | null
  @OptionalColumn(DataType.CHAR(3), currencyOf) declare costCurrencyCode: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare costAmount: string | null
  @OptionalColumn(DataType.CHAR(3), currencyOf) declare sellCurrencyCode: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare sellAmount: string | null
  @Column(DataType.DECIMAL(5, 2), { defaultValue: '0' }) declare taxPercent: string
  @Column(DataType.SMALLINT, { enumeration: { ChargeStatus }, defaultValue: ChargeStatus.Estimated })
  declare status: ChargeStatus
  @OptionalColumn(DataType.UUID, { references: () => QuoteCharge }) declare quoteChargeId: string | null
  @OptionalColumn(DataType.STRING(35)) declare invoiceNumber: string | null
  @OptionalColumn(DataType.DATEONLY) declare invoiceDate: string | null
}
