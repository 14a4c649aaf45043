import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'

/** A country of ISO 3166-1. */
@Entity('HubCountries', {
  watched: true,
  indexes: [
    { attributes: ['code'], unique: true },
    { attributes: ['alpha3Code'], unique: true },
    { attributes: ['numericCode'], unique: true },
  ],
})
export class Country extends ReferenceEntity {
  @Column(DataType.CHAR(2)) declare code: string
  @Column(DataType.CHAR(3)) declare alpha3Code: string
  @Column(DataType.CHAR(3)) declare numericCode: string
  @Column(DataType.STRING(100)) declare name: string
  @OptionalColumn(DataType.STRING(200)) declare officialName: string | null
  @OptionalColumn(DataType.STRING(20)) declare regionCode: string | null
  @OptionalColumn(DataType.CHAR(3)) declare currencyCode: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isEuMember: boolean
  @OptionalColumn(DataType.STRING(50)) declare defaultTimeZone: string | null
}
