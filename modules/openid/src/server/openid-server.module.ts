import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { HttpHost, HttpModule } from '@keel/framework/http'
import { DataProtectionModule } from '@keel/framework/security'
import { WhiteLabel } from '@keel/framework/texts'
import { OAuthLoginModule } from '../oauth-login.module.js'
import { OpenIdModule } from '../openid.module.js'
import { AccountPages, accountPages } from './account-pages.js'
import { Clients } from './clients/clients.js'
import { Scopes } from './clients/scopes.js'
import { ExternalAccounts } from './external/external-accounts.js'
import { ExternalCallbacks } from './external/external-callbacks.js'
import { ExternalClients } from './external/external-clients.js'
import { ExternalExchange } from './external/external-exchange.js'
import { ProviderRedirect } from './external/provider-redirect.js'
import { Callers } from './grant-types/callers.js'
import { ImpersonationGrant } from './grant-types/impersonation-grant.js'
import { LinkLoginGrant } from './grant-types/link-login-grant.js'
import { PasswordGrant } from './grant-types/password-grant.js'
import { Consents } from './grants/consents.js'
import { Grants } from './grants/grants.js'
import { KeyDiagnosis } from './keys/key-diagnosis.js'
import { KeyRing } from './keys/key-ring.js'
import { OpenIdServer } from './openid-server.js'
import { PageRouter } from './page-router.js'
import type { AccountPage } from './pages/account-page.js'
import { Antiforgery } from './pages/antiforgery.js'
import { Branding } from './pages/branding.js'
import { BrowserSession } from './pages/browser-session.js'
import { FormFaults } from './pages/form-faults.js'
import { Notices } from './pages/notices.js'
import { OwnFieldForm } from './pages/own-field-form.js'
import { Pages } from './pages/pages.js'
import { SealedCookies } from './pages/sealed-cookies.js'
import { TypedForm } from './pages/typed-form.js'
import { PasskeyCeremonies } from './passkeys/passkey-ceremonies.js'
import { PasskeyChallenges } from './passkeys/passkey-challenges.js'
import { PasskeyForm } from './passkeys/passkey-form.js'
import { PhoneForm } from './registration/phone-form.js'
import { TakenNames } from './registration/taken-names.js'
import { ErrorLimit, ErrorLimits } from './requests/error-limit.js'
import { AuthServerSettings } from './requests/settings.js'
import { SecurityNotes } from './security-notes.js'
import { ConsentStep } from './sign-in/consent-step.js'
import { CookieLogin } from './sign-in/cookie-login.js'
import { DeviceCodeLimit } from './sign-in/device-code-limit.js'
import { DevicePages } from './sign-in/device-pages.js'
import { ProtocolPages } from './sign-in/protocol-pages.js'
import { ScopeTexts } from './sign-in/scope-texts.js'
import { SecondFactorStep } from './sign-in/second-factor-step.js'
import { SignInSteps } from './sign-in/sign-in-steps.js'
import { CleanUp } from './storage/clean-up.js'
import { Storage } from './storage/storage.js'
import { AccessTokens } from './tokens/access-tokens.js'

/**
 * Makes a host the auth server. Needs the identity module and the account module, whose rules its pages ask,
 * and a provider of `GrantSource`.
 */
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
    OwnFieldForm,
    PhoneForm,
    ProtocolPages,
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
    ProviderRedirect,
    ExternalCallbacks,
    TakenNames,
    ...accountPages,
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
  override configureServices({ application }: ModuleContext): void {
    const makePages = () =>
      new AccountPages([
        ...accountPages.map((page) => application.get<AccountPage>(page)),
        ...application.get(ExternalCallbacks).pages,
      ])
    application.container.bind(AccountPages).toDynamicValue(makePages).inSingletonScope()
  }

  override async onApplicationInitialization({ application }: ModuleContext): Promise<void> {
    const handler = await application.get(OpenIdServer).createHandler()
    application.get(HttpHost).mount('/', handler)
  }
}
