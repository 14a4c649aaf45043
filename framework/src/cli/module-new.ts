import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { StartupError } from '../modularity/startup-error.js'
import { type ModuleNames, moduleFiles } from './module-files.js'

/** Where a new module is listed. */
const hosts = [
  { folder: 'hosts/api', file: 'src/api-host.ts' },
  { folder: 'migrator', file: 'src/migrator-host.ts' },
] as const

/**
 * Writes a module in the shape of this repository: contracts, entity, service, texts in all cultures and a test, and lists it in the API
 * host and the migrator. Answers what to do next. Throws, before anything is written, when a name is no name or taken, or when this is no
 * such repository.
 */
export function writeModule(name: string, entity: string, directory: string): string {
  const root = repositoryAbove(directory)
  const names = namesOf(name, entity, root)
  const files = moduleFiles(names)
  const taken = [`modules/${names.module}`, ...Object.keys(files)].find((path) =>
    existsSync(join(root, path)),
  )
  if (taken) throw new StartupError(`${taken} exists already: choose another name`)
  const edits = [
    ...hosts.map(({ folder, file }) => edit(root, `${folder}/${file}`, (text) => listed(text, names))),
    ...[...hosts.map(({ folder }) => folder), 'test'].flatMap((folder) => [
      edit(root, `${folder}/package.json`, (text) => withDependency(text, names)),
      edit(root, `${folder}/tsconfig.json`, (text) =>
        withReference(text, `${up(folder)}modules/${names.module}`),
      ),
    ]),
    edit(root, 'tsconfig.json', (text) => withReference(text, `./modules/${names.module}`)),
  ]
  for (const [path, text] of [...Object.entries(files), ...edits]) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return `modules/${names.module} is written and listed in ${hosts.map(({ folder }) => folder).join(' and ')}. Next:

  npm install
  npm run format
  npm run build
  npm run migrate -- add ${names.module}
  npm run build
  npx vitest run test/src/${names.module}/${names.entities}.test.ts
`
}

function namesOf(module: string, entity: string, root: string): ModuleNames {
  for (const name of [module, entity])
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
      throw new StartupError(`"${name}" is no name: write it in lower case, like fleet or fuel-card`)
  if (module === entity)
    throw new StartupError(
      `The module and its entity are both called ${module}: name the entity after what it is`,
    )
  const entities = plural(entity)
  const { version } = JSON.parse(readFileSync(join(root, 'framework/package.json'), 'utf8')) as {
    version: string
  }
  const variable = pascal(entities)
  return {
    module,
    Module: pascal(module),
    entity,
    Entity: pascal(entity),
    entities,
    Entities: pascal(entities),
    variable: variable.charAt(0).toLowerCase() + variable.slice(1),
    version,
  }
}

const pascal = (name: string): string =>
  name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`
}

const up = (folder: string): string => '../'.repeat(folder.split('/').length)

function repositoryAbove(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'lerna.json')) && existsSync(join(folder, 'modules'))) return folder
    if (folder === parse(folder).root)
      throw new StartupError(`${directory} is in no repository with lerna.json and modules/: go there first`)
  }
}

function edit(root: string, path: string, change: (text: string) => string): [string, string] {
  const text = readFileSync(join(root, path), 'utf8')
  const changed = change(text)
  if (changed === text)
    throw new StartupError(`${path} is not written as expected: list the module there by hand`)
  return [path, changed]
}

/** A host's root module with one more module to depend on. */
function listed(text: string, { module, Module }: ModuleNames): string {
  const added = text.replace(/(dependsOn: \[)([^\]]*?)(,?\s*)(\])/, (_, open, known, _comma, close) => {
    const separator = String(known).includes('\n') ? ',\n    ' : ', '
    const end = String(known).includes('\n') ? ',\n  ' : ''
    return `${open}${known}${separator}${Module}Module${end}${close}`
  })
  const lastImport = added.lastIndexOf('\nimport ')
  const end = added.indexOf('\n', lastImport + 1)
  return `${added.slice(0, end)}\nimport { ${Module}Module } from '@keel/${module}'${added.slice(end)}`
}

function withDependency(text: string, { module, version }: ModuleNames): string {
  const manifest = JSON.parse(text) as { dependencies: Record<string, string> }
  const dependencies = { ...manifest.dependencies, [`@keel/${module}`]: version }
  return `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`
}

function withReference(text: string, path: string): string {
  const project = JSON.parse(text) as { references: { path: string }[] }
  return `${JSON.stringify({ ...project, references: [...project.references, { path }] }, undefined, 2)}\n`
}
