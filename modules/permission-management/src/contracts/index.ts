import { PermissionExplanationAppService } from './explanations.js'
import { PermissionHistoryAppService } from './history.js'
import { PermissionAppService } from './permissions.js'
import { PermissionPreviewAppService } from './previews.js'

export * from './explanations.js'
export * from './grant-book.js'
export * from './grant-changes.js'
export * from './history.js'
export * from './permission-grants.js'
export * from './permission-management.js'
export * from './permission-names.js'
export * from './permissions.js'
export * from './previews.js'

/** Every contract of permission management. */
export const permissionManagementServices = [
  PermissionAppService,
  PermissionPreviewAppService,
  PermissionExplanationAppService,
  PermissionHistoryAppService,
] as const
