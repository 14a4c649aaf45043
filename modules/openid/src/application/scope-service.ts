import { AutoApiController } from '@keel/framework'
import { BusinessError, emptyGuid, faultOf, ValidationError } from '@keel/framework/contracts'
import { compareTexts, expectStamp, JsonView, type NewRow, PageReader } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  apiScope,
  type CreateScopeInput,
  type GetScopeListInput,
  identityScopes,
  OpenIdErrors,
  ScopeAppService,
  type ScopeDto,
  type ScopePage,
  ScopePermissions,
  type UpdateScopeInput,
} from '../contracts/index.js'
import { listOf, objectOf } from '../domain/client-settings.js'
import { OpenIddictScope } from '../domain/scope.js'
import { KnownScopes } from '../persistence/known-scopes.js'
import { ScopeStore } from '../persistence/stores.js'

const list = new JsonView(OpenIddictScope, undefined, {
  searchIn: ['name', 'displayName', 'description'],
  sortBy: ['name', 'displayName'],
})

@AutoApiController(ScopeAppService)
@RequiresPermission(ScopePermissions)
export class ScopeService implements ScopeAppService {
  constructor(
    private readonly pages: PageReader,
    private readonly scopes: ScopeStore,
    private readonly known: KnownScopes,
  ) {}

  async get(id: string): Promise<ScopeDto> {
    return dtoOf(await this.scopes.get(id))
  }

  async getList(input: GetScopeListInput): Promise<InstanceType<typeof ScopePage>> {
    const request = { ...input, defaultSorting: 'name' }
    const { totalCount, rows } = await this.pages.rows<OpenIddictScope>(list, request)
    return { totalCount, items: rows.map(dtoOf) }
  }

  @RequiresPermission(ScopePermissions.View)
  async getAllScopes(): Promise<ScopeDto[]> {
    const rows = await this.scopes.all()
    return [...identityScopes.map(builtIn), ...rows.map(dtoOf)].sort((a, b) => compareTexts(a.name, b.name))
  }

  async create(input: CreateScopeInput): Promise<ScopeDto> {
    check(input)
    return dtoOf(await this.scopes.insert(columnsOf(input)))
  }

  async update(id: string, input: UpdateScopeInput): Promise<ScopeDto> {
    const row = await this.scopes.get(id)
    expectStamp(row, input)
    check(input)
    if (row.name !== input.name) await this.refuseToLose(row)
    if (row.name === apiScope && !input.resources.includes(apiScope))
      throw new BusinessError(OpenIdErrors.ScopeIsFixed, { scope: apiScope })
    await this.scopes.update(row, columnsOf(input))
    return dtoOf(row)
  }

  async delete(id: string): Promise<void> {
    const row = await this.scopes.get(id)
    await this.refuseToLose(row)
    await this.scopes.remove(row)
  }

  private async refuseToLose({ name }: OpenIddictScope): Promise<void> {
    if (name === apiScope) throw new BusinessError(OpenIdErrors.ScopeIsFixed, { scope: name })
    const users = await this.known.usersOf(name ?? '')
    const clients = users.map(({ clientId }) => clientId).join(', ')
    if (clients) throw new BusinessError(OpenIdErrors.ScopeIsInUse, { scope: name, clients })
  }
}

function check({ name, resources }: CreateScopeInput): void {
  if ([...identityScopes, 'openid', 'offline_access'].includes(name))
    throw new BusinessError(OpenIdErrors.ScopeNameAlreadyExists, { scope: name })
  // Tokens are for one audience: the API.
  const faults = resources.flatMap((resource, index) =>
    resource === apiScope
      ? []
      : [
          faultOf(`resources[${index}]`, 'OpenId:Validation:UnknownResource', {
            value: resource,
            known: apiScope,
          }),
        ],
  )
  if (faults.length) throw new ValidationError(faults)
}

function columnsOf(input: CreateScopeInput): NewRow<OpenIddictScope> {
  return {
    name: input.name,
    displayName: input.displayName || null,
    description: input.description || null,
    resources: JSON.stringify(input.resources),
    extraProperties: JSON.stringify(input.extraProperties),
  }
}

function dtoOf(row: OpenIddictScope): ScopeDto {
  return {
    id: row.id,
    name: row.name ?? '',
    displayName: row.displayName,
    description: row.description,
    buildIn: false,
    resources: listOf(row.resources),
    concurrencyStamp: row.concurrencyStamp,
    extraProperties: objectOf(row.extraProperties),
  }
}

function builtIn(name: string): ScopeDto {
  return {
    id: emptyGuid,
    name,
    displayName: name,
    description: null,
    buildIn: true,
    resources: [],
    concurrencyStamp: '',
    extraProperties: {},
  }
}
