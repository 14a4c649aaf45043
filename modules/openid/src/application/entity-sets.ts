import { entitySet } from '@keel/framework/data'
import { ApplicationDto, ApplicationPermissions, ScopeDto, ScopePermissions } from '../contracts/index.js'
import { OpenIddictApplication } from '../domain/application.js'
import { OpenIddictAuthorization, OpenIddictToken } from '../domain/authorization.js'
import { OpenIddictScope } from '../domain/scope.js'

/** The columns of the auth server's tables in OData: neither secrets of clients nor parts of tokens. */
export const openIdEntitySets = [
  entitySet('OpenIddictApplications', OpenIddictApplication, ApplicationPermissions.View, {
    dto: ApplicationDto,
    also: ['permissions', 'requirements'],
    searchable: ['clientId', 'displayName'],
    collections: { Authorizations: { entity: () => OpenIddictAuthorization, by: 'applicationId' } },
  }),
  entitySet('OpenIddictScopes', OpenIddictScope, ScopePermissions.View, {
    dto: ScopeDto,
    searchable: ['name', 'displayName'],
  }),
  entitySet('OpenIddictAuthorizations', OpenIddictAuthorization, ApplicationPermissions.View, {
    also: ['applicationId', 'creationDate', 'scopes', 'status', 'subject', 'type'],
    collections: { Tokens: { entity: () => OpenIddictToken, by: 'authorizationId' } },
  }),
  entitySet('OpenIddictTokens', OpenIddictToken, ApplicationPermissions.View, {
    also: [
      'applicationId',
      'authorizationId',
      'creationDate',
      'expirationDate',
      'redemptionDate',
      'status',
      'subject',
      'type',
    ],
  }),
]
