import { AuditedPlatformEntity, BaseEntity, Column, DataType } from '@keel/framework/data'

/** The columns of OpenIddict's tables: extra properties as JSON text, and a concurrency stamp. */
export abstract class PlatformRow extends BaseEntity {
  @Column(DataType.TEXT) declare extraProperties: string
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
}

/** A row that also says who made, changed and deleted it when. Deleting is a mark. */
export abstract class AuditedPlatformRow extends AuditedPlatformEntity {
  @Column(DataType.TEXT) declare extraProperties: string
}
