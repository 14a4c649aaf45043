/** Codes of the errors that clients and scopes can be refused with; texts are in `localization/`. */
export const OpenIdErrors = {
  PublicClientWithSecret: 'OpenId:PublicClientWithSecret',
  ConfidentialClientWithoutSecret: 'OpenId:ConfidentialClientWithoutSecret',
  ClientIdAlreadyExists: 'OpenId:ClientIdAlreadyExists',
  ScopeNameAlreadyExists: 'OpenId:ScopeNameAlreadyExists',
  /** The scope of the API can't be renamed or deleted. */
  ScopeIsFixed: 'OpenId:ScopeIsFixed',
  /** Clients may ask for the scope: they would lose it. */
  ScopeIsInUse: 'OpenId:ScopeIsInUse',
} as const
