import { Model } from 'sequelize-typescript'
import { Column, DataType, OptionalColumn } from './entity.js'
import { raiseEvent } from './raised-events.js'

/** The column type of an instant. Hub and Pricing keep it with its zone; see {@link PlatformTimestamp} for ABP's tables. */
export const Timestamp = DataType.DATE

/** `timestamp without time zone`, in UTC: what ABP's own tables have (abp-http-contract section 11.3). */
export const PlatformTimestamp = 'TIMESTAMP'

/** A row with an identifier. */
// biome-ignore lint/suspicious/noExplicitAny: attributes are declared by the subclasses
export abstract class BaseEntity extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true }) declare id: string
}

/** A row of a public list: it is deactivated rather than deleted. */
export abstract class ReferenceEntity extends BaseEntity {
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isActive: boolean
  @OptionalColumn(Timestamp) declare lastImportTime: Date | null
}

/** A row that says who made it when, and never changes. */
export abstract class CreationAuditedEntity extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(Timestamp) declare creationTime: Date
  @OptionalColumn(DataType.UUID) declare creatorId: string | null
}

/** A row that says who made, changed and deleted it when. Deleting is a mark. */
export abstract class FullyAuditedEntity extends CreationAuditedEntity {
  @OptionalColumn(Timestamp) declare lastModificationTime: Date | null
  @OptionalColumn(DataType.UUID) declare lastModifierId: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDeleted: boolean
  @OptionalColumn(DataType.UUID) declare deleterId: string | null
  @OptionalColumn(Timestamp) declare deletionTime: Date | null
}

/** The root of things that change together: its stamp tells when somebody else was faster. */
export abstract class AggregateRoot extends FullyAuditedEntity {
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
  @Column(DataType.JSONB, { defaultValue: {} }) declare extraProperties: Record<string, unknown>

  /** Tells of something that happened to it, in the transaction in which the store writes it next; of a class that any bus takes. */
  raise(event: object): void {
    raiseEvent(this, event)
  }
}

/** A row of ABP's tables, and of tables in their manner, with a stamp and who made, changed and deleted it when. Deleting is a mark. */
export abstract class AuditedPlatformEntity extends BaseEntity {
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
  @Column(PlatformTimestamp) declare creationTime: Date
  @OptionalColumn(DataType.UUID) declare creatorId: string | null
  @OptionalColumn(PlatformTimestamp) declare lastModificationTime: Date | null
  @OptionalColumn(DataType.UUID) declare lastModifierId: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDeleted: boolean
  @OptionalColumn(DataType.UUID) declare deleterId: string | null
  @OptionalColumn(PlatformTimestamp) declare deletionTime: Date | null
}
