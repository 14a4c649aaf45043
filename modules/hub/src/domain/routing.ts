import { LegType } from '../contracts/enumerations.js'
import type { Consol, ConsolLeg } from './consol.js'
import type { Shipment } from './shipment.js'

/** The members of a leg that a routing is made of. */
export type RoutedLeg = Pick<
  ConsolLeg,
  | 'legNumber'
  | 'legType'
  | 'departurePortId'
  | 'arrivalPortId'
  | 'carrierId'
  | 'voyageFlightNumber'
  | 'estimatedDeparture'
  | 'estimatedArrival'
> & { readonly vesselName?: string | null }

/** A consol with its legs in the order of the journey. */
export interface RoutedConsol {
  readonly consol: Pick<Consol, 'carrierId' | 'masterBillNumber'>
  readonly legs: readonly RoutedLeg[]
}

/** The members of a shipment that follow its consols. */
export const routedMembers = [
  'firstConsolLegDeparturePortId',
  'lastConsolLegArrivalPortId',
  'estimatedDeparture',
  'estimatedArrival',
  'carrierId',
  'vesselName',
  'voyageFlightNumber',
  'masterBillNumber',
] as const

/** The values of {@link routedMembers}; those that the consols do not tell are undefined and stay as they are. */
export type Routing = { [K in (typeof routedMembers)[number]]?: NonNullable<Shipment[K]> }

/**
 * Ports, dates and the main carriage of a shipment on these consols, in the order in which it travels on them (domain model,
 * section 1.1). Undefined while no consol has a leg. The main carriage is the first main leg, else the first leg.
 */
export function routingOf(consols: readonly RoutedConsol[]): Routing | undefined {
  const legs = consols.flatMap(({ consol, legs }) => legs.map((leg) => ({ ...leg, consol })))
  const [first, last] = [legs[0], legs.at(-1)]
  if (!first || !last) return undefined
  const main = legs.find(({ legType }) => legType === LegType.Main) ?? first
  const values = {
    firstConsolLegDeparturePortId: first.departurePortId,
    lastConsolLegArrivalPortId: last.arrivalPortId,
    estimatedDeparture: first.estimatedDeparture,
    estimatedArrival: last.estimatedArrival,
    carrierId: main.carrierId ?? main.consol.carrierId,
    vesselName: main.vesselName,
    voyageFlightNumber: main.voyageFlightNumber,
    masterBillNumber: main.consol.masterBillNumber,
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) as Routing
}

/** The members of a leg that show whether legs follow each other. */
type Stop = Pick<ConsolLeg, 'departurePortId' | 'arrivalPortId'> &
  Partial<Pick<ConsolLeg, 'estimatedDeparture' | 'estimatedArrival' | 'actualDeparture' | 'actualArrival'>>

/** What is wrong with a journey, and in which leg, from 0 on; undefined when all is well. */
export function journeyFault(
  legs: readonly Stop[],
): { readonly fault: 'samePort' | 'notContiguous' | 'datesOverlap'; readonly index: number } | undefined {
  for (const [index, leg] of legs.entries()) {
    const before = legs[index - 1]
    if (leg.departurePortId === leg.arrivalPortId) return { fault: 'samePort', index }
    if (before && before.arrivalPortId !== leg.departurePortId) return { fault: 'notContiguous', index }
    const times = [
      [leg.estimatedDeparture, leg.estimatedArrival],
      [leg.actualDeparture, leg.actualArrival],
      [before?.estimatedArrival, leg.estimatedDeparture],
      [before?.actualArrival, leg.actualDeparture],
    ]
    if (times.some(([earlier, later]) => earlier && later && earlier > later))
      return { fault: 'datesOverlap', index }
  }
  return undefined
}
