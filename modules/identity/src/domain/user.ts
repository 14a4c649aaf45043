import {
  AuditedPlatformEntity,
  Column,
  DataType,
  Entity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import { Model } from 'sequelize-typescript'
import { IdentityErrors, UserEto } from '../contracts/index.js'
import { Role } from './role.js'

const isAlive = '"IsDeleted" = false'

/** A user: ABP's row. User name and e-mail address are unique among users that are not deleted. */
@Entity('AbpUsers', {
  // Every sign-in writes these, and no principal is made of them.
  watched: { except: ['accessFailedCount', 'lastSignInTime'] },
  events: UserEto,
  ownFields: true,
  indexes: [
    { attributes: ['normalizedUserName'] },
    { attributes: ['normalizedEmail'] },
    { attributes: ['userName'] },
    { attributes: ['email'] },
    // The second column only keeps the name apart from ABP's plain index on the first.
    { attributes: ['normalizedUserName', 'isDeleted'], unique: true, where: isAlive },
    { attributes: ['normalizedEmail', 'isDeleted'], unique: true, where: isAlive },
  ],
  conflicts: {
    IX_AbpUsers_NormalizedUserName_IsDeleted: IdentityErrors.DuplicateUserName,
    IX_AbpUsers_NormalizedEmail_IsDeleted: IdentityErrors.DuplicateEmail,
  },
})
export class User extends AuditedPlatformEntity {
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(256)) declare userName: string
  @Column(DataType.STRING(256)) declare normalizedUserName: string
  @OptionalColumn(DataType.STRING(64)) declare name: string | null
  @OptionalColumn(DataType.STRING(64)) declare surname: string | null
  @Column(DataType.STRING(256)) declare email: string
  @Column(DataType.STRING(256)) declare normalizedEmail: string
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare emailConfirmed: boolean
  /** ASP.NET Core Identity's format; null for a user who has to set a password first. */
  @OptionalColumn(DataType.STRING(256)) declare passwordHash: string | null
  @Column(DataType.STRING(256)) declare securityStamp: string
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isExternal: boolean
  @OptionalColumn(DataType.STRING(16)) declare phoneNumber: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare phoneNumberConfirmed: boolean
  @Column(DataType.BOOLEAN) declare isActive: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare twoFactorEnabled: boolean
  @OptionalColumn(Timestamp) declare lockoutEnd: Date | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare lockoutEnabled: boolean
  @Column(DataType.INTEGER, { defaultValue: 0 }) declare accessFailedCount: number
  @Column(DataType.BOOLEAN) declare shouldChangePasswordOnNextLogin: boolean
  @Column(DataType.INTEGER) declare entityVersion: number
  @OptionalColumn(Timestamp) declare lastPasswordChangeTime: Date | null
  @OptionalColumn(Timestamp) declare lastSignInTime: Date | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare leaved: boolean
  /** A JSON object. */
  @Column(DataType.TEXT) declare extraProperties: string
}

/** A role that a user holds. */
@Entity('AbpUserRoles', { watched: true, indexes: [{ attributes: ['roleId', 'userId'] }] })
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class UserRole extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => User }) declare userId: string
  @Column(DataType.UUID, { primaryKey: true, references: () => Role }) declare roleId: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
}
