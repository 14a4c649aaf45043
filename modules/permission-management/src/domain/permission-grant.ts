import { BaseEntity, Column, DataType, Entity, OptionalColumn } from '@keel/framework/data'

/** In PostgreSQL a null tenant differs from every other, so ABP's unique index does not guard the host's rows; this one does, and finds a holder's. */
const oncePerHolder = {
  attributes: ['providerName', 'providerKey', 'name'],
  unique: true,
  where: '"TenantId" is null',
}

/** A permission that a user, role, client or API key was given: ABP's table. */
@Entity('AbpPermissionGrants', {
  watched: true,
  indexes: [{ attributes: ['tenantId', 'name', 'providerName', 'providerKey'], unique: true }, oncePerHolder],
})
export class PermissionGrant extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(128)) declare name: string
  @Column(DataType.STRING(64)) declare providerName: string
  @Column(DataType.STRING(64)) declare providerKey: string
}

/** A permission that a user, role, client or API key was given on one thing: ABP's table. */
@Entity('AbpResourcePermissionGrants', {
  watched: true,
  indexes: [
    {
      attributes: ['tenantId', 'name', 'resourceName', 'resourceKey', 'providerName', 'providerKey'],
      unique: true,
    },
    {
      attributes: ['resourceName', 'resourceKey', 'providerName', 'providerKey', 'name'],
      unique: true,
      where: '"TenantId" is null',
    },
    { attributes: ['providerName', 'providerKey'] },
  ],
})
export class ResourcePermissionGrant extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(128)) declare name: string
  @Column(DataType.STRING(64)) declare providerName: string
  @Column(DataType.STRING(64)) declare providerKey: string
  /** The kind of thing. */
  @Column(DataType.STRING(256)) declare resourceName: string
  @Column(DataType.STRING(256)) declare resourceKey: string
}

/** A permission that a holder must not have, whoever grants it: our own table, for ABP's knows grants alone. */
@Entity('AppPermissionProhibitions', {
  watched: true,
  indexes: [{ attributes: ['tenantId', 'name', 'providerName', 'providerKey'], unique: true }, oncePerHolder],
})
export class PermissionProhibition extends BaseEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(128)) declare name: string
  @Column(DataType.STRING(64)) declare providerName: string
  @Column(DataType.STRING(64)) declare providerKey: string
}
