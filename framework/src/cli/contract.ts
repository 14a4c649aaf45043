import { permissionsOf } from '../contracts/index.js'
import { operationHash } from '../contracts/operation-shape.js'
import { extraProperties } from '../http/abp/build.js'
import { openApiDocument, schemaOfDto } from '../http/openapi/openapi.js'
import type { Application } from '../modularity/application.js'
import { guardOf } from '../security/guards.js'
import { type EntitySetContract, entitySetContracts } from './entity-set-contracts.js'
import { callers } from './routes.js'
import type { Schema } from './schema-diff.js'

/** The parts of a host that clients rely on, as `keel contract write` keeps them beside a release. */
export interface HostContract {
  /** Of this format. */
  readonly keelContract: 1
  readonly host: string
  /** Of the release. */
  readonly version: string
  /** OpenAPI's paths and the schemas that they refer to. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationContract>>>>
  readonly schemas: Readonly<Record<string, Schema>>
  /** The hash that each operation is answered with (`X-Keel-Contract`), by `VERB path`. */
  readonly hashes?: Readonly<Record<string, string>>
  /** Callers that each operation admits, by `VERB path`. */
  readonly callers: Readonly<Record<string, string>>
  readonly permissions: Readonly<
    Record<string, { readonly parent: string | null; readonly providers: readonly string[] }>
  >
  readonly settings: Readonly<
    Record<string, { readonly default: string | null; readonly isVisibleToClients: boolean }>
  >
  readonly features: Readonly<
    Record<string, { readonly default: string; readonly isVisibleToClients: boolean }>
  >
  readonly entitySets: Readonly<Record<string, EntitySetContract>>
  /** Payloads by name. */
  readonly events: Readonly<Record<string, Schema>>
}

/** An operation as OpenAPI describes it, as far as it is compared. */
export interface OperationContract {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>

/**
 * Everything that others rely on of a host: REST operations, entity sets, permissions, settings, features and
 * events. Names are sorted.
 */
export async function hostContract(application: Application): Promise<HostContract> {
  await application.compose()
  const { modules, localServices, settings, features } = application
  const document = openApiDocument(application, { title: '', version: '', selfUrl: 'http://localhost' })
  const { schemas } = document.components as Pick<HostContract, 'schemas'>
  const guards = localServices.flatMap(({ contract, service }) =>
    [...contract.contract.operations.values()].map(
      ({ name, route }) => [`${route.verb} ${route.path}`, callers(guardOf(service, name))] as const,
    ),
  )
  const hashes = localServices.flatMap(({ contract }) =>
    [...contract.contract.operations.values()].map(
      (operation) => [`${operation.route.verb} ${operation.route.path}`, operationHash(operation)] as const,
    ),
  )
  const events = modules.flatMap(({ options }) => options.events ?? [])
  return {
    keelContract: 1,
    host: application.name,
    version: String(extraProperties(application.configuration).AppVersion),
    paths: document.paths as HostContract['paths'],
    schemas,
    hashes: sorted(hashes),
    callers: sorted(guards),
    permissions: sorted(
      modules
        .flatMap(({ options }) => options.permissions ?? [])
        .flatMap((listed) => permissionsOf(listed))
        .map(({ name, parent, providers }) => [
          name,
          { parent: parent ?? null, providers: [...(providers ?? [])].sort() },
        ]),
    ),
    settings: sorted(
      [...settings.definitions.values()].map(({ name, defaultValue, isVisibleToClients }) => [
        name,
        { default: defaultValue, isVisibleToClients },
      ]),
    ),
    features: sorted(
      [...features.definitions.values()].map(({ name, defaultValue, isVisibleToClients }) => [
        name,
        { default: defaultValue, isVisibleToClients },
      ]),
    ),
    entitySets: entitySetContracts(modules),
    events: sorted(events.map((event) => [event.eventName, schemaOfDto(event) as Schema])),
  }
}

function sorted<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}
