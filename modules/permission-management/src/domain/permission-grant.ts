import { BaseEntity, Column, DataType, Entity, OptionalColumn } from '@keel/framework/data'

/** A permission that a user, role, client or API key was given: ABP's table. */
@Entity('AbpPermissionGrants', {
  watched: true,
  indexes: [{ attributes: ['tenantId', 'name', 'providerName', 'providerKey'], unique: true }],
})
export class PermissionGrant extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(128)) declare name: string
  @Column(DataType.STRING(64)) declare providerName: string
  @Column(DataType.STRING(64)) declare providerKey: string
}
