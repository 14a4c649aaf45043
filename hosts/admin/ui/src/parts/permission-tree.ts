import type { GetPermissionListResultDto } from '@keel/platform-proxy'

type Listed = InstanceType<typeof GetPermissionListResultDto>
/** A permission as the server lists it for a holder. */
export type ListedPermission = Listed['groups'][number]['permissions'][number]

/** What the holder itself says of a permission. */
export type Answer = 'granted' | 'prohibited' | 'none'
/** The own grants and prohibitions of a holder, by name. */
export interface GrantsOfFile {
  readonly granted: readonly string[]
  readonly prohibited: readonly string[]
}

/** The answers that were changed in the dialog, by permission. */
export type Changes = ReadonlyMap<string, Answer>

/** The permissions of a holder, to be changed. */
export class PermissionTree {
  private readonly byName: ReadonlyMap<string, ListedPermission>

  constructor(
    readonly list: Listed,
    private readonly providerName: string,
    private readonly providerKey: string,
  ) {
    this.byName = new Map(list.groups.flatMap(({ permissions }) => permissions.map((one) => [one.name, one])))
  }

  /** What the holder itself says, before any change. */
  stored({ grantedProviders, prohibitedProviders }: ListedPermission): Answer {
    const isOwn = (one: { providerName: string; providerKey: string }) =>
      one.providerName === this.providerName && one.providerKey === this.providerKey
    if (prohibitedProviders.some(isOwn)) return 'prohibited'
    return grantedProviders.some(isOwn) ? 'granted' : 'none'
  }

  answer(permission: ListedPermission, changes: Changes): Answer {
    return changes.get(permission.name) ?? this.stored(permission)
  }

  /** True when the caller may grant it to this holder. */
  isChangeable({ isEditable, allowedProviders }: ListedPermission): boolean {
    return isEditable && (allowedProviders.length === 0 || allowedProviders.includes(this.providerName))
  }

  /** How deep it stands below the first permission of its branch. */
  depth({ parentName }: ListedPermission): number {
    const parent = parentName === null ? undefined : this.byName.get(parentName)
    return parent ? this.depth(parent) + 1 : 0
  }

  /** Those that take this one first, at any depth. */
  descendants({ name }: ListedPermission): ListedPermission[] {
    return [...this.byName.values()]
      .filter(({ parentName }) => parentName === name)
      .flatMap((child) => [child, ...this.descendants(child)])
  }

  /**
   * The changes after another one. What is granted needs its parents, so these are granted too; what is no longer granted takes its
   * children along.
   */
  change(changes: Changes, permissions: readonly ListedPermission[], to: Answer): Changes {
    const next = new Map(changes)
    const set = (permission: ListedPermission, answer: Answer) => {
      if (!this.isChangeable(permission)) return
      if (this.stored(permission) === answer) next.delete(permission.name)
      else next.set(permission.name, answer)
    }
    for (const permission of permissions) {
      set(permission, to)
      if (to === 'granted') {
        for (let parent = this.parentOf(permission); parent; parent = this.parentOf(parent))
          if (this.answer(parent, next) === 'none') set(parent, 'granted')
      } else {
        for (const child of this.descendants(permission))
          if (this.answer(child, next) === 'granted') set(child, 'none')
      }
    }
    return next
  }

  /** Of changes that were kept those that still are some, and that the caller may still make. */
  stillChanges(kept: readonly (readonly [name: string, answer: Answer])[]): Changes {
    return new Map(
      kept.filter(([name, answer]) => {
        const permission = this.byName.get(name)
        return permission && this.isChangeable(permission) && this.stored(permission) !== answer
      }),
    )
  }

  private parentOf({ parentName }: ListedPermission): ListedPermission | undefined {
    return parentName === null ? undefined : this.byName.get(parentName)
  }

  /** What the holder itself is granted and prohibited, to be kept as a file. */
  file(): GrantsOfFile {
    const all = [...this.byName.values()]
    const names = (answer: Answer) => all.filter((one) => this.stored(one) === answer).map(({ name }) => name)
    return { granted: names('granted').sort(), prohibited: names('prohibited').sort() }
  }

  /** The changes that make the holder what a file says. Permissions that the caller may not change, or that are not known here, are left alone. */
  changesTo({ granted, prohibited }: GrantsOfFile): Changes {
    const next = new Map<string, Answer>()
    for (const permission of this.byName.values()) {
      const { name } = permission
      const answer = prohibited.includes(name) ? 'prohibited' : granted.includes(name) ? 'granted' : 'none'
      if (this.isChangeable(permission) && this.stored(permission) !== answer) next.set(name, answer)
    }
    return next
  }

  /** The changes as the server takes them. */
  input(changes: Changes): { permissions: { name: string; isGranted: boolean; isProhibited: boolean }[] } {
    return {
      permissions: [...changes].map(([name, answer]) => ({
        name,
        isGranted: answer === 'granted',
        isProhibited: answer === 'prohibited',
      })),
    }
  }
}
