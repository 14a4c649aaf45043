import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'
import { HubErrors } from '../contracts/index.js'

/** A size and type of containers, by ISO 6346. */
@Entity('HubContainerTypes', {
  watched: true,
  conflicts: {
    IX_HubContainerTypes_IsoCode: HubErrors.ContainerTypeAlreadyExists,
    IX_HubContainerTypes_Alias: HubErrors.ContainerTypeAlreadyExists,
  },
  indexes: [
    { attributes: ['isoCode'], unique: true },
    { attributes: ['alias'], unique: true },
  ],
  checks: {
    NaN: `"LengthFt" <> 'NaN' and "Teu" <> 'NaN' and "CapacityM3" <> 'NaN'`,
  },
})
export class ContainerType extends ReferenceEntity {
  @Column(DataType.CHAR(4)) declare isoCode: string
  @Column(DataType.STRING(5)) declare alias: string
  @Column(DataType.STRING(100)) declare name: string
  @Column(DataType.DECIMAL(4, 1)) declare lengthFt: string
  @Column(DataType.DECIMAL(4, 2)) declare teu: string
  @Column(DataType.INTEGER) declare tareWeightKg: number
  @Column(DataType.INTEGER) declare maxPayloadKg: number
  @OptionalColumn(DataType.DECIMAL(5, 1)) declare capacityM3: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isReefer: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isOpenTop: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isFlatRack: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isTank: boolean
}
