/** The check of a feature's value: ABP's validators by their names on the wire, with their properties. */
export interface FeatureValidator {
  readonly name: 'NULL' | 'BOOLEAN' | 'NUMERIC' | 'STRING'
  readonly properties: Readonly<Record<string, unknown>>
}

/** A value that can be chosen, and the key of the text that says what it means. */
export interface FeatureChoice {
  readonly value: string
  readonly displayText: string
}

/** The kind of value that a feature has: on or off, one of some, or free text. */
export interface FeatureValueType {
  readonly name: 'ToggleStringValueType' | 'SelectionStringValueType' | 'FreeTextStringValueType'
  readonly validator: FeatureValidator
  /** Of a selection. */
  readonly choices?: readonly FeatureChoice[]
}

/** A declared feature. Values are texts; a toggle is `true` or `false`, which Angular compares exactly. */
export interface FeatureDefinition {
  /** E.g. `SettingManagement.Enable`. Texts: `Feature:<name>` and `Feature:<name>:Description`. */
  readonly name: string
  /** The group under which a dialog shows the feature; its text has the key `Feature:<group>`. */
  readonly group: string
  /** The feature that this one makes sense with. */
  readonly parent: string | undefined
  readonly defaultValue: string
  /** The name that is shown where no text has its key. */
  readonly displayName: string
  /** Either on or off. */
  readonly isToggle: boolean
  readonly valueType: FeatureValueType
  /** Sent to every client, signed in or not. */
  readonly isVisibleToClients: boolean
  /** A value as it is kept, `True` as `true`; undefined for one that the feature can't have. */
  read(value: string): string | undefined
}

/**
 * The options of a feature's declaration: a default that is a boolean makes it a toggle, one that is a number
 * a number, `choices` a selection, all else a text.
 */
export interface FeatureOptions
  extends Partial<Pick<FeatureDefinition, 'displayName' | 'isVisibleToClients' | 'group' | 'parent'>> {
  readonly default: string | number | boolean
  /** The least and the most that a number may be. */
  readonly range?: readonly [least: number, most: number]
  readonly choices?: readonly FeatureChoice[]
}

/**
 * Declares a feature, visible to clients unless it says otherwise and in the group that its name begins with;
 * list it in `features` of a module.
 * @example defineFeature('SettingManagement.Enable', { default: true, displayName: 'Enable setting management' })
 */
export function defineFeature(name: string, options: FeatureOptions): FeatureDefinition {
  const { default: value, displayName = name, isVisibleToClients = true, parent } = options
  const valueType = valueTypeOf(options)
  return {
    name,
    group: options.group ?? (name.split('.')[0] as string),
    parent,
    defaultValue: String(value),
    displayName,
    isToggle: typeof value === 'boolean',
    valueType,
    isVisibleToClients,
    read: readerOf(options),
  }
}

/** ABP keeps a feature's value in 128 characters. */
const longest = 128

function valueTypeOf({ default: value, range = numbers, choices }: FeatureOptions): FeatureValueType {
  if (typeof value === 'boolean')
    return { name: 'ToggleStringValueType', validator: { name: 'BOOLEAN', properties: {} } }
  if (choices)
    return { name: 'SelectionStringValueType', validator: { name: 'NULL', properties: {} }, choices }
  const [MinValue, MaxValue] = range
  const validator: FeatureValidator =
    typeof value === 'number'
      ? { name: 'NUMERIC', properties: { MinValue, MaxValue } }
      : {
          name: 'STRING',
          properties: { AllowNull: true, MinLength: 0, MaxLength: longest, RegularExpression: null },
        }
  return { name: 'FreeTextStringValueType', validator }
}

const numbers = [-2147483648, 2147483647] as const

function readerOf({ default: value, range: [least, most] = numbers, choices }: FeatureOptions) {
  return (text: string): string | undefined => {
    const trimmed = text.trim()
    if (typeof value === 'boolean') return /^(true|false)$/i.test(trimmed) ? trimmed.toLowerCase() : undefined
    if (choices) return choices.find((choice) => choice.value === text)?.value
    if (typeof value !== 'number') return text.length <= longest ? text : undefined
    const isWithin = /^-?\d{1,10}$/.test(trimmed) && Number(trimmed) >= least && Number(trimmed) <= most
    return isWithin ? String(Number(trimmed)) : undefined
  }
}
