import { InputError } from '../modularity/input-error.js'
import { nearestName } from '../modularity/nearest-name.js'
import { StartupError } from '../modularity/startup-error.js'
import type { EntityField } from './entity-fields.js'
import type { StagedFiles } from './staged-files.js'

/** A module as far as a new entity has to know of it. */
export interface TargetModule {
  readonly name: string
  /** `modules/hub` */
  readonly folder: string
  /** The constant of its remote service, and the file in `contracts` that declares it. */
  readonly Service: string
  readonly serviceFile: string
  /** Of its routes: `app` for `/api/app`. */
  readonly rootPath: string
  /** It has schema scripts; the migrator looks after the tables of others. */
  readonly hasSchema: boolean
  /** The connection that its tables are on. */
  readonly database: string
  /** Its permissions can be granted to the roles of identity. */
  readonly knowsRoles: boolean
  readonly proxy: { readonly path: string; readonly packageName: string; readonly create: string } | undefined
}

/**
 * Reads a module of the repository. Throws when there is none of that name, or when it has no routes of its
 * own.
 */
export function readModule(files: StagedFiles, name: string): TargetModule {
  const folder = `modules/${name}`
  const text = files.find(`${folder}/src/${name}.module.ts`)
  if (text === undefined) {
    const names = files
      .list('modules')
      .flatMap((path) => /^modules\/([\w-]+)\/src\/\1\.module\.ts$/.exec(path)?.[1] ?? [])
    const near = nearestName(name, names)
    throw new InputError(
      `There is no module ${name}.${near ? ` Did you mean ${near}?` : ''} keel module new ${name} <entity> writes one.`,
    )
  }
  const services = files.list(`${folder}/src/contracts`).flatMap((path) => {
    const declared = files
      .read(path)
      .matchAll(/^export const (\w+) = remoteService\(\s*'[^']+',\s*'([^']+)'/gm)
    return [...declared].map(([, Service = '', rootPath = '']) => ({ Service, rootPath, path }))
  })
  const [service] = services
  if (!service || services.length > 1)
    throw new StartupError(
      `${folder}/src/contracts has ${services.length} remote services: an entity needs the one of its routes`,
    )
  const proxy = files
    .list('proxies')
    .filter((path) => path.endsWith('/src/index.ts'))
    .find((path) => files.read(path).includes(`createProxy(${service.Service}, `))
  return {
    name,
    folder,
    Service: service.Service,
    serviceFile: service.path.slice(`${folder}/src/contracts/`.length, -'.ts'.length),
    rootPath: service.rootPath,
    hasSchema: /^ {2}schema: new URL\(/m.test(text),
    database: /^ {2}database: '(\w+)'/m.exec(text)?.[1] ?? 'Default',
    knowsRoles: '@keel/identity' in dependenciesOf(files, folder),
    proxy:
      proxy === undefined
        ? undefined
        : {
            path: proxy,
            packageName: manifestOf(files, proxy.slice(0, -'/src/index.ts'.length)).name,
            create: /^export function (create\w+)\(/m.exec(files.read(proxy))?.[1] ?? '',
          },
  }
}

const manifestOf = (files: StagedFiles, folder: string) =>
  JSON.parse(files.read(`${folder}/package.json`)) as { name: string; dependencies?: Record<string, string> }
const dependenciesOf = (files: StagedFiles, folder: string) => manifestOf(files, folder).dependencies ?? {}

/** An entity of a module, where a reference leads to it. */
export interface ReferredEntity {
  readonly table: string
  /** Where the entity is declared, beside the new one. */
  readonly file: string
}

/** The entity that a field refers to; undefined for other fields, and for an entity that refers to itself. */
export function referredBy(
  files: StagedFiles,
  { folder, name }: TargetModule,
  own: string,
  field: EntityField,
): ReferredEntity | undefined {
  if (field.reference === undefined || field.reference === own) return undefined
  const entities = files
    .list(`${folder}/src/domain`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const declared = files.read(path).matchAll(/^@Entity\(\s*'(\w+)'[\s\S]*?^export class (\w+)/gm)
      return [...declared].map(([, table = '', entity = '']) => ({
        entity,
        table,
        file: path.split('/').at(-1) ?? '',
      }))
    })
  const found = entities.find(({ entity }) => entity === field.reference)
  if (found) return found
  const near = nearestName(
    field.reference,
    entities.map(({ entity }) => entity),
  )
  throw new InputError(
    `The field ${field.name} refers to ${field.reference}, which is no entity of modules/${name}.${near ? ` Did you mean ${near}?` : ''} References stay in one module: keep the id of a thing of another one as a guid.`,
  )
}

/** The file that lists what the module brings. */
export const moduleFileOf = ({ folder, name }: TargetModule): string => `${folder}/src/${name}.module.ts`
