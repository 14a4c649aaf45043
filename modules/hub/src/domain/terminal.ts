import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'
import { HubErrors } from '../contracts/index.js'
import { Port } from './port.js'

/** A facility inside a port. */
@Entity('HubTerminals', {
  referred: 'joined',
  conflicts: { IX_HubTerminals_PortId_Code: HubErrors.TerminalAlreadyExists },
  indexes: [{ attributes: ['portId', 'code'], unique: true }],
  checks: {
    Latitude: '"Latitude" between -90 and 90',
    Longitude: '"Longitude" between -180 and 180',
  },
})
export class Terminal extends ReferenceEntity {
  @Column(DataType.UUID, { references: () => Port, onDelete: 'no action' }) declare portId: string
  @Column(DataType.STRING(20)) declare code: string
  @Column(DataType.STRING(150)) declare name: string
  @Column(DataType.CHAR(4)) declare facilityTypeCode: string
  @OptionalColumn(DataType.STRING(9)) declare bicFacilityCode: string | null
  @OptionalColumn(DataType.STRING(6)) declare smdgCode: string | null
  @OptionalColumn(DataType.DOUBLE) declare latitude: number | null
  @OptionalColumn(DataType.DOUBLE) declare longitude: number | null
}
