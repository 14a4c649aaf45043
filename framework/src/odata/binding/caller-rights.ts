import { ambient } from '../../modularity/ambient.js'
import type { Policy } from '../../modularity/policy.js'
import { demandPermission, demandPolicy, hasPermission } from '../../security/authorization.js'
import type {
  ComplexProperty,
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

  /** The property of this name that the caller may see; in any case when none is written exactly so. */
  property(type: EntityType, name: string): Property | undefined {
    const found = named(type.properties, name)
    return found && this.maySee(found) ? found : undefined
  }

  /** The property with several values or objects of this name that the caller may see. */
  list(type: EntityType, name: string): ListProperty | ObjectsProperty | undefined {
    const found = named(type.lists, name)
    return found && this.maySee(found) ? found : undefined
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

  /** All complex properties, with those members that the caller may see. */
  complexes(type: EntityType): ComplexProperty[] {
    return [...type.complexes.values()].flatMap((complex) => this.seen(complex) ?? [])
  }

  private seen(complex: ComplexProperty): ComplexProperty | undefined {
    const members = new Map([...complex.members].filter(([, member]) => this.maySee(member)))
    if (members.size === complex.members.size) return complex
    return members.size ? { ...complex, members } : undefined
  }

  /** The navigation property of this name, whether the caller may follow it or not. */
  navigation(type: EntityType, name: string): Navigation | undefined {
    return named(type.navigations, name)
  }

  /** All properties that the caller may see. */
  properties(type: EntityType): Property[] {
    return [...type.properties.values()].filter((property) => this.maySee(property))
  }

  /** The permissions and policies asked for so far, and whether the caller held them. */
  get decisions(): ReadonlyMap<Right, boolean> {
    return this.asked
  }

  private maySee({ permission }: Pick<Property, 'permission'>): boolean {
    return permission === undefined || this.has(permission)
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
