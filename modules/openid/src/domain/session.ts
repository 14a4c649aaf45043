import { BaseEntity, Column, DataType, Entity, OptionalColumn, Timestamp } from '@keel/framework/data'

/** A browser that is signed in. The id is a digest of what stands in its cookie. */
@Entity('AuthSessions', {
  indexes: [
    { attributes: ['uid'], unique: true },
    { attributes: ['subject'] },
    { attributes: ['expirationTime'] },
  ],
})
export class AuthSession extends BaseEntity {
  /** A name of the session that is no secret. */
  @Column(DataType.STRING(64)) declare uid: string
  /** The user's id; null while nobody is signed in. */
  @OptionalColumn(DataType.STRING(400)) declare subject: string | null
  /** JSON. */
  @Column(DataType.TEXT) declare payload: string
  @Column(Timestamp) declare expirationTime: Date
  /**
   * When the browser came to the auth server last, to within ten seconds; null while it has not since this is
   * noted.
   */
  @OptionalColumn(Timestamp) declare lastAccessed: Date | null
}

/** A sign-in that is under way: the request that waits for it. */
@Entity('AuthInteractions', { indexes: [{ attributes: ['expirationTime'] }] })
export class AuthInteraction extends BaseEntity {
  /** JSON. */
  @Column(DataType.TEXT) declare payload: string
  @Column(Timestamp) declare expirationTime: Date
}
