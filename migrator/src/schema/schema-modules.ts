import { Configuration, type Constructor, createApplication, type KeelModule } from '@keel/framework'

/** Modules with schema scripts, by the name that they have on the command line. A module stands behind those that it depends on. */
export type SchemaModules = Readonly<Record<string, Constructor<KeelModule>>>

/**
 * The modules of a host whose tables schema scripts make: those with a `schema` folder, whichever database they are on.
 * @example schemaModulesOf(ApiHost) // { hub: HubModule, 'fuel-cards': FuelCardsModule }
 */
export function schemaModulesOf(host: Constructor<KeelModule>): SchemaModules {
  const { modules } = createApplication(host, new Configuration())
  return Object.fromEntries(
    modules
      .filter(({ options }) => options.schema)
      .map(({ name, type }) => [kebab(name), type as Constructor<KeelModule>]),
  )
}

const kebab = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, '-$&').toLowerCase()
