import { erasedName, type Person, personalRows, type Sql, sql } from '@keel/framework/data'
import { AuditLog, AuditLogAction, EntityChange, EntityPropertyChange } from './audit-log.js'

/** Changes of the person's own user: the place of names, addresses and numbers in the log. */
const ofUser = ({ id }: Person): Sql =>
  sql`"TenantId" is null and "EntityTypeFullName" = 'Volo.Abp.Identity.IdentityUser' and "EntityId" = ${id}`

/**
 * What the audit log keeps about persons. The fact of a change stays, with the id of the user who made it; names, addresses and values that
 * say something of an erased person go. Parameters of other calls and texts of errors stay until the log expires.
 */
export const auditLogPersonalData = [
  personalRows(EntityPropertyChange, {
    name: 'audit-log-values',
    where: (person, t) =>
      sql`${t}."EntityChangeId" in (select "Id" from "AbpEntityChanges" where ${ofUser(person)})`,
    withheld: ['originalValue', 'newValue', 'propertyName'],
    erasure: { originalValue: null, newValue: null },
  }),
  personalRows(AuditLogAction, {
    name: 'audit-log-parameters',
    where: (person, t) =>
      sql`${t}."AuditLogId" in (select "AuditLogId" from "AbpEntityChanges" where ${ofUser(person)})`,
    withheld: ['parameters'],
    erasure: { parameters: '{}' },
  }),
  personalRows(EntityChange, {
    name: 'audit-log-changes',
    where: (person) => ofUser(person),
    exported: ['changeTime', 'changeType'],
    withheld: ['auditLogId', 'entityTenantId', 'entityId', 'entityTypeFullName'],
    erasure: 'Accountability',
  }),
  personalRows(AuditLog, {
    name: 'audit-log',
    of: ['userId'],
    exported: [
      ...(['executionTime', 'httpMethod', 'url', 'httpStatusCode', 'clientIpAddress'] as const),
      ...(['browserInfo', 'clientId', 'applicationName', 'userName'] as const),
    ],
    // The other person of a request, and what only operators need.
    withheld: [
      ...(['impersonatorUserId', 'impersonatorUserName', 'impersonatorTenantId'] as const),
      ...(['impersonatorTenantName', 'executionDuration', 'clientName', 'correlationId'] as const),
      ...(['exceptions', 'comments'] as const),
    ],
    erasure: { userName: erasedName, clientIpAddress: null, browserInfo: null },
  }),
  personalRows(AuditLog, {
    name: 'audit-log-as-impersonator',
    of: ['impersonatorUserId'],
    exported: ['executionTime', 'httpMethod', 'url', 'httpStatusCode', 'clientIpAddress', 'browserInfo'],
    erasure: { impersonatorUserName: erasedName, clientIpAddress: null, browserInfo: null },
  }),
]
