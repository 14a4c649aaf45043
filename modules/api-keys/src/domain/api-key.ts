import {
  AuditedPlatformEntity,
  Column,
  DataType,
  Entity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import { apiKeyPrefixLength } from '@keel/framework/security'
import { Model } from 'sequelize-typescript'
import { keysOfCaller } from './managed-keys.js'

/** A key that acts as its user (interface document, "API key record"). Of the key itself only hashes are stored. */
@Entity('AppApiKeys', {
  watched: true,
  rules: [keysOfCaller],
  indexes: [{ attributes: ['prefix'], unique: true }, { attributes: ['userId'] }],
})
export class ApiKey extends AuditedPlatformEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.CHAR(apiKeyPrefixLength)) declare prefix: string
  /** Of the full key, in ASP.NET Core Identity's format. */
  @Column(DataType.STRING(256)) declare hash: string
  @Column(DataType.UUID) declare userId: string
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isActive: boolean
  @OptionalColumn(Timestamp) declare expirationTime: Date | null
  @Column(DataType.STRING(128)) declare name: string
  @OptionalColumn(DataType.STRING(512)) declare description: string | null
  @OptionalColumn(Timestamp) declare rotationTime: Date | null
  /** Of the full key before the last rotation, and until when that works. */
  @OptionalColumn(DataType.STRING(256)) declare previousHash: string | null
  @OptionalColumn(Timestamp) declare overlapEndTime: Date | null
}

/** How often a key used a permission; the row without a permission's name counts its requests. */
@Entity('AppApiKeyUsages')
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class ApiKeyUsage extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => ApiKey }) declare apiKeyId: string
  /** Empty for the requests themselves. */
  @Column(DataType.STRING(128), { primaryKey: true }) declare permissionName: string
  @Column(DataType.BIGINT) declare callCount: string
  @Column(Timestamp) declare lastUsedTime: Date
}
