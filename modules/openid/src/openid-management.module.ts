import { KeelModule, Module } from '@keel/framework'
import { ApplicationRules } from './application/application-rules.js'
import { ApplicationService } from './application/application-service.js'
import { ClientAuthority } from './application/client-authority.js'
import { openIdEntitySets } from './application/entity-sets.js'
import { ScopeService } from './application/scope-service.js'
import { ApplicationPermissions, ScopePermissions } from './contracts/index.js'
import { OAuthLoginModule } from './oauth-login.module.js'
import { OpenIdModule } from './openid.module.js'
import { ClientTokens } from './persistence/client-tokens.js'
import { KnownScopes } from './persistence/known-scopes.js'
import { StoredClientHolders } from './persistence/stored-client-holders.js'

/**
 * Lets clients and scopes be managed over HTTP. Needs a module that provides `GrantBook`. For API hosts: the
 * server itself is elsewhere.
 */
@Module({
  name: 'OpenIdManagement',
  dependsOn: [OpenIdModule, OAuthLoginModule],
  services: [
    ClientTokens,
    KnownScopes,
    StoredClientHolders,
    ApplicationRules,
    ClientAuthority,
    ApplicationService,
    ScopeService,
  ],
  permissions: [ApplicationPermissions, ScopePermissions],
  odata: openIdEntitySets,
})
export class OpenIdManagementModule extends KeelModule {}
