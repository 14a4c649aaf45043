/** A setting as its module declares it. Values are always texts; a boolean is `True` or `False`, as .NET writes them. */
export interface SettingDefinition {
  /** E.g. `Abp.Timing.TimeZone`. */
  readonly name: string
  /** What it is where nothing else says so; null for nothing. */
  readonly defaultValue: string | null
  readonly displayName: string
  /** Sent to every client, signed in or not. */
  readonly isVisibleToClients: boolean
  /** Stored encrypted. Such a setting is never visible to clients. */
  readonly isEncrypted: boolean
}

/** What a setting is declared with; by default it is empty, hidden from clients and stored as it is. */
export interface SettingOptions extends Partial<Omit<SettingDefinition, 'name' | 'defaultValue'>> {
  readonly default?: string | number | boolean | null
}

/**
 * Declares a setting; list it in `settings` of a module. Throws for one that is both encrypted and visible to clients.
 * @example defineSetting('Abp.Timing.TimeZone', { default: 'UTC', displayName: 'Time zone', isVisibleToClients: true })
 */
export function defineSetting(name: string, options: SettingOptions = {}): SettingDefinition {
  const {
    default: value = null,
    displayName = name,
    isVisibleToClients = false,
    isEncrypted = false,
  } = options
  if (isEncrypted && isVisibleToClients)
    throw new Error(`The setting ${name} is encrypted, so it can't be visible to clients`)
  return { name, defaultValue: settingText(value), displayName, isVisibleToClients, isEncrypted }
}

function settingText(value: string | number | boolean | null): string | null {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return value === null ? null : String(value)
}
