import {
  AggregateRoot,
  Column,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
} from '@keel/framework/data'
import { PricingErrors } from '../contracts/index.js'

/** A named set of ports and countries. */
@Entity('PricingRateZones', {
  watched: true,
  conflicts: { IX_PricingRateZones_Code: PricingErrors.RateZoneCodeAlreadyExists },
  indexes: [{ attributes: ['code'], unique: true, where: '"IsDeleted" = false' }],
})
export class RateZone extends AggregateRoot {
  @Column(DataType.STRING(20)) declare code: string
  @Column(DataType.STRING(100)) declare name: string
  @OptionalColumn(DataType.STRING(500)) declare description: string | null
}

/** A port or a country of a zone. */
@Entity('PricingRateZoneMembers', {
  watched: true,
  conflicts: {
    IX_PricingRateZoneMembers_RateZoneId_UnLocode: PricingErrors.RateZoneMemberAlreadyExists,
    IX_PricingRateZoneMembers_RateZoneId_CountryCode: PricingErrors.RateZoneMemberAlreadyExists,
  },
  indexes: [
    { attributes: ['rateZoneId', 'unLocode'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['rateZoneId', 'countryCode'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['unLocode'] },
    { attributes: ['countryCode'] },
  ],
  checks: { CountryCode: 'num_nonnulls("UnLocode", "CountryCode") = 1' },
})
export class RateZoneMember extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => RateZone }) declare rateZoneId: string
  @OptionalColumn(DataType.CHAR(5)) declare unLocode: string | null
  @OptionalColumn(DataType.CHAR(2)) declare countryCode: string | null
}
