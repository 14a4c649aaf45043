/** Values by the names of their settings; null takes a value back, and what stands below it counts again. */
export type SettingInput = Readonly<Record<string, string | number | boolean | null>>

/**
 * Sets settings while the system runs, in ABP's table `AbpSettings`; every process counts them within a moment. What is in force is read with
 * the framework's `Settings`. Values of encrypted settings are given and read as they are, and lie encrypted.
 *
 * A value that its setting can't have is a `ValidationError`, a name that no module declares a mistake of the program. Who may set what is
 * the caller's affair.
 * @example await stored.setForUser(userId, { 'Abp.Timing.TimeZone': 'Europe/Berlin' })
 */
export abstract class StoredSettings {
  /** For everybody (ABP's provider `G`). A value that the configuration or the default gives anyway is not kept. */
  abstract setForEverybody(values: SettingInput): Promise<void>
  /** For one user (`U`), over what counts for everybody. */
  abstract setForUser(userId: string, values: SettingInput): Promise<void>
}
