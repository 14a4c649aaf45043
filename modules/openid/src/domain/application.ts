import { DataType, Entity, OptionalColumn } from '@keel/framework/data'
import { OpenIdErrors } from '../contracts/index.js'
import { AuditedPlatformRow } from './platform-row.js'

/** A client that may ask for tokens: OpenIddict's application row. Lists are JSON arrays of strings. */
@Entity('OpenIddictApplications', {
  watched: true,
  indexes: [{ attributes: ['clientId'], unique: true, where: '"IsDeleted" = false' }],
  conflicts: { IX_OpenIddictApplications_ClientId: OpenIdErrors.ClientIdAlreadyExists },
})
export class OpenIddictApplication extends AuditedPlatformRow {
  /** `web` or `native`. */
  @OptionalColumn(DataType.STRING(50)) declare applicationType: string | null
  @OptionalColumn(DataType.STRING(100)) declare clientId: string | null
  /** A hash in the layout of ASP.NET Core Identity's passwords; null for a public client. */
  @OptionalColumn(DataType.TEXT) declare clientSecret: string | null
  /** `public` or `confidential`. */
  @OptionalColumn(DataType.STRING(50)) declare clientType: string | null
  @OptionalColumn(DataType.STRING(50)) declare consentType: string | null
  @OptionalColumn(DataType.TEXT) declare displayName: string | null
  @OptionalColumn(DataType.TEXT) declare displayNames: string | null
  @OptionalColumn(DataType.TEXT) declare jsonWebKeySet: string | null
  /** `gt:` grant types, `rst:` response types, `scp:` scopes and `ept:` endpoints. */
  @OptionalColumn(DataType.TEXT) declare permissions: string | null
  @OptionalColumn(DataType.TEXT) declare postLogoutRedirectUris: string | null
  @OptionalColumn(DataType.TEXT) declare properties: string | null
  @OptionalColumn(DataType.TEXT) declare redirectUris: string | null
  @OptionalColumn(DataType.TEXT) declare requirements: string | null
  @OptionalColumn(DataType.TEXT) declare settings: string | null
  @OptionalColumn(DataType.TEXT) declare frontChannelLogoutUri: string | null
  @OptionalColumn(DataType.TEXT) declare clientUri: string | null
  @OptionalColumn(DataType.TEXT) declare logoUri: string | null
}
