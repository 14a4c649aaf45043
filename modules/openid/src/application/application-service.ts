import { AutoApiController } from '@keel/framework'
import { expectStamp, JsonView, type NewRow, PageReader } from '@keel/framework/data'
import { hashPassword, RequiresPermission } from '@keel/framework/security'
import { GrantBook } from '@keel/permission-management/contracts'
import {
  ApplicationAppService,
  type ApplicationDto,
  type ApplicationPage,
  ApplicationPermissions,
  type CreateApplicationInput,
  type GetApplicationListInput,
  type SetTokenLifetimeInput,
  type TokenLifetimeDto,
  type TokenLifetimes,
  type UpdateApplicationInput,
} from '../contracts/index.js'
import { OpenIddictApplication } from '../domain/application.js'
import { applicationDto, permissionsOfFlags, requirementsOf } from '../domain/client-settings.js'
import { lifetimesOf, withLifetimes } from '../domain/token-lifetimes.js'
import { ClientTokens } from '../persistence/client-tokens.js'
import { ApplicationStore } from '../persistence/stores.js'
import { ApplicationRules, checkLifetimes } from './application-rules.js'
import { ClientAuthority } from './client-authority.js'

const list = new JsonView(OpenIddictApplication, undefined, {
  searchIn: ['clientId', 'displayName'],
  sortBy: ['clientId', 'displayName', 'clientType', 'applicationType', 'consentType'],
})

@AutoApiController(ApplicationAppService)
@RequiresPermission(ApplicationPermissions)
export class ApplicationService implements ApplicationAppService {
  constructor(
    private readonly pages: PageReader,
    private readonly applications: ApplicationStore,
    private readonly rules: ApplicationRules,
    private readonly authority: ClientAuthority,
    private readonly tokens: ClientTokens,
    private readonly grants: GrantBook,
  ) {}

  async get(id: string): Promise<ApplicationDto> {
    return applicationDto(await this.applications.get(id))
  }

  async getList(input: GetApplicationListInput): Promise<InstanceType<typeof ApplicationPage>> {
    const request = { ...input, defaultSorting: 'clientId' }
    const { totalCount, rows } = await this.pages.rows<OpenIddictApplication>(list, request)
    return { totalCount, items: rows.map(applicationDto) }
  }

  async create(input: CreateApplicationInput): Promise<ApplicationDto> {
    await this.rules.check(input)
    await this.authority.demand(input)
    const row = await this.applications.insert({ ...columnsOf(input), clientSecret: await hashOf(input) })
    return applicationDto(row)
  }

  async update(id: string, input: UpdateApplicationInput): Promise<ApplicationDto> {
    const row = await this.applications.get(id)
    expectStamp(row, input)
    await this.rules.check(input, row)
    await this.authority.demand(input, row)
    const { clientId: oldId } = row
    const clientSecret = input.clientType === 'public' ? null : ((await hashOf(input)) ?? row.clientSecret)
    await this.applications.update(row, { ...columnsOf(input), clientSecret })
    if (oldId && oldId !== input.clientId)
      await this.grants.rename({ providerName: 'C', providerKey: oldId }, input.clientId)
    return applicationDto(row)
  }

  /** Ends its codes, refresh tokens and grants: another client of this id starts with nothing. */
  async delete(id: string): Promise<void> {
    const row = await this.applications.get(id)
    await this.authority.demandClient(row)
    await this.applications.remove(row)
    await this.tokens.revoke(id)
    if (row.clientId) await this.grants.remove({ providerName: 'C', providerKey: row.clientId })
  }

  @RequiresPermission(ApplicationPermissions.View)
  async getTokenLifetime(id: string): Promise<TokenLifetimeDto> {
    const { settings } = await this.applications.get(id)
    return { ...lifetimesOf(settings), requestTokenLifetime: null, issuedTokenLifetime: null }
  }

  @RequiresPermission(ApplicationPermissions.Edit)
  async setTokenLifetime(id: string, input: SetTokenLifetimeInput): Promise<void> {
    const row = await this.applications.get(id)
    checkLifetimes(input)
    await this.authority.demandClient(row)
    await this.applications.update(row, { settings: withLifetimes(row.settings, lifetimesIn(input)) })
  }
}

function lifetimesIn(input: SetTokenLifetimeInput): TokenLifetimes {
  return {
    accessTokenLifetime: input.accessTokenLifetime ?? null,
    authorizationCodeLifetime: input.authorizationCodeLifetime ?? null,
    deviceCodeLifetime: input.deviceCodeLifetime ?? null,
    identityTokenLifetime: input.identityTokenLifetime ?? null,
    refreshTokenLifetime: input.refreshTokenLifetime ?? null,
    userCodeLifetime: input.userCodeLifetime ?? null,
  }
}

async function hashOf({ clientSecret }: CreateApplicationInput): Promise<string | null> {
  return clientSecret ? hashPassword(clientSecret) : null
}

function columnsOf(input: CreateApplicationInput): NewRow<OpenIddictApplication> {
  return {
    applicationType: input.applicationType,
    clientId: input.clientId,
    displayName: input.displayName,
    clientType: input.clientType,
    consentType: input.consentType,
    permissions: JSON.stringify(permissionsOfFlags(input)),
    requirements: requirementsOf(input.forcePkce),
    redirectUris: JSON.stringify(input.redirectUris),
    postLogoutRedirectUris: JSON.stringify(input.postLogoutRedirectUris),
    clientUri: input.clientUri || null,
    logoUri: input.logoUri || null,
    extraProperties: JSON.stringify(input.extraProperties),
  }
}
