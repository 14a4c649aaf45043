import { AppService, Dto, GrantedTo, op, PermissionGroup, remoteService, z } from '@keel/framework/contracts'
import { InternalAdmin, PasswordSettings } from '@keel/identity/contracts'

const route = '/api/identity/settings'

/** Who may change what users and their passwords must be like. */
@PermissionGroup('AbpIdentity')
export class IdentitySettingPermissions {
  @GrantedTo(InternalAdmin) static readonly SettingManagement = 'AbpIdentity.SettingManagement'
}

/** What a new password must be like. */
export class IdentityPasswordSettingsDto extends Dto({
  requiredLength: z.int().min(2).max(128),
  requiredUniqueChars: z.int().min(1).max(128),
  requireNonAlphanumeric: z.boolean(),
  requireLowercase: z.boolean(),
  requireUppercase: z.boolean(),
  requireDigit: z.boolean(),
}) {}

/** ABP's identity settings, as far as they have an effect here. */
export class IdentitySettingsDto extends Dto({ password: IdentityPasswordSettingsDto.schema }) {}

/** The same to be set: groups that are left out stay as they are. */
export class UpdateIdentitySettingsDto extends Dto({
  password: IdentityPasswordSettingsDto.schema.nullish(),
}) {}

/** Which member of the DTO shows which setting. */
export const identitySettingForm = {
  password: {
    requiredLength: PasswordSettings.RequiredLength,
    requiredUniqueChars: PasswordSettings.RequiredUniqueChars,
    requireNonAlphanumeric: PasswordSettings.RequireNonAlphanumeric,
    requireLowercase: PasswordSettings.RequireLowercase,
    requireUppercase: PasswordSettings.RequireUppercase,
    requireDigit: PasswordSettings.RequireDigit,
  },
} as const

/** The settings of users, as ABP's identity pages ask for them. */
export abstract class IdentitySettingsAppService extends AppService(
  remoteService('AbpIdentity', 'identity'),
  {
    get: op().returns(IdentitySettingsDto).at('GET', route),
    update: op(UpdateIdentitySettingsDto).at('PUT', route),
  },
) {}
