const airDivisor = 6000
const courierDivisor = 5000
const roadKgPerM3 = 333

/** The modes of a shipment, by their codes. */
export interface ChargedModes {
  readonly transportMode: string | null | undefined
  readonly containerMode: string | null | undefined
}

/**
 * What the freight of a shipment is charged by (domain model, section 7.1): by air and courier kg in halves, rounded up; of a part of a
 * container by sea revenue tons; by road kg. Null for other modes, and while neither weight nor volume is known.
 * @param grossKg kg, @param volumeM3 m³
 */
export function chargeableWeight(
  { transportMode, containerMode }: ChargedModes,
  grossKg: number | null | undefined,
  volumeM3: number | null | undefined,
): number | null {
  if (grossKg == null && volumeM3 == null) return null
  const [gross, volume] = [grossKg ?? 0, volumeM3 ?? 0]
  switch (transportMode) {
    case 'Air':
      return upToHalf(Math.max(gross, (volume * 1_000_000) / airDivisor))
    case 'Courier':
      return upToHalf(Math.max(gross, (volume * 1_000_000) / courierDivisor))
    case 'Road':
      return thousandths(Math.max(gross, volume * roadKgPerM3))
    case 'Sea':
      return containerMode === 'LCL' ? thousandths(Math.max(gross / 1000, volume, 1)) : null
    default:
      return null
  }
}

function upToHalf(kg: number): number {
  return Math.ceil(thousandths(kg) * 2) / 2
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000
}
