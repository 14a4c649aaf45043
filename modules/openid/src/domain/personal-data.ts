import { personalRows, sql } from '@keel/framework/data'
import { OpenIddictAuthorization, OpenIddictToken } from './authorization.js'
import { AuthSession } from './session.js'

/** What the auth server keeps about persons. Tokens come before the authorizations that they refer to. */
export const openIdPersonalData = [
  personalRows(AuthSession, {
    name: 'browsers',
    of: ['subject'],
    exported: ['expirationTime', 'lastAccessed'],
    withheld: ['uid', 'payload'],
    erasure: 'delete',
  }),
  personalRows(OpenIddictToken, {
    name: 'tokens',
    where: ({ id }, t) => sql`(${t}."Subject" = ${id} or ${t}."AuthorizationId" in (
      select "Id" from "OpenIddictAuthorizations" where "Subject" = ${id}))`,
    exported: ['applicationId', 'type', 'status', 'creationDate', 'expirationDate', 'redemptionDate'],
    withheld: ['subject', 'authorizationId', 'payload', 'properties', 'referenceId'],
    erasure: 'delete',
  }),
  personalRows(OpenIddictAuthorization, {
    name: 'authorizations',
    of: ['subject'],
    exported: ['applicationId', 'creationDate', 'scopes', 'status', 'type'],
    withheld: ['properties'],
    erasure: 'delete',
  }),
]
