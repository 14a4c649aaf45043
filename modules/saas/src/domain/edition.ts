import {
  BaseEntity,
  Column,
  DataType,
  Entity,
  OptionalColumn,
  PlatformTimestamp,
  StoreOf,
} from '@keel/framework/data'
import { SaasErrors } from '../contracts/index.js'

/** What tenants subscribe to: ABP's table. Its name is unique among editions that are not deleted. */
@Entity('SaasEditions', {
  indexes: [
    { attributes: ['displayName'] },
    // The second column only keeps the name apart from ABP's plain index on the first.
    { attributes: ['displayName', 'isDeleted'], unique: true, where: '"IsDeleted" = false' },
  ],
  conflicts: { IX_SaasEditions_DisplayName_IsDeleted: SaasErrors.EditionNameAlreadyExists },
})
export class Edition extends BaseEntity {
  @Column(DataType.STRING(128)) declare displayName: string
  @OptionalColumn(DataType.UUID) declare planId: string | null
  @Column(DataType.INTEGER, { defaultValue: 0 }) declare entityVersion: number
  /** A JSON object. */
  @Column(DataType.TEXT, { defaultValue: '{}' }) declare extraProperties: string
  @Column(DataType.STRING(40)) declare concurrencyStamp: string
  @Column(PlatformTimestamp) declare creationTime: Date
  @OptionalColumn(DataType.UUID) declare creatorId: string | null
  @OptionalColumn(PlatformTimestamp) declare lastModificationTime: Date | null
  @OptionalColumn(DataType.UUID) declare lastModifierId: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDeleted: boolean
  @OptionalColumn(DataType.UUID) declare deleterId: string | null
  @OptionalColumn(PlatformTimestamp) declare deletionTime: Date | null
}

/** Loads and writes editions that are not deleted. */
export class EditionStore extends StoreOf(Edition) {}
