import { BaseEntity, Column, DataType, Entity, OptionalColumn, PlatformTimestamp } from '@keel/framework/data'
import { IdentityErrors } from '../contracts/index.js'

/** A named set of permissions: ABP's role row. `contracts/roles.ts` has the inheritance of roles. */
@Entity('AbpRoles', {
  watched: true,
  ownFields: true,
  indexes: [{ attributes: ['normalizedName'], unique: true, where: '"TenantId" is null' }],
  conflicts: { IX_AbpRoles_NormalizedName: IdentityErrors.DuplicateRoleName },
})
export class Role extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(256)) declare name: string
  @Column(DataType.STRING(256)) declare normalizedName: string
  /** New users get it. */
  @Column(DataType.BOOLEAN) declare isDefault: boolean
  /** Can't be renamed or deleted; nor can the roles that modules declare. */
  @Column(DataType.BOOLEAN) declare isStatic: boolean
  /** Shown to everybody who may pick roles. */
  @Column(DataType.BOOLEAN) declare isPublic: boolean
  @Column(DataType.INTEGER) declare entityVersion: number
  @Column(PlatformTimestamp) declare creationTime: Date
  /** A JSON object. */
  @Column(DataType.TEXT) declare extraProperties: string
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
}
