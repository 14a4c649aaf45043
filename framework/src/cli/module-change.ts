import { dirname } from 'node:path'
import { type EntityClass, entityMeta } from '../data/entities/entity.js'
import { type Application, createApplication } from '../modularity/application.js'
import type { Constructor } from '../modularity/class.js'
import { moduleListingOf } from '../modularity/loaded-module.js'
import { KeelModule, Module } from '../modularity/module.js'
import { StartupError } from '../modularity/startup-error.js'
import { hostContract } from './contract.js'
import { contractConfiguration } from './contract-files.js'
import { loadRoot } from './root-module.js'
import {
  withDependency,
  withImport,
  withItem,
  withoutDependency,
  withoutImport,
  withoutItem,
  withReference,
} from './source-edits.js'
import { StagedFiles } from './staged-files.js'

/** The wish to have the module of a package in a host, or not any more. */
export interface ModuleChange {
  readonly action: 'add' | 'remove'
  /** The folder of the host, such as `hosts/api`. */
  readonly folder: string
  /** The package that exports the module. */
  readonly packageName: string
  /** True when the files of the host are changed, too. */
  readonly isConfirmed: boolean
}

/**
 * Tells what comes and what goes with a module; when confirmed, lists it in the host, or takes it out. Host and package must be compiled. Throws before
 * anything is written where the host could not start with the change.
 */
export async function changeModule(change: ModuleChange, directory: string): Promise<string> {
  const { action, folder, packageName, isConfirmed } = change
  const files = StagedFiles.above(directory)
  const { name: hostName } = JSON.parse(files.read(`${folder}/package.json`)) as { name: string }
  const { root: host } = await loadRoot(hostName, files.root)
  const { root: module } = await loadRoot(packageName, files.root)
  const before = hostOf(host)
  const after = hostOf(host, dependenciesAfter(action, before, host, module))
  const told = difference(await inventoryOf(before), await inventoryOf(after))
  const place = stageChange(files, change, { host, module })
  if (!isConfirmed) return `${told}\nNothing is changed yet: with --yes ${place} is.\n`
  files.write()
  const tables = action === 'add' ? 'then run the migrator for its tables' : 'its tables and their rows stay'
  return `${told}\n${place} is changed. Next: npm install && npm run build, ${tables}.\n`
}

/** What modules of a host define, by kind. */
type Inventory = ReadonlyMap<string, readonly string[]>

async function inventoryOf(application: Application): Promise<Inventory> {
  const contract = await hostContract(application)
  const modules = application.modules.map(({ name }) => name)
  const tables = application.modules.flatMap(({ options }) =>
    ((options.entities ?? []) as readonly EntityClass[]).map((entity) => entityMeta(entity).table),
  )
  const endpoints = Object.entries(contract.paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
  )
  return new Map([
    ['modules', modules],
    ['tables', tables],
    ['endpoints', endpoints],
    ['entity sets', Object.keys(contract.entitySets)],
    ['permissions', Object.keys(contract.permissions)],
    ['settings', Object.keys(contract.settings)],
    ['features', Object.keys(contract.features)],
    ['events', Object.keys(contract.events)],
  ])
}

function difference(before: Inventory, after: Inventory): string {
  const kinds = [...after].flatMap(([kind, now]) => {
    const then = before.get(kind) ?? []
    const lines = [
      ...now.filter((name) => !then.includes(name)).map((name) => `  + ${name}`),
      ...then.filter((name) => !now.includes(name)).map((name) => `  - ${name}`),
    ]
    return lines.length ? [`${kind}\n${lines.join('\n')}\n`] : []
  })
  return kinds.join('')
}

/** The modules that the host lists once the change is made. Throws when there is nothing to change. */
function dependenciesAfter(
  action: ModuleChange['action'],
  { modules }: Application,
  host: Constructor<KeelModule>,
  module: Constructor<KeelModule>,
): readonly Constructor<KeelModule>[] {
  const listed = (moduleListingOf(host)?.dependsOn ?? []) as readonly Constructor<KeelModule>[]
  const isThere = modules.some(({ type }) => type === module)
  if (action === 'add') {
    if (isThere) throw new StartupError(`${host.name} has ${module.name} already`)
    return [...listed, module]
  }
  if (!isThere) throw new StartupError(`${host.name} has no ${module.name}`)
  const others = modules.filter(
    ({ type, options }) => type !== host && options.dependsOn?.includes(module as never),
  )
  if (others.length)
    throw new StartupError(
      `${others.map(({ type }) => type.name).join(' and ')} depends on ${module.name}: remove that first`,
    )
  return listed.filter((type) => type !== module)
}

/** The host with other modules in it. */
function hostOf(host: Constructor<KeelModule>, dependsOn?: readonly Constructor<KeelModule>[]): Application {
  if (!dependsOn) return createApplication(host, contractConfiguration())
  class Changed extends KeelModule {}
  Object.defineProperty(Changed, 'name', { value: host.name })
  Module({ ...moduleListingOf(host), dependsOn: [...dependsOn] })(Changed)
  return createApplication(Changed, contractConfiguration())
}

/** Stages the change of the host's module and package; answers the file of the module. */
function stageChange(
  files: StagedFiles,
  { action, folder, packageName }: ModuleChange,
  { host, module }: { readonly host: Constructor; readonly module: Constructor },
): string {
  const place = files
    .list(`${folder}/src`)
    .find((path) => path.endsWith('.ts') && files.read(path).includes(`class ${host.name} `))
  if (!place) throw new StartupError(`No file in ${folder}/src declares ${host.name}`)
  const list = /dependsOn: \[/
  const dependency = packageName.split('/', packageName.startsWith('@') ? 2 : 1).join('/')
  if (action === 'add') {
    files.edit(place, (text) => {
      const listed = withItem(text, list, module.name)
      return listed && withImport(listed, [module.name], packageName)
    })
    addDependency(files, folder, dependency)
  } else {
    files.edit(place, (text) => withoutImport(withoutItem(text, list, module.name), module.name))
    if (!isImported(files, folder, dependency))
      files.edit(`${folder}/package.json`, (text) => withoutDependency(text, dependency))
  }
  return place
}

function addDependency(files: StagedFiles, folder: string, dependency: string): void {
  const manifest = JSON.parse(files.read(`${folder}/package.json`)) as { dependencies: object }
  if (Object.hasOwn(manifest.dependencies, dependency)) return
  const { version } = JSON.parse(files.read(`node_modules/${dependency}/package.json`)) as { version: string }
  files.edit(`${folder}/package.json`, (text) => withDependency(text, dependency, version))
  const own = files
    .list('modules')
    .find((path) => path.endsWith('/package.json') && JSON.parse(files.read(path)).name === dependency)
  if (own)
    files.edit(`${folder}/tsconfig.json`, (text) =>
      withReference(text, `${'../'.repeat(folder.split('/').length)}${dirname(own)}`),
    )
}

/** True when another program of the host imports something of a package. */
function isImported(files: StagedFiles, folder: string, dependency: string): boolean {
  return files
    .list(`${folder}/src`)
    .some((path) => path.endsWith('.ts') && new RegExp(`from '${dependency}['/]`).test(files.read(path)))
}
