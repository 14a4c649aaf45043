import { BaseEntity, Column, DataType, Entity, OptionalColumn, Timestamp } from '@keel/framework/data'
import { Model } from 'sequelize-typescript'

/** A key that all copies of the auth server share. */
@Entity('AuthKeys')
export class AuthKey extends BaseEntity {
  /** `signing` (Development only; elsewhere the certificate signs) or `cookies`. */
  @Column(DataType.STRING(20)) declare purpose: string
  /** A private JWK, or a random text, encrypted with the keys of data protection. */
  @Column(DataType.TEXT) declare content: string
  @Column(Timestamp) declare creationTime: Date
  /** From when on it is used; before, a signing key is only published, so that everybody knows it by then. */
  @Column(Timestamp) declare activeFrom: Date
  /** Until when it is still accepted; null without an end. */
  @OptionalColumn(Timestamp) declare expirationTime: Date | null
}

/**
 * An access token (a JWT) that was taken back before its end. Watched, so that every process that verifies
 * tokens can hear of it.
 */
@Entity('AuthRevokedTokens', { watched: true, indexes: [{ attributes: ['expirationTime'] }] })
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class AuthRevokedToken extends Model<any, any> {
  /** The token's `jti`. */
  @Column(DataType.STRING(64), { primaryKey: true }) declare jti: string
  /** The time at which the token ends by itself, and with it this row. */
  @Column(Timestamp) declare expirationTime: Date
}
