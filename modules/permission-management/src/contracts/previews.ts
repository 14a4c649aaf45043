import { AppService, Dto, enumerationName, guid, listOf, op, z } from '@keel/framework/contracts'
import { GrantChangeKind } from './grant-changes.js'
import { PermissionManagement } from './permission-management.js'
import { providerKey, providerName, UpdatePermissionsDto } from './permissions.js'

/** An effect of an update that its author may not intend. */
export enum PermissionWarning {
  /** Nobody could manage the permissions of users any more. */
  LastAdministrator = 0,
  /** API keys would keep grants of what their owners lose: they count no more, and count again when the owner gets it back. */
  OrphanedKeys = 1,
  /** The API key would be granted what its owner has not: it does not count. */
  KeyBeyondOwner = 2,
}

/** A permission that would change at the holder. */
export class PreviewedChangeDto extends Dto({
  permissionName: z.string(),
  kind: enumerationName('GrantChangeKind', GrantChangeKind),
}) {}

/** Somebody for whom something would change. */
export class AffectedUserDto extends Dto({
  userId: guid(),
  userName: z.string(),

  /** Permissions that the user would have more. */
  gains: z.array(z.string()),

  /** Permissions that the user would no longer have. */
  loses: z.array(z.string()),
}) {}

/** A holder that a warning is about. */
export class WarnedHolderDto extends Dto({
  providerName: z.string(),
  providerKey: z.string(),
  displayName: z.string(),
}) {}

/** A warning, with the holders that it is about. */
export class PermissionWarningDto extends Dto({
  warning: enumerationName('PermissionWarning', PermissionWarning),
  message: z.string(),
  permissionNames: z.array(z.string()),
  holders: listOf(WarnedHolderDto),
}) {}

/** The effects that an update would have. */
export class PermissionPreviewDto extends Dto({
  changes: listOf(PreviewedChangeDto),
  /** The permissions that the holder itself would gain and lose. */
  gains: z.array(z.string()),
  loses: z.array(z.string()),
  /** Active users for whom something would change, of those that were looked at. */
  affectedUserCount: z.int(),
  /** The first of them, by name. */
  affectedUsers: listOf(AffectedUserDto),
  /** How many active users hold the role, and whether all of them were looked at. */
  memberCount: z.int(),
  isComplete: z.boolean(),
  warnings: listOf(PermissionWarningDto),
}) {}

/** Tells what an update would come to; saves nothing. */
export abstract class PermissionPreviewAppService extends AppService(
  PermissionManagement,
  'PermissionPreviewAppService',
  {
    /** Tells what an update of permissions would change, and saves nothing. */
    preview: op(providerName, providerKey, UpdatePermissionsDto)
      .returns(PermissionPreviewDto)
      .at('POST', '/api/permission-management/permissions/preview'),
  },
  'Previews of changes',
) {}
