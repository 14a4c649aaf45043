import { BaseEntity, Column, DataType, Entity, OptionalColumn, PlatformTimestamp } from '@keel/framework/data'

/**
 * A user who is signed in on a device. The row goes when the session ends or is ended: tokens that carry its
 * `sessionId` and have no row are over. Every process hears of that.
 */
@Entity('AbpSessions', {
  watched: 'deletes',
  indexes: [
    { attributes: ['sessionId'], unique: true },
    { attributes: ['device'] },
    { attributes: ['tenantId', 'userId'] },
  ],
})
export class IdentitySession extends BaseEntity {
  @Column(DataType.STRING(128)) declare sessionId: string
  /** `Web`, `OAuth` or `Mobile`. */
  @Column(DataType.STRING(64)) declare device: string
  @OptionalColumn(DataType.STRING(256)) declare deviceInfo: string | null
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.UUID) declare userId: string
  @OptionalColumn(DataType.STRING(64)) declare clientId: string | null
  /** Comma-joined, newest first. */
  @OptionalColumn(DataType.STRING(2048)) declare ipAddresses: string | null
  @Column(PlatformTimestamp) declare signedIn: Date
  @OptionalColumn(PlatformTimestamp) declare lastAccessed: Date | null
  /** A JSON object. */
  @OptionalColumn(DataType.TEXT) declare extraProperties: string | null
}
