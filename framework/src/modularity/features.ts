import type { FeatureDefinition } from '../contracts/index.js'
import type { Configuration } from './configuration.js'
import type { LoadedModule } from './loaded-module.js'
import { uniqueDefinitions } from './settings.js'
import { StartupError } from './startup-error.js'

/** Texts by the name of a feature. */
export type FeatureValues = ReadonlyMap<string, string>

/**
 * Extension point: values that were set while the system runs. The feature-management module provides it;
 * without one, features have their default or what the configuration says.
 */
export abstract class FeatureSource {
  /**
   * Grows with each change of a value; undefined while changes are not heard, and then nothing made of values
   * may be kept.
   */
  abstract readonly version: number | undefined
  /** The values set for the whole system: ABP's provider `T` without a tenant. */
  abstract ofHost(): FeatureValues | Promise<FeatureValues>
}

/**
 * The features of all modules and what they are now. The first that says something wins: what was set for the
 * whole system (ABP's provider `T`), the configuration `Features:<Name>` (`C`), the default of the definition
 * (`D`).
 */
export class Features {
  readonly definitions: ReadonlyMap<string, FeatureDefinition>
  /** The features that modules switched on for the whole system, by name. */
  readonly enabledGlobally: readonly string[]
  /** The values of the configuration, by name. */
  readonly configured: FeatureValues
  /** Defaults with the configuration over them: what is known without asking the source. */
  private readonly stated: FeatureValues

  constructor(
    modules: readonly LoadedModule[],
    configuration: Configuration,
    private readonly source: () => FeatureSource | undefined,
  ) {
    this.definitions = uniqueDefinitions('feature', modules, ({ features }) => features)
    const definitions = [...this.definitions.values()]
    this.configured = new Map(definitions.flatMap((feature) => configuredValue(feature, configuration)))
    this.stated = new Map([
      ...definitions.map(({ name, defaultValue }) => [name, defaultValue] as const),
      ...this.configured,
    ])
    this.enabledGlobally = [...new Set(modules.flatMap(({ options }) => options.globalFeatures ?? []))]
  }

  /**
   * Changes with the values of the source; constant without one, undefined while its changes are not heard.
   */
  get version(): number | undefined {
    const source = this.source()
    return source ? source.version : 0
  }

  /** The value of a feature. Throws for one that no module declares. */
  async valueOf(name: string): Promise<string> {
    const stated = this.stated.get(name)
    if (stated === undefined) throw new Error(`There is no feature ${name}: list it in features of a module`)
    return (await this.source()?.ofHost())?.get(name) ?? stated
  }

  /**
   * The value of a feature that is not set: of the configuration, else the default; undefined for a feature
   * that no module declares.
   */
  statedValueOf(name: string): string | undefined {
    return this.stated.get(name)
  }

  /** True when a toggle is on. */
  async isEnabled(name: string): Promise<boolean> {
    return (await this.valueOf(name)) === 'true'
  }

  /** Every feature that clients may see, with its value. */
  async visibleValues(): Promise<Record<string, string>> {
    const set = await this.source()?.ofHost()
    const visible = [...this.definitions.values()].filter(({ isVisibleToClients }) => isVisibleToClients)
    return Object.fromEntries(
      visible.map(({ name, defaultValue }) => [
        name,
        set?.get(name) ?? this.stated.get(name) ?? defaultValue,
      ]),
    )
  }
}

function configuredValue(
  feature: FeatureDefinition,
  configuration: Configuration,
): readonly (readonly [string, string])[] {
  const key = `Features:${feature.name}`
  const configured = configuration.get(key)
  if (configured === undefined) return []
  const value = feature.read(configured)
  if (value === undefined)
    throw new StartupError(
      `${key} is "${configured}" (from ${configuration.sourceOf(key)}): ${feature.isToggle ? 'set it to true or false' : 'this is no value of the feature'}`,
    )
  return [[feature.name, value]]
}
