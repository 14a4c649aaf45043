import { CachingModule } from '../caching/caching.module.js'
import { DataModule } from '../data/data.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { AuthServerDiagnosis } from './auth-server-diagnosis.js'
import { Authenticator } from './authenticator.js'
import { authorization, checkGuards } from './authorization.js'
import { AvailablePermissionsModule, checkRequirements } from './available-permissions.js'
import { Claims } from './claims.js'
import { Principals } from './principals.js'
import { AuthServer, TokenVerifier } from './token-verifier.js'
import { UserContext } from './user-context.js'

/** Bearer authentication and permission checks. Needs providers of users and of grants. */
@Module({
  dependsOn: [DataModule, CachingModule, AvailablePermissionsModule],
  services: [TokenVerifier, Claims, Principals, Authenticator, UserContext],
  configuration: [AuthServer],
  diagnoses: [AuthServerDiagnosis],
})
export class SecurityModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    application.interceptors.push(authorization)
  }

  override postConfigureServices({ application }: ModuleContext): void {
    checkGuards(application)
    checkRequirements(application)
  }
}
