import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'
import { PricingErrors } from '../contracts/index.js'

/** A currency of ISO 4217. */
@Entity('PricingCurrencies', {
  watched: true,
  conflicts: { IX_PricingCurrencies_Code: PricingErrors.CurrencyAlreadyExists },
  indexes: [{ attributes: ['code'], unique: true }],
  checks: {
    MinorUnits: '"MinorUnits" between 0 and 4',
  },
})
export class Currency extends ReferenceEntity {
  @Column(DataType.CHAR(3)) declare code: string
  @Column(DataType.CHAR(3)) declare numericCode: string
  @Column(DataType.STRING(100)) declare name: string
  @Column(DataType.SMALLINT) declare minorUnits: number
  @OptionalColumn(DataType.STRING(5)) declare symbol: string | null
  @Column(DataType.JSONB, { defaultValue: {} }) declare extraProperties: Record<string, unknown>
}

/** The options of a column that holds the code of a currency: the database checks it. */
export const currencyOf = {
  foreignKey: { entity: () => Currency, attribute: 'code' },
  onDelete: 'no action',
} as const
