import { AggregateRoot, Column, DataType, Entity, OptionalColumn } from '@keel/framework/data'
import { ChargeGroup, MarginType } from '../contracts/index.js'
import { ChargeCode } from './charge-code.js'
import { currencyOf } from './currency.js'
import { RateZone } from './rate-zone.js'

/** How the cost of a charge becomes its selling price. */
@Entity('PricingMarginRules', {
  indexes: [
    {
      attributes: ['transportModeCode', 'chargeGroup'],
      where: '"IsActive" and "IsDeleted" = false',
      name: 'Active',
    },
    { attributes: ['organizationId'] },
    { attributes: ['chargeCodeId'] },
    { attributes: ['originZoneId'] },
    { attributes: ['destinationZoneId'] },
  ],
  checks: {
    ChargeGroup: '"ChargeGroup" between 0 and 6',
    MarginType: '"MarginType" between 0 and 3',
    Value: `"Value" >= 0 and "Value" <> 'NaN' and ("MarginType" <> 1 or "Value" < 100)`,
    ValidTo: '"ValidTo" >= "ValidFrom"',
    MaxMarginAmount: `"MaxMarginAmount" >= "MinMarginAmount" and "MaxMarginAmount" <> 'NaN'`,
    MinMarginAmount: `"MinMarginAmount" >= 0 and "MinMarginAmount" <> 'NaN'`,
  },
})
export class MarginRule extends AggregateRoot {
  @Column(DataType.STRING(100)) declare name: string
  @OptionalColumn(DataType.UUID) declare organizationId: string | null
  @OptionalColumn(DataType.STRING(20)) declare organizationCode: string | null
  @OptionalColumn(DataType.STRING(20)) declare transportModeCode: string | null
  @OptionalColumn(DataType.STRING(20)) declare containerModeCode: string | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { ChargeGroup } }) declare chargeGroup: ChargeGroup | null
  @OptionalColumn(DataType.UUID, { references: () => ChargeCode }) declare chargeCodeId: string | null
  @OptionalColumn(DataType.UUID, { references: () => RateZone }) declare originZoneId: string | null
  @OptionalColumn(DataType.UUID, { references: () => RateZone }) declare destinationZoneId: string | null
  @Column(DataType.SMALLINT, { enumeration: { MarginType } }) declare marginType: MarginType
  @Column(DataType.DECIMAL(18, 4)) declare value: string
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare minMarginAmount: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare maxMarginAmount: string | null
  @Column(DataType.CHAR(3), currencyOf) declare currencyCode: string
  @Column(DataType.SMALLINT, { defaultValue: 100 }) declare priority: number
  @Column(DataType.DATEONLY) declare validFrom: string
  @OptionalColumn(DataType.DATEONLY) declare validTo: string | null
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isActive: boolean
}
