import { Application, AutoApiController, ambient, Clock, Settings } from '@keel/framework'
import { BusinessError, ForbiddenError, faultOf, ValidationError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, RowRules, type Sql } from '@keel/framework/data'
import { hashPassword, hasPermission, newApiKey, Principals, RequiresPolicy } from '@keel/framework/security'
import { GrantBook } from '@keel/permission-management/contracts'
import {
  ApiKeyAppService,
  ApiKeyDto,
  ApiKeyErrors,
  type ApiKeyListInput,
  ApiKeyPermissions,
  type ApiKeyPermissionsDto,
  ApiKeySettings,
  type ApiKeyUsageDto,
  type ApiKeyWithSecretDto,
  type CreateApiKeyDto,
  type RotateApiKeyDto,
  type UpdateApiKeyDto,
  type UpdateApiKeyPermissionsDto,
} from '../contracts/index.js'
import { ApiKey } from '../domain/api-key.js'
import { apiKeyConditions, lockAndCountKeys, lockApiKey } from '../persistence/api-key-queries.js'
import { ApiKeyUsages } from '../persistence/api-key-usages.js'
import { apiKeyManagement } from './api-key-policy.js'
import { KeyAuthority } from './key-authority.js'

/**
 * How often the hash of a key is iterated. Many rounds make up for a secret that people chose and others can guess; ours is 190 random bits,
 * which no number of guesses finds, hashed once or a million times. So few rounds keep a flood of wrong keys as cheap as other requests.
 */
const hashIterations = 100

const { Create, Edit, Delete, ManagePermissions, ManageAll } = ApiKeyPermissions

/** Manages keys. Which ones a caller sees is the entity's row rule: those of others do not exist for them. */
@AutoApiController(ApiKeyAppService)
@RequiresPolicy(apiKeyManagement)
export class ApiKeyService
  extends CrudService(ApiKeyAppService, ApiKey, { searchIn: ['name', 'description', 'prefix'] })
  implements ApiKeyAppService
{
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly application: Application,
    private readonly principals: Principals,
    private readonly book: GrantBook,
    private readonly keys: KeyAuthority,
    private readonly usages: ApiKeyUsages,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    super(databases, rules, pages)
  }

  @RequiresPolicy(apiKeyManagement, Create, ManageAll)
  override async create({ userId, ...input }: CreateApiKeyDto): Promise<ApiKeyWithSecretDto> {
    await this.keys.demandPerson()
    const caller = ambient().principal.userId as string
    const ownerId = userId ?? caller
    if (ownerId !== caller && !hasPermission(ManageAll)) throw new ForbiddenError()
    const owner = await this.principals.ofUser(ownerId)
    if (owner.kind === 'anonymous')
      throw new BusinessError(ApiKeyErrors.OwnerUnavailable, { userId: ownerId })
    const permissions = await this.keys.giveable(ownerId, owner.permissions)
    await this.demandRoom(ownerId)
    const { prefix, rawKey } = newApiKey()
    const hash = await hashPassword(prefix + rawKey, hashIterations)
    const row = await this.store.insert({ ...input, prefix, hash, userId: ownerId })
    await this.book.grant(holderOf(row.id), permissions)
    return withSecret(row, prefix + rawKey)
  }

  @RequiresPolicy(apiKeyManagement, Edit, ManageAll)
  override async update(id: string, input: UpdateApiKeyDto): Promise<ApiKeyDto> {
    const row = await this.store.get(id)
    if (isRevived(row, input)) await this.keys.demandKey(row)
    return super.update(id, input)
  }

  @RequiresPolicy(apiKeyManagement, Delete, ManageAll)
  override async delete(id: string): Promise<void> {
    await super.delete(id)
    await this.book.remove(holderOf(id))
  }

  @RequiresPolicy(apiKeyManagement, Edit, ManageAll)
  async rotate(id: string, { overlapMinutes }: RotateApiKeyDto): Promise<ApiKeyWithSecretDto> {
    const row = await this.store.get(id)
    await this.keys.demandPerson()
    await this.keys.demandKey(row)
    const { prefix, rawKey } = newApiKey(row.prefix)
    const hash = await hashPassword(prefix + rawKey, hashIterations)
    const now = this.clock.nowMs
    await this.store.update(row, {
      hash,
      previousHash: overlapMinutes ? row.hash : null,
      overlapEndTime: overlapMinutes ? new Date(now + overlapMinutes * 60_000) : null,
      rotationTime: new Date(now),
    })
    return withSecret(row, prefix + rawKey)
  }

  async getPermissions(id: string): Promise<ApiKeyPermissionsDto> {
    const { userId } = await this.store.get(id)
    const [granted, { permissions: held }] = await Promise.all([
      this.grantedTo(id),
      this.principals.ofUser(userId),
    ])
    const names = [...new Set([...granted, ...held])].sort()
    return {
      permissions: names.map((name) => ({
        name,
        isGranted: granted.has(name),
        isHeldByOwner: held.has(name),
      })),
    }
  }

  @RequiresPolicy(apiKeyManagement, ManagePermissions, ManageAll)
  async updatePermissions(
    id: string,
    { permissions }: UpdateApiKeyPermissionsDto,
  ): Promise<ApiKeyPermissionsDto> {
    const unknown = permissions.filter(({ name }) => !this.application.permissions.has(name))
    if (unknown.length)
      throw new ValidationError(
        unknown.map(({ name }) => faultOf('permissions', 'ApiKeys:Validation:NoSuchPermission', { name })),
      )
    const row = await this.store.get(id)
    await this.lock(id)
    const named = (isGranted: boolean) =>
      permissions.filter((one) => one.isGranted === isGranted).map(({ name }) => name)
    const granted = await this.grantedTo(id)
    await this.keys.demandGrants(
      row,
      named(true).filter((name) => !granted.has(name)),
    )
    await this.book.revoke(holderOf(id), named(false))
    await this.book.grant(holderOf(id), named(true))
    return this.getPermissions(id)
  }

  async getUsage(id: string): Promise<ApiKeyUsageDto> {
    await this.store.get(id)
    const [rows, granted] = await Promise.all([this.usages.of(id), this.grantedTo(id)])
    const requests = rows.find(({ permission }) => permission === '')
    const used = rows.filter(({ permission }) => permission !== '')
    const usedNames = new Set(used.map(({ permission }) => permission))
    return {
      lastUsedTime: requests?.lastUsedTime ?? null,
      requestCount: requests?.calls ?? 0,
      permissions: used.map(({ permission, calls, lastUsedTime }) => ({
        name: permission,
        callCount: calls,
        lastUsedTime,
      })),
      neverUsedPermissions: [...granted].filter((name) => !usedNames.has(name)).sort(),
    }
  }

  @RequiresPolicy(apiKeyManagement, ManagePermissions, ManageAll)
  async narrow(id: string): Promise<ApiKeyPermissionsDto> {
    await this.store.get(id)
    // Other copies of the host may hold uses that they have not written yet: the permissions of these must
    // stay.
    await this.usages.settle()
    const { neverUsedPermissions } = await this.getUsage(id)
    await this.lock(id)
    await this.book.revoke(holderOf(id), neverUsedPermissions)
    return this.getPermissions(id)
  }

  override listConditions(input: ApiKeyListInput): Sql[] {
    return [...super.listConditions(input), ...apiKeyConditions(input)]
  }

  private async grantedTo(id: string): Promise<ReadonlySet<string>> {
    return new Set(await this.book.grantsOf(holderOf(id)))
  }

  /** Refuses a key more than a user may have. Keys of one user are made one after the other, so that all of them are counted. */
  private async demandRoom(userId: string): Promise<void> {
    const most = Number(await this.settings.valueOf(ApiKeySettings.MaxKeysPerUser.name))
    if ((await lockAndCountKeys(this.store.database, userId)) >= most)
      throw new BusinessError(ApiKeyErrors.TooManyKeys, { most })
  }

  /** Changes to the grants of one key happen one after the other. */
  private async lock(id: string): Promise<void> {
    await this.store.get(id)
    await lockApiKey(this.store.database, id)
  }
}

/** True when a change lets a key in that is refused, or lets it in for longer. */
function isRevived(row: ApiKey, { isActive, expirationTime }: UpdateApiKeyDto): boolean {
  if (isActive && !row.isActive) return true
  if (expirationTime === undefined || row.expirationTime === null) return false
  return expirationTime === null || expirationTime > row.expirationTime
}

function withSecret(row: ApiKey, key: string): ApiKeyWithSecretDto {
  const told = Object.keys(ApiKeyDto.shape).map((name) => [name, row.get(name) ?? null])
  return { ...(Object.fromEntries(told) as ApiKeyDto), key }
}

function holderOf(apiKeyId: string) {
  return { providerName: 'AK', providerKey: apiKeyId } as const
}
