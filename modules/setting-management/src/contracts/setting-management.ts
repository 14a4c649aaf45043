import { GrantedTo, PermissionGroup, remoteService } from '@keel/framework/contracts'
import { InternalAdmin } from '@keel/identity/contracts'

/** Where the endpoints of ABP's setting-management module are. */
export const SettingManagement = remoteService(
  'SettingManagement',
  'setting-management',
  'Volo.Abp.SettingManagement',
  'settingManagement',
)

/** Who may see and change which settings. */
@PermissionGroup('SettingManagement')
export class SettingManagementPermissions {
  @GrantedTo(InternalAdmin) static readonly Emailing = 'SettingManagement.Emailing'
  @GrantedTo(InternalAdmin) static readonly EmailingTest = 'SettingManagement.Emailing.Test'
  @GrantedTo(InternalAdmin) static readonly TimeZone = 'SettingManagement.TimeZone'
}

/** What storing a setting can refuse. */
export const SettingErrors = {
  /** Outside Development nothing is encrypted with a pass phrase that everybody knows. */
  PassPhraseMissing: 'SettingManagement:PassPhraseMissing',
  /** This host sends no text messages, and nothing else confirms a telephone number. */
  PhoneNumbersNotConfirmed: 'SettingManagement:PhoneNumbersNotConfirmed',
  /** Users could not do what they would have to. */
  PhoneConfirmationNeeded: 'SettingManagement:PhoneConfirmationNeeded',
} as const
