import {
  AuditedPlatformEntity,
  Column,
  DataType,
  Entity,
  OptionalColumn,
  PlatformTimestamp,
} from '@keel/framework/data'
import { Model } from 'sequelize-typescript'
import { Role } from './role.js'
import { User } from './user.js'

/**
 * An organization unit with members and roles. Its code is its place: `00001.00002` is the 2nd below the 1st.
 */
@Entity('AbpOrganizationUnits', {
  watched: true,
  indexes: [
    { attributes: ['code'] },
    { attributes: ['parentId'] },
    // The second column only keeps the name apart from ABP's plain index on the first.
    { attributes: ['code', 'isDeleted'], unique: true, where: '"IsDeleted" = false' },
  ],
})
export class OrganizationUnit extends AuditedPlatformEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @OptionalColumn(DataType.UUID, { references: () => OrganizationUnit }) declare parentId: string | null
  @Column(DataType.STRING(95)) declare code: string
  @Column(DataType.STRING(128)) declare displayName: string
  @Column(DataType.INTEGER) declare entityVersion: number
  /** A JSON object. */
  @Column(DataType.TEXT) declare extraProperties: string
}

/** A user in an organization unit. */
@Entity('AbpUserOrganizationUnits', {
  watched: true,
  indexes: [{ attributes: ['userId', 'organizationUnitId'] }],
})
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class UserOrganizationUnit extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => OrganizationUnit })
  declare organizationUnitId: string
  @Column(DataType.UUID, { primaryKey: true, references: () => User }) declare userId: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(PlatformTimestamp) declare creationTime: Date
  @OptionalColumn(DataType.UUID) declare creatorId: string | null
}

/** A role that belongs to an organization unit. */
@Entity('AbpOrganizationUnitRoles', {
  watched: true,
  indexes: [{ attributes: ['roleId', 'organizationUnitId'] }],
})
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class OrganizationUnitRole extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => OrganizationUnit })
  declare organizationUnitId: string
  @Column(DataType.UUID, { primaryKey: true, references: () => Role }) declare roleId: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(PlatformTimestamp) declare creationTime: Date
  @OptionalColumn(DataType.UUID) declare creatorId: string | null
}
