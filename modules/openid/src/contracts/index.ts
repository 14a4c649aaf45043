/** The one scope and the one audience of the platform's API: a token for it carries `aud=Core`. */
export const apiScope = 'Core'

/** Codes of the errors that the seeding of clients can end with; texts are in `localization/`. */
export const OpenIdErrors = {
  PublicClientWithSecret: 'OpenId:PublicClientWithSecret',
  ConfidentialClientWithoutSecret: 'OpenId:ConfidentialClientWithoutSecret',
} as const
