import { DataType, Entity, OptionalColumn, PlatformTimestamp } from '@keel/framework/data'
import { OpenIddictApplication } from './application.js'
import { PlatformRow } from './platform-row.js'

/** An authorization of a user for a client: one for each session and client, or use of the password grant. */
@Entity('OpenIddictAuthorizations', {
  // The second for the clean-up, which looks for old ones.
  indexes: [{ attributes: ['applicationId', 'status', 'subject', 'type'] }, { attributes: ['creationDate'] }],
})
export class OpenIddictAuthorization extends PlatformRow {
  @OptionalColumn(DataType.UUID, { references: () => OpenIddictApplication }) declare applicationId:
    | string
    | null
  @OptionalColumn(PlatformTimestamp) declare creationDate: Date | null
  /** The grant as oidc-provider keeps it, JSON. */
  @OptionalColumn(DataType.TEXT) declare properties: string | null
  /** A JSON array. */
  @OptionalColumn(DataType.TEXT) declare scopes: string | null
  /** `valid` or `revoked`. */
  @OptionalColumn(DataType.STRING(50)) declare status: string | null
  /** The user's id. */
  @OptionalColumn(DataType.STRING(400)) declare subject: string | null
  @OptionalColumn(DataType.STRING(50)) declare type: string | null
}

/**
 * A code, refresh token or opaque access token. Its value is the bearer's alone: the id is a digest of it.
 * JWTs have no row.
 */
@Entity('OpenIddictTokens', {
  indexes: [
    { attributes: ['authorizationId'] },
    { attributes: ['referenceId'] },
    { attributes: ['applicationId', 'status', 'subject', 'type'] },
    { attributes: ['expirationDate'] },
  ],
})
export class OpenIddictToken extends PlatformRow {
  @OptionalColumn(DataType.UUID, { references: () => OpenIddictApplication }) declare applicationId:
    | string
    | null
  @OptionalColumn(DataType.UUID, { references: () => OpenIddictAuthorization }) declare authorizationId:
    | string
    | null
  @OptionalColumn(PlatformTimestamp) declare creationDate: Date | null
  @OptionalColumn(PlatformTimestamp) declare expirationDate: Date | null
  /** The token as oidc-provider keeps it, without its value, JSON. */
  @OptionalColumn(DataType.TEXT) declare payload: string | null
  @OptionalColumn(DataType.TEXT) declare properties: string | null
  /** The time of use. A refresh token may be used again for a few seconds. */
  @OptionalColumn(PlatformTimestamp) declare redemptionDate: Date | null
  @OptionalColumn(DataType.STRING(100)) declare referenceId: string | null
  /** `valid`, `redeemed` or `revoked`. */
  @OptionalColumn(DataType.STRING(50)) declare status: string | null
  @OptionalColumn(DataType.STRING(400)) declare subject: string | null
  @OptionalColumn(DataType.STRING(150)) declare type: string | null
}
