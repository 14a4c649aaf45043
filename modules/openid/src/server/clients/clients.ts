import { Injectable } from '@keel/framework'
import { type Database, Databases, entityMeta, sql, undeleted } from '@keel/framework/data'
import type { ClientMetadata } from 'oidc-provider'
import { OpenIddictApplication } from '../../domain/application.js'
import { OpenIddictScope } from '../../domain/scope.js'
import { type ClientRow, clientMetadata } from './client-metadata.js'
import { Scopes } from './scopes.js'

interface KnownClient {
  /** Of its row. */
  readonly id: string
  readonly metadata: ClientMetadata
}

/** The clients of `OpenIddictApplications`, kept in memory until one of them changes, or a scope. */
@Injectable()
export class Clients {
  private readonly database: Database
  private readonly tables = [OpenIddictApplication, OpenIddictScope].map((entity) => entityMeta(entity).table)
  private known = new Map<string, KnownClient>()
  private version: number | undefined

  constructor(
    databases: Databases,
    private readonly scopes: Scopes,
  ) {
    this.database = databases.of(OpenIddictApplication)
  }

  async find(clientId: string): Promise<KnownClient | undefined> {
    // The database refuses the character. Forms and addresses have none, what else names a client may.
    if (clientId.includes('\0')) return undefined
    const version = this.database.feed.watch(this.tables).version
    await this.scopes.refresh()
    if (version === undefined || version !== this.version) {
      this.known = new Map()
      this.version = version
    }
    const { known } = this
    const client = known.get(clientId) ?? (await this.load(clientId))
    // Nothing is kept while changes are not heard. Unknown ids are not kept either: strangers could fill the
    // memory with them.
    if (client && version !== undefined) known.set(clientId, client)
    return client
  }

  /**
   * The ids of clients that may have registered an address to return to after signing out: it is theirs, or
   * they have patterns. At most 100.
   */
  async returningTo(address: string): Promise<string[]> {
    const rows = await this.database.query<{ clientId: string }>(sql`
      select "ClientId" as "clientId" from "OpenIddictApplications"
      where ${undeleted(OpenIddictApplication)} and "PostLogoutRedirectUris" is not null
        and ("PostLogoutRedirectUris"::jsonb ? ${address} or position('{0}' in "PostLogoutRedirectUris") > 0)
      order by "ClientId" limit 100`)
    return rows.map(({ clientId }) => clientId)
  }

  private async load(clientId: string): Promise<KnownClient | undefined> {
    const [row] = await this.database.query<ClientRow & { id: string }>(sql`
      select "Id" as id, "ClientId" as "clientId", "ClientSecret" as "clientSecret", "ClientType" as "clientType",
        "ApplicationType" as "applicationType", "DisplayName" as "displayName", "Permissions" as permissions,
        "RedirectUris" as "redirectUris", "PostLogoutRedirectUris" as "postLogoutRedirectUris",
        "Requirements" as requirements, "ConsentType" as "consentType", "ClientUri" as "clientUri", "LogoUri" as "logoUri",
        "Settings" as settings
      from "OpenIddictApplications"
      where "ClientId" = ${clientId} and ${undeleted(OpenIddictApplication)}`)
    return row && { id: row.id, metadata: clientMetadata(row, this.scopes) }
  }
}
