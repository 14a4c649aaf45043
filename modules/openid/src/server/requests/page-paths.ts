/** The paths of those of the server's own pages that other pages lead to. Most are ABP's. */
export const pagePaths = {
  home: '/',
  /** For an authorization request, its id follows: the cookie that goes with the id is bound to the path. */
  login: '/Account/Login',
  register: '/Account/Register',
  forgotPassword: '/Account/ForgotPassword',
  resendConfirmation: '/Account/ResendConfirmation',
  /** Confirms an e-mail address or telephone number in the middle of a sign-in. */
  confirmUser: '/Account/ConfirmUser',
  manage: '/Account/Manage',
  picture: '/Account/Picture',
  confirmPhone: '/Account/ConfirmPhone',
  /** A sign-in with an external provider begins and ends here. */
  externalLogin: '/Account/ExternalLogin',
  externalLogins: '/Account/ExternalLogins',
  passkeys: '/Account/Passkeys',
  passkeySetup: '/Account/PasskeySetup',
  /** Answers the script of a page with JSON for the authenticator. */
  passkeyOptions: '/Account/PasskeyOptions',
} as const
