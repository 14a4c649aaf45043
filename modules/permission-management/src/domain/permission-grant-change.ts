import { BaseEntity, Column, DataType, Entity, OptionalColumn, Timestamp } from '@keel/framework/data'

/** A change to a holder's permission, with time and author. Rows are only inserted. */
@Entity('AppPermissionGrantChanges', {
  indexes: [
    { attributes: ['providerName', 'providerKey', 'changeTime'] },
    { attributes: ['permissionName', 'changeTime'] },
    { attributes: ['changeTime'] },
  ],
})
export class PermissionGrantChange extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(Timestamp) declare changeTime: Date
  @Column(DataType.STRING(128)) declare permissionName: string
  @Column(DataType.STRING(64)) declare providerName: string
  @Column(DataType.STRING(64)) declare providerKey: string
  /** The thing, for permissions on single things. */
  @OptionalColumn(DataType.STRING(256)) declare resourceName: string | null
  @OptionalColumn(DataType.STRING(256)) declare resourceKey: string | null
  /** A member of `GrantChangeKind`. */
  @Column(DataType.STRING(20)) declare kind: string
  /** A member of `GrantChangeCause`. */
  @Column(DataType.STRING(20)) declare cause: string
  /** The user who made the change, with the name of that time; null for the program itself. */
  @OptionalColumn(DataType.UUID) declare userId: string | null
  @OptionalColumn(DataType.STRING(256)) declare userName: string | null
  @OptionalColumn(DataType.STRING(100)) declare clientId: string | null
  @OptionalColumn(DataType.STRING(64)) declare correlationId: string | null
}
