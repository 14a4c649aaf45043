import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { HttpHost, HttpModule } from '@keel/framework/http'
import { OpenIdModule } from '../openid.module.js'
import { AccessTokens } from './access-tokens.js'
import { Antiforgery } from './antiforgery.js'
import { Callers } from './callers.js'
import { CleanUp } from './clean-up.js'
import { Clients } from './clients.js'
import { DevicePages } from './device-pages.js'
import { ErrorLimit, ErrorLimits } from './error-limit.js'
import { Grants } from './grants.js'
import { ImpersonationGrant } from './impersonation-grant.js'
import { KeyDiagnosis } from './key-diagnosis.js'
import { KeyRing } from './key-ring.js'
import { LinkLoginGrant } from './link-login-grant.js'
import { LoginPages } from './login-pages.js'
import { OpenIdServer } from './openid-server.js'
import { Pages } from './pages.js'
import { Scopes } from './scopes.js'
import { SecondFactorStep } from './second-factor-step.js'
import { SessionPages } from './session-pages.js'
import { AuthServerSettings } from './settings.js'
import { Storage } from './storage.js'

/** Makes a host the auth server. Needs modules that provide `SignIn`, `SecondFactor`, `LinkedAccounts` and `GrantSource`. */
@Module({
  name: 'OpenIdServer',
  dependsOn: [OpenIdModule, HttpModule],
  services: [
    KeyRing,
    Grants,
    Scopes,
    Clients,
    AccessTokens,
    Storage,
    Pages,
    SessionPages,
    DevicePages,
    Antiforgery,
    SecondFactorStep,
    LoginPages,
    Callers,
    ErrorLimit,
    ImpersonationGrant,
    LinkLoginGrant,
    OpenIdServer,
    CleanUp,
  ],
  configuration: [AuthServerSettings, ErrorLimits],
  diagnoses: [KeyDiagnosis],
})
export class OpenIdServerModule extends KeelModule {
  override async onApplicationInitialization({ application }: ModuleContext): Promise<void> {
    const handler = await application.get(OpenIdServer).createHandler()
    application.get(HttpHost).mount('/', handler)
    application.get(CleanUp).start()
  }

  override onApplicationShutdown({ application }: ModuleContext): void {
    application.get(CleanUp).stop()
  }
}
