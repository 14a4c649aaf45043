import {
  Column,
  DataType,
  Entity,
  OptionalColumn,
  ReferenceEntity,
  textSearchIndex,
} from '@keel/framework/data'
import { CarrierType, HubErrors, VesselType } from '../contracts/index.js'
import { Organization } from './organization.js'

/** A shipping line, an airline, or another operator of transports. */
@Entity('HubCarriers', {
  watched: true,
  conflicts: {
    IX_HubCarriers_Code: HubErrors.CarrierCodeAlreadyExists,
    IX_HubCarriers_ScacCode: HubErrors.ScacAlreadyExists,
    IX_HubCarriers_AwbPrefix: HubErrors.AwbPrefixAlreadyExists,
  },
  indexes: [
    { attributes: ['code'], unique: true },
    { attributes: ['scacCode'], unique: true, where: '"ScacCode" is not null' },
    { attributes: ['awbPrefix'], unique: true, where: '"AwbPrefix" is not null' },
    { attributes: ['organizationId'] },
  ],
  checks: { CarrierType: '"CarrierType" between 0 and 5' },
})
export class Carrier extends ReferenceEntity {
  @Column(DataType.STRING(20)) declare code: string
  @Column(DataType.STRING(150)) declare name: string
  @Column(DataType.SMALLINT, { enumeration: { CarrierType } }) declare carrierType: CarrierType
  @OptionalColumn(DataType.STRING(4)) declare scacCode: string | null
  @OptionalColumn(DataType.CHAR(2)) declare iataCode: string | null
  @OptionalColumn(DataType.CHAR(3)) declare awbPrefix: string | null
  @OptionalColumn(DataType.UUID, { references: () => Organization }) declare organizationId: string | null
  @OptionalColumn(DataType.CHAR(2)) declare countryCode: string | null
}

/** A ship. */
@Entity('HubVessels', {
  referred: 'joined',
  conflicts: { IX_HubVessels_ImoNumber: HubErrors.VesselAlreadyExists },
  indexes: [
    { attributes: ['imoNumber'], unique: true, where: '"ImoNumber" is not null' },
    { attributes: ['carrierId'] },
    textSearchIndex('name'),
  ],
  checks: {
    VesselType: '"VesselType" between 0 and 4',
    TeuCapacity: '"TeuCapacity" >= 0',
    YearBuilt: '"YearBuilt" between 1950 and 2100',
  },
})
export class Vessel extends ReferenceEntity {
  @OptionalColumn(DataType.CHAR(7)) declare imoNumber: string | null
  @Column(DataType.STRING(100)) declare name: string
  @OptionalColumn(DataType.STRING(10)) declare callSign: string | null
  @OptionalColumn(DataType.CHAR(9)) declare mmsi: string | null
  @OptionalColumn(DataType.CHAR(2)) declare flagCountryCode: string | null
  @OptionalColumn(DataType.UUID, { references: () => Carrier }) declare carrierId: string | null
  @OptionalColumn(DataType.INTEGER) declare teuCapacity: number | null
  @OptionalColumn(DataType.SMALLINT) declare yearBuilt: number | null
  @Column(DataType.SMALLINT, { enumeration: { VesselType } }) declare vesselType: VesselType
}
