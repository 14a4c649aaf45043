import {
  AuditedPlatformEntity,
  Column,
  DataType,
  Entity,
  OptionalColumn,
  PlatformTimestamp,
} from '@keel/framework/data'
import { Model } from 'sequelize-typescript'
import { SaasErrors, TenantActivationState } from '../contracts/index.js'
import { Edition } from './edition.js'

/** A company that would have data of its own: ABP's table. Its name is unique among tenants that are not deleted. */
@Entity('SaasTenants', {
  indexes: [
    { attributes: ['name'] },
    { attributes: ['normalizedName'] },
    { attributes: ['editionId'] },
    // The second column only keeps the name apart from ABP's plain index on the first.
    { attributes: ['normalizedName', 'isDeleted'], unique: true, where: '"IsDeleted" = false' },
  ],
  conflicts: { IX_SaasTenants_NormalizedName_IsDeleted: SaasErrors.TenantNameAlreadyExists },
})
export class Tenant extends AuditedPlatformEntity {
  @Column(DataType.STRING(64)) declare name: string
  @Column(DataType.STRING(64)) declare normalizedName: string
  @OptionalColumn(DataType.UUID, { references: () => Edition }) declare editionId: string | null
  @OptionalColumn(PlatformTimestamp) declare editionEndDateUtc: Date | null
  @Column(DataType.SMALLINT, { enumeration: { TenantActivationState } })
  declare activationState: TenantActivationState
  @OptionalColumn(PlatformTimestamp) declare activationEndDate: Date | null
  @Column(DataType.INTEGER, { defaultValue: 0 }) declare entityVersion: number
  /** A JSON object. */
  @Column(DataType.TEXT, { defaultValue: '{}' }) declare extraProperties: string
}

/** Where a tenant's data would be; `Default` is the main one. */
@Entity('SaasTenantConnectionStrings')
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class TenantConnectionString extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => Tenant }) declare tenantId: string
  @Column(DataType.STRING(64), { primaryKey: true }) declare name: string
  @Column(DataType.STRING(1024)) declare value: string
}
