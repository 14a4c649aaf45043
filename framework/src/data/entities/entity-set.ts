import type { AnyDto } from '../../contracts/dto.js'
import type { LoadedModule, PublishedSet } from '../../modularity/loaded-module.js'
import type { Policy } from '../../modularity/policy.js'
import type { Sql } from '../wire/sql.js'
import type { ColumnType, EntityClass } from './entity.js'
import type { FacetField } from './facet-field.js'

/** The name of an attribute of an entity. */
export type AttributeOf<E extends EntityClass> = keyof InstanceType<E> & string

/** The rows of another entity set that hold our id, as a navigation property. */
export interface SetCollection {
  readonly entity: () => EntityClass
  /** The attribute of `entity` that references us. */
  readonly by: string
}

/**
 * The rows of another entity set that rows of a third entity link to ours, as a navigation property. Row rules of that entity hold for its rows;
 * it need not be published, and no permission but that of the set that it leads to is asked.
 */
export interface SetLinks {
  readonly entity: () => EntityClass
  /** The entity whose rows are the links. */
  readonly through: () => EntityClass
  /** The attribute of `through` that references us. */
  readonly by: string
  /** The attribute of `through` that references `entity`. */
  readonly to: string
}

/** Attributes of an entity that stand together as one property with a type of its own: `{ members: { city: 'addressCity' } }`. */
export interface SetComplex<E extends EntityClass = EntityClass> {
  /** From the name of each member to the attribute that it is. */
  readonly members: Readonly<Record<string, AttributeOf<E>>>
  /** Name of the type, which several sets may share if its members are the same; that of the entity and the property when not given. */
  readonly typeName?: string
}

/** A property that SQL computes of one attribute. */
export interface ComputedProperty<E extends EntityClass = EntityClass> {
  readonly of: AttributeOf<E>
  /** Of the computed value. */
  readonly type: ColumnType
  /**
   * The value, given a reference to the column: without parameters, of names and constants of our own code. It must fail for no value.
   * @param modules those of the host
   */
  sql(reference: Sql, modules: readonly Pick<LoadedModule, 'options'>[]): Sql
}

/**
 * The options of an entity set beside its name, entity and permission. Published are the key, what the DTO declares, and what is named besides:
 * `dto` or `also` has to be there. Of JSON only lists of objects that the DTO declares are (`lines: listOf(LineDto)`), with their members of plain
 * types; extra properties and the marks of deleted rows never are.
 */
export interface EntitySetOptions<E extends EntityClass = EntityClass> {
  /**
   * The DTO of the rows in REST. The set publishes each attribute that has a member in it, and each reference
   * whose target the DTO shows (`originPort` for `originPortId`). Secrets are not published: attributes
   * marked as secret, and texts with the name of one. A member that is `restrictedTo` a permission needs it
   * here too.
   */
  readonly dto?: AnyDto
  /** Attributes that are published although no DTO declares them. */
  readonly also?: readonly AttributeOf<E>[]
  /**
   * Properties that are made of several attributes, by their names: `{ address: { members: { city: 'addressCity' } } }` is `Address/City`. These attributes are
   * published there and nowhere else.
   */
  readonly complex?: Readonly<Record<string, SetComplex<E>>>
  /** Properties that no attribute is, by their names: `{ parentNames: { of: 'name', … } }` is `ParentNames`. Null where `of` is. */
  readonly computed?: Readonly<Record<string, ComputedProperty<E>>>
  /**
   * A policy that callers must meet beside the permission of the set, for rules that no permission can state.
   */
  readonly policy?: Policy
  /** Attributes that `$search` looks into; without any the set can't be searched. */
  readonly searchable?: readonly AttributeOf<E>[]
  /** Navigation properties to many, by their names: `{ ports: { … } }` is `Ports`. Those to one come from the columns that reference an entity. */
  readonly collections?: Readonly<Record<string, SetCollection | SetLinks>>
  /**
   * Fields that are counted by value for `@core.facets`; when not given, all enumerations, and all references to public lists with a `code`
   * that the caller may read.
   */
  readonly facets?: readonly FacetField[]
  /** The most rows of one page; 1000 when not given. */
  readonly maxPageSize?: number
  /** Name of the type; the entity's when not given. */
  readonly typeName?: string
}

/** An entity set as a module lists it. */
export interface EntitySetDeclaration extends PublishedSet {
  readonly name: string
  readonly entity: EntityClass
  /** The permission to read the rows that the row rules show to the caller. */
  readonly permission: string
  readonly options: EntitySetOptions
}

/**
 * Publishes the rows of an entity to OData. It stands in the list `odata` of the module.
 * @example entitySet('Ports', Port, PortPermissions.View, { dto: PortDto, searchable: ['unLocode', 'name'] })
 */
export function entitySet<E extends EntityClass>(
  name: string,
  entity: E,
  permission: string,
  options: EntitySetOptions<E>,
): EntitySetDeclaration {
  return { name, entity, permission, options: options as unknown as EntitySetOptions }
}
