import type { EnumScalar } from '../../data/query/scalars.js'
import type {
  ComplexProperty,
  ComplexType,
  EntityModel,
  EntitySet,
  EntityType,
  ListProperty,
  Navigation,
  ObjectsProperty,
  Property,
} from './entity-model.js'
import { complexesOf } from './entity-model.js'
import { functionNames } from './function-signatures.js'
import type { ObjectMember } from './object-members.js'

/** A value of an annotation, as JSON CSDL writes it; `$Path` names a property that holds it. */
export type AnnotationValue =
  | boolean
  | number
  | string
  | readonly AnnotationValue[]
  | { readonly [member: string]: AnnotationValue }

/** Qualified term → value. */
export type Annotations = Readonly<Record<string, AnnotationValue>>

/** The vocabularies whose terms are used: namespace → where it is described. */
export const vocabularies: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['Core', 'Capabilities', 'Aggregation', 'Measures'].map((name) => [
      `Org.OData.${name}.V1`,
      `https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.${name}.V1`,
    ]),
  ),
  'com.sap.vocabularies.Common.v1': 'https://sap.github.io/odata-vocabularies/vocabularies/Common',
}

/** Annotations of types and of their members. */
export interface Describing {
  type(set: EntitySet): Annotations
  property(set: EntitySet, property: Property): Annotations
  /** Of a property that holds a list or has properties inside. */
  part(set: EntitySet, part: ListProperty | ObjectsProperty | ComplexProperty): Annotations
  navigation(set: EntitySet, navigation: Navigation): Annotations
  /** Of a member inside a property; its set is one that has such properties. */
  complexMember(type: ComplexType, member: Property | ObjectMember, set: EntitySet | undefined): Annotations
  enumeration(type: EnumScalar): Annotations
  enumerationMember(type: EnumScalar, member: string, value: number): Annotations
}

/** Members of annotations whose value is the name of an enumeration's member. */
export const enumTerms: Readonly<Record<string, string>> = {
  'Org.OData.Capabilities.V1.ConformanceLevel': 'Org.OData.Capabilities.V1.ConformanceLevelType',
}

const transformations =
  `filter search groupby aggregate compute concat identity orderby top skip topcount bottomcount topsum bottomsum
  toppercent bottompercent`.split(/\s+/)

/** Annotations of the service as a whole. */
export function containerAnnotations(): Annotations {
  const capability = 'Org.OData.Capabilities.V1'
  return {
    'Org.OData.Core.V1.ODataVersions': '4.0 4.01',
    [`${capability}.ConformanceLevel`]: 'Intermediate',
    [`${capability}.SupportedFormats`]: ['application/json;odata.metadata=minimal;IEEE754Compatible=false'],
    [`${capability}.AsynchronousRequestsSupported`]: false,
    [`${capability}.BatchSupport`]: {
      Supported: true,
      ContinueOnErrorSupported: true,
      ReferencesInRequestBodiesSupported: false,
      ReferencesAcrossChangeSetsSupported: false,
      SupportedFormats: ['multipart/mixed', 'application/json'],
    },
    [`${capability}.CrossJoinSupported`]: false,
    [`${capability}.KeyAsSegmentSupported`]: true,
    [`${capability}.QuerySegmentSupported`]: true,
    [`${capability}.FilterFunctions`]: functionNames,
    'Org.OData.Aggregation.V1.ApplySupportedDefaults': {
      Transformations: transformations,
      Rollup: 'MultipleHierarchies',
    },
  }
}

/** Annotations of a set: the permission that reads it, its capabilities, and that it is read-only. */
export function setAnnotations(
  { permission, searchable, type }: EntitySet,
  limits: { readonly maxExpansionDepth: number },
): Annotations {
  const capability = 'Org.OData.Capabilities.V1'
  return {
    [`${capability}.ReadRestrictions`]: {
      Readable: true,
      Permissions: [{ SchemeName: 'Permission', Scopes: scopesOf(permission, type) }],
    },
    [`${capability}.InsertRestrictions`]: { Insertable: false },
    [`${capability}.UpdateRestrictions`]: { Updatable: false },
    [`${capability}.DeleteRestrictions`]: { Deletable: false },
    [`${capability}.SearchRestrictions`]: { Searchable: searchable.length > 0 },
    [`${capability}.ExpandRestrictions`]: {
      Expandable: type.navigations.size > 0,
      MaxLevels: limits.maxExpansionDepth,
    },
    [`${capability}.CountRestrictions`]: { Countable: true },
    [`${capability}.TopSupported`]: true,
    [`${capability}.SkipSupported`]: true,
  }
}

/** The permission of a set, and those of its restricted properties with these properties. */
function scopesOf(permission: string, { properties, lists, complexes }: EntityType): AnnotationValue[] {
  const inside = [...complexes.values()].flatMap(({ name, members }) =>
    [...members.values()].map((member) => ({ ...member, name: `${name}/${member.name}` })),
  )
  const restricted = new Map<string, string[]>()
  for (const { name, permission: own } of [...properties.values(), ...lists.values(), ...inside])
    if (own !== undefined) restricted.set(own, [...(restricted.get(own) ?? []), name])
  if (!restricted.size) return [{ Scope: permission }]
  const others = [...restricted.values()].flat().map((name) => `,-${name}`)
  return [
    { Scope: permission, RestrictedProperties: `*${others.join('')}` },
    ...[...restricted].map(([Scope, names]) => ({ Scope, RestrictedProperties: names.join() })),
  ]
}

/** A set that has a property of a complex type. */
export function setWith(model: EntityModel, complex: ComplexType): EntitySet | undefined {
  return [...model.sets.values()].find(({ type }) =>
    complexesOf(type).some((property) => property.type === complex),
  )
}

/** The name of a property's type: `Edm.String`, `Core.ShipmentStatus`. */
export function typeNameOf(model: EntityModel, type: string | { readonly name: string }): string {
  return typeof type === 'string' ? `Edm.${type}` : `${model.namespace}.${type.name}`
}
