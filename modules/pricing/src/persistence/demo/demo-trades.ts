/** A part of the world's trade: all ports of one end with all of the other. */
export interface DemoTrade {
  readonly code: string
  readonly name: string
  readonly from: readonly string[]
  readonly to: readonly string[]
  readonly transitDays: number
  /** USD for a 20-foot container, or EUR for a kilogram by air. */
  readonly price: number
}

type TradeTuple = readonly [
  code: string,
  name: string,
  from: string,
  to: string,
  transitDays: number,
  price: number,
]

// biome-ignore format: one row a line
const seaTable: readonly TradeTuple[] = [
  ['ASNE', 'Asia to North Europe', 'CNSHA CNNGB CNYTN VNSGN', 'NLRTM DEHAM GBFXT BEANR', 31, 1450],
  ['ASUW', 'Asia to the US West Coast', 'CNSHA CNYTN KRPUS', 'USLAX USLGB USOAK', 16, 1650],
  ['ASUE', 'Asia to the US East Coast', 'CNNGB CNSHA VNHPH', 'USNYC USSAV', 33, 2450],
  ['ASME', 'Asia to the Mediterranean', 'CNSHA CNTAO CNNGB', 'ITGOA ESVLC', 30, 1700],
  ['INAS', 'Within Asia', 'CNSHA CNNGB KRPUS TWKHH', 'JPTYO THLCH SGSIN VNSGN', 7, 380],
  ['EUUS', 'Europe to the United States', 'DEHAM NLRTM BEANR', 'USNYC USHOU', 13, 1350],
  ['EUAS', 'Europe to Asia', 'DEHAM NLRTM BEANR', 'CNSHA SGSIN', 33, 520],
  ['INEU', 'India to Europe', 'INNSA INMUN', 'DEHAM NLRTM GBFXT', 26, 1150],
  ['LAEU', 'Latin America to Europe', 'BRSSZ', 'NLRTM DEHAM', 19, 900],
]

// biome-ignore format: one row a line
const airTable: readonly TradeTuple[] = [
  ['CNEU', 'China to Europe', 'CNPVG CNSZX CNPEK', 'NLAMS DEFRA GBLHR', 3, 3.9],
  ['CNUS', 'China and Korea to the United States', 'CNPVG KRICN', 'USORD USDFW', 3, 4.6],
  ['EUUS', 'Europe to the United States', 'DEFRA NLAMS', 'USJFK USORD USDFW', 2, 2.6],
  ['INEU', 'India to Europe', 'INBOM INDEL', 'DEFRA', 2, 2.1],
]

/** The trades that ships serve. */
export const seaTrades = seaTable.map(tradeOf)
/** Those that aircraft serve. */
export const airTrades = airTable.map(tradeOf)

/** Shipping lines: which, and their prices and days at sea against those of the trade. */
export const seaCarriers = [
  { code: 'MAEU', factor: 1, moreDays: 0 },
  { code: 'CMDU', factor: 0.96, moreDays: 4 },
  { code: 'HLCU', factor: 1.04, moreDays: -2 },
  { code: 'MSCU', factor: 0.93, moreDays: 5 },
  { code: 'COSU', factor: 0.98, moreDays: 1 },
  { code: 'ONEY', factor: 1.02, moreDays: 2 },
  { code: 'EGLV', factor: 0.95, moreDays: 3 },
] as const

/** Airlines. */
export const airCarriers = [
  { code: 'LH', factor: 1.05, moreDays: 0 },
  { code: 'CX', factor: 1, moreDays: 1 },
  { code: 'EK', factor: 0.94, moreDays: 2 },
  { code: 'TK', factor: 0.9, moreDays: 2 },
] as const

/** Members of a list, round it from a place on. */
export function some<T>(list: readonly T[], from: number, count: number): T[] {
  return Array.from({ length: count }, (_, index) => list[(from + index) % list.length] as T)
}

function tradeOf([code, name, from, to, transitDays, price]: TradeTuple): DemoTrade {
  return { code, name, from: from.split(' '), to: to.split(' '), transitDays, price }
}
