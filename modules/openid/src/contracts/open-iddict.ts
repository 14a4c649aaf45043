import { remoteService } from '@keel/framework/contracts'

/** Where clients and scopes are managed: ABP's remote service, under `/api/openiddict`. */
export const OpenIddictPro = remoteService(
  'OpenIddictPro',
  'openiddictpro',
  'Volo.Abp.OpenIddict',
  undefined,
  'OpenID Connect',
)
