import { defineFeature } from '@keel/framework/contracts'

/** ABP's feature; user interfaces show the pages of the audit log when it is on. */
export const AuditLoggingFeatures = {
  Enable: defineFeature('AuditLogging.Enable', { default: true, displayName: 'Audit logging' }),
} as const
