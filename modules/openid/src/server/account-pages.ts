import { Injectable } from '@keel/framework'
import { SecurityLogPage, SessionsPage } from './account/activity-pages.js'
import { ApplicationsPage } from './account/applications-page.js'
import { ConfirmPage } from './account/confirm-page.js'
import { HomePage } from './account/home-page.js'
import { LogoutPage } from './account/logout-page.js'
import { ChangePasswordPage, ProfilePage } from './account/manage-pages.js'
import { PhonePage } from './account/phone-page.js'
import { PicturePage } from './account/picture-page.js'
import { TwoFactorPage, TwoFactorSetupPage } from './account/two-factor-pages.js'
import { ExternalCallbacks } from './external/external-callbacks.js'
import { ExternalLoginsPage } from './external/external-logins-page.js'
import type { AccountPage } from './pages/account-page.js'
import { PasskeyOptionsPage } from './passkeys/passkey-options-page.js'
import { PasskeySetupPage, PasskeysPage } from './passkeys/passkeys-page.js'
import { ConfirmUserPage } from './registration/confirm-user-page.js'
import { EmailConfirmationPage } from './registration/email-confirmation-page.js'
import { InvitationPage } from './registration/invitation-page.js'
import { ForgotPasswordPage, ResetPasswordPage } from './registration/password-reset-pages.js'
import { RegisterPage } from './registration/register-page.js'
import { ResendConfirmationPage } from './registration/resend-confirmation-page.js'
import { ExternalLoginPage } from './sign-in/external-login-page.js'
import { LoginPages } from './sign-in/login-pages.js'

/** The server's own pages. */
@Injectable()
export class AccountPages {
  readonly all: readonly AccountPage[]

  constructor(
    home: HomePage,
    login: LoginPages,
    logout: LogoutPage,
    register: RegisterPage,
    invitation: InvitationPage,
    forgotPassword: ForgotPasswordPage,
    resetPassword: ResetPasswordPage,
    emailConfirmation: EmailConfirmationPage,
    resendConfirmation: ResendConfirmationPage,
    profile: ProfilePage,
    picture: PicturePage,
    changePassword: ChangePasswordPage,
    confirm: ConfirmPage,
    confirmUser: ConfirmUserPage,
    phone: PhonePage,
    twoFactor: TwoFactorPage,
    twoFactorSetup: TwoFactorSetupPage,
    passkeys: PasskeysPage,
    passkeySetup: PasskeySetupPage,
    passkeyOptions: PasskeyOptionsPage,
    applications: ApplicationsPage,
    sessions: SessionsPage,
    securityLog: SecurityLogPage,
    externalLogin: ExternalLoginPage,
    externalLogins: ExternalLoginsPage,
    externalCallbacks: ExternalCallbacks,
  ) {
    this.all = [
      home,
      login,
      logout,
      register,
      invitation,
      forgotPassword,
      resetPassword,
      emailConfirmation,
      resendConfirmation,
      profile,
      picture,
      changePassword,
      confirm,
      confirmUser,
      phone,
      twoFactor,
      twoFactorSetup,
      passkeys,
      passkeySetup,
      passkeyOptions,
      applications,
      sessions,
      securityLog,
      externalLogin,
      externalLogins,
      ...externalCallbacks.pages,
    ]
  }
}

/** The classes of all pages, for the module's list. */
export const accountPages = [
  HomePage,
  LoginPages,
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
  ConfirmPage,
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
