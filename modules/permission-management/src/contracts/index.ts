import { PermissionAppService } from './permissions.js'

export * from './grant-book.js'
export * from './grant-changes.js'
export * from './permission-grants.js'
export * from './permission-management.js'
export * from './permission-names.js'
export * from './permissions.js'

/** Every contract of permission management. */
export const permissionManagementServices = [PermissionAppService] as const
