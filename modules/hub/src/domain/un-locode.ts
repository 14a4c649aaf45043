import type { UnLocodeRow } from '../contracts/index.js'
import { type Port, withoutDiacritics } from './port.js'

/** `CoordinateSource` of a position that the list has. */
const ofList = 0
/** `EntryStatus` of places that leave the list. */
const removed = 'XX'

/** The country of a place. */
export interface UnLocodeCountry {
  readonly countryId: string
  readonly countryCode: string
  /** For new places; null where the country has several. */
  readonly timeZone: string | null
}

/** The values that a port gets from the list. */
export type UnLocodeValues = Pick<Port, (typeof writtenMembers)[number]>

/** The members of a port that the list writes. */
export const writtenMembers = [
  ...([
    'unLocode',
    'name',
    'nameWoDiacritics',
    'countryId',
    'countryCode',
    'subdivisionCode',
    'iataCode',
  ] as const),
  ...([
    'functionCodes',
    'isSeaport',
    'isRailTerminal',
    'isRoadTerminal',
    'isAirport',
    'isInlandDepot',
  ] as const),
  ...(['entryStatus', 'latitude', 'longitude', 'coordinateSource', 'timeZone', 'isActive'] as const),
] as const

/**
 * A port as a row of the list has it. Of a port that is there, flags and position stay where it says so (`isOverridden`), and positions and IATA codes
 * that the list does not have. A place that leaves the list is deactivated, and active again when it comes back; otherwise `isActive` is left to people.
 */
export function portOfList(
  row: UnLocodeRow,
  { countryId, countryCode, timeZone }: UnLocodeCountry,
  before?: UnLocodeValues & Pick<Port, 'isOverridden'>,
): UnLocodeValues {
  const codes = (row.functionCodes ?? '').padEnd(8, '-')
  const position = positionOf(row.coordinates)
  const isRemoved = row.change?.toUpperCase() === 'X' || row.entryStatus === removed
  const status = isRemoved ? removed : /^[A-Z]{2}$/.test(row.entryStatus ?? '') ? row.entryStatus : null
  return {
    unLocode: row.unLocode,
    name: row.name,
    nameWoDiacritics: row.nameWoDiacritics || withoutDiacritics(row.name),
    countryId,
    countryCode,
    subdivisionCode: row.subdivisionCode || null,
    iataCode: iataCodeOf(row, codes) ?? before?.iataCode ?? null,
    entryStatus: status ?? null,
    ...(before?.isOverridden ? flagsOf(before) : flagsOfCodes(codes)),
    ...(position && !before?.isOverridden
      ? { ...position, coordinateSource: ofList }
      : {
          latitude: before?.latitude ?? null,
          longitude: before?.longitude ?? null,
          coordinateSource: before?.coordinateSource ?? null,
        }),
    timeZone: before ? before.timeZone : timeZone,
    isActive: isRemoved ? false : !before || before.entryStatus === removed || before.isActive,
  }
}

/** Degrees of `DDMM[NS] DDDMM[EW]`; undefined for other texts, and for degrees and minutes that there are not. */
export function positionOf(
  coordinates: string | null | undefined,
): { readonly latitude: number; readonly longitude: number } | undefined {
  const found = /^(\d{2})(\d{2})([NS]) (\d{3})(\d{2})([EW])$/.exec(coordinates?.trim() ?? '')
  if (!found) return undefined
  const [, north, northMinutes, northSign, east, eastMinutes, eastSign] = found
  const latitude = degreesOf(north, northMinutes, northSign === 'S')
  const longitude = degreesOf(east, eastMinutes, eastSign === 'W')
  if (latitude === undefined || longitude === undefined) return undefined
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined
}

function degreesOf(
  degrees: string | undefined,
  minutes: string | undefined,
  isNegative: boolean,
): number | undefined {
  if (Number(minutes) > 59) return undefined
  const value = Math.round((Number(degrees) + Number(minutes) / 60) * 1e6) / 1e6
  return isNegative && value ? -value : value
}

/** The code that the list has; of an airport without one the last letters of its UN/LOCODE. */
function iataCodeOf({ iataCode, unLocode }: UnLocodeRow, codes: string): string | undefined {
  if (iataCode && /^[A-Z0-9]{3}$/.test(iataCode)) return iataCode
  const last = unLocode.slice(2)
  return codes.includes('4') && /^[A-Z]{3}$/.test(last) ? last : undefined
}

type Flags = Pick<
  Port,
  'functionCodes' | 'isSeaport' | 'isRailTerminal' | 'isRoadTerminal' | 'isAirport' | 'isInlandDepot'
>

function flagsOfCodes(functionCodes: string): Flags {
  return {
    functionCodes,
    isSeaport: functionCodes.includes('1'),
    isRailTerminal: functionCodes.includes('2'),
    isRoadTerminal: functionCodes.includes('3'),
    isAirport: functionCodes.includes('4'),
    isInlandDepot: functionCodes.includes('6'),
  }
}

function flagsOf({
  functionCodes,
  isSeaport,
  isRailTerminal,
  isRoadTerminal,
  isAirport,
  isInlandDepot,
}: Flags): Flags {
  return { functionCodes, isSeaport, isRailTerminal, isRoadTerminal, isAirport, isInlandDepot }
}
