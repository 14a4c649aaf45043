import { BaseEntity, Column, DataType, Entity, OptionalColumn, PlatformTimestamp } from '@keel/framework/data'
import { EntityChangeType } from '../contracts/index.js'

/**
 * A request that was audited: ABP's table. Nothing here is ever changed. What belongs to it is written with it and deleted with it; that the
 * database checked so for every row cost more than the rows themselves.
 */
@Entity('AbpAuditLogs', {
  indexes: [
    { attributes: ['tenantId', 'executionTime'] },
    { attributes: ['tenantId', 'userId', 'executionTime'] },
  ],
})
export class AuditLog extends BaseEntity {
  @OptionalColumn(DataType.STRING(96)) declare applicationName: string | null
  @OptionalColumn(DataType.UUID) declare userId: string | null
  @OptionalColumn(DataType.STRING(256)) declare userName: string | null
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @OptionalColumn(DataType.STRING(64)) declare tenantName: string | null
  @OptionalColumn(DataType.UUID) declare impersonatorUserId: string | null
  @OptionalColumn(DataType.STRING(256)) declare impersonatorUserName: string | null
  @OptionalColumn(DataType.UUID) declare impersonatorTenantId: string | null
  @OptionalColumn(DataType.STRING(64)) declare impersonatorTenantName: string | null
  @Column(PlatformTimestamp) declare executionTime: Date
  /** Milliseconds. */
  @Column(DataType.INTEGER) declare executionDuration: number
  @OptionalColumn(DataType.STRING(64)) declare clientIpAddress: string | null
  @OptionalColumn(DataType.STRING(128)) declare clientName: string | null
  @OptionalColumn(DataType.STRING(64)) declare clientId: string | null
  @OptionalColumn(DataType.STRING(64)) declare correlationId: string | null
  @OptionalColumn(DataType.STRING(512)) declare browserInfo: string | null
  @OptionalColumn(DataType.STRING(16)) declare httpMethod: string | null
  @OptionalColumn(DataType.STRING(256)) declare url: string | null
  @OptionalColumn(DataType.TEXT) declare exceptions: string | null
  @OptionalColumn(DataType.STRING(256)) declare comments: string | null
  @OptionalColumn(DataType.INTEGER) declare httpStatusCode: number | null
  /** The text of a JSON object. */
  @Column(DataType.TEXT) declare extraProperties: string
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
}

/** An operation that a request called. */
@Entity('AbpAuditLogActions', {
  indexes: [
    { attributes: ['auditLogId'] },
    { attributes: ['tenantId', 'serviceName', 'methodName', 'executionTime'] },
  ],
})
export class AuditLogAction extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.UUID, { references: () => AuditLog, foreignKey: false }) declare auditLogId: string
  @OptionalColumn(DataType.STRING(256)) declare serviceName: string | null
  @OptionalColumn(DataType.STRING(128)) declare methodName: string | null
  @OptionalColumn(DataType.STRING(2000)) declare parameters: string | null
  @Column(PlatformTimestamp) declare executionTime: Date
  @Column(DataType.INTEGER) declare executionDuration: number
  @OptionalColumn(DataType.TEXT) declare extraProperties: string | null
}

/** An entity that a request wrote. */
@Entity('AbpEntityChanges', {
  indexes: [{ attributes: ['auditLogId'] }, { attributes: ['tenantId', 'entityTypeFullName', 'entityId'] }],
})
export class EntityChange extends BaseEntity {
  @Column(DataType.UUID, { references: () => AuditLog, foreignKey: false }) declare auditLogId: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(PlatformTimestamp) declare changeTime: Date
  @Column(DataType.SMALLINT, { enumeration: { EntityChangeType } }) declare changeType: EntityChangeType
  @OptionalColumn(DataType.UUID) declare entityTenantId: string | null
  @OptionalColumn(DataType.STRING(128)) declare entityId: string | null
  @Column(DataType.STRING(512)) declare entityTypeFullName: string
  @OptionalColumn(DataType.TEXT) declare extraProperties: string | null
}

/** A property of an entity that a request wrote; values are JSON. */
@Entity('AbpEntityPropertyChanges', { indexes: [{ attributes: ['entityChangeId'] }] })
export class EntityPropertyChange extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.UUID, { references: () => EntityChange, foreignKey: false }) declare entityChangeId: string
  @OptionalColumn(DataType.STRING(512)) declare newValue: string | null
  @OptionalColumn(DataType.STRING(512)) declare originalValue: string | null
  @Column(DataType.STRING(128)) declare propertyName: string
  @Column(DataType.STRING(512)) declare propertyTypeFullName: string
}
