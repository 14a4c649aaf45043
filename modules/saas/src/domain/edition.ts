import { AuditedPlatformEntity, Column, DataType, Entity, OptionalColumn } from '@keel/framework/data'
import { SaasErrors } from '../contracts/index.js'

/**
 * An edition that tenants subscribe to: ABP's table. Its name is unique among editions that are not deleted.
 */
@Entity('SaasEditions', {
  indexes: [
    { attributes: ['displayName'] },
    // The second column only keeps the name apart from ABP's plain index on the first.
    { attributes: ['displayName', 'isDeleted'], unique: true, where: '"IsDeleted" = false' },
  ],
  conflicts: { IX_SaasEditions_DisplayName_IsDeleted: SaasErrors.EditionNameAlreadyExists },
})
export class Edition extends AuditedPlatformEntity {
  @Column(DataType.STRING(128)) declare displayName: string
  @OptionalColumn(DataType.UUID) declare planId: string | null
  @Column(DataType.INTEGER, { defaultValue: 0 }) declare entityVersion: number
  /** A JSON object. */
  @Column(DataType.TEXT, { defaultValue: '{}' }) declare extraProperties: string
}
