import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'
import { ChargeGroup, PricingErrors, RateBasis } from '../contracts/index.js'

/** A word of the vocabulary of charges. */
@Entity('PricingChargeCodes', {
  watched: true,
  conflicts: { IX_PricingChargeCodes_Code: PricingErrors.ChargeCodeAlreadyExists },
  indexes: [{ attributes: ['code'], unique: true }],
  checks: {
    ChargeGroup: '"ChargeGroup" between 0 and 6',
    DefaultBasis: '"DefaultBasis" between 0 and 10',
  },
})
export class ChargeCode extends ReferenceEntity {
  @Column(DataType.STRING(10)) declare code: string
  @Column(DataType.STRING(100)) declare name: string
  @Column(DataType.SMALLINT, { enumeration: { ChargeGroup } }) declare chargeGroup: ChargeGroup
  @Column(DataType.SMALLINT, { enumeration: { RateBasis } }) declare defaultBasis: RateBasis
  @Column(DataType.BOOLEAN) declare appliesToSea: boolean
  @Column(DataType.BOOLEAN) declare appliesToAir: boolean
  @Column(DataType.BOOLEAN) declare appliesToRoad: boolean
  @Column(DataType.BOOLEAN) declare appliesToRail: boolean
  @OptionalColumn(DataType.STRING(6)) declare uneceCode: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isTaxable: boolean
  @Column(DataType.INTEGER, { defaultValue: 0 }) declare sortOrder: number
  @Column(DataType.JSONB, { defaultValue: {} }) declare extraProperties: Record<string, unknown>
}
