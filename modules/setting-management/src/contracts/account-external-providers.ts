import { AbpAccount } from '@keel/account/contracts'
import { AppService, Dto, guid, op, z } from '@keel/framework/contracts'

const path = '/api/account/external-provider'

/**
 * The public properties of a provider: `ClientId`, `Authority`, `DisplayName`. Redirects of browsers contain
 * the first two.
 */
export class ExternalProviderSettingsProperty extends Dto({ name: z.string(), value: z.string() }) {}

/** A provider that people can sign in with. */
export class ExternalProviderItemDto extends Dto({
  /** The scheme: `Google`, `Microsoft`, `GitHub`, or `OpenIdConnect.<name>`. */
  name: z.string(),
  enabled: z.boolean(),
  properties: z.array(ExternalProviderSettingsProperty.schema),
}) {}

/** The providers that are switched on. */
export class ExternalProviderDto extends Dto({ providers: z.array(ExternalProviderItemDto.schema) }) {}

/** A provider by its name. The tenant makes no difference. */
export class GetByNameInput extends Dto({
  tenantId: guid().nullish(),
  name: z.string().min(1).max(90),
}) {}

/** A provider that was asked for by its name. */
export class ExternalProviderItemWithSecretDto extends Dto({
  /** True when the provider exists and is enabled; the other members are empty otherwise. */
  success: z.boolean(),
  name: z.string().nullable(),
  enabled: z.boolean(),
  properties: z.array(ExternalProviderSettingsProperty.schema),
  /** Always empty: secrets are never returned, despite ABP's name. */
  secretProperties: z.array(ExternalProviderSettingsProperty.schema),
}) {}

/** The external providers as clients may know them, by ABP's routes; for callers who are signed in. */
export abstract class AccountExternalProviderAppService extends AppService(
  AbpAccount,
  'AccountExternalProviderAppService',
  {
    /** Lists the external providers that users can sign in with. */
    getAll: op().returns(ExternalProviderDto).at('GET', path),

    /** Gets an external provider by its name, without its secrets. */
    getByName: op(GetByNameInput).returns(ExternalProviderItemWithSecretDto).at('GET', `${path}/by-name`),
  },
) {}
