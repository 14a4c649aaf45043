import { entitySet } from '@keel/framework/data'
import {
  AuditLogActionDto,
  AuditLogDto,
  AuditLoggingPermissions,
  EntityChangeDto,
  EntityPropertyChangeDto,
} from '../contracts/index.js'
import { AuditLog, AuditLogAction, EntityChange, EntityPropertyChange } from '../domain/audit-log.js'

const { AuditLogs } = AuditLoggingPermissions

/** The entity sets of the audit log. */
export const auditLoggingEntitySets = [
  entitySet('AuditLogs', AuditLog, AuditLogs, {
    dto: AuditLogDto,
    searchable: ['userName', 'url', 'correlationId'],
    collections: {
      Actions: { entity: () => AuditLogAction, by: 'auditLogId' },
      EntityChanges: { entity: () => EntityChange, by: 'auditLogId' },
    },
  }),
  entitySet('AuditLogActions', AuditLogAction, AuditLogs, { dto: AuditLogActionDto }),
  entitySet('EntityChanges', EntityChange, AuditLogs, {
    dto: EntityChangeDto,
    searchable: ['entityId', 'entityTypeFullName'],
    collections: { PropertyChanges: { entity: () => EntityPropertyChange, by: 'entityChangeId' } },
  }),
  entitySet('EntityPropertyChanges', EntityPropertyChange, AuditLogs, { dto: EntityPropertyChangeDto }),
]
