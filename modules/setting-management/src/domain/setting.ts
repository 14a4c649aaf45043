import { BaseEntity, Column, DataType, Entity, OptionalColumn } from '@keel/framework/data'

/** A value that was set for everybody (provider `G`, no key) or by a user (`U`, their id): ABP's table. */
@Entity('AbpSettings', {
  watched: true,
  indexes: [{ attributes: ['name', 'providerName', 'providerKey'], unique: true, nullsNotDistinct: true }],
})
export class Setting extends BaseEntity {
  @Column(DataType.STRING(128)) declare name: string
  /** The value; of an encrypted setting, the output of `encrypted-text.ts`. */
  @Column(DataType.STRING(2048)) declare value: string
  @OptionalColumn(DataType.STRING(64)) declare providerName: string | null
  @OptionalColumn(DataType.STRING(64)) declare providerKey: string | null
}

/** The most characters that a value can have, as it is stored. */
export const longestValue = 2048
