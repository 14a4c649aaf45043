import { DataType, Entity, OptionalColumn } from '@keel/framework/data'
import { OpenIdErrors } from '../contracts/index.js'
import { AuditedPlatformRow } from './platform-row.js'

/** A scope that clients may ask for, and the resources (audiences) it stands for, as a JSON array. */
@Entity('OpenIddictScopes', {
  watched: true,
  indexes: [{ attributes: ['name'], unique: true, where: '"IsDeleted" = false' }],
  conflicts: { IX_OpenIddictScopes_Name: OpenIdErrors.ScopeNameAlreadyExists },
})
export class OpenIddictScope extends AuditedPlatformRow {
  @OptionalColumn(DataType.TEXT) declare description: string | null
  @OptionalColumn(DataType.TEXT) declare descriptions: string | null
  @OptionalColumn(DataType.TEXT) declare displayName: string | null
  @OptionalColumn(DataType.TEXT) declare displayNames: string | null
  @OptionalColumn(DataType.STRING(200)) declare name: string | null
  @OptionalColumn(DataType.TEXT) declare properties: string | null
  @OptionalColumn(DataType.TEXT) declare resources: string | null
}
