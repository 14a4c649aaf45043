import { AppService, Dto, listOf, op, param, z } from '@keel/framework/contracts'
import { PermissionManagement } from './permission-management.js'

/** `U`, `R`, `C` or `AK`: a user, a role, a client, an API key. */
export const providerName = param('providerName', z.string().max(64))
/** User id, role name, client id or id of the key. */
export const providerKey = param('providerKey', z.string().min(1).max(64))

/** A holder that grants or prohibits a permission. */
export class ProviderInfoDto extends Dto({ providerName: z.string(), providerKey: z.string() }) {}

/** A permission as it stands for a holder. */
export class PermissionGrantInfoDto extends Dto({
  name: z.string(),
  displayName: z.string(),
  parentName: z.string().nullable(),
  /** Whether the holder has it: somebody grants it and nobody prohibits it. */
  isGranted: z.boolean(),
  /** The only providers that it can be granted under; empty for all of them. */
  allowedProviders: z.array(z.string()),
  /** The holder itself, and everything it inherits from, as far as they grant it. */
  grantedProviders: listOf(ProviderInfoDto),
  /** Whether the caller may change it: they hold it themselves, or are administrators. */
  isEditable: z.boolean(),
  /** Whether the holder itself, or something it inherits from, is prohibited it: that wins over every grant. */
  isProhibited: z.boolean(),
  prohibitedProviders: listOf(ProviderInfoDto),
}) {}

/** Permissions of one group, parents before their children. */
export class PermissionGroupDto extends Dto({
  name: z.string(),
  displayName: z.string(),
  displayNameKey: z.string(),
  displayNameResource: z.string(),
  permissions: listOf(PermissionGrantInfoDto),
}) {}

/** All permissions as they stand for a holder. */
export class GetPermissionListResultDto extends Dto({
  entityDisplayName: z.string(),
  groups: listOf(PermissionGroupDto),
}) {}

/** What a permission is to be for a holder. */
export class UpdatePermissionDto extends Dto({
  name: z.string().max(128),
  isGranted: z.boolean(),
  /** A prohibition wins over every grant, inherited ones included. It stays as it is when this is not given. */
  isProhibited: z.boolean().nullish(),
}) {}

/** Permissions to change; the others stay as they are. */
export class UpdatePermissionsDto extends Dto({ permissions: listOf(UpdatePermissionDto).max(3000) }) {}

/** Who holds which permissions, as ABP's permission dialog asks for it. */
export abstract class PermissionAppService extends AppService(PermissionManagement, 'PermissionAppService', {
  get: op(providerName, providerKey)
    .returns(GetPermissionListResultDto)
    .at('GET', '/api/permission-management/permissions'),
  getByGroup: op(param('groupName', z.string().max(128)), providerName, providerKey)
    .returns(GetPermissionListResultDto)
    .at('GET', '/api/permission-management/permissions/by-group'),
  update: op(providerName, providerKey, UpdatePermissionsDto).at(
    'PUT',
    '/api/permission-management/permissions',
  ),
}) {}
