import { BaseEntity, Column, DataType, Entity, OptionalColumn, Timestamp } from '@keel/framework/data'
import { Model } from 'sequelize-typescript'
import { User } from './user.js'

/** Something that tokens say of a user beside what is on the row. */
@Entity('AbpUserClaims', { watched: true, indexes: [{ attributes: ['userId'] }] })
export class UserClaim extends BaseEntity {
  @Column(DataType.UUID, { references: () => User }) declare userId: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(256)) declare claimType: string
  @OptionalColumn(DataType.STRING(1024)) declare claimValue: string | null
}

/** An account elsewhere that a user signs in with. */
@Entity('AbpUserLogins', { indexes: [{ attributes: ['loginProvider', 'providerKey'], unique: true }] })
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class UserLogin extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => User }) declare userId: string
  @Column(DataType.STRING(64), { primaryKey: true }) declare loginProvider: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.STRING(196)) declare providerKey: string
  @OptionalColumn(DataType.STRING(128)) declare providerDisplayName: string | null
}

/** A value that a provider keeps for a user, such as the key of an authenticator app. */
@Entity('AbpUserTokens')
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class UserToken extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => User }) declare userId: string
  @Column(DataType.STRING(64), { primaryKey: true }) declare loginProvider: string
  @Column(DataType.STRING(128), { primaryKey: true }) declare name: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @OptionalColumn(DataType.TEXT) declare value: string | null
}

/** A password that a user had, as its hash. */
@Entity('AbpUserPasswordHistories')
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class UserPasswordHistory extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => User }) declare userId: string
  @Column(DataType.STRING(256), { primaryKey: true }) declare password: string
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(Timestamp) declare createdAt: Date
}

/** A passkey (WebAuthn credential) of a user. */
@Entity('AbpUserPasskeys', { indexes: [{ attributes: ['userId'] }] })
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class UserPasskey extends Model<any, any> {
  @Column(DataType.BLOB, { primaryKey: true }) declare credentialId: Buffer
  @OptionalColumn(DataType.UUID) declare tenantId: string | null
  @Column(DataType.UUID, { references: () => User }) declare userId: string
  /** Key, name, counter and times, as `IdentityPasskeyData` of ASP.NET Core Identity 10 has them. */
  @OptionalColumn(DataType.JSONB) declare data: Record<string, unknown> | null
}
