import { Choice } from './random.js'

/** A trade lane as ships and as aircraft serve it. */
export interface Lane {
  sea: PortPair & { nauticalMiles: number; portCalls: number }
  air: PortPair
}

export interface PortPair {
  from: string
  to: string
}

type LaneTuple = readonly [weight: number, sea: string, nauticalMiles: number, portCalls: number, air: string]

// biome-ignore format: one row a line
const table: readonly LaneTuple[] = [
  // Asia to North Europe
  [10, 'CNSHA-NLRTM', 10_525, 2, 'CNPVG-NLAMS'],
  [6, 'CNNGB-DEHAM', 10_700, 2, 'CNPVG-DEFRA'],
  [5, 'CNYTN-GBFXT', 9_700, 2, 'CNSZX-GBLHR'],
  [3, 'VNSGN-BEANR', 9_000, 2, 'VNHAN-BEBRU'],
  // Asia to the West of the United States
  [8, 'CNSHA-USLAX', 5_730, 0, 'CNPVG-USORD'],
  [6, 'CNYTN-USLGB', 6_350, 1, 'CNSZX-USANC'],
  [3, 'KRPUS-USOAK', 4_950, 0, 'KRICN-USDFW'],
  // Asia to the East of the United States
  [5, 'CNNGB-USNYC', 10_600, 2, 'CNCAN-USJFK'],
  [4, 'VNHPH-USSAV', 11_200, 2, 'VNHAN-USATL'],
  // Asia to the Mediterranean
  [4, 'CNSHA-ITGOA', 8_640, 2, 'CNPVG-ITMXP'],
  [3, 'CNTAO-ESVLC', 9_150, 2, 'CNPEK-ESMAD'],
  // Within Asia
  [4, 'CNSHA-JPTYO', 1_050, 0, 'CNPVG-JPNRT'],
  [4, 'CNNGB-THLCH', 2_250, 1, 'CNCAN-THBKK'],
  [3, 'KRPUS-VNSGN', 2_200, 0, 'KRICN-VNHAN'],
  [3, 'TWKHH-SGSIN', 1_600, 0, 'TWTPE-SGSIN'],
  // Europe to the United States
  [5, 'DEHAM-USNYC', 3_600, 1, 'DEFRA-USJFK'],
  [3, 'NLRTM-USHOU', 5_050, 1, 'NLAMS-USDFW'],
  // Europe to Asia
  [4, 'DEHAM-CNSHA', 10_790, 2, 'DEFRA-CNPVG'],
  [3, 'BEANR-SGSIN', 8_400, 1, 'BELGG-SGSIN'],
  // India to Europe and the United States
  [3.5, 'INNSA-DEHAM', 6_500, 2, 'INBOM-DEFRA'],
  [2.5, 'INMUN-USNYC', 8_200, 2, 'INDEL-USJFK'],
  // Latin America
  [2, 'BRSSZ-NLRTM', 5_430, 1, 'BRGRU-NLAMS'],
  [2, 'ECGYE-USMIA', 2_070, 1, 'ECUIO-USATL'],
  // Elsewhere
  [4, 'ZADUR-GBLGP', 6_900, 1, 'ZAJNB-GBLHR'],
]

const weighted = table.map(
  ([weight, sea, nauticalMiles, portCalls, air]) =>
    [weight, { sea: { ...portPair(sea), nauticalMiles, portCalls }, air: portPair(air) }] as const,
)

/** The 24 lanes of sea and air freight. */
export const laneList: readonly Lane[] = weighted.map(([, lane]) => lane)

/** They, some more likely than others. */
export const lanes = new Choice<Lane>(weighted)

/** How long a ship takes on a lane when nothing holds it up: 15.5 knots, and two days for each call at a port. */
export function sailingDaysOf({ nauticalMiles, portCalls }: Lane['sea']): number {
  return nauticalMiles / (15.5 * 24) + 2 * portCalls
}

/** Where ships of long ways hand over their containers, in the order in which they pass. */
export const transhipments: Readonly<Record<string, readonly string[]>> = {
  'Asia-Europe': ['SGSIN', 'ESALG'],
  'Europe-Asia': ['ESALG', 'SGSIN'],
  'Asia-NorthAmerica': ['KRPUS', 'PAMIT'],
  'SouthAsia-Europe': ['AEJEA', 'ESALG'],
  'SouthAsia-NorthAmerica': ['AEJEA', 'ESALG'],
}

/** Where trucks drive; the last one never leaves the country. */
export const roadLanes = 'NLRTM-ITGOA PLGDN-DEHAM ESVLC-FRLEH TRAMR-DEHAM CAMTR-USNYC MXVER-USHOU USLAX-USHOU'
  .split(' ')
  .map(portPair)

/** Where block trains run. */
export const railLanes = 'CNTXG-DEHAM CNXMN-PLGDN CNLYG-NLRTM'.split(' ').map(portPair)

/** Parts of the world, as far as our lanes reach: companies buy and sell near a port of theirs. */
export const regions = {
  Asia: 'CNSHA CNNGB CNYTN CNTAO KRPUS JPTYO TWKHH VNSGN VNHPH THLCH SGSIN'.split(' '),
  Europe: 'NLRTM DEHAM GBFXT BEANR ITGOA ESVLC GBLGP FRLEH PLGDN TRAMR'.split(' '),
  NorthAmerica: 'USLAX USNYC USOAK USSAV USHOU USMIA CAMTR'.split(' '),
  SouthAsia: 'INNSA INMUN'.split(' '),
  LatinAmerica: 'BRSSZ ECGYE MXVER'.split(' '),
  Africa: 'ZADUR'.split(' '),
} as const

export type Region = keyof typeof regions

const regionByCountry = new Map<string, Region>(
  Object.entries(regions).flatMap(([region, ports]) =>
    ports.map((port) => [port.slice(0, 2), region as Region]),
  ),
)

/** The region of a port on one of the lanes. */
export function regionOf(unLocode: string): Region {
  const region = regionByCountry.get(unLocode.slice(0, 2))
  if (!region) throw new Error(`No lane reaches the country of ${unLocode}`)
  return region
}

function portPair(text: string): PortPair {
  return { from: text.slice(0, 5), to: text.slice(6) }
}
