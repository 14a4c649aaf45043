import { entitySet } from '@keel/framework/data'
import { ApplicationPermissions, ScopePermissions } from '../contracts/index.js'
import { OpenIddictApplication } from '../domain/application.js'
import { OpenIddictAuthorization, OpenIddictToken } from '../domain/authorization.js'
import { OpenIddictScope } from '../domain/scope.js'

/** What the auth server's tables publish to OData: neither secrets of clients nor what tokens are made of. */
export const openIdEntitySets = [
  entitySet('OpenIddictApplications', OpenIddictApplication, ApplicationPermissions.View, {
    hidden: ['clientSecret', 'jsonWebKeySet', 'properties', 'settings', 'extraProperties'],
    searchable: ['clientId', 'displayName'],
    collections: { Authorizations: { entity: () => OpenIddictAuthorization, by: 'applicationId' } },
  }),
  entitySet('OpenIddictScopes', OpenIddictScope, ScopePermissions.View, {
    hidden: ['properties', 'extraProperties'],
    searchable: ['name', 'displayName'],
  }),
  entitySet('OpenIddictAuthorizations', OpenIddictAuthorization, ApplicationPermissions.View, {
    hidden: ['properties', 'extraProperties'],
    collections: { Tokens: { entity: () => OpenIddictToken, by: 'authorizationId' } },
  }),
  entitySet('OpenIddictTokens', OpenIddictToken, ApplicationPermissions.View, {
    hidden: ['payload', 'properties', 'referenceId', 'extraProperties'],
  }),
]
