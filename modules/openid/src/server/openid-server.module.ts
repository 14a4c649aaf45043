import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { HttpHost, HttpModule } from '@keel/framework/http'
import { DataProtectionModule } from '@keel/framework/security'
import { OAuthLoginModule } from '../oauth-login.module.js'
import { OpenIdModule } from '../openid.module.js'
import { AccessTokens } from './access-tokens.js'
import { AccountPages, accountPages } from './account/account-pages.js'
import { AskedMailForm } from './account/asked-mail-form.js'
import { BrowserSession } from './account/browser-session.js'
import { CookieLogin } from './account/cookie-login.js'
import { FormFaults } from './account/form-faults.js'
import { PageRouter } from './account/page-router.js'
import { PhoneForm } from './account/phone-form.js'
import { TypedForm } from './account/typed-form.js'
import { Antiforgery } from './antiforgery.js'
import { Branding, WhiteLabel } from './branding.js'
import { Callers } from './callers.js'
import { CleanUp } from './clean-up.js'
import { Clients } from './clients.js'
import { ConsentStep } from './consent-step.js'
import { Consents } from './consents.js'
import { DeviceCodeLimit } from './device-code-limit.js'
import { DevicePages } from './device-pages.js'
import { ErrorLimit, ErrorLimits } from './error-limit.js'
import { ExternalAccounts } from './external/external-accounts.js'
import { ExternalCallbacks } from './external/external-callbacks.js'
import { ExternalClients } from './external/external-clients.js'
import { ExternalExchange } from './external/external-exchange.js'
import { Grants } from './grants.js'
import { ImpersonationGrant } from './impersonation-grant.js'
import { KeyDiagnosis } from './key-diagnosis.js'
import { KeyRing } from './key-ring.js'
import { LinkLoginGrant } from './link-login-grant.js'
import { Notices } from './notices.js'
import { OpenIdServer } from './openid-server.js'
import { Pages } from './pages.js'
import { PasskeyCeremonies } from './passkeys/passkey-ceremonies.js'
import { PasskeyChallenges } from './passkeys/passkey-challenges.js'
import { PasskeyForm } from './passkeys/passkey-form.js'
import { PasswordGrant } from './password-grant.js'
import { ScopeTexts } from './scope-texts.js'
import { Scopes } from './scopes.js'
import { SealedCookies } from './sealed-cookies.js'
import { SecondFactorStep } from './second-factor-step.js'
import { SecurityNotes } from './security-notes.js'
import { SessionPages } from './session-pages.js'
import { AuthServerSettings } from './settings.js'
import { SignInSteps } from './sign-in-steps.js'
import { Storage } from './storage.js'

/** Makes a host the auth server. Needs the identity module and the account module, whose rules its pages ask, and a provider of `GrantSource`. */
@Module({
  name: 'OpenIdServer',
  dependsOn: [OpenIdModule, OAuthLoginModule, HttpModule, DataProtectionModule],
  services: [
    KeyRing,
    Consents,
    Grants,
    Scopes,
    Clients,
    AccessTokens,
    Storage,
    DevicePages,
    Antiforgery,
    Branding,
    Pages,
    Notices,
    FormFaults,
    AskedMailForm,
    PhoneForm,
    SessionPages,
    BrowserSession,
    SecondFactorStep,
    SignInSteps,
    ScopeTexts,
    ConsentStep,
    SealedCookies,
    TypedForm,
    PasskeyChallenges,
    PasskeyCeremonies,
    PasskeyForm,
    ExternalClients,
    ExternalExchange,
    ExternalAccounts,
    ExternalCallbacks,
    ...accountPages,
    AccountPages,
    PageRouter,
    CookieLogin,
    Callers,
    ErrorLimit,
    DeviceCodeLimit,
    ImpersonationGrant,
    LinkLoginGrant,
    PasswordGrant,
    SecurityNotes,
    OpenIdServer,
    CleanUp,
  ],
  configuration: [AuthServerSettings, ErrorLimits, WhiteLabel],
  diagnoses: [KeyDiagnosis],
})
export class OpenIdServerModule extends KeelModule {
  override async onApplicationInitialization({ application }: ModuleContext): Promise<void> {
    const handler = await application.get(OpenIdServer).createHandler()
    application.get(HttpHost).mount('/', handler)
  }
}
