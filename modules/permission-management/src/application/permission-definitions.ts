import { Application, Injectable } from '@keel/framework'
import type { GrantProvider, PermissionDefinition } from '@keel/framework/contracts'
import { definitionTree } from '../domain/definition-tree.js'
import { allows } from '../domain/verdict.js'

/** A permission in the words of a culture. */
export interface ShownPermission {
  readonly definition: PermissionDefinition
  readonly displayName: string
}

/** A group of permissions in the words of a culture. */
export interface ShownGroup {
  readonly name: string
  readonly displayName: string
  readonly displayNameKey: string
  readonly displayNameResource: string
  readonly permissions: readonly ShownPermission[]
}

/** All permissions of the host as a tree, with their names in every language; neither changes while the host runs. */
@Injectable()
export class PermissionDefinitions {
  private readonly shown = new Map<string, readonly ShownGroup[]>()

  constructor(private readonly application: Application) {}

  /** The groups that have permissions which a provider can grant, with these. A permission whose parent it can't grant is not among them. */
  for(provider: GrantProvider, culture: string): ShownGroup[] {
    return this.in(culture)
      .map((group) => ({ ...group, permissions: grantable(group.permissions, provider) }))
      .filter(({ permissions }) => permissions.length > 0)
  }

  /** The name of a permission in a culture; the permission itself where no module has a text. */
  displayName(permission: string, culture: string): string {
    return this.application.localization.find(keyOf(permission), culture) ?? permission
  }

  private in(culture: string): readonly ShownGroup[] {
    const known = this.shown.get(culture) ?? this.show(culture)
    this.shown.set(culture, known)
    return known
  }

  private show(culture: string): ShownGroup[] {
    const resources = this.application.localization.resources(culture)
    return definitionTree(this.application.permissions.values()).map(({ name, permissions }) => ({
      name,
      displayName: this.displayName(name, culture),
      displayNameKey: keyOf(name),
      displayNameResource: resources.find(({ texts }) => Object.hasOwn(texts, keyOf(name)))?.name ?? '',
      permissions: permissions.map((definition) => ({
        definition,
        displayName: this.displayName(definition.name, culture),
      })),
    }))
  }
}

const keyOf = (name: string): string => `Permission:${name}`

function grantable(permissions: readonly ShownPermission[], provider: GrantProvider): ShownPermission[] {
  const dropped = new Set<string>()
  return permissions.filter(({ definition }) => {
    const isShown =
      allows(definition, provider) && !(definition.parent !== undefined && dropped.has(definition.parent))
    if (!isShown) dropped.add(definition.name)
    return isShown
  })
}
