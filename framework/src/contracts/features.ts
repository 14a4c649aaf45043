/** A feature as its module declares it. Values are always texts; a toggle is `true` or `false`, which Angular compares exactly. */
export interface FeatureDefinition {
  /** E.g. `SettingManagement.Enable`. */
  readonly name: string
  readonly defaultValue: string
  readonly displayName: string
  /** Either on or off. */
  readonly isToggle: boolean
  /** Sent to every client, signed in or not. */
  readonly isVisibleToClients: boolean
}

/** What a feature is declared with; a default that is a boolean makes it a toggle. */
export interface FeatureOptions
  extends Partial<Pick<FeatureDefinition, 'displayName' | 'isVisibleToClients'>> {
  readonly default: string | number | boolean
}

/**
 * Declares a feature, visible to clients unless it says otherwise; list it in `features` of a module.
 * @example defineFeature('SettingManagement.Enable', { default: true, displayName: 'Enable setting management' })
 */
export function defineFeature(name: string, options: FeatureOptions): FeatureDefinition {
  const { default: value, displayName = name, isVisibleToClients = true } = options
  return {
    name,
    defaultValue: String(value),
    displayName,
    isToggle: typeof value === 'boolean',
    isVisibleToClients,
  }
}
