import { remoteService } from '@keel/framework/contracts'

/** The remote service of permission management, by ABP's name. */
export const PermissionManagement = remoteService(
  'AbpPermissionManagement',
  'permissionManagement',
  'Volo.Abp.PermissionManagement',
)
