import {
  AppService,
  Dto,
  GrantedTo,
  type GrantProvider,
  listOf,
  op,
  PermissionGroup,
  param,
  z,
} from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'
import { PermissionManagement } from './permission-management.js'

/** The permission to look at the grants of all holders. */
@PermissionGroup('AbpPermissionManagement')
export class PermissionManagementPermissions {
  /** See the history of all holders' grants, whatever they are. */
  @GrantedTo(InternalAdmin) static readonly History = 'AbpPermissionManagement'
}

/** The permission that it takes to see and change the grants of a holder, by the holder's provider. Other modules define them. */
export const managePolicies: Readonly<Record<GrantProvider, string>> = {
  U: 'AbpIdentity.Users.ManagePermissions',
  R: 'AbpIdentity.Roles.ManagePermissions',
  C: 'OpenIddictPro.Application.ManagePermissions',
  AK: 'ApiKeys.ManagePermissions',
}

/** The policy for keys of other users, required beside `ApiKeys.ManagePermissions`. */
export const manageAllKeysPolicy = 'ApiKeys.ManageAll'

/** The policy of managing API keys: it admits no API key. @see interface document, "API keys" */
export const keyManagementPolicy = 'apiKeyManagement'

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

  /** The permission that it takes first; null for none. */
  parentName: z.string().nullable(),
  /** True when the holder has it: somebody grants it and nobody prohibits it. */
  isGranted: z.boolean(),
  /** The only providers that it can be granted under; empty for all of them. */
  allowedProviders: z.array(z.string()),
  /** The holder itself, and everything it inherits from, as far as they grant it. */
  grantedProviders: listOf(ProviderInfoDto),
  /** True when the caller may change it: they hold it themselves, or are administrators. */
  isEditable: z.boolean(),
  /**
   * True when the holder itself, or something it inherits from, is prohibited it: that wins over every grant.
   */
  isProhibited: z.boolean(),

  /** The holder itself, and everything it inherits from, as far as they prohibit it. */
  prohibitedProviders: listOf(ProviderInfoDto),
}) {}

/** Permissions of one group, parents before their children. */
export class PermissionGroupDto extends Dto({
  name: z.string(),
  displayName: z.string(),

  /** The key of the text of `displayName`. */
  displayNameKey: z.string(),

  /** The resource of the text of `displayName`. */
  displayNameResource: z.string(),
  permissions: listOf(PermissionGrantInfoDto),
}) {}

/** All permissions as they stand for a holder. */
export class GetPermissionListResultDto extends Dto({
  entityDisplayName: z.string(),
  groups: listOf(PermissionGroupDto),
}) {}

/** The new state of a holder's permission. */
export class UpdatePermissionDto extends Dto({
  name: z.string().max(128),
  isGranted: z.boolean(),
  /** A prohibition wins over every grant, inherited ones included. It stays as it is when this is not given. */
  isProhibited: z.boolean().nullish(),
}) {}

/** Permissions to change; the others stay as they are. */
export class UpdatePermissionsDto extends Dto({ permissions: listOf(UpdatePermissionDto).max(3000) }) {}

/** A kind of thing that permissions are granted on, as its module names it. */
const resourceName = param('resourceName', z.string().min(1).max(256))
/** The key of one thing of the kind. */
const resourceKey = param('resourceKey', z.string().min(1).max(256))

/** A kind of holder. */
export class ResourceProviderDto extends Dto({ name: z.string(), displayName: z.string() }) {}

/** The kinds of holders that permissions on things can be granted to. */
export class GetResourceProviderListResultDto extends Dto({ providers: listOf(ResourceProviderDto) }) {}

/** A holder that was found by its name. */
export class SearchProviderKeyInfo extends Dto({
  providerKey: z.string(),
  providerDisplayName: z.string(),
}) {}

/** Holders that were found. */
export class SearchProviderKeyListResultDto extends Dto({ keys: listOf(SearchProviderKeyInfo) }) {}

/** A permission on things of a kind. */
export class ResourcePermissionDefinitionDto extends Dto({ name: z.string(), displayName: z.string() }) {}

/** The permissions on things of a kind that the caller may manage. */
export class GetResourcePermissionDefinitionListResultDto extends Dto({
  permissions: listOf(ResourcePermissionDefinitionDto),
}) {}

/** A permission that somebody holds on a thing. */
export class GrantedResourcePermissionDto extends Dto({ name: z.string(), displayName: z.string() }) {}

/** The grants of one holder on a thing. */
export class ResourcePermissionGrantInfoDto extends Dto({
  providerName: z.string(),
  providerKey: z.string(),
  /** The holder's name; its key when it is gone. */
  providerDisplayName: z.string(),
  providerNameDisplayName: z.string(),
  permissions: listOf(GrantedResourcePermissionDto),
}) {}

/** The grants of all holders on a thing. */
export class GetResourcePermissionListResultDto extends Dto({
  permissions: listOf(ResourcePermissionGrantInfoDto),
}) {}

/** A permission on a thing as it stands for a holder. The name is spelt as ABP spells it. */
export class ResourcePermissionWithProdiverGrantInfoDto extends Dto({
  name: z.string(),
  displayName: z.string(),
  /** The kinds of holders that grant it: the holder itself, or a role of the user. */
  providers: z.array(z.string()),
  isGranted: z.boolean(),
}) {}

/** The permissions on a thing as they stand for a holder. */
export class GetResourcePermissionWithProviderListResultDto extends Dto({
  permissions: listOf(ResourcePermissionWithProdiverGrantInfoDto),
}) {}

/** The new grants of a holder on a thing. They replace all those that the caller may manage. */
export class UpdateResourcePermissionsDto extends Dto({
  providerName: z.string().max(64),
  providerKey: z.string().min(1).max(64),
  permissions: z.array(z.string().max(128)).max(1000).nullish(),
}) {}

/** The permissions of holders, for ABP's permission dialog. */
export abstract class PermissionAppService extends AppService(
  PermissionManagement,
  'PermissionAppService',
  {
    /** Gets all permissions as they stand for a holder. */
    get: op(providerName, providerKey)
      .returns(GetPermissionListResultDto)
      .at('GET', '/api/permission-management/permissions'),
    /**
     * Gets the permissions of one group as they stand for a holder.
     * @param groupName The name of the group, e.g. `Hub`.
     */
    getByGroup: op(param('groupName', z.string().max(128)), providerName, providerKey)
      .returns(GetPermissionListResultDto)
      .at('GET', '/api/permission-management/permissions/by-group'),
    /** Grants permissions to a holder or takes them away. The others stay. */
    update: op(providerName, providerKey, UpdatePermissionsDto).at(
      'PUT',
      '/api/permission-management/permissions',
    ),
    /**
     * Lists the kinds of holders that permissions on things of a kind can be granted to. The list is empty
     * for callers who may manage none of these permissions.
     */
    getResourceProviderKeyLookupServices: op(resourceName)
      .returns(GetResourceProviderListResultDto)
      .at('GET', '/api/permission-management/permissions/resource-provider-key-lookup-services'),
    /**
     * Finds holders of a kind whose name contains a filter, ten on a page.
     * @param serviceName The kind of holder: a `name` of `getResourceProviderKeyLookupServices`.
     * @param filter A part of the name; all when not given.
     * @param page The number of the page, from 1 on.
     */
    searchResourceProviderKey: op(
      resourceName,
      param('serviceName', z.string().max(64)),
      param('filter', z.string().trim().max(256).nullish()),
      param('page', z.int().min(1).max(10_000).default(1)),
    )
      .returns(SearchProviderKeyListResultDto)
      .at('GET', '/api/permission-management/permissions/search-resource-provider-keys'),
    /** Lists the permissions on things of a kind that the caller may manage. */
    getResourceDefinitions: op(resourceName)
      .returns(GetResourcePermissionDefinitionListResultDto)
      .at('GET', '/api/permission-management/permissions/resource-definitions'),
    /** Lists who was granted what on a thing. */
    getResource: op(resourceName, resourceKey)
      .returns(GetResourcePermissionListResultDto)
      .at('GET', '/api/permission-management/permissions/resource'),
    /** Gets the permissions on a thing as they stand for a holder. */
    getResourceByProvider: op(resourceName, resourceKey, providerName, providerKey)
      .returns(GetResourcePermissionWithProviderListResultDto)
      .at('GET', '/api/permission-management/permissions/resource/by-provider'),
    /** Replaces what a holder is granted on a thing, of the permissions that the caller may manage. */
    updateResource: op(resourceName, resourceKey, UpdateResourcePermissionsDto).at(
      'PUT',
      '/api/permission-management/permissions/resource',
    ),
    /** Takes everything from a holder that it was granted on a thing and the caller may manage. */
    deleteResource: op(resourceName, resourceKey, providerName, providerKey).at(
      'DELETE',
      '/api/permission-management/permissions/resource',
    ),
  },
  'Permissions',
) {}
