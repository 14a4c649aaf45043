import { ambient } from '../../modularity/ambient.js'
import { demandField } from '../../modularity/field-rights.js'
import type { Policy } from '../../modularity/policy.js'
import { demandPermission, demandPolicy, hasPermission } from '../../security/authorization.js'
import type {
  ComplexProperty,
  ComplexType,
  EntitySet,
  EntityType,
  ListProperty,
  Navigation,
  ObjectsProperty,
  Property,
} from '../model/entity-model.js'

/** A permission or a policy. */
type Right = string | Policy

/**
 * The part of the model that the caller may see. Every permission that was asked for is recorded, because a
 * plan is right only for callers that hold the same ones.
 */
export class CallerRights {
  private readonly asked = new Map<Right, boolean>()
  /** The sets that were demanded. */
  readonly sets = new Set<EntitySet>()

  /** Throws unless the caller may read a set. */
  demand(set: EntitySet): void {
    const { permission, policy } = set
    this.sets.add(set)
    if (policy) {
      demandPolicy(policy)
      this.asked.set(policy, true)
    }
    demandPermission(permission)
    this.asked.set(permission, true)
  }

  /** Says whether the caller may read a set. */
  mayRead({ permission, policy }: EntitySet): boolean {
    return (!policy || this.has(policy)) && this.has(permission)
  }

  /** The property of this name, in any case when none is written exactly so. Throws unless the caller may see it. */
  property(type: EntityType, name: string): Property | undefined {
    return this.demanded(named(type.properties, name))
  }

  /** The property with several values or objects of this name. Throws unless the caller may see it. */
  list(type: EntityType, name: string): ListProperty | ObjectsProperty | undefined {
    return this.demanded(named(type.lists, name))
  }

  /** All properties with several values or objects that the caller may see. */
  lists(type: EntityType): (ListProperty | ObjectsProperty)[] {
    return [...type.lists.values()].filter((list) => this.maySee(list))
  }

  /** The complex property of this name, with those members that the caller may see. */
  complex(type: EntityType, name: string): ComplexProperty | undefined {
    const found = named(type.complexes, name)
    return found && this.seen(found)
  }

  /** Throws when the caller may not see the member of this name of a complex type. */
  demandMember({ members }: Pick<ComplexType, 'members'>, name: string): void {
    const member = named(members, name)
    if (member?.kind === 'property') this.demanded(member)
  }

  /** All complex properties with a member that the caller may see, with those members. */
  complexes(type: EntityType): ComplexProperty[] {
    return [...type.complexes.values()]
      .map((complex) => this.seen(complex))
      .filter(({ members }) => members.size)
  }

  private seen(complex: ComplexProperty): ComplexProperty {
    const members = new Map([...complex.members].filter(([, member]) => this.maySee(member)))
    return members.size === complex.members.size ? complex : { ...complex, members }
  }

  /** The navigation property of this name. Throws unless the caller may see what leads there. */
  navigation(type: EntityType, name: string): Navigation | undefined {
    const found = named(type.navigations, name)
    this.demanded(found?.restricted)
    return found
  }

  /** All navigation properties that the caller may follow. */
  navigations(type: EntityType): Navigation[] {
    return [...type.navigations.values()].filter(
      ({ target, restricted }) => (!restricted || this.maySee(restricted)) && this.mayRead(target),
    )
  }

  /** All properties that the caller may see. */
  properties(type: EntityType): Property[] {
    return [...type.properties.values()].filter((property) => this.maySee(property))
  }

  /** The permissions of properties of a type that the caller lacks: they decide how its rows look. */
  lacked({ properties, lists, complexes }: EntityType): string[] {
    const members = [...complexes.values()].flatMap((complex) => [...complex.members.values()])
    const restricted = [...properties.values(), ...lists.values(), ...members]
    const lacking = restricted.flatMap((one) => (this.maySee(one) ? [] : (one.permission ?? [])))
    return [...new Set(lacking)].sort()
  }

  /** Says whether the caller may see a property, or what is made of one. */
  maySee({ permission }: Pick<Property, 'permission'>): boolean {
    return permission === undefined || this.has(permission)
  }

  /** The permissions and policies asked for so far, and whether the caller held them. */
  get decisions(): ReadonlyMap<Right, boolean> {
    return this.asked
  }

  private demanded<P extends Pick<Property, 'permission' | 'column'>>(found: P | undefined): P | undefined {
    if (found?.permission !== undefined && !this.has(found.permission))
      demandField(found.column.attribute, found.permission)
    return found
  }

  private has(right: Right): boolean {
    const held = holds(right)
    this.asked.set(right, held)
    return held
  }
}

/** Says whether the caller at hand holds the permissions that these decisions were made by. */
export function holdsSameRights(decisions: ReadonlyMap<Right, boolean>): boolean {
  for (const [right, held] of decisions) if (holds(right) !== held) return false
  return true
}

function holds(right: Right): boolean {
  return typeof right === 'string' ? hasPermission(right) : right.admits(ambient().principal)
}

const inAnyCase = new WeakMap<ReadonlyMap<string, unknown>, ReadonlyMap<string, unknown>>()

function named<T>(things: ReadonlyMap<string, T>, name: string): T | undefined {
  const exact = things.get(name)
  if (exact) return exact
  let lower = inAnyCase.get(things) as ReadonlyMap<string, T> | undefined
  if (!lower) {
    lower = new Map([...things].map(([key, thing]) => [key.toLowerCase(), thing]))
    inAnyCase.set(things, lower)
  }
  return lower.get(name.toLowerCase())
}
