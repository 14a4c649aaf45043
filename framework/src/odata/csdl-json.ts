import {
  type Annotations,
  containerAnnotations,
  type Describing,
  setAnnotations,
  typeNameOf,
  vocabularies,
} from './csdl.js'
import type { EntityModel, EntitySet, Navigation, Property } from './entity-model.js'
import type { ODataLimits } from './limits.js'

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
        [...model.enums.values()].map(({ name, members, flags }) => [
          name,
          { $Kind: 'EnumType', ...(flags && { $IsFlags: true }), ...Object.fromEntries(members) },
        ]),
      ),
      ...Object.fromEntries(sets.map((set) => [set.type.name, entityType(model, set, describing)])),
      ...Object.fromEntries(
        [...model.complexTypes.values()].map(({ name, members }) => [
          name,
          {
            $Kind: 'ComplexType',
            ...Object.fromEntries([...members.values()].map((one) => [one.name, property(model, one)])),
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
    ...Object.fromEntries(
      [...type.properties.values()].map((one) => [
        one.name,
        { ...property(model, one), ...annotated(describing.property(set, one)) },
      ]),
    ),
    ...Object.fromEntries(
      [...type.complexes.values()].map((one) => [one.name, { $Type: one.type.fullName }]),
    ),
    ...Object.fromEntries(
      [...type.lists.values()].map(({ name, type: item }) => [
        name,
        { $Type: typeNameOf(model, item), $Collection: true, $Nullable: true },
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

function property(model: EntityModel, { type, nullable, maxLength, precision, scale }: Property): Json {
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

function annotated(annotations: Annotations): Json {
  return Object.fromEntries(Object.entries(annotations).map(([term, value]) => [`@${term}`, value]))
}
