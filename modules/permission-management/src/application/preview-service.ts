import { Application, AutoApiController, ambient } from '@keel/framework'
import type { PermissionDefinition } from '@keel/framework/contracts'
import {
  ApiKeyHolders,
  Authenticated,
  type GrantHolder,
  holdersOf,
  type NamedHolder,
  type RoleMember,
  type RoleMembers,
  UserHolders,
} from '@keel/framework/security'
import {
  type AffectedUserDto,
  managePolicies,
  PermissionPreviewAppService,
  type PermissionPreviewDto,
  type PermissionWarning,
  type PermissionWarningDto,
  type UpdatePermissionsDto,
} from '../contracts/index.js'
import { afterChanges } from '../domain/flips.js'
import { rolesBelow } from '../domain/role-paths.js'
import { type GrantRow, rowsByName, verdictOf } from '../domain/verdict.js'
import { type GrantChange, PermissionGrants } from '../persistence/permission-grants.js'
import { GrantChanges } from './grant-changes.js'
import { type FoundHolder, HolderAccess } from './holder-access.js'

/** The most members of a role that are checked, and the most affected ones in an answer. */
const mostMembers = 20_000
const mostTold = 100

/** The grants of the permissions that an update changes, before and after it. */
interface Standing {
  readonly before: ReadonlyMap<string, readonly GrantRow[]>
  readonly after: ReadonlyMap<string, readonly GrantRow[]>
}

/** The permissions that a holder gains and loses. */
interface Difference {
  readonly gains: string[]
  readonly loses: string[]
}

/** Works an update out for everybody it concerns, by the rules of checks. What the update would be refused for is refused here too. */
@AutoApiController(PermissionPreviewAppService)
@Authenticated()
export class PreviewService implements PermissionPreviewAppService {
  constructor(
    private readonly application: Application,
    private readonly holders: HolderAccess,
    private readonly changes: GrantChanges,
    private readonly grants: PermissionGrants,
  ) {}

  async preview(
    providerName: string,
    providerKey: string,
    { permissions }: UpdatePermissionsDto,
  ): Promise<PermissionPreviewDto> {
    const holder = await this.holders.managed(providerName, providerKey)
    const changes = await this.changes.wanted(holder, permissions)
    const standing = await this.standing(changes)
    const { totalCount, members } = await this.membersOf(holder)
    const affected = members
      .map((member) => ({ ...toUser(member), ...this.difference(this.chainOf(member), standing) }))
      .filter(({ gains, loses }) => gains.length > 0 || loses.length > 0)
    const own = this.difference(holder.chain, standing)
    return {
      changes: changes.map(({ name, kind }) => ({ permissionName: name, kind })),
      ...own,
      affectedUserCount: affected.length,
      affectedUsers: affected.slice(0, mostTold),
      memberCount: totalCount,
      isComplete: members.length === totalCount,
      warnings: [
        ...(await this.lastAdministrator(changes, standing)),
        ...(await this.orphanedKeys(affected)),
        ...(await this.keyBeyondOwner(holder, own)),
      ],
    }
  }

  private async standing(changes: readonly GrantChange[]): Promise<Standing> {
    const names = [...new Set(changes.map(({ name }) => name))]
    const before = rowsByName(names.length ? await this.grants.rowsFor(names) : [])
    const after = names.map((name) => {
      const own = changes.filter((change) => change.name === name)
      return [name, afterChanges(name, before.get(name) ?? [], own)] as const
    })
    return { before, after: new Map(after) }
  }

  private async membersOf({ providerName, providerKey }: FoundHolder): Promise<RoleMembers> {
    const users = this.holders.provided(UserHolders)
    if (providerName === 'R' && users)
      return users.inRoles(rolesBelow(providerKey, this.application.roles), mostMembers)
    const members = providerName === 'U' && users ? await users.withIds([providerKey]) : []
    return { totalCount: members.length, members }
  }

  private chainOf({ userId, roles }: RoleMember): GrantHolder[] {
    return holdersOf({ id: userId, roles }, this.application.roles)
  }

  private difference(chain: readonly GrantHolder[], { before, after }: Standing): Difference {
    const keys = new Set(chain.map(textOf))
    const has = (rows: readonly GrantRow[] = [], definition: PermissionDefinition) =>
      verdictOf(
        definition,
        rows.filter((row) => keys.has(textOf(row))),
      ) === 'Granted'
    const gains: string[] = []
    const loses: string[] = []
    for (const name of after.keys()) {
      const definition = this.application.permissions.get(name)
      if (!definition) continue
      const had = has(before.get(name), definition)
      if (had !== has(after.get(name), definition)) (had ? loses : gains).push(name)
    }
    return { gains, loses }
  }

  /** Nobody is left who may manage the permissions of users. */
  private async lastAdministrator(
    changes: readonly GrantChange[],
    standing: Standing,
  ): Promise<PermissionWarningDto[]> {
    const policy = managePolicies.U
    const users = this.holders.provided(UserHolders)
    if (!users || !changes.some(({ name }) => name === policy)) return []
    const granting = (standing.before.get(policy) ?? []).filter(({ isProhibition }) => !isProhibition)
    const keysOf = (provider: string) =>
      granting.filter(({ providerName }) => providerName === provider).map(({ providerKey }) => providerKey)
    const roles = keysOf('R').flatMap((role) => rolesBelow(role, this.application.roles))
    const [members, named] = [
      await users.inRoles([...new Set(roles)], mostMembers),
      await users.withIds(keysOf('U')),
    ]
    const candidates = new Map([...members.members, ...named].map((member) => [member.userId, member]))
    const only: Standing = {
      before: new Map([[policy, standing.before.get(policy) ?? []]]),
      after: new Map([[policy, standing.after.get(policy) ?? []]]),
    }
    const losing = [...candidates.values()].filter((member) => {
      const { loses } = this.difference(this.chainOf(member), only)
      return loses.length > 0
    })
    const holds = (member: RoleMember) =>
      this.difference(this.chainOf(member), { before: new Map(), after: only.after }).gains.length > 0
    const isAnybodyLeft = members.members.length < members.totalCount || [...candidates.values()].some(holds)
    if (losing.length === 0 || isAnybodyLeft) return []
    return [this.warning('LastAdministrator', [policy], losing.map(userHolder))]
  }

  /** Keys that were granted what their owners lose. */
  private async orphanedKeys(affected: readonly AffectedUserDto[]): Promise<PermissionWarningDto[]> {
    const losing = new Map(
      affected.filter(({ loses }) => loses.length > 0).map(({ userId, loses }) => [userId, loses]),
    )
    const keys = this.holders.provided(ApiKeyHolders)
    if (!keys || losing.size === 0) return []
    const owned = await keys.ofOwners([...losing.keys()])
    const rows = await this.grants.rowsOf(owned.map(keyHolder))
    const orphaned = owned.map((key) => {
      const lost = losing.get(key.ownerId ?? '') ?? []
      const own = rows.filter(
        ({ providerKey, name }) => providerKey === key.providerKey && lost.includes(name),
      )
      return { key, names: own.filter(({ isProhibition }) => !isProhibition).map(({ name }) => name) }
    })
    const found = orphaned.filter(({ names }) => names.length > 0)
    if (found.length === 0) return []
    const names = [...new Set(found.flatMap((one) => one.names))]
    return [
      this.warning(
        'OrphanedKeys',
        names,
        found.map(({ key }) => ({ ...keyHolder(key), ...shown(key) })),
      ),
    ]
  }

  /** A key that gets what its owner has not. */
  private async keyBeyondOwner(holder: FoundHolder, { gains }: Difference): Promise<PermissionWarningDto[]> {
    if (holder.ownerId === undefined || gains.length === 0) return []
    const owner = await this.holders.find({ providerName: 'U', providerKey: holder.ownerId })
    const held = new Set(await this.grants.grantedTo(owner.chain))
    const beyond = gains.filter((name) => !held.has(name))
    return beyond.length
      ? [this.warning('KeyBeyondOwner', beyond, [{ ...keyHolder(holder), ...shown(holder) }])]
      : []
  }

  private warning(
    warning: keyof typeof PermissionWarning,
    permissionNames: string[],
    holders: PermissionWarningDto['holders'],
  ): PermissionWarningDto {
    const key = `PermissionManagement:Warning:${warning}`
    const message = this.application.localization.find(key, ambient().culture) ?? key
    return { warning, message, permissionNames, holders: holders.slice(0, mostTold) }
  }
}

const textOf = ({ providerName, providerKey }: GrantHolder): string => `${providerName} ${providerKey}`
const toUser = ({ userId, userName }: RoleMember) => ({ userId, userName })
const keyHolder = ({ providerKey }: NamedHolder) => ({ providerName: 'AK', providerKey }) as const
const shown = ({ displayName }: NamedHolder) => ({ displayName })
const userHolder = ({ userId, userName }: RoleMember) => ({
  providerName: 'U',
  providerKey: userId,
  displayName: userName,
})
