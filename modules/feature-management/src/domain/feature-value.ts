import { BaseEntity, Column, DataType, Entity, OptionalColumn } from '@keel/framework/data'

/** A feature's value for the whole system (provider `T`, no key), for an edition (`E`) or a tenant (`T`): ABP's table. */
@Entity('AbpFeatureValues', {
  watched: true,
  indexes: [{ attributes: ['name', 'providerName', 'providerKey'], unique: true, nullsNotDistinct: true }],
})
export class FeatureValue extends BaseEntity {
  @Column(DataType.STRING(128)) declare name: string
  @Column(DataType.STRING(128)) declare value: string
  @OptionalColumn(DataType.STRING(64)) declare providerName: string | null
  @OptionalColumn(DataType.STRING(64)) declare providerKey: string | null
}
