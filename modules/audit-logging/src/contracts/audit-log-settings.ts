import { AppService, Dto, op, z } from '@keel/framework/contracts'
import { AbpAuditLogging } from './audit-logs.js'

const route = '/api/audit-logging/settings'

/** Whether audit logs are deleted, and after how many days. */
export class AuditLogSettingsDto extends Dto({
  isExpiredDeleterEnabled: z.boolean(),
  expiredDeleterPeriod: z.int().min(1).max(36_500),
}) {}

/** How long the audit log is kept, as ABP's setting page asks for it. */
export abstract class AuditLogSettingsAppService extends AppService(
  AbpAuditLogging,
  'AuditLogSettingsAppService',
  {
    get: op().returns(AuditLogSettingsDto).at('GET', route),
    update: op(AuditLogSettingsDto).at('PUT', route),
  },
) {}
