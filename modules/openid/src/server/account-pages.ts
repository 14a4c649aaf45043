import { SecurityLogPage, SessionsPage } from './account/activity-pages.js'
import { ApplicationsPage } from './account/applications-page.js'
import { ChangePasswordPage } from './account/change-password-page.js'
import { HomePage } from './account/home-page.js'
import { LogoutPage } from './account/logout-page.js'
import { PhonePage } from './account/phone-page.js'
import { PicturePage } from './account/picture-page.js'
import { ProfilePage } from './account/profile-page.js'
import { ReauthenticationPage } from './account/reauthentication-page.js'
import { TwoFactorPage, TwoFactorSetupPage } from './account/two-factor-pages.js'
import { ExternalLoginsPage } from './external/external-logins-page.js'
import type { AccountPage } from './pages/account-page.js'
import { PasskeyOptionsPage } from './passkeys/passkey-options-page.js'
import { PasskeySetupPage, PasskeysPage } from './passkeys/passkeys-page.js'
import { ForgotPasswordPage, ResendConfirmationPage } from './registration/asked-mail-pages.js'
import { ConfirmUserPage } from './registration/confirm-user-page.js'
import { EmailConfirmationPage } from './registration/email-confirmation-page.js'
import { InvitationPage } from './registration/invitation-page.js'
import { RegisterPage } from './registration/register-page.js'
import { ResetPasswordPage } from './registration/reset-password-page.js'
import { ExternalLoginPage } from './sign-in/external-login-page.js'
import { LoginPage } from './sign-in/login-page.js'

/** The server's own pages. The router compares their paths in this order. */
export class AccountPages {
  constructor(readonly all: readonly AccountPage[]) {}
}

/** The classes of the server's pages. New pages are added here; `ExternalCallbacks` has one per provider. */
export const accountPages = [
  HomePage,
  LoginPage,
  LogoutPage,
  RegisterPage,
  InvitationPage,
  ForgotPasswordPage,
  ResetPasswordPage,
  EmailConfirmationPage,
  ResendConfirmationPage,
  ProfilePage,
  PicturePage,
  ChangePasswordPage,
  ReauthenticationPage,
  ConfirmUserPage,
  PhonePage,
  TwoFactorPage,
  TwoFactorSetupPage,
  PasskeysPage,
  PasskeySetupPage,
  PasskeyOptionsPage,
  ApplicationsPage,
  SessionsPage,
  SecurityLogPage,
  ExternalLoginPage,
  ExternalLoginsPage,
]
