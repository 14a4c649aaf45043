import { GrantedTo, OnlyWithFeature, PermissionGroup } from '@keel/framework/contracts'
import { InternalAdmin, SuperUser } from '@keel/identity/contracts'
import { AuditLoggingFeatures } from './features.js'

/** Permissions for the audit log, under ABP's names. */
@PermissionGroup('AuditLogging')
@OnlyWithFeature(AuditLoggingFeatures.Enable)
export class AuditLoggingPermissions {
  /** Read everything in it: it holds data of every organization. */
  @GrantedTo(SuperUser) static readonly AuditLogs = 'AuditLogging.AuditLogs'
  /** Take it away as a file. */
  @GrantedTo(InternalAdmin) static readonly Export = 'AuditLogging.AuditLogs.Export'
  /** Decide how long it is kept. */
  @GrantedTo(InternalAdmin) static readonly SettingManagement = 'AuditLogging.AuditLogs.SettingManagement'
}
