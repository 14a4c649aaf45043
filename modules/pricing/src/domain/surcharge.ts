import {
  AggregateRoot,
  Column,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
} from '@keel/framework/data'
import { ChargeCondition, ChargeGroup, PricingErrors, RateBasis } from '../contracts/index.js'
import { ChargeCode } from './charge-code.js'
import { currencyOf } from './currency.js'
import { RateZone } from './rate-zone.js'

/** A published series of fuel prices. */
@Entity('PricingFuelIndices', {
  watched: true,
  conflicts: { IX_PricingFuelIndices_Code: PricingErrors.FuelIndexAlreadyExists },
  indexes: [{ attributes: ['code'], unique: true, where: '"IsDeleted" = false' }],
})
export class FuelIndex extends AggregateRoot {
  @Column(DataType.STRING(20)) declare code: string
  @Column(DataType.STRING(100)) declare name: string
  @Column(DataType.STRING(20)) declare unit: string
  @Column(DataType.STRING(20)) declare transportModeCode: string
  @OptionalColumn(DataType.STRING(100)) declare source: string | null
}

/** The value of a fuel index from a day on. */
@Entity('PricingFuelIndexValues', {
  conflicts: { IX_PricingFuelIndexValues_FuelIndexId_ValueDate: PricingErrors.FuelIndexValueAlreadyExists },
  indexes: [{ attributes: ['fuelIndexId', 'valueDate'], unique: true, where: '"IsDeleted" = false' }],
  checks: { Value: `"Value" > 0 and "Value" <> 'NaN'` },
})
export class FuelIndexValue extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => FuelIndex }) declare fuelIndexId: string
  @Column(DataType.DATEONLY) declare valueDate: string
  @Column(DataType.DECIMAL(18, 4)) declare value: string
}

/** A surcharge across rate cards. */
@Entity('PricingSurchargeRules', {
  indexes: [
    {
      attributes: ['transportModeCode', 'validFrom', 'validTo'],
      where: '"IsActive" and "IsDeleted" = false',
      name: 'Active',
    },
    { attributes: ['chargeCodeId'] },
    { attributes: ['originZoneId'] },
    { attributes: ['destinationZoneId'] },
    { attributes: ['fuelIndexId'] },
  ],
  checks: {
    Basis: '"Basis" between 0 and 10',
    AppliesWhen: '"AppliesWhen" between 0 and 3',
    PercentOfGroup: '"PercentOfGroup" between 0 and 6',
    ValidTo: '"ValidTo" >= "ValidFrom"',
    MaxAmount: '"MaxAmount" >= "MinAmount"',
    FuelStep: `num_nonnulls("FuelIndexId", "FuelBaseValue", "FuelStep", "FuelAmountPerStep") in (0, 4) and ("FuelIndexId" is null or "Amount" is null) and "FuelStep" > 0`,
    Amounts: `"Amount" >= 0 and "Amount" <> 'NaN' and "MinAmount" >= 0 and "MinAmount" <> 'NaN' and "MaxAmount" >= 0 and "MaxAmount" <> 'NaN'
      and "FuelBaseValue" <> 'NaN' and "FuelStep" <> 'NaN' and "FuelAmountPerStep" <> 'NaN'`,
  },
})
export class SurchargeRule extends AggregateRoot {
  @Column(DataType.UUID, { references: () => ChargeCode, onDelete: 'no action' }) declare chargeCodeId: string
  @Column(DataType.STRING(20)) declare transportModeCode: string
  @OptionalColumn(DataType.STRING(20)) declare containerModeCode: string | null
  @OptionalColumn(DataType.STRING(20)) declare carrierCode: string | null
  @OptionalColumn(DataType.UUID, { references: () => RateZone }) declare originZoneId: string | null
  @OptionalColumn(DataType.UUID, { references: () => RateZone }) declare destinationZoneId: string | null
  @Column(DataType.SMALLINT, { enumeration: { RateBasis } }) declare basis: RateBasis
  @Column(DataType.CHAR(3), currencyOf) declare currencyCode: string
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare amount: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare minAmount: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare maxAmount: string | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { ChargeGroup } })
  declare percentOfGroup: ChargeGroup | null
  @OptionalColumn(DataType.UUID, { references: () => FuelIndex }) declare fuelIndexId: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare fuelBaseValue: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare fuelStep: string | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare fuelAmountPerStep: string | null
  @Column(DataType.SMALLINT, { enumeration: { ChargeCondition }, defaultValue: ChargeCondition.Always })
  declare appliesWhen: ChargeCondition
  @Column(DataType.DATEONLY) declare validFrom: string
  @OptionalColumn(DataType.DATEONLY) declare validTo: string | null
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isActive: boolean
}
