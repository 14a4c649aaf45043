import { namedGuid } from '@keel/framework/data'

/** A row of PricingChargeCodes; columns that are absent take their defaults. */
export interface ChargeCodeRow {
  id: string
  code: string
  name: string
  chargeGroup: number
  defaultBasis: number
  appliesToSea: boolean
  appliesToAir: boolean
  appliesToRoad: boolean
  appliesToRail: boolean
  uneceCode: string | null
  sortOrder: number
}

// ChargeGroup
const Freight = 0
const Surcharge = 1
const OriginLocal = 2
const DestinationLocal = 3
const Customs = 4
const Insurance = 5
const Other = 6

// RateBasis
const PerShipment = 0
const PerBill = 1
const PerContainer = 2
const PerTeu = 3
const PerRevenueTon = 4
const PerChargeableKg = 5
const PercentOfGroup = 9
const PercentOfValue = 10

type ChargeTuple = readonly [
  code: string,
  name: string,
  group: number,
  basis: number,
  modes: string,
  uneceCode?: string,
]

/**
 * Code, name, group, usual basis, modes (sea S, air A, road R, rail L), UN/CEFACT Recommendation 23 code
 * where it has one.
 */
// biome-ignore format: one row a line
const table: readonly ChargeTuple[] = [
  ['OFR', 'Ocean freight', Freight, PerContainer, 'S', '101000'],
  ['AFR', 'Air freight', Freight, PerChargeableKg, 'A', '101000'],
  ['RFR', 'Road or rail freight', Freight, PerShipment, 'RL', '101000'],
  ['BAF', 'Bunker adjustment', Surcharge, PerTeu, 'S', '103016'],
  ['CAF', 'Currency adjustment', Surcharge, PercentOfGroup, 'SARL'],
  ['LSS', 'Low sulphur surcharge', Surcharge, PerTeu, 'S'],
  ['PSS', 'Peak season surcharge', Surcharge, PerContainer, 'SA'],
  ['GRI', 'General rate increase', Surcharge, PerContainer, 'S'],
  ['CIC', 'Container imbalance', Surcharge, PerContainer, 'S'],
  ['CGS', 'Congestion surcharge', Surcharge, PerContainer, 'S', '104059'],
  ['WRS', 'War risk surcharge', Surcharge, PerContainer, 'SA', '104198'],
  ['ISPS', 'Port security', Surcharge, PerContainer, 'S'],
  ['ETS', 'Emissions trading', Surcharge, PerTeu, 'SA'],
  ['ENS', 'Entry summary declaration', Surcharge, PerBill, 'SARL'],
  ['AMS', 'Advance manifest', Surcharge, PerBill, 'SA'],
  ['FSC', 'Air fuel surcharge', Surcharge, PerChargeableKg, 'A'],
  ['SSC', 'Air security surcharge', Surcharge, PerChargeableKg, 'A'],
  ['DGS', 'Dangerous goods surcharge', Surcharge, PerShipment, 'SARL', '107001'],
  ['OTHC', 'Origin terminal handling', OriginLocal, PerContainer, 'S', '209060'],
  ['ODOC', 'Origin documentation', OriginLocal, PerBill, 'SARL'],
  ['OCFS', 'Origin container freight station', OriginLocal, PerRevenueTon, 'S'],
  ['PUP', 'Pick-up', OriginLocal, PerShipment, 'SARL', '216021'],
  ['VGM', 'Verified gross mass', OriginLocal, PerContainer, 'S'],
  ['SEAL', 'Container seal', OriginLocal, PerContainer, 'SRL'],
  ['XRY', 'Screening', OriginLocal, PerChargeableKg, 'A'],
  ['AWB', 'Air waybill fee', OriginLocal, PerBill, 'A'],
  ['OHC', 'Origin handling', OriginLocal, PerShipment, 'SARL'],
  ['DTHC', 'Destination terminal handling', DestinationLocal, PerContainer, 'S', '209058'],
  ['DDOC', 'Destination documentation', DestinationLocal, PerBill, 'SARL'],
  ['DCFS', 'Destination container freight station', DestinationLocal, PerRevenueTon, 'S'],
  ['DHC', 'Destination handling', DestinationLocal, PerShipment, 'SARL'],
  ['DLV', 'Delivery', DestinationLocal, PerShipment, 'SARL', '208030'],
  ['DEM', 'Demurrage', DestinationLocal, PerContainer, 'SL', '104125'],
  ['DET', 'Detention', DestinationLocal, PerContainer, 'SRL', '104132'],
  ['STO', 'Storage', DestinationLocal, PerShipment, 'SARL'],
  ['CUE', 'Export customs clearance', Customs, PerBill, 'SARL'],
  ['CUI', 'Import customs clearance', Customs, PerBill, 'SARL', '104124'],
  ['INS', 'Cargo insurance', Insurance, PercentOfValue, 'SARL'],
  ['OTH', 'Other', Other, PerShipment, 'SARL'],
]

/** The id of a charge code on every machine. */
export function chargeCodeId(code: string): string {
  return namedGuid(`ChargeCode:${code}`)
}

/** The vocabulary of everything that can be charged. */
export const chargeCodes: readonly ChargeCodeRow[] = table.map(
  ([code, name, chargeGroup, defaultBasis, modes, uneceCode], index) => ({
    id: chargeCodeId(code),
    code,
    name,
    chargeGroup,
    defaultBasis,
    appliesToSea: modes.includes('S'),
    appliesToAir: modes.includes('A'),
    appliesToRoad: modes.includes('R'),
    appliesToRail: modes.includes('L'),
    uneceCode: uneceCode ?? null,
    sortOrder: (index + 1) * 10,
  }),
)
