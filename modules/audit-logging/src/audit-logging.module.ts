import { KeelModule, Module, type ModuleContext } from '@keel/framework'
import { AuditingModule } from '@keel/framework/auditing'
import { DataModule } from '@keel/framework/data'
import { AuditLogSettingsService } from './application/audit-log-settings-service.js'
import { AuditLogsService } from './application/audit-logs-service.js'
import { auditLoggingEntitySets } from './application/entity-sets.js'
import { AuditLoggingFeatures, AuditLoggingPermissions, AuditLoggingSettings } from './contracts/index.js'
import { AuditLog, AuditLogAction, EntityChange, EntityPropertyChange } from './domain/audit-log.js'
import { auditLogPersonalData } from './domain/personal-data.js'
import { AuditLogQueries } from './persistence/audit-log-queries.js'
import { AuditLogWriter } from './persistence/audit-log-writer.js'
import { ExpiredLogDeleter } from './persistence/expired-log-deleter.js'

/** Keeps the audit log and lets it be read. */
@Module({
  name: 'AuditLogging',
  dependsOn: [DataModule, AuditingModule],
  entities: [AuditLog, AuditLogAction, EntityChange, EntityPropertyChange],
  services: [AuditLogWriter, AuditLogQueries, ExpiredLogDeleter, AuditLogsService, AuditLogSettingsService],
  personalData: auditLogPersonalData,
  permissions: [AuditLoggingPermissions],
  settings: Object.values(AuditLoggingSettings),
  features: Object.values(AuditLoggingFeatures),
  odata: auditLoggingEntitySets,
  localization: new URL('../localization/', import.meta.url),
})
export class AuditLoggingModule extends KeelModule {
  override async onApplicationShutdown({ application }: ModuleContext): Promise<void> {
    await application.get(AuditLogWriter).stop()
  }
}

export { ExpiredLogDeleter } from './persistence/expired-log-deleter.js'
