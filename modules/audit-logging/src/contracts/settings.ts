import { defineSetting } from '@keel/framework/contracts'

/** Deletion of old audit logs, by ABP's names. */
export const AuditLoggingSettings = {
  IsExpiredDeleterEnabled: defineSetting('Abp.AuditLogging.IsExpiredDeleterEnabled', {
    default: false,
    displayName: 'Delete audit logs that have expired',
  }),
  /** Days. */
  ExpiredDeleterPeriod: defineSetting('Abp.AuditLogging.ExpiredDeleterPeriod', {
    default: 365,
    range: [1, 36_500],
    displayName: 'Days after which audit logs expire',
  }),
} as const
