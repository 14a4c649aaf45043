import { KeelModule, Module } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { OpenIddictApplication } from './domain/application.js'
import { AuthKey, AuthRevokedToken } from './domain/auth-key.js'
import { OpenIddictAuthorization, OpenIddictToken } from './domain/authorization.js'
import { openIdPersonalData } from './domain/personal-data.js'
import { OpenIddictScope } from './domain/scope.js'
import { AuthInteraction, AuthSession } from './domain/session.js'
import { ClientDiagnosis } from './persistence/client-diagnosis.js'
import { ClientSeeder, OpenIddict } from './persistence/client-seeder.js'
import { RevokedTokenList } from './persistence/revoked-token-list.js'
import { StoredBrowserSessions } from './persistence/stored-browser-sessions.js'
import { ApplicationStore, ScopeStore } from './persistence/stores.js'

/**
 * The tables of the auth server and the clients it serves. The server itself is `OpenIdServerModule` behind
 * the door `./server`.
 */
@Module({
  name: 'OpenId',
  dependsOn: [DataModule],
  entities: [
    OpenIddictApplication,
    OpenIddictScope,
    OpenIddictAuthorization,
    OpenIddictToken,
    AuthSession,
    AuthInteraction,
    AuthKey,
    AuthRevokedToken,
  ],
  services: [ApplicationStore, ScopeStore, RevokedTokenList, StoredBrowserSessions],
  personalData: openIdPersonalData,
  seeds: [ClientSeeder],
  diagnoses: [ClientDiagnosis],
  localization: new URL('../localization/', import.meta.url),
  configuration: [OpenIddict],
})
export class OpenIdModule extends KeelModule {}
