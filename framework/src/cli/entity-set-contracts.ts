import type { Scalar } from '../data/query/scalars.js'
import type { LoadedModule } from '../modularity/loaded-module.js'
import { EntityModel } from '../odata/model/entity-model.js'

/** An OData entity set. */
export interface EntitySetContract {
  readonly permission: string
  readonly keys: readonly string[]
  readonly properties: Readonly<Record<string, { readonly type: string; readonly nullable: boolean }>>
  readonly navigations: Readonly<Record<string, { readonly target: string; readonly collection: boolean }>>
}

/** The entity sets of a host as others see them. */
export function entitySetContracts(modules: readonly LoadedModule[]): Record<string, EntitySetContract> {
  const sets = [...new EntityModel(modules).sets.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return Object.fromEntries(
    sets.map(({ name, permission, type }) => [
      name,
      {
        permission,
        keys: type.keys.map((key) => key.name),
        properties: Object.fromEntries([
          ...[...type.properties.values()].map(
            (property) =>
              [property.name, { type: nameOf(property.type), nullable: property.nullable }] as const,
          ),
          ...[...type.complexes.values()].flatMap((complex) =>
            [...complex.members.values()].map(
              (member) =>
                [
                  `${complex.name}/${member.name}`,
                  { type: nameOf(member.type), nullable: member.nullable },
                ] as const,
            ),
          ),
          ...[...type.lists.values()].map(
            (list) => [list.name, { type: `Collection(${nameOf(list.type)})`, nullable: false }] as const,
          ),
          ...[...type.lists.values()].flatMap((list) =>
            list.kind === 'objects'
              ? list.members.map(
                  ({ name: member, type: scalar, nullable }) =>
                    [`${list.name}/${member}`, { type: nameOf(scalar), nullable }] as const,
                )
              : [],
          ),
        ]),
        navigations: Object.fromEntries(
          [...type.navigations.values()].map((navigation) => [
            navigation.name,
            { target: navigation.target.name, collection: navigation.collection },
          ]),
        ),
      },
    ]),
  )
}

function nameOf(type: Scalar | { readonly name: string }): string {
  return typeof type === 'string' ? type : type.name
}
