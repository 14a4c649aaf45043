import { InputError } from '../modularity/input-error.js'
import { StartupError } from '../modularity/startup-error.js'
import { addEntity, type EntityRequest, tellWork } from './entity-new.js'
import { camel, checkName, pascal } from './names.js'
import { type Repository, readRepository, repositoryValues } from './repository.js'
import { withDependency, withImport, withItem, withReference } from './source-edits.js'
import { StagedFiles } from './staged-files.js'
import { stageProxy } from './staged-proxy.js'
import { renderTemplates } from './templates.js'

/** The wish for a module. */
export interface ModuleRequest extends EntityRequest {
  /** The connection name of a database of its own, e.g. `Fleet`; its tables are in Default without it. */
  readonly database?: string | undefined
}

/** Where a new module is listed. The migrator of a solution reads the list of the API host. */
const hosts = [
  { folder: 'hosts/api', file: 'src/api-host.ts' },
  { folder: 'migrator', file: 'src/migrator-host.ts' },
] as const

/**
 * Writes a module in the shape of this repository with its first entity, and lists it in the API host and the
 * migrator. Answers what to do next. Throws, before anything is written, when a name or a field can't be
 * used, or when this is no such repository.
 */
export function writeModule(request: ModuleRequest, directory: string): string {
  const files = StagedFiles.above(directory)
  const { listedIn, work } = addModule(files, request)
  files.write()
  const { module } = request
  return `modules/${module} is written and listed in ${listedIn.join(' and ')}. Next:\n\n  npm install\n${tellWork(request, work)}`
}

/** Stages a module with its first entity. Throws as {@link writeModule} does. */
export function addModule(files: StagedFiles, request: ModuleRequest) {
  const { module, entity, database } = request
  checkName(module)
  if (files.list(`modules/${module}`).length)
    throw new StartupError(
      `modules/${module} exists already: choose another name, or keel entity new ${module} ${entity}`,
    )
  const repository = readRepository(files)
  refuseDatabase(database, repository)
  const Module = pascal(module)
  const { scope, version, isSolution } = repository
  const values = {
    ...repositoryValues(repository),
    ...{ module, Module, moduleVariable: camel(module), databaseName: database ?? 'Default' },
    database: database ? `database: '${database}',` : '',
    // The migrator of Keel's own repository makes the tables of modules in Default.
    schema: isSolution ? "schema: new URL('../schema/', import.meta.url)," : '',
    schemaFolder: isSolution ? '"schema",' : '',
  }
  for (const [path, text] of Object.entries(renderTemplates('module', values)))
    files.create(`modules/${module}/${path}`, text)
  const licence = files.find('LICENSE')
  if (licence !== undefined) files.create(`modules/${module}/LICENSE`, licence)
  if (isSolution)
    stageProxy(files, {
      ...values,
      ...{ Service: Module, imported: Module, members: '' },
      ...{ modulePackage: `${scope}/${module}`, moduleVersion: version },
      references: `{ "path": "../../modules/${module}" }`,
    })
  const work = addEntity(files, request)
  const listing = hosts.filter(({ folder, file }) => files.find(`${folder}/${file}`) !== undefined)
  for (const { folder, file } of listing) {
    files.edit(`${folder}/${file}`, (text) => {
      const listed = withItem(text, /dependsOn: \[/, `${Module}Module`)
      return listed && withImport(listed, [`${Module}Module`], `${scope}/${module}`)
    })
  }
  const listedIn = listing.map(({ folder }) => folder)
  for (const folder of [...listedIn, 'test']) {
    files.edit(`${folder}/package.json`, (text) => withDependency(text, `${scope}/${module}`, version))
    files.edit(`${folder}/tsconfig.json`, (text) => withReference(text, `${up(folder)}modules/${module}`))
  }
  files.edit('tsconfig.json', (text) => withReference(text, `./modules/${module}`))
  if (database) addDatabase(files, database)
  return { listedIn, work }
}

function refuseDatabase(database: string | undefined, { isSolution }: Repository): void {
  if (database === undefined) return
  if (!/^[A-Z][A-Za-z0-9]*$/.test(database))
    throw new InputError(`"${database}" is no name of a database: write it like Fleet`)
  if (!isSolution)
    throw new InputError(
      'A module of this repository gets a database of its own by hand: its schema folder, hosts/schema/src/modules.ts, and "keel" of package.json',
    )
}

/** Adds a database to those that are made on the machine of a developer and for tests. */
function addDatabase(files: StagedFiles, database: string): void {
  const manifest = JSON.parse(files.read('package.json')) as { keel: { databases: readonly string[] } }
  const { databases } = manifest.keel
  if (databases.includes(database)) return
  const keel = { ...manifest.keel, databases: [...databases, database] }
  files.edit('package.json', () => `${JSON.stringify({ ...manifest, keel }, undefined, 2)}\n`)
}

const up = (folder: string): string => '../'.repeat(folder.split('/').length)
