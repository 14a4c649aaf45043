import { BaseEntity, Column, DataType, Entity, OptionalColumn } from '@keel/framework/data'

/** Two accounts of one person, told by ABP's row. Either may be the source. */
@Entity('AbpLinkUsers', {
  indexes: [
    { attributes: ['sourceUserId', 'sourceTenantId', 'targetUserId', 'targetTenantId'], unique: true },
    // The index above lets users without a tenant be linked twice: null equals no null.
    {
      attributes: ['sourceUserId', 'targetUserId'],
      unique: true,
      where: '"SourceTenantId" is null and "TargetTenantId" is null',
    },
    { attributes: ['targetUserId'] },
  ],
})
export class LinkUser extends BaseEntity {
  @Column(DataType.UUID) declare sourceUserId: string
  @OptionalColumn(DataType.UUID) declare sourceTenantId: string | null
  @Column(DataType.UUID) declare targetUserId: string
  @OptionalColumn(DataType.UUID) declare targetTenantId: string | null
}
