import { BaseEntity, Column, DataType, OptionalColumn, PlatformTimestamp } from '@keel/framework/data'

/** What every OpenIddict table has: extra properties as the text of a JSON object, and a concurrency stamp. */
export abstract class PlatformRow extends BaseEntity {
  @Column(DataType.TEXT) declare extraProperties: string
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
}

/** A row that also says who made, changed and deleted it when. Deleting is a mark. */
export abstract class AuditedPlatformRow extends PlatformRow {
  @Column(PlatformTimestamp) declare creationTime: Date
  @OptionalColumn(DataType.UUID) declare creatorId: string | null
  @OptionalColumn(PlatformTimestamp) declare lastModificationTime: Date | null
  @OptionalColumn(DataType.UUID) declare lastModifierId: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDeleted: boolean
  @OptionalColumn(DataType.UUID) declare deleterId: string | null
  @OptionalColumn(PlatformTimestamp) declare deletionTime: Date | null
}
