import { StartupError } from '../modularity/startup-error.js'
import { addEntity, type EntityRequest, tellWork } from './entity-new.js'
import { pascal } from './names.js'
import { withDependency, withImport, withItem, withReference } from './source-edits.js'
import { StagedFiles } from './staged-files.js'
import { renderTemplates } from './templates.js'

/** Where a new module is listed. */
const hosts = [
  { folder: 'hosts/api', file: 'src/api-host.ts' },
  { folder: 'migrator', file: 'src/migrator-host.ts' },
] as const

/**
 * Writes a module in the shape of this repository with its first entity, and lists it in the API host and the
 * migrator. Answers what to do next. Throws, before anything is written, when a name or a field can't be
 * used, or when this is no such repository.
 */
export function writeModule(request: EntityRequest, directory: string): string {
  const { module, entity } = request
  const files = StagedFiles.above(directory)
  if (files.list(`modules/${module}`).length)
    throw new StartupError(
      `modules/${module} exists already: choose another name, or keel entity new ${module} ${entity}`,
    )
  const { version } = JSON.parse(files.read('framework/package.json')) as { version: string }
  const Module = pascal(module)
  for (const [path, text] of Object.entries(renderTemplates('module', { module, Module, version })))
    files.create(`modules/${module}/${path}`, text)
  files.create(`modules/${module}/LICENSE`, files.read('LICENSE'))
  const work = addEntity(files, request)
  for (const { folder, file } of hosts) {
    files.edit(`${folder}/${file}`, (text) => {
      const listed = withItem(text, /dependsOn: \[/, `${Module}Module`)
      return listed && withImport(listed, [`${Module}Module`], `@keel/${module}`)
    })
  }
  for (const folder of [...hosts.map((host) => host.folder), 'test']) {
    files.edit(`${folder}/package.json`, (text) => withDependency(text, `@keel/${module}`, version))
    files.edit(`${folder}/tsconfig.json`, (text) => withReference(text, `${up(folder)}modules/${module}`))
  }
  files.edit('tsconfig.json', (text) => withReference(text, `./modules/${module}`))
  files.write()
  return `modules/${module} is written and listed in ${hosts.map(({ folder }) => folder).join(' and ')}. Next:\n\n  npm install\n${tellWork(request, work)}`
}

const up = (folder: string): string => '../'.repeat(folder.split('/').length)
