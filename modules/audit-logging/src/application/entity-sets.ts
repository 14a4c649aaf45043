import { entitySet } from '@keel/framework/data'
import { AuditLoggingPermissions } from '../contracts/index.js'
import { AuditLog, AuditLogAction, EntityChange, EntityPropertyChange } from '../domain/audit-log.js'

const { AuditLogs } = AuditLoggingPermissions

/** What the audit log publishes to OData. */
export const auditLoggingEntitySets = [
  entitySet('AuditLogs', AuditLog, AuditLogs, {
    hidden: ['extraProperties'],
    searchable: ['userName', 'url', 'correlationId'],
    collections: {
      Actions: { entity: () => AuditLogAction, by: 'auditLogId' },
      EntityChanges: { entity: () => EntityChange, by: 'auditLogId' },
    },
  }),
  entitySet('AuditLogActions', AuditLogAction, AuditLogs, { hidden: ['extraProperties'] }),
  entitySet('EntityChanges', EntityChange, AuditLogs, {
    hidden: ['extraProperties'],
    searchable: ['entityId', 'entityTypeFullName'],
    collections: { PropertyChanges: { entity: () => EntityPropertyChange, by: 'entityChangeId' } },
  }),
  entitySet('EntityPropertyChanges', EntityPropertyChange, AuditLogs),
]
