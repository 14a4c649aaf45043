import type { ODataLimits } from '../syntax/limits.js'
import {
  type Annotations,
  containerAnnotations,
  type Describing,
  setAnnotations,
  setWith,
  typeNameOf,
  vocabularies,
} from './csdl.js'
import type { EntityModel, EntitySet, Navigation, Property } from './entity-model.js'
import type { ObjectMember } from './object-members.js'

type Json = { [member: string]: unknown }

/** The model as CSDL JSON. @param version of OData, as the answer's header says */
export function csdlJson(
  model: EntityModel,
  limits: ODataLimits,
  version: string,
  describing: Describing,
): Json {
  const { namespace } = model
  const sets = [...model.sets.values()]
  return {
    $Version: version,
    $EntityContainer: `${namespace}.Container`,
    $Reference: Object.fromEntries(
      Object.entries(vocabularies).map(([name, url]) => [
        `${url}.json`,
        { $Include: [{ $Namespace: name }] },
      ]),
    ),
    [namespace]: {
      ...Object.fromEntries(
        [...model.enums].map(([name, type]) => [
          name,
          {
            $Kind: 'EnumType',
            ...(type.flags && { $IsFlags: true }),
            ...annotated(describing.enumeration(type)),
            ...Object.fromEntries(
              [...type.members].flatMap(([member, value]) => [
                [member, value],
                ...Object.entries(annotated(describing.enumerationMember(type, member, value), member)),
              ]),
            ),
          },
        ]),
      ),
      ...Object.fromEntries(sets.map((set) => [set.type.name, entityType(model, set, describing)])),
      ...Object.fromEntries(
        [...model.complexTypes.values()].map((type) => [
          type.name,
          {
            $Kind: 'ComplexType',
            ...Object.fromEntries(
              [...type.members.values()].map((one) => [
                one.name,
                {
                  ...property(model, one),
                  ...annotated(describing.complexMember(type, one, setWith(model, type))),
                },
              ]),
            ),
          },
        ]),
      ),
      Container: {
        $Kind: 'EntityContainer',
        ...annotated(containerAnnotations()),
        ...Object.fromEntries(sets.map((set) => [set.name, entitySet(set, limits)])),
      },
    },
  }
}

function entityType(model: EntityModel, set: EntitySet, describing: Describing): Json {
  const { type } = set
  return {
    $Kind: 'EntityType',
    $Key: type.keys.map(({ name }) => name),
    ...annotated(describing.type(set)),
    ...Object.fromEntries(
      [...type.properties.values()].map((one) => [
        one.name,
        { ...property(model, one), ...annotated(describing.property(set, one)) },
      ]),
    ),
    ...Object.fromEntries(
      [...type.complexes.values()].map((one) => [
        one.name,
        { $Type: one.type.fullName, ...annotated(describing.part(set, one)) },
      ]),
    ),
    ...Object.fromEntries(
      [...type.lists.values()].map((one) => [
        one.name,
        {
          $Type: typeNameOf(model, one.type),
          $Collection: true,
          ...(one.kind === 'list' && { $Nullable: true }),
          ...annotated(describing.part(set, one)),
        },
      ]),
    ),
    ...Object.fromEntries(
      [...type.navigations.values()].map((one) => [
        one.name,
        { ...navigation(one), ...annotated(describing.navigation(set, one)) },
      ]),
    ),
  }
}

function property(
  model: EntityModel,
  { type, nullable, maxLength, precision, scale }: Property | ObjectMember,
): Json {
  const name = typeNameOf(model, type)
  return {
    ...(name !== 'Edm.String' && { $Type: name }),
    ...(nullable && { $Nullable: true }),
    ...(maxLength !== undefined && { $MaxLength: maxLength }),
    ...(precision !== undefined && { $Precision: precision }),
    ...(scale !== undefined && { $Scale: scale }),
    ...(name === 'Edm.DateTimeOffset' && { $Precision: 6 }),
  }
}

function navigation({ target, collection, nullable, own, theirs, partner }: Navigation): Json {
  return {
    $Kind: 'NavigationProperty',
    $Type: target.type.fullName,
    ...(collection && { $Collection: true }),
    ...(nullable && { $Nullable: true }),
    ...(partner && { $Partner: partner.name }),
    ...(!collection && { $ReferentialConstraint: { [own.name]: theirs.name } }),
  }
}

function entitySet(set: EntitySet, limits: ODataLimits): Json {
  const bindings = [...set.type.navigations.values()].map(({ name, target }) => [name, target.name] as const)
  return {
    $Collection: true,
    $Type: set.type.fullName,
    ...(bindings.length && { $NavigationPropertyBinding: Object.fromEntries(bindings) }),
    ...annotated(setAnnotations(set, limits)),
  }
}

/** @param target the member that is annotated, where it has no object of its own */
function annotated(annotations: Annotations, target = ''): Json {
  return Object.fromEntries(Object.entries(annotations).map(([term, value]) => [`${target}@${term}`, value]))
}
