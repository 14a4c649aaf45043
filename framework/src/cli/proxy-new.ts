import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type AnyAppService,
  type AnyDto,
  featureOf,
  type RemoteService,
  servicesIn,
} from '../contracts/index.js'
import type { EntitySetDeclaration } from '../data/entities/entity-set.js'
import { InputError } from '../modularity/input-error.js'
import { moduleListingOf } from '../modularity/loaded-module.js'
import { StartupError } from '../modularity/startup-error.js'
import { camel, checkName, pascal, plural } from './names.js'
import { readRepository, repositoryValues } from './repository.js'
import { loadRoot } from './root-module.js'
import { StagedFiles } from './staged-files.js'
import { stageProxy } from './staged-proxy.js'

/** The wish for a typed client of a module. */
export interface ProxyRequest {
  /** The package of the module, which has the door `contracts`. */
  readonly packageName: string
  /** The folder below `proxies`, in kebab-case; the last part of the package's name without it. */
  readonly name?: string | undefined
}

/** A member of a proxy: a service, the rows of an entity set, or both, by the names that the contracts export them with. */
interface Member {
  service?: string
  rows?: string
}

/**
 * Writes the typed client of an installed module, of any vendor, into a solution: its services, and its entity sets with a DTO. Answers the
 * next steps. Throws, before anything is written, when the package has no contracts of one remote service, or when there is a proxy of that name.
 */
export async function writeProxy({ packageName, name }: ProxyRequest, directory: string): Promise<string> {
  const files = StagedFiles.above(directory)
  const repository = readRepository(files)
  if (!repository.isSolution)
    throw new InputError(
      'Proxies of this repository are published with their contracts: write one like proxies/hub',
    )
  const folder = name ?? packageName.split('/').at(-1) ?? ''
  checkName(folder)
  const contracts = await loadContracts(packageName, files.root)
  const { Service, members } = membersOf(packageName, contracts, await entitySetsOf(packageName, files.root))
  const version = versionOf(packageName, files.root)
  const values = {
    ...repositoryValues(repository),
    ...{ module: folder, Module: pascal(folder), moduleVariable: camel(folder), Service },
    ...{ modulePackage: packageName, moduleVersion: version },
    imported: importsOf(Service, members).join(', '),
    members: [...members].map(([member, parts]) => `${member}: ${partsOf(parts)},`).join('\n'),
    references: ownReference(files, packageName),
  }
  stageProxy(files, values)
  files.write()
  return `proxies/${folder} is written: ${[...members.keys()].join(', ')}. Next:

  npm install
  npm run format
  npm run build
`
}

/** What the door `contracts` of a package exports. */
async function loadContracts(packageName: string, root: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const file = createRequire(join(root, 'package.json')).resolve(`${packageName}/contracts`)
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw new StartupError(
      `${packageName}/contracts cannot be loaded: install the package, and compile it when it is one of this solution`,
      { cause },
    )
  }
}

/** The entity sets that the module of a package publishes. */
async function entitySetsOf(packageName: string, root: string): Promise<readonly EntitySetDeclaration[]> {
  const { root: module } = await loadRoot(packageName, root)
  return (moduleListingOf(module)?.odata ?? []) as readonly EntitySetDeclaration[]
}

function membersOf(
  packageName: string,
  contracts: Readonly<Record<string, unknown>>,
  sets: readonly EntitySetDeclaration[],
): { readonly Service: string; readonly members: ReadonlyMap<string, Member> } {
  const services = servicesIn(contracts)
  const remotes = [...new Set(services.map(({ contract }) => contract.service))]
  const Service = Object.keys(contracts).find((key) => contracts[key] === remotes[0])
  if (remotes.length !== 1 || Service === undefined)
    throw new StartupError(
      `${packageName}/contracts has services of ${remotes.length} remote services${remotes.length === 1 ? ', which it does not export' : ''}: a proxy is made of those of one, ${namesOf(remotes)}`,
    )
  const members = new Map<string, Member>()
  for (const service of services)
    members.set(memberName(service), { service: exportedName(contracts, service) ?? '' })
  for (const { name, options } of sets) {
    const rows = exportedName(contracts, options.dto)
    const member = camel(name)
    if (rows !== undefined) members.set(member, { ...members.get(member), rows })
  }
  return { Service, members }
}

/** The name of an exported value; undefined for one that is not exported. */
function exportedName(
  contracts: Readonly<Record<string, unknown>>,
  value: AnyAppService | AnyDto | undefined,
): string | undefined {
  return Object.keys(contracts).find((key) => value !== undefined && contracts[key] === value)
}

/** `vehicles` for `VehicleAppService`, and `fleetSettings` for one without a list. */
function memberName({ contract: { name, operations } }: AnyAppService): string {
  const feature = featureOf(name)
  return camel(operations.has('getList') ? plural(feature) : feature)
}

const namesOf = (remotes: readonly RemoteService[]): string =>
  remotes.length ? `not of ${remotes.map(({ name }) => name).join(' and ')}` : 'and there is none'

const partsOf = ({ service, rows }: Member): string =>
  `{ ${[service && `service: ${service}`, rows && `rows: ${rows}`].filter(Boolean).join(', ')} }`

const importsOf = (Service: string, members: ReadonlyMap<string, Member>): string[] =>
  [...new Set([Service, ...[...members.values()].flatMap(({ service, rows }) => [service, rows])])].filter(
    (name) => name !== undefined,
  )

function versionOf(packageName: string, root: string): string {
  const file = join(root, 'node_modules', packageName, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** The reference of tsconfig.json to a package of this solution; empty for an installed one. */
function ownReference(files: StagedFiles, packageName: string): string {
  const own = files
    .list('modules')
    .find((path) => path.endsWith('/package.json') && JSON.parse(files.read(path)).name === packageName)
  return own ? `{ "path": "../../${dirname(own)}" }` : ''
}
