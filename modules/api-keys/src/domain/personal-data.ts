import { personalRows, sql } from '@keel/framework/data'
import { ApiKey, ApiKeyUsage } from './api-key.js'

/** What is kept about the persons whose API keys there are. */
export const apiKeyPersonalData = [
  personalRows(ApiKeyUsage, {
    name: 'api-key-usages',
    where: ({ id }, t) =>
      sql`${t}."ApiKeyId" in (select "Id" from "AppApiKeys" where "UserId" = ${id}::uuid)`,
    exported: ['apiKeyId', 'permissionName', 'callCount', 'lastUsedTime'],
    erasure: 'delete',
  }),
  personalRows(ApiKey, {
    name: 'api-keys',
    of: ['userId'],
    exported: [
      'id',
      'name',
      'description',
      'prefix',
      'isActive',
      'expirationTime',
      'rotationTime',
      'creationTime',
    ],
    withheld: ['hash', 'previousHash', 'overlapEndTime'],
    erasure: 'delete',
  }),
]
