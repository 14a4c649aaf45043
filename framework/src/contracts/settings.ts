/** A declared setting. Values are always texts; a boolean is `True` or `False`, as .NET writes them. */
export interface SettingDefinition {
  /**
   * E.g. `Abp.Timing.TimeZone`. A name that ends with `.*` stands for all that go on from it: one setting for
   * each of an open set of things.
   */
  readonly name: string
  /** The value where no provider sets one; null for none. */
  readonly defaultValue: string | null
  readonly displayName: string
  /** Sent to every client, signed in or not. */
  readonly isVisibleToClients: boolean
  /** Stored encrypted. Such a setting is never visible to clients. */
  readonly isEncrypted: boolean
  /** A value as it is kept, `true` as `True`; undefined for one that the setting can't have. */
  read(value: string): string | undefined
}

/**
 * The options of a setting's declaration; by default a setting is empty, hidden from clients and stored
 * unencrypted. The default decides the type: a boolean, a whole number or a text.
 */
export interface SettingOptions extends Partial<Omit<SettingDefinition, 'name' | 'defaultValue' | 'read'>> {
  readonly default?: string | number | boolean | null
  /** The least and the most that a number may be. */
  readonly range?: readonly [least: number, most: number]
  /** True when a text, or a number in its range, is a value of the setting. */
  readonly accepts?: (value: string) => boolean
}

/**
 * Declares a setting; list it in `settings` of a module. Throws for one that is both encrypted and visible to
 * clients.
 * @example defineSetting('Abp.Timing.TimeZone', { default: 'UTC', displayName: 'Time zone', isVisibleToClients: true })
 */
export function defineSetting(name: string, options: SettingOptions = {}): SettingDefinition {
  const {
    default: value = null,
    displayName = name,
    isVisibleToClients = false,
    isEncrypted = false,
    range = [-2147483648, 2147483647],
    accepts = () => true,
  } = options
  if (isEncrypted && isVisibleToClients)
    throw new Error(`The setting ${name} is encrypted, so it can't be visible to clients`)
  const read = typeof value === 'boolean' ? booleanText : typeof value === 'number' ? within(range) : sameText
  return {
    name,
    defaultValue: settingText(value),
    displayName,
    isVisibleToClients,
    isEncrypted,
    read: (text) => {
      const kept = read(text)
      return kept !== undefined && accepts(kept) ? kept : undefined
    },
  }
}

/** A value as the text that settings hold. */
export function settingText(value: string | number | boolean): string
export function settingText(value: string | number | boolean | null): string | null
export function settingText(value: string | number | boolean | null): string | null {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return value === null ? null : String(value)
}

function sameText(text: string): string {
  return text
}

function booleanText(text: string): string | undefined {
  const lower = text.trim().toLowerCase()
  return lower === 'true' ? 'True' : lower === 'false' ? 'False' : undefined
}

function within([least, most]: readonly [number, number]) {
  return (text: string): string | undefined => {
    const number = Number(text)
    const isWhole = /^\s*-?\d+\s*$/.test(text)
    return isWhole && number >= least && number <= most ? String(number) : undefined
  }
}
