import { namedGuid, type TranslatedNames } from '@keel/framework/data'

/** A row of HubCodeEntities; columns that are absent take their defaults. */
export interface CodeEntityRow {
  id: string
  type: CodeEntityType
  code: string
  name: string
  standardCode: string | null
  sortOrder: number
  attributes: CodeEntityAttributes | null
}

export type CodeEntityType =
  | 'TransportMode'
  | 'ContainerMode'
  | 'Incoterm'
  | 'ServiceLevel'
  | 'ReleaseType'
  | 'PackageType'
  | 'DocumentType'
  | 'ExceptionType'

/** Attributes of a code beside its name: the transport modes it is valid for (absent: all of them). */
export type CodeEntityAttributes = {
  readonly modes?: readonly string[]
  /** Of a transport mode: the milestones that booking plans, by their codes (domain model, section 2.7). */
  readonly milestones?: readonly string[]
}

interface CodeTuple {
  readonly code: string
  readonly name: string
  readonly standardCode?: string
  readonly modes?: readonly string[]
  readonly milestones?: readonly string[]
}

const landMilestones = ['BKD', 'BKC', 'CRD', 'PUP', 'GIN', 'DEP', 'ARV', 'CCI', 'DLV']
const airMilestones = ['BKD', 'BKC', 'CRD', 'PUP', 'GIN', 'DEP', 'ARV', 'DIS', 'CCI', 'DLV']
const seaMilestones = 'BKD BKC CRD PUP GIN LOD DEP ARV DIS CCI GOU DLV EMR'.split(' ')
const boxModes = ['Sea', 'Rail', 'InlandWater', 'Multimodal']
const bulkModes = ['Sea', 'InlandWater']
const truckModes = ['Road', 'Rail']
const waterModes = ['Sea', 'InlandWater']

// biome-ignore format: one row a line
const codesByType: Readonly<Record<CodeEntityType, readonly CodeTuple[]>> = {
  /** UN/CEFACT Recommendation 19. */
  TransportMode: [
    { code: 'Sea', name: 'Sea', standardCode: '1', milestones: seaMilestones },
    { code: 'Rail', name: 'Rail', standardCode: '2', milestones: landMilestones },
    { code: 'Road', name: 'Road', standardCode: '3', milestones: landMilestones },
    { code: 'Air', name: 'Air', standardCode: '4', milestones: airMilestones },
    { code: 'Courier', name: 'Courier', standardCode: '5', milestones: landMilestones },
    { code: 'Multimodal', name: 'Multimodal', standardCode: '6', milestones: landMilestones },
    { code: 'InlandWater', name: 'Inland water', standardCode: '8', milestones: landMilestones },
  ],
  ContainerMode: [
    { code: 'FCL', name: 'Full container load', modes: boxModes },
    { code: 'LCL', name: 'Less than container load', modes: boxModes },
    { code: 'BCN', name: "Buyer's consolidation", modes: ['Sea'] },
    { code: 'BBK', name: 'Break bulk', modes: bulkModes },
    { code: 'BLK', name: 'Bulk', modes: bulkModes },
    { code: 'LQD', name: 'Liquid bulk', modes: bulkModes },
    { code: 'ROR', name: 'Roll-on/roll-off', modes: ['Sea'] },
    { code: 'LSE', name: 'Loose', modes: ['Air', 'Courier'] },
    { code: 'ULD', name: 'Unit load device', modes: ['Air'] },
    { code: 'FTL', name: 'Full truck load', modes: truckModes },
    { code: 'LTL', name: 'Less than truck load', modes: truckModes },
  ],
  /** Incoterms 2020. */
  Incoterm: [
    { code: 'EXW', name: 'Ex works', standardCode: 'EXW' },
    { code: 'FCA', name: 'Free carrier', standardCode: 'FCA' },
    { code: 'CPT', name: 'Carriage paid to', standardCode: 'CPT' },
    { code: 'CIP', name: 'Carriage and insurance paid to', standardCode: 'CIP' },
    { code: 'DAP', name: 'Delivered at place', standardCode: 'DAP' },
    { code: 'DPU', name: 'Delivered at place unloaded', standardCode: 'DPU' },
    { code: 'DDP', name: 'Delivered duty paid', standardCode: 'DDP' },
    { code: 'FAS', name: 'Free alongside ship', standardCode: 'FAS', modes: waterModes },
    { code: 'FOB', name: 'Free on board', standardCode: 'FOB', modes: waterModes },
    { code: 'CFR', name: 'Cost and freight', standardCode: 'CFR', modes: waterModes },
    { code: 'CIF', name: 'Cost, insurance and freight', standardCode: 'CIF', modes: waterModes },
  ],
  ServiceLevel: [
    { code: 'STD', name: 'Standard' },
    { code: 'ECO', name: 'Economy' },
    { code: 'EXP', name: 'Express' },
    { code: 'PRI', name: 'Priority' },
    { code: 'DEF', name: 'Deferred' },
  ],
  ReleaseType: [
    { code: 'OBL', name: 'Original bill of lading' },
    { code: 'SWB', name: 'Sea waybill' },
    { code: 'TLX', name: 'Telex release' },
    { code: 'EBL', name: 'Electronic bill of lading' },
  ],
  /** UN/CEFACT Recommendation 21. */
  PackageType: [
    { code: 'PX', name: 'Pallet', standardCode: 'PX' },
    { code: 'CT', name: 'Carton', standardCode: 'CT' },
    { code: 'BX', name: 'Box', standardCode: 'BX' },
    { code: 'CR', name: 'Crate', standardCode: 'CR' },
    { code: 'CS', name: 'Case', standardCode: 'CS' },
    { code: 'DR', name: 'Drum', standardCode: 'DR' },
    { code: 'BA', name: 'Barrel', standardCode: 'BA' },
    { code: 'BG', name: 'Bag', standardCode: 'BG' },
    { code: 'SA', name: 'Sack', standardCode: 'SA' },
    { code: 'BE', name: 'Bundle', standardCode: 'BE' },
    { code: 'BL', name: 'Bale, compressed', standardCode: 'BL' },
    { code: 'RL', name: 'Reel', standardCode: 'RL' },
    { code: 'RO', name: 'Roll', standardCode: 'RO' },
    { code: 'PK', name: 'Package', standardCode: 'PK' },
    { code: 'PC', name: 'Parcel', standardCode: 'PC' },
    { code: 'EN', name: 'Envelope', standardCode: 'EN' },
    { code: 'JY', name: 'Jerrican, cylindrical', standardCode: 'JY' },
    { code: 'CY', name: 'Cylinder', standardCode: 'CY' },
    { code: 'WA', name: 'Intermediate bulk container', standardCode: 'WA' },
    { code: 'TU', name: 'Tube', standardCode: 'TU' },
    { code: 'TN', name: 'Tin', standardCode: 'TN' },
    { code: 'TB', name: 'Tub', standardCode: 'TB' },
    { code: 'PL', name: 'Pail', standardCode: 'PL' },
    { code: 'PU', name: 'Tray', standardCode: 'PU' },
    { code: 'SW', name: 'Shrinkwrapped', standardCode: 'SW' },
    { code: 'UN', name: 'Unit', standardCode: 'UN' },
    { code: 'VL', name: 'Bulk, liquid', standardCode: 'VL' },
    { code: 'VR', name: 'Bulk, solid, granular', standardCode: 'VR' },
    { code: 'NE', name: 'Unpacked', standardCode: 'NE' },
    { code: 'ZZ', name: 'Mutually defined', standardCode: 'ZZ' },
  ],
  DocumentType: [
    { code: 'HBL', name: 'House bill of lading' },
    { code: 'MBL', name: 'Master bill of lading' },
    { code: 'SWB', name: 'Sea waybill' },
    { code: 'HAWB', name: 'House air waybill' },
    { code: 'MAWB', name: 'Master air waybill' },
    { code: 'CIV', name: 'Commercial invoice' },
    { code: 'PKL', name: 'Packing list' },
    { code: 'COO', name: 'Certificate of origin' },
    { code: 'ARN', name: 'Arrival notice' },
    { code: 'BKC', name: 'Booking confirmation' },
    { code: 'POD', name: 'Proof of delivery' },
    { code: 'DLO', name: 'Delivery order' },
    { code: 'DGD', name: 'Dangerous goods declaration' },
    { code: 'VGM', name: 'Verified gross mass' },
    { code: 'CUS', name: 'Customs entry' },
    { code: 'INS', name: 'Insurance certificate' },
    { code: 'FIN', name: 'Freight invoice' },
    { code: 'MSD', name: 'Material safety data sheet' },
    { code: 'PHY', name: 'Phytosanitary certificate' },
    { code: 'FUM', name: 'Fumigation certificate' },
    { code: 'SHI', name: 'Shipping instruction' },
    { code: 'PUO', name: 'Purchase order' },
    { code: 'OTH', name: 'Other' },
  ],
  ExceptionType: [
    { code: 'DEL', name: 'Delay' },
    { code: 'ROL', name: 'Rolled cargo' },
    { code: 'MIS', name: 'Missed connection' },
    { code: 'DAM', name: 'Damage' },
    { code: 'SHO', name: 'Shortage' },
    { code: 'CUH', name: 'Customs hold' },
    { code: 'DOC', name: 'Missing document' },
    { code: 'TMP', name: 'Temperature excursion' },
    { code: 'DEM', name: 'Demurrage risk' },
    { code: 'BLK', name: 'Blank sailing' },
    { code: 'WEA', name: 'Weather' },
  ],
}

/** Every coded list of the Hub, each in the order people expect it. */
export const codeEntities: readonly CodeEntityRow[] = Object.entries(codesByType).flatMap(([type, codes]) =>
  codes.map(({ code, name, standardCode, modes, milestones }, index) => ({
    id: codeEntityId(type as CodeEntityType, code),
    type: type as CodeEntityType,
    code,
    name,
    standardCode: standardCode ?? null,
    sortOrder: (index + 1) * 10,
    attributes: modes || milestones ? { ...(modes && { modes }), ...(milestones && { milestones }) } : null,
  })),
)

/** The names of the coded lists in all languages: the texts `CodeEntity:<Type>.<Code>`. */
export const codeEntityNames: TranslatedNames = new Map(
  codeEntities.map(({ id, type, code, name }) => [id, { key: `CodeEntity:${type}.${code}`, name }]),
)

/** The id which this code has in every database. */
export function codeEntityId(type: CodeEntityType, code: string): string {
  return namedGuid(`CodeEntity:${type}:${code}`)
}
