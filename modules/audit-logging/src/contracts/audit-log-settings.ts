import { AppService, Dto, op, z } from '@keel/framework/contracts'
import { AbpAuditLogging } from './audit-logs.js'

const route = '/api/audit-logging/settings'

/** Deletion of old audit logs, and after how many days. */
export class AuditLogSettingsDto extends Dto({
  /** True when old audit logs are deleted. */
  isExpiredDeleterEnabled: z.boolean(),

  /** Days after which audit logs are deleted. */
  expiredDeleterPeriod: z.int().min(1).max(36_500),
}) {}

/** How long the audit log is kept, as ABP's setting page asks for it. */
export abstract class AuditLogSettingsAppService extends AppService(
  AbpAuditLogging,
  'AuditLogSettingsAppService',
  {
    /** Gets how long audit logs are kept. */
    get: op().returns(AuditLogSettingsDto).at('GET', route),
    /** Sets how long audit logs are kept. */
    update: op(AuditLogSettingsDto).at('PUT', route),
  },
) {}
