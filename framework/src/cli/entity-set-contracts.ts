import type { LoadedModule } from '../modularity/application.js'
import { EntityModel } from '../odata/entity-model.js'
import type { EntitySetContract } from './contract.js'

/** The entity sets of a host as others see them. */
export function entitySetContracts(modules: readonly LoadedModule[]): Record<string, EntitySetContract> {
  const sets = [...new EntityModel(modules).sets.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return Object.fromEntries(
    sets.map(({ name, permission, type }) => [
      name,
      {
        permission,
        keys: type.keys.map((key) => key.name),
        properties: Object.fromEntries(
          [...type.properties.values()].map((property) => [
            property.name,
            {
              type: typeof property.type === 'string' ? property.type : property.type.name,
              nullable: property.nullable,
            },
          ]),
        ),
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
