import { type SettingDefinition, settingText } from '../contracts/index.js'
import type { Configuration } from './configuration.js'
import type { LoadedModule } from './loaded-module.js'
import { StartupError } from './startup-error.js'
import { listedBy, uniqueByName } from './unique-names.js'

/** Texts by the name of a setting. */
export type SettingValues = ReadonlyMap<string, string>

/**
 * Extension point: values that were set while the system runs. The setting-management module provides it;
 * without one, settings have their default or what the configuration says.
 */
export abstract class SettingSource {
  /**
   * Grows with each change of a value; undefined while changes are not heard, and then nothing made of values
   * may be kept.
   */
  abstract readonly version: number | undefined
  /** The values set for everybody. Those of encrypted settings are decrypted. */
  abstract global(): SettingValues | Promise<SettingValues>
  /** The values that a user set for themselves. */
  abstract ofUser(userId: string): SettingValues | Promise<SettingValues>
}

/**
 * The settings of all modules and what they are now. The first that says something wins: the user (ABP's
 * provider `U`), everybody (`G`), the configuration `Settings:<Name>` (`C`), the default of the definition
 * (`D`). What a host lacks the means for is withheld ({@link Settings.withhold}).
 */
export class Settings {
  readonly definitions: ReadonlyMap<string, SettingDefinition>
  /** Defaults with the configuration over them: what is known without asking the source. */
  private readonly stated: ReadonlyMap<string, string | null>
  private readonly families: readonly SettingDefinition[]
  private readonly withheld = new Map<string, string>()

  constructor(
    modules: readonly LoadedModule[],
    configuration: Configuration,
    private readonly source: () => SettingSource | undefined,
  ) {
    this.definitions = uniqueDefinitions('setting', modules, ({ settings }) => settings)
    this.families = [...this.definitions.values()].filter(({ name }) => name.endsWith('.*'))
    this.stated = new Map([...this.definitions.values()].map((one) => [one.name, stated(one, configuration)]))
  }

  /**
   * The definition of a setting: its own, else that of the family it belongs to, whose name ends with `.*`.
   */
  definitionOf(name: string): SettingDefinition | undefined {
    return this.definitions.get(name) ?? this.families.find((family) => isOf(family, name))
  }

  /**
   * Changes with the values of the source; constant without one, undefined while its changes are not heard.
   */
  get version(): number | undefined {
    const source = this.source()
    return source ? source.version : 0
  }

  /**
   * Gives a setting this value in this host, whatever anybody set: for one whose other values need what the
   * host does not have. Called by modules while the host starts.
   */
  withhold({ name }: SettingDefinition, value: string | boolean): void {
    this.withheld.set(name, settingText(value))
  }

  /**
   * The value of a setting for a user, or for nobody in particular; null when it has none. Throws for one
   * that no module declares.
   */
  async valueOf(name: string, userId?: string): Promise<string | null> {
    if (!this.definitionOf(name))
      throw new Error(`There is no setting ${name}: list it in settings of a module`)
    const withheld = this.withheld.get(name)
    if (withheld !== undefined) return withheld
    const [everybody, own] = await this.sourced(userId)
    return own?.get(name) ?? everybody?.get(name) ?? this.stated.get(name) ?? null
  }

  /** True when a setting is on for everybody. Throws for one that no module declares. */
  async isOn({ name }: Pick<SettingDefinition, 'name'>): Promise<boolean> {
    return (await this.valueOf(name))?.toLowerCase() === 'true'
  }

  /** The value of a setting that is not set: of the configuration, else the default; null for neither. */
  statedValueOf(name: string): string | null {
    return this.stated.get(name) ?? null
  }

  /** Every setting that clients may see, with its value for a user or for nobody in particular. */
  async visibleValues(userId?: string): Promise<Record<string, string | null>> {
    const [everybody, own] = await this.sourced(userId)
    const values = new Map([...this.stated, ...(everybody ?? []), ...(own ?? []), ...this.withheld])
    const visible = [...this.definitions.values()].filter(({ isVisibleToClients }) => isVisibleToClients)
    return Object.fromEntries(visible.map(({ name }) => [name, values.get(name) ?? null]))
  }

  /** The values that are set for all users and by one user. */
  private async sourced(
    userId: string | undefined,
  ): Promise<readonly [everybody?: SettingValues, own?: SettingValues]> {
    const source = this.source()
    if (!source) return []
    if (userId === undefined) return [await source.global()]
    return Promise.all([source.global(), source.ofUser(userId)])
  }
}

function isOf({ name: family }: SettingDefinition, name: string): boolean {
  return name.startsWith(family.slice(0, -1)) && name.length >= family.length
}

/**
 * The value of the configuration, else the default. A value that the setting does not allow stops the start.
 */
function stated(definition: SettingDefinition, configuration: Configuration): string | null {
  const key = `Settings:${definition.name}`
  const configured = configuration.get(key)
  if (configured === undefined) return definition.defaultValue
  const value = definition.read(configured)
  if (value === undefined)
    throw new StartupError(
      `${key} is "${configured}" (from ${configuration.sourceOf(key)}), which is no value of this setting; its default is ${definition.defaultValue}`,
    )
  return value
}

/** Definitions that modules list, by name; two of the same name stop the start. */
export function uniqueDefinitions<T extends { readonly name: string }>(
  what: string,
  modules: readonly LoadedModule[],
  pick: (options: LoadedModule['options']) => readonly T[] | undefined,
): ReadonlyMap<string, T> {
  const listed = listedBy(modules, pick).map(({ thing, module }) => ({ name: thing.name, thing, module }))
  return uniqueByName(what, listed, `Names begin with that of their module: rename one.`)
}
