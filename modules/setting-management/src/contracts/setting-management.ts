import { remoteService } from '@keel/framework/contracts'

/** Where the endpoints of ABP's setting-management module are. */
export const SettingManagement = remoteService(
  'SettingManagement',
  'setting-management',
  'Volo.Abp.SettingManagement',
  'settingManagement',
)

/** Error codes of storing settings. */
export const SettingErrors = {
  /** Outside Development nothing is encrypted with a pass phrase that everybody knows. */
  PassPhraseMissing: 'SettingManagement:PassPhraseMissing',
  /** This host sends no text messages, and nothing else confirms a telephone number. */
  PhoneNumbersNotConfirmed: 'SettingManagement:PhoneNumbersNotConfirmed',
  /** Users could not do what they would have to. */
  PhoneConfirmationNeeded: 'SettingManagement:PhoneConfirmationNeeded',
} as const
