import { BaseEntity, Column, DataType, Entity, OptionalColumn, PlatformTimestamp } from '@keel/framework/data'
import { IdentityClaimValueType, IdentityErrors } from '../contracts/index.js'
import { Role } from './role.js'

/** A kind of claim that users and roles may have. */
@Entity('AbpClaimTypes', {
  indexes: [{ attributes: ['name'], unique: true }],
  conflicts: { IX_AbpClaimTypes_Name: IdentityErrors.ClaimNameExists },
})
export class ClaimType extends BaseEntity {
  @Column(DataType.STRING(256)) declare name: string
  @Column(DataType.BOOLEAN) declare required: boolean
  /** Can't be changed or deleted. */
  @Column(DataType.BOOLEAN) declare isStatic: boolean
  @OptionalColumn(DataType.STRING(512)) declare regex: string | null
  @OptionalColumn(DataType.STRING(128)) declare regexDescription: string | null
  @OptionalColumn(DataType.STRING(256)) declare description: string | null
  /** A number of `ClaimValueType`. */
  @Column(DataType.INTEGER, { enumeration: { IdentityClaimValueType } }) declare valueType: number
  @Column(PlatformTimestamp) declare creationTime: Date
  /** A JSON object. */
  @Column(DataType.TEXT) declare extraProperties: string
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
}

/** Something that a role says of those who hold it. */
@Entity('AbpRoleClaims', { watched: true, indexes: [{ attributes: ['roleId'] }] })
export class RoleClaim extends BaseEntity {
  @Column(DataType.UUID, { references: () => Role }) declare roleId: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(256)) declare claimType: string
  @OptionalColumn(DataType.STRING(1024)) declare claimValue: string | null
}
