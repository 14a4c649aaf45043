import { Column, DataType, Entity, OptionalColumn, ReferenceEntity } from '@keel/framework/data'
import { HubErrors } from '../contracts/index.js'

/** A row of one of the small coded lists. */
@Entity('HubCodeEntities', {
  watched: true,
  conflicts: { IX_HubCodeEntities_Type_Code: HubErrors.CodeEntityAlreadyExists },
  indexes: [{ attributes: ['type', 'code'], unique: true }, { attributes: ['type', 'sortOrder'] }],
})
export class CodeEntity extends ReferenceEntity {
  @Column(DataType.STRING(30)) declare type: string
  @Column(DataType.STRING(20)) declare code: string
  @Column(DataType.STRING(100)) declare name: string
  @OptionalColumn(DataType.STRING(500)) declare description: string | null
  @OptionalColumn(DataType.STRING(20)) declare standardCode: string | null
  @Column(DataType.INTEGER, { defaultValue: 0 }) declare sortOrder: number
  @OptionalColumn(DataType.JSONB) declare attributes: Record<string, unknown> | null
  @Column(DataType.JSONB, { defaultValue: {} }) declare extraProperties: Record<string, unknown>
}
