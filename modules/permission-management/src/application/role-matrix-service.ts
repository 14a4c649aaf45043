import { Application, AutoApiController, ambient } from '@keel/framework'
import {
  Authenticated,
  AvailablePermissions,
  demandPermission,
  RoleHolders,
  withParents,
} from '@keel/framework/security'
import {
  type MatrixPermissionDto,
  managePolicies,
  mostMatrixRoles,
  RoleMatrixAppService,
  type RoleMatrixDto,
  type RoleMatrixInput,
} from '../contracts/index.js'
import { type GrantRow, verdictOf } from '../domain/verdict.js'
import { StandingGrants } from '../persistence/standing-grants.js'
import { HolderAccess } from './holder-access.js'
import { PermissionDefinitions, type ShownPermission } from './permission-definitions.js'

/** The matrix of roles and permissions, for those who manage the permissions of roles. One statement, none while nothing changed. */
@AutoApiController(RoleMatrixAppService)
@Authenticated()
export class RoleMatrixService implements RoleMatrixAppService {
  constructor(
    private readonly application: Application,
    private readonly holders: HolderAccess,
    private readonly definitions: PermissionDefinitions,
    private readonly standing: StandingGrants,
    private readonly available: AvailablePermissions,
  ) {}

  async get({ roleNames }: RoleMatrixInput): Promise<RoleMatrixDto> {
    demandPermission(managePolicies.R)
    const { roles: hierarchy } = this.application
    const asked = await this.rolesOf(roleNames)
    const chosen = asked.slice(0, mostMatrixRoles)
    const names = [...new Set([...chosen, ...withParents(chosen, hierarchy)])]
    const chains = names.map((name) => withParents([name], hierarchy))
    const places = new Map(names.map((name, place) => [name, place]))
    const placesOf = (some: readonly string[]) => some.flatMap((name) => places.get(name) ?? [])
    const [rows, withheld] = await Promise.all([
      this.standing.of(names.map((providerKey) => ({ providerName: 'R', providerKey }))),
      this.available.withheld(),
    ])
    return {
      roles: names.map((name, place) => ({
        name,
        inherits: placesOf(chains[place] ?? []).filter((other) => other !== place),
      })),
      isCut: asked.length > mostMatrixRoles,
      groups: this.definitions.for('R', ambient().culture).map(({ name, displayName, permissions }) => ({
        name,
        displayName,
        permissions: permissions
          .filter(({ definition }) => !withheld.has(definition.name))
          .map((permission) =>
            rowOf(permission, rows.get(permission.definition.name) ?? [], chains, placesOf),
          ),
      })),
    }
  }

  /** The roles of the names, or all by name: one more than a matrix has when there are more. */
  private async rolesOf(names: readonly string[] | null | undefined): Promise<string[]> {
    const roles = this.holders.provided(RoleHolders)
    const found = await (names ? roles?.named(names) : roles?.search('', 0, mostMatrixRoles + 1))
    return (found ?? []).map(({ providerKey }) => providerKey)
  }
}

/**
 * The row of a permission.
 * @param rows its grants and prohibitions
 * @param chains for each role the names of the roles that count for it, its own first
 */
function rowOf(
  { definition, displayName }: ShownPermission,
  rows: readonly GrantRow[],
  chains: readonly (readonly string[])[],
  placesOf: (names: readonly string[]) => number[],
): MatrixPermissionDto {
  const byRole = new Map<string, GrantRow[]>()
  for (const row of rows) byRole.set(row.providerKey, [...(byRole.get(row.providerKey) ?? []), row])
  const isHeld = (chain: readonly string[]) =>
    verdictOf(
      definition,
      chain.flatMap((name) => byRole.get(name) ?? []),
    ) === 'Granted'
  const speaking = (isProhibition: boolean) =>
    placesOf(rows.filter((row) => row.isProhibition === isProhibition).map(({ providerKey }) => providerKey))
  return {
    name: definition.name,
    displayName,
    parentName: definition.parent ?? null,
    holders: rows.length ? chains.flatMap((chain, place) => (isHeld(chain) ? [place] : [])) : [],
    grantedBy: speaking(false),
    prohibitedBy: speaking(true),
  }
}
