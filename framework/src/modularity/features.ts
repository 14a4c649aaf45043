import type { FeatureDefinition } from '../contracts/index.js'
import type { LoadedModule } from './application.js'
import type { Configuration } from './configuration.js'
import { byName } from './settings.js'
import { StartupError } from './startup-error.js'

/**
 * The features of all modules and what they are: the configuration `Features:<Name>` (ABP's provider `C`), else the default of the
 * definition (`D`).
 */
export class Features {
  readonly definitions: ReadonlyMap<string, FeatureDefinition>
  /** What modules switched on for the whole system, by name. */
  readonly enabledGlobally: readonly string[]
  private readonly values: ReadonlyMap<string, string>

  constructor(modules: readonly LoadedModule[], configuration: Configuration) {
    this.definitions = byName(
      'feature',
      modules.flatMap(({ options }) => options.features ?? []),
    )
    this.values = new Map(
      [...this.definitions.values()].map((feature) => [feature.name, read(feature, configuration)]),
    )
    this.enabledGlobally = [...new Set(modules.flatMap(({ options }) => options.globalFeatures ?? []))]
  }

  /** The value of a feature. Throws for one that no module declares. */
  valueOf(name: string): string {
    const value = this.values.get(name)
    if (value === undefined) throw new Error(`There is no feature ${name}: list it in features of a module`)
    return value
  }

  /** Whether a toggle is on. */
  isEnabled(name: string): boolean {
    return this.valueOf(name) === 'true'
  }

  /** Every feature that clients may see, with its value. */
  visibleValues(): Record<string, string> {
    const visible = [...this.definitions.values()].filter(({ isVisibleToClients }) => isVisibleToClients)
    return Object.fromEntries(visible.map(({ name }) => [name, this.valueOf(name)]))
  }
}

function read({ name, isToggle, defaultValue }: FeatureDefinition, configuration: Configuration): string {
  const key = `Features:${name}`
  const configured = configuration.get(key)
  if (configured === undefined) return defaultValue
  if (!isToggle) return configured
  const value = configured.trim().toLowerCase()
  if (value !== 'true' && value !== 'false')
    throw new StartupError(
      `${key} is "${configured}" (from ${configuration.sourceOf(key)}): set it to true or false`,
    )
  return value
}
