import { type Exact, exact, sum } from './exact.js'

/** A line of cargo. Lengths in cm, weights in kg for the whole line, volumes in m³ for the whole line. */
export interface CargoLine {
  readonly containerTypeCode?: string | null | undefined
  readonly quantity: number
  readonly lengthCm?: number | null | undefined
  readonly widthCm?: number | null | undefined
  readonly heightCm?: number | null | undefined
  readonly grossWeightKg: number
  readonly volumeM3?: number | null | undefined
}

/** The quantities that rates are multiplied with (domain model, section 7.1). */
export interface CargoQuantities {
  readonly grossKg: Exact
  readonly volumeM3: Exact
  readonly packages: Exact
  /** Count of containers by type. */
  readonly containers: ReadonlyMap<string, Exact>
}

/** The sums over cargo lines. The volume of a line is rounded to 3 digits behind the point. */
export function quantitiesOf(lines: readonly CargoLine[]): CargoQuantities {
  const containers = new Map<string, Exact>()
  for (const { containerTypeCode: type, quantity } of lines)
    if (type) containers.set(type, (containers.get(type) ?? exact(0)).plus(quantity))
  return {
    grossKg: sum(lines.map(({ grossWeightKg }) => exact(String(grossWeightKg)))),
    volumeM3: sum(lines.map(volumeOf)),
    packages: sum(lines.map(({ quantity }) => exact(quantity))),
    containers,
  }
}

/** True when the volume of a line is known. */
export function hasVolume({ volumeM3, lengthCm, widthCm, heightCm }: CargoLine): boolean {
  return volumeM3 != null || (lengthCm != null && widthCm != null && heightCm != null)
}

function volumeOf({ quantity, lengthCm, widthCm, heightCm, volumeM3 }: CargoLine): Exact {
  if (volumeM3 != null) return exact(String(volumeM3)).decimalPlaces(3)
  if (lengthCm == null || widthCm == null || heightCm == null) return exact(0)
  const cubicCm = exact(String(lengthCm)).times(String(widthCm)).times(String(heightCm)).times(quantity)
  return cubicCm.div(1_000_000).decimalPlaces(3)
}

/** Weight that a carrier charges by air, in kg: rounded up to the next half. */
export function airChargeableKg(
  { grossKg, volumeM3 }: Pick<CargoQuantities, 'grossKg' | 'volumeM3'>,
  divisor: number,
): Exact {
  const volumetric = volumeM3.times(1_000_000).div(divisor)
  const greater = grossKg.gt(volumetric) ? grossKg : volumetric
  return greater.times(2).integerValue(roundUp).div(2)
}

/** BigNumber.ROUND_CEIL */
const roundUp = 2

/** Weight that a carrier charges by road, in kg. */
export function roadChargeableKg({
  grossKg,
  volumeM3,
}: Pick<CargoQuantities, 'grossKg' | 'volumeM3'>): Exact {
  const volumetric = volumeM3.times(333)
  return grossKg.gt(volumetric) ? grossKg : volumetric
}

/** Tons or cubic metres, whichever are more, and at least a minimum. */
export function revenueTons(
  { grossKg, volumeM3 }: Pick<CargoQuantities, 'grossKg' | 'volumeM3'>,
  minimum: Exact,
): Exact {
  const tons = grossKg.div(1000)
  return [tons, volumeM3, minimum].reduce((most, value) => (value.gt(most) ? value : most)).decimalPlaces(3)
}

/** Twenty-foot units of a container by the length in its ISO 6346 code; undefined for a length that no such unit counts. */
export function teuOf(containerTypeCode: string): Exact | undefined {
  const teu = { 2: '1', 4: '2', L: '2.25', M: '2.4' }[containerTypeCode.charAt(0)]
  return teu === undefined ? undefined : exact(teu)
}
