import { DistanceSource } from '../contracts/enumerations.js'
import { greatCircleKm, type Position } from './distance.js'
import { seaDistanceKm } from './sea-lanes.js'

/** How much longer than the great circle ways over land are. */
const detours: Readonly<Record<string, number>> = { Road: 1.3, Rail: 1.2 }

/** The members of an emission factor that emissions are computed by. */
export interface Factor {
  readonly id: string
  readonly code: string
  /** The code of the transport mode. */
  readonly transportMode: string
  readonly minDistanceKm: number | null
  /** Exclusive. */
  readonly maxDistanceKm: number | null
  readonly isTemperatureControlled: boolean
  /** g CO2e per tonne-kilometre, well to wheel. */
  readonly wtwGramsPerTkm: number
  /** The same, tank to wheel. */
  readonly ttwGramsPerTkm: number | null
  readonly distanceUpliftPercent: number
  readonly distanceAddKm: number
  readonly isDefault: boolean
  /** Calendar dates. */
  readonly validFrom: string
  readonly validTo: string | null
}

/** The factors of container modes that are not carried as most cargo of their transport mode is. */
const codesByContainerMode: Readonly<Record<string, string>> = {
  BBK: 'SEA-GEN-AVG',
  BLK: 'SEA-GEN-AVG',
  ROR: 'SEA-RORO-AVG',
  FTL: 'ROAD-ARTIC',
}

/** The delivered factor of long flights with radiative forcing. */
const withRadiativeForcing = 'AIR-LONG-RF'

/** A leg as far as its emissions go. */
export interface EmittingLeg {
  /** The code of the transport mode. */
  readonly transportMode: string
  readonly from: Position | undefined
  readonly to: Position | undefined
  /** km, where the leg itself has them. */
  readonly distanceKm: number | null
}

/** The length of a leg in km and where it comes from (domain model, section 7.5); undefined where no position tells. */
export function distanceOf({
  transportMode,
  from,
  to,
  distanceKm,
}: EmittingLeg): { readonly km: number; readonly source: DistanceSource } | undefined {
  if (distanceKm) return { km: distanceKm, source: DistanceSource.Leg }
  if (!from || !to) return undefined
  if (transportMode === 'Sea') return { km: seaDistanceKm(from, to), source: DistanceSource.SeaGraph }
  const km = greatCircleKm(from, to) * (detours[transportMode] ?? 1)
  return { km, source: DistanceSource.GreatCircle }
}

/** What is carried: its modes by their codes. */
export interface Carried {
  readonly transportMode: string
  readonly containerMode: string | null
  readonly isTemperatureControlled: boolean
  readonly distanceKm: number
  /** A calendar date, on which the factor must be valid. */
  readonly date: string
  /** True where flights take factors with radiative forcing, as far as there are any. */
  readonly countsRadiativeForcing?: boolean
}

/**
 * The factor of a leg: that of temperature control, with radiative forcing, of the container mode, or the default of the transport mode; of several
 * the latest.
 */
export function factorOf(factors: readonly Factor[], carried: Carried): Factor | undefined {
  const { transportMode, containerMode, distanceKm, date } = carried
  const valid = factors
    .filter(
      (factor) =>
        factor.transportMode === transportMode &&
        factor.validFrom <= date &&
        (factor.validTo === null || date <= factor.validTo) &&
        (factor.minDistanceKm ?? 0) <= distanceKm &&
        distanceKm < (factor.maxDistanceKm ?? Number.POSITIVE_INFINITY),
    )
    .sort((a, b) =>
      a.validFrom < b.validFrom ? 1 : a.validFrom > b.validFrom ? -1 : a.code < b.code ? -1 : 1,
    )
  const codes = [
    carried.countsRadiativeForcing ? withRadiativeForcing : undefined,
    codesByContainerMode[containerMode ?? ''],
  ]
  const cooled = carried.isTemperatureControlled
    ? valid.find((factor) => factor.isTemperatureControlled)
    : undefined
  const named = codes.flatMap((code) => valid.find((factor) => factor.code === code) ?? [])
  return cooled ?? named[0] ?? valid.find((factor) => factor.isDefault)
}

/** kg CO2e of some tonnes over a distance by a rate in g per tonne-kilometre, to two digits. */
export function emissionKg(
  tonnes: number,
  distanceKm: number,
  { distanceUpliftPercent, distanceAddKm }: Pick<Factor, 'distanceUpliftPercent' | 'distanceAddKm'>,
  gramsPerTkm: number,
): number {
  const km = distanceKm * (1 + distanceUpliftPercent / 100) + distanceAddKm
  return hundredths((tonnes * km * gramsPerTkm) / 1000)
}

/** Rounded to two digits. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100
}
