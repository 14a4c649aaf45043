import { Column, DataType, Entity, Timestamp } from '@keel/framework/data'
import { Model } from 'sequelize-typescript'

/** The number of attempts in the window that ends at `expirationTime`. */
@Entity('AppAccountLimits', { indexes: [{ attributes: ['expirationTime'] }] })
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class AccountLimit extends Model<any, any> {
  /** A digest of what is limited: the table must not be a list of addresses that people tried. */
  @Column(DataType.STRING(64), { primaryKey: true }) declare key: string
  @Column(DataType.INTEGER) declare count: number
  @Column(Timestamp) declare expirationTime: Date
}

/**
 * A value that the server keeps of a user for one purpose, until it ends or is used: the digest of a code,
 * the last step of an authenticator.
 */
@Entity('AppAccountSecrets', { indexes: [{ attributes: ['expirationTime'] }] })
// biome-ignore lint/suspicious/noExplicitAny: the base class asks for the attributes' types
export class AccountSecret extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true }) declare userId: string
  @Column(DataType.STRING(32), { primaryKey: true }) declare purpose: string
  @Column(DataType.STRING(64)) declare value: string
  @Column(Timestamp) declare expirationTime: Date
}
