import {
  Column,
  DataType,
  Entity,
  OptionalColumn,
  ReferenceEntity,
  textSearchIndex,
} from '@keel/framework/data'
import { HubErrors } from '../contracts/index.js'
import { Country } from './country.js'

/** A location of UN/LOCODE, of any function. */
@Entity('HubPorts', {
  watched: true,
  conflicts: { IX_HubPorts_UnLocode: HubErrors.PortCodeAlreadyExists },
  indexes: [
    { attributes: ['unLocode'], unique: true },
    { attributes: ['countryId'] },
    { attributes: ['countryCode', 'name'] },
    { attributes: ['iataCode'], where: '"IataCode" is not null' },
    { attributes: ['name', 'id'], name: 'IsSeaport', where: '"IsSeaport"' },
    { attributes: ['name', 'id'], name: 'IsAirport', where: '"IsAirport"' },
    textSearchIndex('nameWoDiacritics'),
  ],
  checks: {
    Latitude: '"Latitude" between -90 and 90',
    Longitude: '"Longitude" between -180 and 180',
    CoordinateSource: '"CoordinateSource" between 0 and 2',
  },
})
export class Port extends ReferenceEntity {
  @Column(DataType.CHAR(5)) declare unLocode: string
  @Column(DataType.STRING(100)) declare name: string
  @Column(DataType.STRING(100)) declare nameWoDiacritics: string
  @Column(DataType.UUID, { references: () => Country, onDelete: 'no action' }) declare countryId: string
  @Column(DataType.CHAR(2)) declare countryCode: string
  @OptionalColumn(DataType.STRING(3)) declare subdivisionCode: string | null
  @OptionalColumn(DataType.CHAR(3)) declare iataCode: string | null
  /** The raw classifier of UN/LOCODE, e.g. `1--4----`. */
  @Column(DataType.STRING(8)) declare functionCodes: string
  @Column(DataType.BOOLEAN) declare isSeaport: boolean
  @Column(DataType.BOOLEAN) declare isRailTerminal: boolean
  @Column(DataType.BOOLEAN) declare isRoadTerminal: boolean
  @Column(DataType.BOOLEAN) declare isAirport: boolean
  @Column(DataType.BOOLEAN) declare isInlandDepot: boolean
  @OptionalColumn(DataType.CHAR(2)) declare entryStatus: string | null
  @OptionalColumn(DataType.DOUBLE) declare latitude: number | null
  @OptionalColumn(DataType.DOUBLE) declare longitude: number | null
  @OptionalColumn(DataType.SMALLINT) declare coordinateSource: number | null
  @OptionalColumn(DataType.STRING(50)) declare timeZone: string | null
  /** Importers leave flags and coordinates of such a row alone. */
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isOverridden: boolean
  @Column(DataType.JSONB, { defaultValue: {} }) declare extraProperties: Record<string, unknown>
}

/** UN/LOCODE's function classifier: position 1 is a port, 2 rail, 3 road, 4 an airport, 6 an inland depot. */
export function functionCodes(
  port: Partial<
    Pick<Port, 'isSeaport' | 'isRailTerminal' | 'isRoadTerminal' | 'isAirport' | 'isInlandDepot'>
  >,
): string {
  const positions = [
    port.isSeaport,
    port.isRailTerminal,
    port.isRoadTerminal,
    port.isAirport,
    false,
    port.isInlandDepot,
    false,
    false,
  ]
  return positions.map((has, index) => (has ? String(index + 1) : '-')).join('')
}

/** A name without accents, as UN/LOCODE has it beside the name. */
export function withoutDiacritics(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '')
}
