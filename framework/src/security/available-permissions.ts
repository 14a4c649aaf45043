import type { PermissionDefinition } from '../contracts/index.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { KeelModule, Module } from '../modularity/module.js'
import { StartupError } from '../modularity/startup-error.js'

/**
 * The permissions that count now. A permission whose feature or setting is off counts as granted to nobody, whatever grants say, and no list
 * of permissions shows it. Its grants stay, and count again when the feature or setting is on.
 */
@Injectable()
export class AvailablePermissions {
  private readonly conditional: readonly PermissionDefinition[]
  /** The answer of the last {@link withheld}: at least as new as the newest principal. */
  lastWithheld: ReadonlySet<string> = new Set()

  constructor(private readonly application: Application) {
    this.conditional = [...application.permissions.values()].filter(({ requires }) => requires?.length)
  }

  /** Changes with the features and settings that permissions require; undefined while changes are not heard. */
  get version(): number | undefined {
    if (this.conditional.length === 0) return 0
    const { version: features } = this.application.features
    const { version: settings } = this.application.settings
    // Both only grow, and so does their sum.
    return features === undefined || settings === undefined ? undefined : features + settings
  }

  /** The permissions that do not count now. */
  async withheld(): Promise<ReadonlySet<string>> {
    if (this.conditional.length === 0) return this.lastWithheld
    const checked = await Promise.all(
      this.conditional.map(async ({ name, requires = [] }) => ({
        name,
        isMet: (await Promise.all(requires.map((one) => this.isMet(one)))).every(Boolean),
      })),
    )
    this.lastWithheld = new Set(checked.filter(({ isMet }) => !isMet).map(({ name }) => name))
    return this.lastWithheld
  }

  private isMet({ kind, name }: NonNullable<PermissionDefinition['requires']>[number]): Promise<boolean> {
    const { features, settings } = this.application
    return kind === 'feature' ? features.isEnabled(name) : settings.isOn({ name })
  }
}

/** Gives {@link AvailablePermissions} to modules that check permissions and to those that keep grants. */
@Module({ services: [AvailablePermissions] })
export class AvailablePermissionsModule extends KeelModule {}

/** Stops the start of a host in which a permission requires a feature or a setting that no module lists. */
export function checkRequirements(application: Application): void {
  for (const { name, requires = [] } of application.permissions.values())
    for (const requirement of requires)
      if (!application[`${requirement.kind}s`].definitions.has(requirement.name))
        throw new StartupError(
          `The permission ${name} requires the ${requirement.kind} ${requirement.name}, which no module of this host lists in ${requirement.kind}s`,
        )
}
