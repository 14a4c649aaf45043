import { Injectable } from '@keel/framework'
import { ExternalCallbacks } from '../external/external-callbacks.js'
import { ExternalLoginPage } from '../external/external-login-page.js'
import { ExternalLoginsPage } from '../external/external-logins-page.js'
import { LoginPages } from '../login-pages.js'
import { PasskeyOptionsPage } from '../passkeys/passkey-options-page.js'
import { PasskeySetupPage, PasskeysPage } from '../passkeys/passkeys-page.js'
import type { AccountPage } from './account-page.js'
import { SecurityLogPage, SessionsPage } from './activity-pages.js'
import { ApplicationsPage } from './applications-page.js'
import { ConfirmPage } from './confirm-page.js'
import { ConfirmUserPage } from './confirm-user-page.js'
import { EmailConfirmationPage } from './email-confirmation-page.js'
import { HomePage } from './home-page.js'
import { InvitationPage } from './invitation-page.js'
import { LogoutPage } from './logout-page.js'
import { ChangePasswordPage, ProfilePage } from './manage-pages.js'
import { ForgotPasswordPage, ResetPasswordPage } from './password-reset-pages.js'
import { PhonePage } from './phone-page.js'
import { PicturePage } from './picture-page.js'
import { RegisterPage } from './register-page.js'
import { ResendConfirmationPage } from './resend-confirmation-page.js'
import { TwoFactorPage, TwoFactorSetupPage } from './two-factor-pages.js'

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
