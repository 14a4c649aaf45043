import { Injectable } from '@keel/framework'
import { BusinessError, faultOf, ValidationError, type ValidationFault } from '@keel/framework/contracts'
import { type CreateApplicationInput, OpenIdErrors, type SetTokenLifetimeInput } from '../contracts/index.js'
import type { OpenIddictApplication } from '../domain/application.js'
import { extensionGrantTypes, flagsOf, listOf } from '../domain/client-settings.js'
import { isRedirectUri, isWebAddress } from '../domain/redirect-uri.js'
import { KnownScopes } from '../persistence/known-scopes.js'

/** The rules of a client. A row may keep values that it has already, e.g. from an ABP database. */
@Injectable()
export class ApplicationRules {
  constructor(private readonly scopes: KnownScopes) {}

  /**
   * Refuses settings that the auth server could not keep: all faults at once. Then a secret that does not fit
   * the client's type.
   */
  async check(input: CreateApplicationInput, row?: OpenIddictApplication): Promise<void> {
    const known = flagsOf(listOf(row?.permissions ?? null))
    const newScopes = input.scopes.filter((scope) => !known.scopes.includes(scope))
    const unknownScopes = await this.scopes.unknownOf(newScopes)
    const faults = [
      ...addressFaults(input),
      ...notServed(input),
      ...each(input, 'scopes', (scope) => !unknownScopes.includes(scope), 'OpenId:Validation:UnknownScope'),
      ...each(
        input,
        'extensionGrantTypes',
        (grantType) => [...extensionGrantTypes, ...known.extensionGrantTypes].includes(grantType),
        'OpenId:Validation:UnknownGrantType',
      ),
    ]
    if (faults.length) throw new ValidationError(faults)
    checkSecret(input, row)
  }
}

function checkSecret(
  { clientId, clientType, clientSecret }: CreateApplicationInput,
  row: OpenIddictApplication | undefined,
): void {
  if (clientType === 'public' && clientSecret)
    throw new BusinessError(OpenIdErrors.PublicClientWithSecret, { clientId })
  if (clientType === 'confidential' && !clientSecret && !row?.clientSecret)
    throw new BusinessError(OpenIdErrors.ConfidentialClientWithoutSecret, { clientId })
}

function addressFaults(input: CreateApplicationInput): ValidationFault[] {
  const isAddress = (address: string): boolean => isRedirectUri(address, input.applicationType)
  return [
    ...each(input, 'redirectUris', isAddress, 'OpenId:Validation:RedirectUri'),
    ...each(input, 'postLogoutRedirectUris', isAddress, 'OpenId:Validation:RedirectUri'),
    ...(['clientUri', 'logoUri'] as const).flatMap((member) => {
      const address = input[member]
      return address && !isWebAddress(address)
        ? [faultOf(member, 'OpenId:Validation:WebAddress', { address })]
        : []
    }),
  ]
}

/** Refuses settings that ABP's clients can have and this server does not implement. */
function notServed(input: CreateApplicationInput): ValidationFault[] {
  const members = [
    'allowTokenExchangeFlow',
    'allowPushedAuthorizationEndpoint',
    'forcePushedAuthorization',
    'frontChannelLogoutUri',
    'jsonWebKeySet',
  ] as const
  return members
    .filter((member) => input[member])
    .map((member) => faultOf(member, 'OpenId:Validation:NotServed'))
}

/** Refuses lifetimes of what this server gives nobody. */
export function checkLifetimes(input: SetTokenLifetimeInput): void {
  const faults = (['requestTokenLifetime', 'issuedTokenLifetime'] as const)
    .filter((member) => input[member])
    .map((member) => faultOf(member, 'OpenId:Validation:NotServed'))
  if (faults.length) throw new ValidationError(faults)
}

function each(
  input: CreateApplicationInput,
  member: 'redirectUris' | 'postLogoutRedirectUris' | 'scopes' | 'extensionGrantTypes',
  isFine: (value: string) => boolean,
  key: string,
): ValidationFault[] {
  return input[member].flatMap((value, index) =>
    isFine(value) ? [] : [faultOf(`${member}[${index}]`, key, { value })],
  )
}
