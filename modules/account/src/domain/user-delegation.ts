import { BaseEntity, Column, DataType, Entity, OptionalColumn, PlatformTimestamp } from '@keel/framework/data'

/** Somebody (the target) may act for somebody else (the source) for some time: ABP's row. */
@Entity('AbpUserDelegations', {
  indexes: [{ attributes: ['sourceUserId'] }, { attributes: ['targetUserId'] }],
})
export class UserDelegation extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.UUID) declare sourceUserId: string
  @Column(DataType.UUID) declare targetUserId: string
  @Column(PlatformTimestamp) declare startTime: Date
  @Column(PlatformTimestamp) declare endTime: Date
}
