import type { ODataLimits } from '../syntax/limits.js'
import {
  type Annotations,
  type AnnotationValue,
  containerAnnotations,
  type Describing,
  enumTerms,
  setAnnotations,
  setWith,
  typeNameOf,
  vocabularies,
} from './csdl.js'
import type { EntityModel, EntitySet, Navigation, Property } from './entity-model.js'
import type { ObjectMember } from './object-members.js'

/** The model as CSDL XML. @param version of OData, as the answer's header says */
export function csdlXml(
  model: EntityModel,
  limits: ODataLimits,
  version: string,
  describing: Describing,
): string {
  const sets = [...model.sets.values()]
  const references = Object.entries(vocabularies).map(([namespace, url]) =>
    element('edmx:Reference', { Uri: `${url}.xml` }, element('edmx:Include', { Namespace: namespace })),
  )
  const enums = [...model.enums.values()].map((type) =>
    element(
      'EnumType',
      { Name: type.name, IsFlags: type.flags || undefined },
      ...[...type.members].map(([member, value]) =>
        element(
          'Member',
          { Name: member, Value: value },
          ...annotations(describing.enumerationMember(type, member, value)),
        ),
      ),
      ...annotations(describing.enumeration(type)),
    ),
  )
  const container = element(
    'EntityContainer',
    { Name: 'Container' },
    ...sets.map((set) => entitySet(set, limits)),
    ...annotations(containerAnnotations()),
  )
  const schema = element(
    'Schema',
    { xmlns: 'http://docs.oasis-open.org/odata/ns/edm', Namespace: model.namespace },
    ...sets.map((set) => entityType(model, set, describing)),
    ...[...model.complexTypes.values()].map((type) =>
      element(
        'ComplexType',
        { Name: type.name },
        ...[...type.members.values()].map((one) =>
          property(model, one, describing.complexMember(type, one, setWith(model, type))),
        ),
      ),
    ),
    ...enums,
    container,
  )
  const edmx = { Version: version, 'xmlns:edmx': 'http://docs.oasis-open.org/odata/ns/edmx' }
  return `<?xml version="1.0" encoding="utf-8"?>\n${element('edmx:Edmx', edmx, ...references, element('edmx:DataServices', {}, schema))}`
}

function entityType(model: EntityModel, set: EntitySet, describing: Describing): string {
  const { type } = set
  return element(
    'EntityType',
    { Name: type.name },
    element('Key', {}, ...type.keys.map(({ name }) => element('PropertyRef', { Name: name }))),
    ...[...type.properties.values()].map((one) => property(model, one, describing.property(set, one))),
    ...[...type.complexes.values()].map((one) =>
      element(
        'Property',
        { Name: one.name, Type: one.type.fullName, Nullable: false },
        ...annotations(describing.part(set, one)),
      ),
    ),
    ...[...type.lists.values()].map((one) =>
      element(
        'Property',
        {
          Name: one.name,
          Type: `Collection(${typeNameOf(model, one.type)})`,
          Nullable: one.kind === 'objects' ? false : undefined,
        },
        ...annotations(describing.part(set, one)),
      ),
    ),
    ...[...type.navigations.values()].map((one) => navigation(one, describing.navigation(set, one))),
    ...annotations(describing.type(set)),
  )
}

function property(
  model: EntityModel,
  { name, type, nullable, maxLength, precision, scale }: Property | ObjectMember,
  said: Annotations,
): string {
  const typeName = typeNameOf(model, type)
  return element(
    'Property',
    {
      Name: name,
      Type: typeName,
      Nullable: nullable ? undefined : false,
      MaxLength: maxLength,
      Precision: typeName === 'Edm.DateTimeOffset' ? 6 : precision,
      // Without one it would be 0.
      Scale: scale ?? (typeName === 'Edm.Decimal' ? 'variable' : undefined),
    },
    ...annotations(said),
  )
}

function navigation(
  { name, target, collection, nullable, own, theirs, partner }: Navigation,
  said: Annotations,
): string {
  const { fullName } = target.type
  return element(
    'NavigationProperty',
    {
      Name: name,
      Type: collection ? `Collection(${fullName})` : fullName,
      Nullable: collection || nullable ? undefined : false,
      Partner: partner?.name,
    },
    ...(collection
      ? []
      : [element('ReferentialConstraint', { Property: own.name, ReferencedProperty: theirs.name })]),
    ...annotations(said),
  )
}

function entitySet(set: EntitySet, limits: ODataLimits): string {
  return element(
    'EntitySet',
    { Name: set.name, EntityType: set.type.fullName },
    ...[...set.type.navigations.values()].map(({ name, target }) =>
      element('NavigationPropertyBinding', { Path: name, Target: target.name }),
    ),
    ...annotations(setAnnotations(set, limits)),
  )
}

function annotations(all: Annotations): string[] {
  return Object.entries(all).map(([term, value]) => annotation(term, value))
}

function annotation(term: string, value: AnnotationValue): string {
  const enumType = enumTerms[term]
  if (enumType) return element('Annotation', { Term: term, EnumMember: `${enumType}/${value}` })
  const plain = plainValue(value)
  return plain
    ? element('Annotation', { Term: term, ...plain })
    : element('Annotation', { Term: term }, expression(value))
}

function plainValue(value: AnnotationValue): Record<string, string | number | boolean> | undefined {
  if (typeof value === 'boolean') return { Bool: value }
  if (typeof value === 'number') return { Int: value }
  if (typeof value === 'string') return { String: value }
  return '$Path' in value ? { Path: String(value.$Path) } : undefined
}

function expression(value: AnnotationValue): string {
  if (typeof value !== 'object') return element('String', {}, escaped(String(value)))
  if (Array.isArray(value)) return element('Collection', {}, ...value.map(expression))
  const members = Object.entries(value).map(([name, member]) => {
    const plain = plainValue(member)
    return plain
      ? element('PropertyValue', { Property: name, ...plain })
      : element('PropertyValue', { Property: name }, expression(member))
  })
  return element('Record', {}, ...members)
}

/** An element; attributes that are undefined are left out. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
  ...children: readonly string[]
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => ` ${attribute}="${escaped(String(value))}"`)
    .join('')
  return children.length ? `<${name}${written}>${children.join('')}</${name}>` : `<${name}${written}/>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (symbol) => `&#${symbol.charCodeAt(0)};`)
}
