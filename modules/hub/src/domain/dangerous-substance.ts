import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'
import { AirProhibition, HubErrors, PackingGroup } from '../contracts/index.js'

/** An entry of the United Nations' list of dangerous goods. */
@Entity('HubDangerousSubstances', {
  referred: 'joined',
  conflicts: {
    IX_HubDangerousSubstances_UnNumber_Variant_PackingGroup: HubErrors.DangerousSubstanceAlreadyExists,
  },
  indexes: [
    { attributes: ['unNumber', 'variant', 'packingGroup'], unique: true, nullsNotDistinct: true },
    { attributes: ['properShippingName'] },
  ],
  checks: {
    PackingGroup: '"PackingGroup" between 1 and 3',
    AirProhibition: '"AirProhibition" between 0 and 2',
  },
})
export class DangerousSubstance extends ReferenceEntity {
  @Column(DataType.CHAR(4)) declare unNumber: string
  @Column(DataType.STRING(10), { defaultValue: '' }) declare variant: string
  @Column(DataType.STRING(200)) declare properShippingName: string
  @Column(DataType.STRING(5)) declare hazardClass: string
  @OptionalColumn(DataType.STRING(20)) declare subsidiaryHazards: string | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { PackingGroup } })
  declare packingGroup: PackingGroup | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isMarinePollutant: boolean
  @OptionalColumn(DataType.STRING(20)) declare emsCode: string | null
  @Column(DataType.SMALLINT, { defaultValue: AirProhibition.Allowed, enumeration: { AirProhibition } })
  declare airProhibition: AirProhibition
}
