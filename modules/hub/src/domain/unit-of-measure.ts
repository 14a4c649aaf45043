import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'
import { HubErrors, UnitQuantity } from '../contracts/index.js'
import { decimalOf, unitsOf } from './exact-decimal.js'

/** Digits behind the point of factors and offsets: a cubic foot has 12, a fluid ounce 16. The domain model has ten. */
const factorDigits = 16
/** Digits behind the point of values. */
const valueDigits = 10

/** A unit of measure. A value in it is `value × factorToBase + offsetToBase` in the base unit of its quantity. */
@Entity('HubUnitsOfMeasure', {
  watched: true,
  conflicts: { IX_HubUnitsOfMeasure_Code: HubErrors.UnitAlreadyExists },
  indexes: [{ attributes: ['code'], unique: true }],
  checks: {
    Quantity: '"Quantity" between 0 and 5',
    FactorToBase: '"FactorToBase" > 0',
    NaN: `"FactorToBase" <> 'NaN' and "OffsetToBase" <> 'NaN'`,
  },
})
export class UnitOfMeasure extends ReferenceEntity {
  @Column(DataType.STRING(3)) declare code: string
  @Column(DataType.STRING(100)) declare name: string
  @OptionalColumn(DataType.STRING(20)) declare symbol: string | null
  @Column(DataType.SMALLINT, { enumeration: { UnitQuantity } }) declare quantity: UnitQuantity
  @Column(DataType.DECIMAL(26, factorDigits)) declare factorToBase: string
  @Column(DataType.DECIMAL(26, factorDigits), { defaultValue: '0' }) declare offsetToBase: string
}

/** The members that a conversion is made of. */
export type Convertible = Pick<UnitOfMeasure, 'factorToBase' | 'offsetToBase'>

/** A value in another unit of the same quantity, with ten digits behind the point, rounded half away from zero. */
export function convertedValue(value: string, from: Convertible, to: Convertible): string {
  const scale = 10n ** BigInt(valueDigits)
  const [offset, otherOffset] = [from, to].map(({ offsetToBase }) => unitsOf(offsetToBase, factorDigits))
  const inBase =
    unitsOf(value, valueDigits) * unitsOf(from.factorToBase, factorDigits) +
    ((offset ?? 0n) - (otherOffset ?? 0n)) * scale
  return decimalOf(rounded(inBase, unitsOf(to.factorToBase, factorDigits)), valueDigits)
}

/** A quotient as a whole number, rounded half away from zero. @param divisor more than 0 */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor : divisor
  return (dividend * 2n + half) / (divisor * 2n)
}

/** True when a change leaves a unit what it is, whatever its name. */
export function isSameUnit(
  unit: Convertible & Pick<UnitOfMeasure, 'code' | 'quantity'>,
  { code, quantity, ...input }: Convertible & Pick<UnitOfMeasure, 'code' | 'quantity'>,
): boolean {
  const isEqual = (member: keyof Convertible) =>
    unitsOf(unit[member], factorDigits) === unitsOf(input[member], factorDigits)
  return (
    unit.code === code && unit.quantity === quantity && isEqual('factorToBase') && isEqual('offsetToBase')
  )
}
