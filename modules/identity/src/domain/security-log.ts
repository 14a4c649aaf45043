import { BaseEntity, Column, DataType, Entity, OptionalColumn, PlatformTimestamp } from '@keel/framework/data'

/** An event of an account: a sign-in, a wrong password, a changed credential. Never updated. */
@Entity('AbpSecurityLogs', {
  indexes: [
    { attributes: ['tenantId', 'applicationName'] },
    { attributes: ['tenantId', 'identity'] },
    { attributes: ['tenantId', 'action'] },
    { attributes: ['tenantId', 'userId'] },
    { attributes: ['creationTime'] },
  ],
})
export class SecurityLog extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @OptionalColumn(DataType.STRING(96)) declare applicationName: string | null
  @OptionalColumn(DataType.STRING(96)) declare identity: string | null
  @OptionalColumn(DataType.STRING(96)) declare action: string | null
  @OptionalColumn(DataType.UUID) declare userId: string | null
  @OptionalColumn(DataType.STRING(256)) declare userName: string | null
  @OptionalColumn(DataType.STRING(64)) declare tenantName: string | null
  @OptionalColumn(DataType.STRING(64)) declare clientId: string | null
  @OptionalColumn(DataType.STRING(64)) declare correlationId: string | null
  @OptionalColumn(DataType.STRING(64)) declare clientIpAddress: string | null
  @OptionalColumn(DataType.STRING(512)) declare browserInfo: string | null
  @Column(PlatformTimestamp) declare creationTime: Date
  /** A JSON object. */
  @Column(DataType.TEXT) declare extraProperties: string
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
}
