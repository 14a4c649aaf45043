import {
  type AnyDto,
  fieldPermissionOf,
  fieldPermissionsIn,
  type OwnField,
  type z,
} from '../../contracts/index.js'
import { pascalCase } from '../../contracts/routes.js'
import { type ColumnMeta, type EntityClass, type EntityMeta, entityMeta } from '../../data/entities/entity.js'
import { ReferenceEntity } from '../../data/entities/entity-bases.js'
import type { EntitySetDeclaration, SetComplex, SetLinks } from '../../data/entities/entity-set.js'
import type { FacetField } from '../../data/entities/facet-field.js'
import {
  demandOwnFieldsMember,
  ownColumn,
  ownFacet,
  ownFieldsEntity,
} from '../../data/entities/own-columns.js'
import {
  type EnumScalar,
  itemScalarOf,
  type Scalar,
  type ScalarSize,
  scalarOf,
  sizeOf,
} from '../../data/query/scalars.js'
import { raw, textOf } from '../../data/wire/sql.js'
import type { LoadedModule } from '../../modularity/loaded-module.js'
import type { OwnFields } from '../../modularity/own-fields.js'
import type { Policy } from '../../modularity/policy.js'
import { isSecretMember } from '../../modularity/secret-member.js'
import { StartupError } from '../../modularity/startup-error.js'
import { uniqueByName } from '../../modularity/unique-names.js'
import {
  enumsOfColumns,
  type NamedEnums,
  type ObjectMember,
  objectMembers,
  objectsIn,
} from './object-members.js'

/** A property with a value. */
export interface Property extends ScalarSize {
  readonly kind: 'property'
  /** PascalCase. */
  readonly name: string
  readonly column: ColumnMeta
  readonly type: Scalar
  readonly nullable: boolean
  /** Callers without it do not see the property, and may not name it. */
  readonly permission: string | undefined
}

/** A property with any number of values: an array in the table. */
export interface ListProperty {
  readonly kind: 'list'
  readonly name: string
  readonly column: ColumnMeta
  /** Of each value. */
  readonly type: Scalar
  /** Callers without it do not see the property, and may not name it. */
  readonly permission: string | undefined
}

/** A property with any number of objects: a JSON array in the table. */
export interface ObjectsProperty {
  readonly kind: 'objects'
  readonly name: string
  readonly column: ColumnMeta
  /** Of each object. */
  readonly type: ComplexType
  readonly members: readonly ObjectMember[]
  /** Callers without it do not see the property, and may not name it. */
  readonly permission: string | undefined
}

/** A property with properties inside: columns of the same row. It is always there. */
export interface ComplexProperty {
  readonly kind: 'complex'
  readonly name: string
  readonly type: ComplexType
  readonly members: ReadonlyMap<string, Property>
}

/** The type of complex properties and of the objects in collections. */
export interface ComplexType {
  readonly name: string
  /** With its namespace. */
  readonly fullName: string
  readonly members: ReadonlyMap<string, Property | ObjectMember>
  /** Of the objects of a collection: what declares their members. */
  readonly schema?: z.ZodObject
}

/** Rows that link others, many to many. */
export interface Links {
  readonly meta: EntityMeta
  /** Holds the key of the entity that a navigation property starts from. */
  readonly own: ColumnMeta
  /** Holds the key of the entity that it leads to. */
  readonly theirs: ColumnMeta
}

/** A property that leads to other entities. */
export interface Navigation {
  readonly kind: 'navigation'
  readonly name: string
  readonly target: EntitySet
  readonly collection: boolean
  /** Of one to one target: there may be none. */
  readonly nullable: boolean
  /** Our property that equals {@link theirs} of the target. */
  readonly own: Property
  readonly theirs: Property
  /** Instead of these being equal: rows that hold both. */
  readonly links: Links | undefined
  /** That of the properties which lead there, and the one that it is of. */
  readonly restricted: Property | undefined
  /** The navigation property of the target that leads back. */
  readonly partner: Navigation | undefined
}

/** The type of a set's rows. */
export interface EntityType {
  readonly name: string
  /** With its namespace. */
  readonly fullName: string
  readonly keys: readonly Property[]
  readonly properties: ReadonlyMap<string, Property>
  readonly lists: ReadonlyMap<string, ListProperty | ObjectsProperty>
  readonly complexes: ReadonlyMap<string, ComplexProperty>
  readonly navigations: ReadonlyMap<string, Navigation>
}

/** A field of a set whose values are counted. */
export interface SetFacet {
  readonly field: FacetField
  /**
   * The set whose codes are shown for the counted keys; undefined when the counted set itself permits that.
   */
  readonly target?: EntitySet
  /** Of the property that is counted. */
  readonly permission?: string | undefined
  /** Of an own field, which is no attribute of the entity. */
  readonly column?: ColumnMeta
}

/** A set of entities that can be queried. */
export interface EntitySet {
  readonly name: string
  readonly type: EntityType
  readonly entity: EntityClass
  readonly meta: EntityMeta
  /** The module that publishes it. */
  readonly module: string
  readonly permission: string
  readonly policy: Policy | undefined
  /** The DTO that declares its members; undefined where the set names them. */
  readonly dto: AnyDto | undefined
  readonly searchable: readonly Property[]
  readonly facets: readonly SetFacet[]
  readonly maxPageSize: number
}

const namespace = 'Core'
const defaultPageSize = 1000
/** Always the same in rows that can be seen, or whatever an application keeps there. */
const unpublished: ReadonlySet<string> = new Set([
  'isDeleted',
  'deleterId',
  'deletionTime',
  'extraProperties',
])

/** Everything the OData layer publishes: made once, from what the modules of a host list. */
export class EntityModel {
  readonly namespace = namespace
  readonly sets: ReadonlyMap<string, EntitySet>
  /** The enumerations of all properties by name. */
  readonly enums: ReadonlyMap<string, EnumScalar>
  /** The types of complex properties by name. */
  readonly complexTypes: ReadonlyMap<string, ComplexType>
  private readonly setsInAnyCase: ReadonlyMap<string, EntitySet>

  /**
   * @param unserved names of sets that are left out, with what leads to them
   * @param ownFields the fields that the host adds to entities: they become properties
   */
  constructor(
    modules: readonly Pick<LoadedModule, 'name' | 'options'>[],
    readonly unserved: readonly string[] = [],
    ownFields?: Pick<OwnFields, 'all'>,
  ) {
    const declared = modules.flatMap(({ name: module, options }) =>
      ((options.odata ?? []) as readonly EntitySetDeclaration[]).map((set) => ({ set, module })),
    )
    uniqueByName(
      'entity set',
      declared.map(({ set, module }) => ({ name: set.name, thing: set, module })),
      'The address of a set is its name: rename one.',
    )
    const unknown = unserved.find((name) => declared.every(({ set }) => set.name !== name))
    if (unknown !== undefined)
      throw new StartupError(
        `OData:UnservedSets names ${unknown}, which no module of this host publishes. There are ${declared.map(({ set }) => set.name).join(', ')}.`,
      )
    const enums = enumsOfColumns(declared.map(({ set }) => entityMeta(set.entity)))
    for (const { set } of declared)
      if (set.options.dto)
        demandOwnFieldsMember(entityMeta(set.entity), set.options.dto, `The entity set ${set.name}`)
    const drafts = declared
      .filter(({ set }) => !unserved.includes(set.name))
      .map(({ set, module }) =>
        draftOf(set, module, enums, {
          ownFields: ownFieldsOfEntity(modules, set.entity, ownFields),
          computed: computedColumns(set, modules),
        }),
      )
    const byEntity = new Map(drafts.map((draft) => [draft.set.entity, draft]))
    for (const draft of drafts) connect(draft, byEntity)
    for (const draft of drafts) findPartners(draft.set)
    for (const { set, declaration } of drafts)
      Object.assign(set, {
        facets: [...(declaration.options.facets ? set.facets : usualFacets(set)), ...ownFacets(set)],
      })
    this.sets = uniquely(drafts.map(({ set }) => set))
    this.setsInAnyCase = new Map([...this.sets.values()].map((set) => [set.name.toLowerCase(), set]))
    const types = drafts.flatMap(({ set: { type } }) =>
      [
        ...type.properties.values(),
        ...[...type.lists.values()].flatMap((list): readonly (ListProperty | ObjectMember)[] =>
          list.kind === 'list' ? [list] : list.members,
        ),
        ...[...type.complexes.values()].flatMap(({ members }) => [...members.values()]),
      ].map((property) => property.type),
    )
    this.complexTypes = complexTypesOf(drafts.map(({ set }) => set))
    this.enums = uniquely([...new Set(types)].filter((type): type is EnumScalar => typeof type === 'object'))
    checkNames(
      drafts.map(({ set }) => set),
      [...this.complexTypes.values()],
    )
  }

  /** The set of this name: in any case when none is written exactly so. */
  find(name: string): EntitySet | undefined {
    return this.sets.get(name) ?? this.setsInAnyCase.get(name.toLowerCase())
  }
}

interface Draft {
  readonly set: EntitySet
  readonly declaration: EntitySetDeclaration
  /** Those of hidden attributes too: navigation may use them. */
  readonly all: ReadonlyMap<string, Property>
  readonly navigations: Map<string, { -readonly [K in keyof Navigation]: Navigation[K] }>
}

function draftOf(
  declaration: EntitySetDeclaration,
  module: string,
  enums: NamedEnums,
  {
    ownFields,
    computed,
  }: { readonly ownFields: readonly OwnField[]; readonly computed: readonly ColumnMeta[] },
): Draft {
  const { name, entity, permission, options } = declaration
  const meta = entityMeta(entity)
  demandColumns(declaration, meta)
  const all = new Map<string, Property>()
  for (const column of meta.columns.values()) {
    const property = propertyOf(column, permissionOf(declaration, column))
    if (property) all.set(column.attribute, property)
  }
  const own = [
    ...ownFields.flatMap((field) => propertyOf(ownColumn(field, meta), field.permission) ?? []),
    ...computed.flatMap((column) => propertyOf(column, permissionOf(declaration, column)) ?? []),
  ]
  const complexes = Object.entries(options.complex ?? {})
  const inside = new Set<string>(complexes.flatMap(([, { members }]) => Object.values(members)))
  const published = [...all.values()].filter(
    ({ column }) =>
      !inside.has(column.attribute) &&
      (publishes(declaration, column) || (column.primaryKey && !unpublished.has(column.attribute))),
  )
  const typeName = options.typeName ?? meta.name
  const listed = [
    ...[...meta.columns.values()].filter((column) => publishes(declaration, column)),
    ...computed,
  ]
  const lists = listed.flatMap((column) => listOf(column, declaration, typeName, enums) ?? [])
  const navigations: Draft['navigations'] = new Map()
  const owner = { set: name, entity: typeName, all }
  const set: EntitySet = {
    name,
    type: {
      name: typeName,
      fullName: `${namespace}.${typeName}`,
      keys: published.filter(({ column }) => column.primaryKey),
      properties: byName([...published, ...own]),
      lists: byName(lists),
      complexes: byName(complexes.map(([key, complex]) => complexOf(key, complex, owner))),
      navigations,
    },
    entity,
    meta,
    module,
    permission,
    policy: options.policy,
    dto: options.dto,
    searchable: (options.searchable ?? []).flatMap((attribute) => all.get(attribute) ?? []),
    facets: (options.facets ?? []).map((field) => ({
      field,
      permission: all.get(field.attribute)?.permission,
    })),
    maxPageSize: options.maxPageSize ?? defaultPageSize,
  }
  if (set.type.keys.length === 0)
    throw new StartupError(`The entity set ${name} has no key: ${meta.name} needs a published primary key`)
  return { set, declaration, all, navigations }
}

function byName<T extends { readonly name: string }>(things: readonly T[]): ReadonlyMap<string, T> {
  return new Map(things.map((thing) => [thing.name, thing]))
}

/** The permission of the member that shows a column, itself or as what its id refers to. */
function permissionOf(
  { name, options: { dto } }: EntitySetDeclaration,
  { attribute }: ColumnMeta,
): string | undefined {
  const members = [dto?.shape[attribute], dto?.shape[attribute.replace(/Id$/, '')]] as (
    | z.ZodType
    | undefined
  )[]
  const permissions = new Set(members.flatMap((member) => (member ? [fieldPermissionOf(member)] : [])))
  if (permissions.size > 1)
    throw new StartupError(
      `${name}.${attribute} and what it refers to need the same permission: each tells the other`,
    )
  return [...permissions][0]
}

/** Stops the start when a set names columns that are none, or publishes nothing. */
function demandColumns(declaration: EntitySetDeclaration, meta: EntityMeta): void {
  const { name, options } = declaration
  const { also = [], searchable = [], dto } = options
  for (const attribute of [...also, ...searchable])
    if (!meta.columns.has(attribute))
      throw new StartupError(`The entity set ${name} names ${meta.name}.${attribute}, which is no column`)
  if (!dto && !options.also)
    throw new StartupError(
      `The entity set ${name} publishes nothing: name the DTO that declares its attributes (dto), or the attributes (also)`,
    )
}

/** Says whether the DTO of a set or its list `also` publishes a column. */
function publishes({ options }: EntitySetDeclaration, column: ColumnMeta): boolean {
  const { also = [], dto } = options
  const names: readonly string[] = also
  return !unpublished.has(column.attribute) && (names.includes(column.attribute) || declares(dto, column))
}

/** The columns of the computed properties of a set. Stops the start for a name that the entity has, and for an attribute that it lacks. */
function computedColumns(
  { name: set, entity, options }: EntitySetDeclaration,
  modules: readonly Pick<LoadedModule, 'options'>[],
): ColumnMeta[] {
  const { columns } = entityMeta(entity)
  return Object.entries(options.computed ?? {}).map(([attribute, { of, type, sql }]) => {
    const source = columns.get(of)
    if (!source || columns.has(attribute))
      throw new StartupError(
        source
          ? `${set}.${attribute} is computed, but an attribute of the entity has its name`
          : `${set}.${attribute} is computed of ${of}, which is no attribute`,
      )
    const column = { ...source, attribute, type, primaryKey: false, references: undefined }
    const expression = (reference: string) => textOf(sql(raw(reference), modules))
    return { ...column, enumeration: undefined, expression }
  })
}

/** The property that an array or a `jsonb` column becomes; undefined for other columns. */
function listOf(
  column: ColumnMeta,
  declaration: EntitySetDeclaration,
  typeName: string,
  enums: NamedEnums,
): ListProperty | ObjectsProperty | undefined {
  const { attribute } = column
  const property = {
    name: pascalCase(attribute),
    column,
    permission: permissionOf(declaration, column),
  }
  const type = itemScalarOf(column)
  if (type) return { kind: 'list', ...property, type }
  const schema = objectsIn(column, declaration.options.dto?.shape[attribute] as z.ZodType | undefined)
  if (schema && fieldPermissionsIn(schema).size)
    throw new StartupError(
      `${typeName}.${property.name} is one column: restrict it, not the members inside of it`,
    )
  const members = schema ? objectMembers(schema, enums) : []
  if (!schema || !members.length) return undefined
  const name = `${typeName}${property.name}`
  const complex = { name, fullName: `${namespace}.${name}`, members: byName(members), schema }
  return { kind: 'objects', ...property, type: complex, members }
}

function complexOf(
  key: string,
  { members, typeName }: SetComplex,
  { set, entity, all }: { readonly set: string; readonly entity: string; readonly all: Draft['all'] },
): ComplexProperty {
  const name = pascalCase(key)
  const properties = Object.entries(members).map(([member, attribute]): Property => {
    const property = all.get(attribute)
    if (!property || property.column.primaryKey)
      throw new StartupError(
        `${set}.${name}.${member} is ${attribute}, which is no column that can stand there`,
      )
    return { ...property, name: pascalCase(member) }
  })
  const type = typeName ?? `${entity}${name}`
  const own = byName(properties)
  return {
    kind: 'complex',
    name,
    type: { name: type, fullName: `${namespace}.${type}`, members: own },
    members: own,
  }
}

/** The types of complex properties; those of one name must be the same. */
function complexTypesOf(sets: readonly EntitySet[]): ReadonlyMap<string, ComplexType> {
  const found = new Map<string, ComplexType>()
  const look = ({ members }: ComplexType) =>
    JSON.stringify(
      [...members.values()].map(({ name, type, nullable, ...size }) => [
        name,
        type,
        nullable,
        size.maxLength,
        size.precision,
        size.scale,
      ]),
    )
  for (const { name, type: entity } of sets)
    for (const { name: property, type } of complexesOf(entity)) {
      const known = found.get(type.name)
      if (known && look(known) !== look(type))
        throw new StartupError(
          `${name}.${property} is no ${type.name}: another property of that type has other members`,
        )
      found.set(type.name, type)
    }
  return found
}

/** The properties of a type that have a complex type, one or many of them. */
export function complexesOf({ complexes, lists }: EntityType): (ComplexProperty | ObjectsProperty)[] {
  return [...complexes.values(), ...[...lists.values()].filter((list) => list.kind === 'objects')]
}

/** Says whether a DTO has a member for a column or what it refers to. Secrets are always hidden. */
function declares(dto: AnyDto | undefined, { attribute, references }: ColumnMeta): boolean {
  const declared = dto?.shape[attribute] as z.ZodType | undefined
  if (declared) return !isSecretMember(attribute, declared)
  return references !== undefined && attribute.replace(/Id$/, '') in (dto?.shape ?? {})
}

function propertyOf(column: ColumnMeta, permission: string | undefined): Property | undefined {
  const type = scalarOf(column)
  return (
    type && {
      kind: 'property',
      name: pascalCase(column.attribute),
      column,
      type,
      nullable: column.nullable,
      permission,
      ...(typeof type === 'string' && sizeOf(column)),
    }
  )
}

function connect(
  { set, declaration, all, navigations }: Draft,
  drafts: ReadonlyMap<EntityClass, Draft>,
): void {
  for (const own of set.type.properties.values()) {
    const target = own.column.references && drafts.get(own.column.references())
    const [theirs] = target?.set.type.keys ?? []
    if (!target || !theirs || !own.name.endsWith('Id')) continue
    const name = own.name.slice(0, -2)
    const shared = { kind: 'navigation', collection: false, links: undefined, partner: undefined } as const
    const restricted = own.permission === undefined ? undefined : own
    navigations.set(name, {
      ...shared,
      restricted,
      name,
      target: target.set,
      nullable: own.nullable,
      own,
      theirs,
    })
  }
  for (const [written, collection] of Object.entries(declaration.options.collections ?? {})) {
    const name = pascalCase(written)
    const { entity, by } = collection
    const target = drafts.get(entity())
    const links = 'through' in collection ? linksOf(`${set.name}.${name}`, collection) : undefined
    const theirs = links ? target?.set.type.keys[0] : target?.all.get(by)
    const [own] = set.type.keys
    // A module of another host may publish the target; then there is nothing to lead to.
    if (!target) continue
    if (!theirs || !own || !all.has(own.column.attribute))
      throw new StartupError(`${set.name}.${name} leads to ${target.set.meta.name}.${by}, which is no column`)
    const shared = { kind: 'navigation', collection: true, nullable: false, partner: undefined } as const
    const restricted = theirs.permission === undefined ? undefined : theirs
    navigations.set(name, { ...shared, restricted, name, target: target.set, own, theirs, links })
  }
}

function linksOf(place: string, { through, by, to }: SetLinks): Links {
  const meta = entityMeta(through())
  const [own, theirs] = [by, to].map((attribute) => meta.columns.get(attribute))
  if (!own || !theirs)
    throw new StartupError(`${place} is linked through ${meta.name}.${own ? to : by}, which is no column`)
  return { meta, own, theirs }
}

function findPartners(set: EntitySet): void {
  for (const navigation of set.type.navigations.values()) {
    if (!navigation.collection) continue
    const { links } = navigation
    const back = [...navigation.target.type.navigations.values()].find((one) =>
      links
        ? one.links?.meta === links.meta && one.links.own === links.theirs && one.links.theirs === links.own
        : !one.collection && one.own.column === navigation.theirs.column,
    )
    if (!back) continue
    Object.assign(navigation, { partner: back })
    Object.assign(back, { partner: navigation })
  }
}

/** The own fields of an entity. */
function ownFieldsOfEntity(
  modules: readonly Pick<LoadedModule, 'name' | 'options'>[],
  entity: EntityClass,
  ownFields: Pick<OwnFields, 'all'> | undefined,
): OwnField[] {
  return (ownFields?.all ?? []).filter((field) => ownFieldsEntity(modules, field.entity) === entity)
}

/** The facets of the own fields of a set: its enumerations and booleans. */
function ownFacets({ type }: EntitySet): SetFacet[] {
  return [...type.properties.values()].flatMap(({ column, permission }): SetFacet[] => {
    const field = ownFacet(column)
    return field ? [{ field, column, permission }] : []
  })
}

/** The facets of a set that declares none: its enumerations, and references to public lists. */
function usualFacets({ type }: EntitySet): SetFacet[] {
  const open = [...type.properties.values()].filter(
    ({ permission, column }) => permission === undefined && !column.expression,
  )
  const enumerations = open.flatMap(({ name, column, type: scalar }): SetFacet[] => {
    // Sums of flags are useless as facets.
    if (typeof scalar === 'string' || scalar.flags) return []
    const values = scalar.stored === 'number' && { values: Object.fromEntries(scalar.members) }
    return [{ field: { name, attribute: column.attribute, ...values } }]
  })
  const references = [...type.navigations.values()].flatMap(
    ({ name, own, collection, target }): SetFacet[] =>
      !collection && open.includes(own) && isPublicList(target)
        ? [{ field: { name, attribute: own.column.attribute, code: 'code' }, target }]
        : [],
  )
  return [...enumerations, ...references]
}

function isPublicList({ entity, meta }: EntitySet): boolean {
  return entity.prototype instanceof ReferenceEntity && Boolean(meta.watched) && meta.columns.has('code')
}

function uniquely<T extends { readonly name: string }>(things: readonly T[]): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  for (const thing of things) {
    if (found.has(thing.name))
      throw new StartupError(`OData knows two things named ${thing.name}. Rename one.`)
    found.set(thing.name, thing)
  }
  return found
}

/**
 * OData's rules for names: names differ regardless of case, the name of a property differs from that of its
 * type, and names of types differ from those of enumerations.
 */
function checkNames(sets: readonly EntitySet[], complexTypes: readonly ComplexType[]): void {
  uniquely([...sets.map(({ type }) => type), ...complexTypes])
  for (const { name, type } of sets) {
    const seen = new Set([type.name.toLowerCase()])
    for (const member of memberNames(type)) {
      if (seen.has(member.toLowerCase()))
        throw new StartupError(
          `${name}.${member} is no name for a property of ${type.name}: another one, or the type, has it. Say typeName, or hide one.`,
        )
      seen.add(member.toLowerCase())
    }
  }
}

/** The names of everything that entities of a type have. */
export function memberNames({ properties, lists, complexes, navigations }: EntityType): string[] {
  return [properties, lists, complexes, navigations].flatMap((some) => [...some.keys()])
}
