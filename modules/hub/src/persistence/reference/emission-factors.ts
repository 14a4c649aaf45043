import { namedGuid } from '@keel/framework/data'
import { codeEntityId } from './code-entities.js'

/** Where the delivered factors come from. */
const source =
  'UK Government GHG Conversion Factors for Company Reporting 2025 (DESNZ), Open Government Licence v3.0'

/** Code, transport mode, class, tank to wheel, well to wheel, and what it is for. */
const rows = [
  ['SEA-CONT-AVG', 'Sea', 'Container ship, average', 16.12, 19.77, { isDefault: true }],
  ['SEA-CONT-8000', 'Sea', 'Container ship, 8000 TEU and more', 12.66, 15.53, {}],
  ['SEA-CONT-1000', 'Sea', 'Container ship, 1000 to 1999 TEU', 32.5, 39.87, {}],
  ['SEA-GEN-AVG', 'Sea', 'General cargo ship, average', 13.21, 16.21, {}],
  ['SEA-RORO-AVG', 'Sea', 'Ro-ro ferry, average', 51.58, 63.28, {}],
  [
    'AIR-LONG',
    'Air',
    'Freight flight, 3700 km and more',
    531.3,
    666.46,
    { isDefault: true, minDistanceKm: 3700 },
  ],
  [
    'AIR-SHORT',
    'Air',
    'Freight flight, below 3700 km',
    755.39,
    960.54,
    { isDefault: true, maxDistanceKm: 3700 },
  ],
  ['AIR-LONG-RF', 'Air', 'Long flight with radiative forcing', 899.39, 1034.55, { minDistanceKm: 3700 }],
  ['ROAD-HGV', 'Road', 'All heavy goods vehicles, average', 101.63, 125.22, { isDefault: true }],
  ['ROAD-ARTIC', 'Road', 'Articulated lorry', 78, 96.23, {}],
  ['ROAD-REEFER', 'Road', 'Refrigerated articulated lorry', 90.2, 111.34, { isTemperatureControlled: true }],
  ['RAIL', 'Rail', 'Freight train', 27.79, 34.7, { isDefault: true }],
  ['BARGE', 'InlandWater', 'Proxy: general cargo ship, average', 13.21, 16.21, { isDefault: true }],
] as const

/** Rows of HubEmissionFactors (domain model, section 7.5). */
export const emissionFactors = rows.map(([code, mode, vehicleClass, ttw, wtw, more]) => ({
  id: namedGuid(`EmissionFactor:${code}`),
  code,
  transportModeId: codeEntityId('TransportMode', mode),
  vehicleClass,
  region: 'Global',
  wtwGramsPerTkm: wtw,
  ttwGramsPerTkm: ttw,
  source,
  sourceYear: 2025,
  validFrom: '2025-01-01',
  ...more,
}))
