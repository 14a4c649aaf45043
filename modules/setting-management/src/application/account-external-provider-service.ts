import { AutoApiController } from '@keel/framework'
import { Authenticated } from '@keel/framework/security'
import {
  AccountExternalProviderAppService,
  type ExternalProvider,
  ExternalProviderDto,
  ExternalProviderItemDto,
  ExternalProviderItemWithSecretDto,
  ExternalProviders,
  type GetByNameInput,
} from '../contracts/index.js'

/** Where a browser is sent, and what the button says. Whom a directory is believed about is the administrators' affair. */
const publicProperties = ['ClientId', 'Authority', 'DisplayName']

/** Providers that are switched on; of others nobody but administrators hears. */
@AutoApiController(AccountExternalProviderAppService)
@Authenticated()
export class AccountExternalProviderService implements AccountExternalProviderAppService {
  constructor(private readonly providers: ExternalProviders) {}

  async getAll(): Promise<ExternalProviderDto> {
    return new ExternalProviderDto({ providers: await this.shown() })
  }

  async getByName({ name }: GetByNameInput): Promise<ExternalProviderItemWithSecretDto> {
    const found = (await this.shown()).find((provider) => provider.name === name)
    const empty = { name: null, enabled: false, properties: [] }
    return new ExternalProviderItemWithSecretDto({
      success: found !== undefined,
      ...(found ?? empty),
      secretProperties: [],
    })
  }

  private async shown(): Promise<ExternalProviderItemDto[]> {
    return (await this.providers.all()).filter(({ enabled }) => enabled).map(toItem)
  }
}

function toItem({ name, enabled, properties }: ExternalProvider): ExternalProviderItemDto {
  const told = publicProperties.flatMap((property) => {
    const value = properties[property]
    return value ? [{ name: property, value }] : []
  })
  return new ExternalProviderItemDto({ name, enabled, properties: told })
}
