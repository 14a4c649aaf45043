import { erasedName, type Person, personalRows, type Sql, sql } from '@keel/framework/data'
import { PermissionHistorySettings } from '../contracts/index.js'
import { PermissionGrant, PermissionProhibition, ResourcePermissionGrant } from './permission-grant.js'
import { PermissionGrantChange } from './permission-grant-change.js'

/** Grants to the user. Those of roles are nobody's. */
const toPerson = ({ id }: Person, t: Sql): Sql =>
  sql`(${t}."ProviderName" = 'U' and ${t}."ProviderKey" = ${id})`

/** What is kept about the persons who hold permissions of their own, and who changed those of others. */
export const grantPersonalData = [
  personalRows(PermissionGrant, {
    name: 'permissions',
    where: toPerson,
    exported: ['name'],
    withheld: ['providerName', 'providerKey'],
    erasure: 'delete',
  }),
  personalRows(PermissionProhibition, {
    name: 'prohibitions',
    where: toPerson,
    exported: ['name'],
    withheld: ['providerName', 'providerKey'],
    erasure: 'delete',
  }),
  personalRows(ResourcePermissionGrant, {
    name: 'permissions-on-things',
    where: toPerson,
    exported: ['name', 'resourceName', 'resourceKey'],
    withheld: ['providerName', 'providerKey'],
    erasure: 'delete',
  }),
  personalRows(PermissionGrantChange, {
    name: 'permission-history',
    where: toPerson,
    exported: ['changeTime', 'permissionName', 'kind', 'cause', 'resourceName', 'resourceKey'],
    retention: { time: 'changeTime', days: PermissionHistorySettings.RetentionDays },
    erasure: 'Accountability',
  }),
  personalRows(PermissionGrantChange, {
    name: 'permission-changes-made',
    of: ['userId'],
    exported: ['changeTime', 'permissionName', 'kind', 'cause'],
    withheld: ['providerName', 'providerKey', 'resourceName', 'resourceKey', 'clientId', 'correlationId'],
    erasure: { userName: erasedName },
  }),
]
