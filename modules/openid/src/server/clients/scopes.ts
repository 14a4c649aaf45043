import { Injectable } from '@keel/framework'
import { type Database, Databases, entityMeta, sql, type TableWatch, undeleted } from '@keel/framework/data'
import { type Client, errors, type ResourceServer } from 'oidc-provider'
import { apiScope, identityScopes } from '../../contracts/index.js'
import { listOf } from '../../domain/client-settings.js'
import { OpenIddictScope } from '../../domain/scope.js'
import { lifetimeOf } from './lifetimes.js'

/**
 * The API's name in oidc-provider. Resource indicators must be URIs, so `Core` can't be it. Clients need not
 * send it.
 */
export const apiResource = `urn:api:${apiScope}`

/** The member of a client's metadata, ours, with those of its scopes that stand for the API. */
export const apiScopesMember = 'keel_api_scopes'

/** The scopes that there always are. */
export const standardScopes: readonly string[] = ['openid', 'offline_access', ...identityScopes, apiScope]

/**
 * The scopes there are: those of OpenID Connect, the API's and those of `OpenIddictScopes`, kept in memory
 * until one of them changes.
 */
@Injectable()
export class Scopes {
  /** All names. */
  readonly names = new Set<string>(standardScopes)
  /** Those that stand for the API. */
  readonly ofApi = new Set<string>([apiScope])
  private readonly database: Database
  private readonly watch: TableWatch
  private version: number | undefined

  constructor(databases: Databases) {
    this.database = databases.of(OpenIddictScope)
    this.watch = this.database.feed.watch([entityMeta(OpenIddictScope).table])
  }

  /** The display names that administrators gave to scopes, by name. Scopes without one are left out. */
  async displayNames(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.query<{ name: string; displayName: string }>(sql`
      select "Name" as name, "DisplayName" as "displayName" from "OpenIddictScopes"
      where ${undeleted(OpenIddictScope)} and "Name" = any(${names}) and "DisplayName" is not null`)
    return new Map(rows.map(({ name, displayName }) => [name, displayName]))
  }

  /** Takes in what changed. */
  async refresh(): Promise<void> {
    const { version } = this.watch
    if (version !== undefined && version === this.version) return
    const rows = await this.database.query<{ name: string; resources: string | null }>(sql`
      select "Name" as name, "Resources" as resources from "OpenIddictScopes" where ${undeleted(OpenIddictScope)} and "Name" is not null`)
    const ofApi = rows.filter(({ resources }) => listOf(resources).includes(apiScope))
    replace(this.names, [...standardScopes, ...rows.map(({ name }) => name)])
    replace(this.ofApi, [apiScope, ...ofApi.map(({ name }) => name)])
    this.version = version
  }
}

function replace(set: Set<string>, members: readonly string[]): void {
  for (const member of set) if (!members.includes(member)) set.delete(member)
  for (const member of members) set.add(member)
}

/**
 * Refuses scopes that do not exist or that the client may not have. oidc-provider would let unknown ones pass
 * in silence.
 */
export function checkScopes(client: Client, scopes: Iterable<string>): void {
  const allowed = allowedScopes(client)
  for (const scope of scopes)
    if (!allowed.has(scope))
      throw new errors.InvalidScope('there is no such scope, or the client may not ask for it', scope)
}

/** Refuses a `resource` (RFC 8707), or several, that are not the API: there is no other. */
export function checkTarget(resource: unknown): void {
  for (const one of [resource ?? []].flat()) if (one !== apiResource) throw new errors.InvalidTarget()
}

/** True when one of these scopes of the client stands for the API. */
export function areForApi(client: Client | undefined, scopes: ReadonlySet<string>): boolean {
  return apiScopesOf(client).some((scope) => scopes.has(scope))
}

/** The API as oidc-provider's resource server, for a client. */
export function resourceServerFor(client: Client): ResourceServer {
  if (apiScopesOf(client).length === 0) throw new errors.InvalidTarget()
  return {
    audience: apiScope,
    accessTokenFormat: 'jwt',
    accessTokenTTL: lifetimeOf('accessTokenLifetime', client),
    jwt: { sign: { alg: 'RS256' } },
    // With the scopes of identity: otherwise token and answer would show nothing but the API's.
    scope: [...allowedScopes(client)].join(' '),
  }
}

function apiScopesOf(client: Client | undefined): readonly string[] {
  return (client?.[apiScopesMember] as readonly string[] | undefined) ?? []
}

function allowedScopes(client: Client): Set<string> {
  return new Set(client.scope?.split(' '))
}
