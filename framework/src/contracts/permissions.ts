import { isMultiTenancyEnabled } from './multi-tenancy.js'

/**
 * A role of the product, declared in code so that permissions can name it. It holds its own grants and those
 * of all its parents.
 */
export interface Role {
  readonly name: string
  readonly parents: readonly Role[]
  /** New users get it. */
  readonly isDefault: boolean
  /** Can't be renamed or deleted. */
  readonly isStatic: boolean
  /** Shown to everybody who may pick roles. */
  readonly isPublic: boolean
  /** Its holders may give and take what they do not hold themselves. */
  readonly isAdministrator?: boolean
}

/** Declares a role. */
export function defineRole(name: string, options: Partial<Omit<Role, 'name'>> = {}): Role {
  return { name, parents: [], isDefault: false, isStatic: false, isPublic: true, ...options }
}

/** Where a grant can stand (ABP's permission value providers): at a user, a role, a client or an API key. */
export type GrantProvider = 'U' | 'R' | 'C' | 'AK'

/** A permission as its class declared it. */
export interface PermissionDefinition {
  readonly name: string
  readonly group: string
  /** A child makes sense only together with its parent; it is never granted by it (ABP). */
  readonly parent: string | undefined
  readonly grantedTo: readonly Role[]
  /** The only providers whose grants count, none when it is empty; all of them when not given. */
  readonly providers?: readonly GrantProvider[]
  /** The toggles that have to be on; while one is off the permission is granted to nobody and is not listed. */
  readonly requires?: readonly PermissionRequirement[]
}

/** A feature or a setting that a permission requires to be on. */
export interface PermissionRequirement {
  readonly kind: 'feature' | 'setting'
  readonly name: string
}

/** A class whose static strings are permission names, marked with {@link PermissionGroup}. */
export type PermissionClass = abstract new () => object

const groups = new WeakMap<object, { readonly name: string; readonly position: number }>()
let declared = 0
const grants = new WeakMap<object, Map<string, readonly Role[]>>()
const restrictions = new WeakMap<object, Map<string, readonly GrantProvider[]>>()
/** Requirements by member; those of the whole class under an empty name. */
const requirements = new WeakMap<object, Map<string, readonly PermissionRequirement[]>>()

/**
 * Marks a class of permission names as part of a definition group.
 * @example
 * @PermissionGroup('Hub')
 * export class PortPermissions extends crudPermissions('Port', { View: [DefaultCustomer] }) {}
 */
export function PermissionGroup(group: string) {
  return (target: PermissionClass): void => {
    groups.set(target, { name: group, position: declared++ })
  }
}

/**
 * The permission classes among what a door exports (`import * as contracts`), in the order in which they are declared.
 * @example permissionsIn(contracts)
 */
export function permissionsIn(exported: object): PermissionClass[] {
  const position = (target: object): number => groups.get(target)?.position ?? 0
  return Object.values(exported)
    .filter((value): value is PermissionClass => typeof value === 'function' && groups.has(value))
    .sort((a, b) => position(a) - position(b))
}

/** Grants a permission to roles when they are seeded, and to all roles below. For static members. */
export function GrantedTo(...roles: readonly Role[]) {
  return (target: object, member: string): void => addGrant(target, member, roles)
}

/**
 * Says that a permission can be granted to holders of these kinds alone. Stands on a static member.
 * @example @OnlyFor('C') static readonly UserLookup = 'AbpIdentity.UserLookup'
 */
export function OnlyFor(...providers: readonly GrantProvider[]) {
  return (target: object, member: string): void => {
    const own = restrictions.get(target) ?? new Map<string, readonly GrantProvider[]>()
    restrictions.set(target, own.set(member, providers))
  }
}

/**
 * Says that a permission has no meaning while {@link isMultiTenancyEnabled} is false. Until then nobody can
 * be granted it, grants that exist do not count, and no client offers the command that it guards. Stands on a
 * static member.
 * @example `@OnlyWithTenants static readonly Create = 'AbpTenantManagement.Tenants.Create'`
 */
export function OnlyWithTenants(target: object, member: string): void {
  if (!isMultiTenancyEnabled) OnlyFor()(target, member)
}

/**
 * Says that a permission, or each one of a class, counts only while a feature is on (ABP's `RequireFeatures`): else it is granted to nobody and
 * no list shows it. Its grants stay.
 * @example @PermissionGroup('Fleet') @OnlyWithFeature(Tracking) export class TrackingPermissions extends crudPermissions('Track') {}
 */
export function OnlyWithFeature(feature: {
  readonly name: string
}): (target: object, member?: string) => void {
  return requiring({ kind: 'feature', name: feature.name })
}

/** The same for a setting that is `true` for everybody. */
export function OnlyWithSetting(setting: {
  readonly name: string
}): (target: object, member?: string) => void {
  return requiring({ kind: 'setting', name: setting.name })
}

function requiring(requirement: PermissionRequirement): (target: object, member?: string) => void {
  return (target, member = '') => {
    const own = requirements.get(target) ?? new Map<string, readonly PermissionRequirement[]>()
    requirements.set(target, own.set(member, [...(own.get(member) ?? []), requirement]))
  }
}

function addGrant(target: object, member: string, roles: readonly Role[]): void {
  const own = grants.get(target) ?? new Map<string, readonly Role[]>()
  grants.set(target, own.set(member, roles))
}

/** The static members of a class made by {@link crudPermissions}. */
export interface CrudPermissionNames<N extends string> {
  new (): object
  readonly View: `${N}.View`
  readonly Create: `${N}.Create`
  readonly Edit: `${N}.Edit`
  readonly Delete: `${N}.Delete`
}

/** The permissions `Thing.View`, `.Create`, `.Edit`, `.Delete` of an entity, and the roles of each. */
export function crudPermissions<N extends string>(
  name: N,
  grantedTo: Partial<Record<'View' | 'Create' | 'Edit' | 'Delete', readonly Role[]>> = {},
): CrudPermissionNames<N> {
  class CrudPermissions {
    static readonly View = `${name}.View`
    static readonly Create = `${name}.Create`
    static readonly Edit = `${name}.Edit`
    static readonly Delete = `${name}.Delete`
  }
  for (const [member, roles] of Object.entries(grantedTo)) addGrant(CrudPermissions, member, roles)
  return CrudPermissions as unknown as CrudPermissionNames<N>
}

/**
 * The permissions a class declares, its base's first. The parent of a permission is the one that its name
 * goes on from (`AbpIdentity.Users` of `AbpIdentity.Users.Create`), else the class's `View`. Throws when the
 * class lacks {@link PermissionGroup}.
 */
export function permissionsOf(target: PermissionClass): PermissionDefinition[] {
  const group = groups.get(target)?.name
  if (!group) throw new Error(`${target.name} is listed as permissions but has no @PermissionGroup('…')`)
  const members = new Map<
    string,
    Pick<PermissionDefinition, 'name' | 'grantedTo' | 'providers' | 'requires'>
  >()
  const classes = lineage(target)
  const ofClass = classes.flatMap((cls) => requirements.get(cls)?.get('') ?? [])
  for (const cls of classes) {
    for (const [member, value] of Object.entries(cls)) {
      if (typeof value !== 'string') continue
      const providers = restrictions.get(cls)?.get(member)
      const grantedTo = grants.get(cls)?.get(member) ?? []
      const requires = [...ofClass, ...(requirements.get(cls)?.get(member) ?? [])]
      members.set(member, {
        name: value,
        grantedTo,
        ...(providers && { providers }),
        ...(requires.length > 0 && { requires }),
      })
    }
  }
  const view = members.get('View')?.name
  const names = [...members.values()].map(({ name }) => name)
  return [...members.values()].map((member) => ({
    ...member,
    group,
    parent: parentAmong(names, member.name) ?? (member.name === view ? undefined : view),
  }))
}

/** The longest name that is a prefix of another: `AbpIdentity.Users` of `AbpIdentity.Users.Create`. */
function parentAmong(names: readonly string[], name: string): string | undefined {
  return names
    .filter((other) => name.startsWith(`${other}.`))
    .sort((a, b) => b.length - a.length)
    .at(0)
}

function lineage(target: object): object[] {
  const parent = Object.getPrototypeOf(target) as object
  return parent === Function.prototype || parent === null ? [target] : [...lineage(parent), target]
}
