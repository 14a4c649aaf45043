import { StartupError } from '../modularity/startup-error.js'
import { readRepository } from './repository.js'
import { withImport, withItem } from './source-edits.js'
import type { StagedFiles } from './staged-files.js'
import { moduleFileOf, type TargetModule } from './target-module.js'
import { renderPart, type TemplateValues } from './templates.js'

/** Names a new entity in the lists that are there: permissions, door, entity sets, module, proxy. */
export function listEntity(files: StagedFiles, target: TargetModule, values: TemplateValues): void {
  addPermissions(files, target, values)
  addToDoor(files, target, values)
  addEntitySet(files, target, values)
  addToModule(files, target, values)
  if (target.proxy) addToProxy(files, target, values)
}

function addPermissions(
  files: StagedFiles,
  { folder, knowsRoles }: TargetModule,
  values: TemplateValues,
): void {
  const path = `${folder}/src/contracts/permissions.ts`
  if (files.find(path) === undefined) files.create(path, '')
  files.edit(path, (text) => {
    const used = ['crudPermissions', ...(knowsRoles ? ['GrantedTo'] : []), 'PermissionGroup']
    const named = withImport(text, used, '@keel/framework/contracts')
    const all = knowsRoles ? withImport(named, ['OperationsManager'], '@keel/identity/contracts') : named
    // In front of a list of the classes, which is made when they are.
    const end = /\n\/\*\*[^\n]*\nexport const \w+ = \[/.exec(all)?.index ?? all.length
    return `${all.slice(0, end).trimEnd()}\n\n${renderPart('permissions.ts', values)}${all.slice(end)}`
  })
}

function addToDoor(files: StagedFiles, { folder }: TargetModule, { entities }: TemplateValues): void {
  files.edit(`${folder}/src/contracts/index.ts`, (text) => {
    const lines = [`export * from './${entities}.js'\n`, "export * from './permissions.js'\n"]
    const last = text.lastIndexOf("export * from '")
    const end = last < 0 ? 0 : text.indexOf('\n', last) + 1
    return text.slice(0, end) + lines.filter((line) => !text.includes(line)).join('') + text.slice(end)
  })
}

function addEntitySet(files: StagedFiles, target: TargetModule, values: TemplateValues): void {
  const { Entity, entity, moduleVariable } = values
  const sets = `${target.folder}/src/application/entity-sets.ts`
  const moduleFile = moduleFileOf(target)
  const isInModule = /^ {2}odata: \[/m.test(files.read(moduleFile))
  if (!isInModule && files.find(sets) === undefined) {
    files.create(sets, renderPart('entity-sets.ts', values))
    addToList(files, target, 'odata', `${moduleVariable}EntitySets`, './application/entity-sets.js')
    files.edit(moduleFile, (text) => text.replace(/^( {2}odata: )\[(\w+)\]/m, '$1$2'))
  }
  const [path, up] = isInModule ? [moduleFile, './'] : [sets, '../']
  files.edit(path, (text) => {
    const listed = withItem(
      text,
      isInModule ? /^ {2}odata: \[/m : /EntitySets\b[^=\n]*= \[/,
      renderPart('entity-set.ts', values).trimEnd(),
    )
    if (listed === undefined) return undefined
    const named = withImport(listed, ['entitySet'], '@keel/framework/data')
    const shown = withImport(named, [`${Entity}Dto`, `${Entity}Permissions`], `${up}contracts/index.js`)
    return withImport(shown, [`${Entity}`], `${up}domain/${entity}.js`)
  })
}

function addToModule(
  files: StagedFiles,
  target: TargetModule,
  { Entity = '', entity }: TemplateValues,
): void {
  addToList(files, target, 'entities', Entity, `./domain/${entity}.js`)
  addToList(files, target, 'services', `${Entity}Service`, `./application/${entity}-service.js`)
  addToList(files, target, 'permissions', `${Entity}Permissions`, './contracts/index.js')
}

/**
 * Adds a name to a list of the module: in the listing, or where the constant is declared that stands there.
 * What is found among the module's exports (`permissionsIn`) needs no entry.
 * @param source what the module's file imports the name from
 */
function addToList(
  files: StagedFiles,
  target: TargetModule,
  property: string,
  name: string,
  source: string,
): void {
  const moduleFile = moduleFileOf(target)
  const [, value] = new RegExp(`^ {2}${property}: ([\\w(]+|\\[)`, 'm').exec(files.read(moduleFile)) ?? []
  if (value?.startsWith('permissionsIn(')) return
  if (value === undefined) {
    files.edit(moduleFile, (text) =>
      withImport(
        text.replace(/^\}\)\nexport class/m, `  ${property}: [${name}],\n})\nexport class`),
        [name],
        source,
      ),
    )
    return
  }
  const start =
    value === '[' ? new RegExp(`^ {2}${property}: \\[`, 'm') : new RegExp(`const ${value}\\b[^=\\n]*= \\[`)
  const path = [moduleFile, ...files.list(`${target.folder}/src`)].find((file) =>
    start.test(files.read(file)),
  )
  if (!path)
    throw new StartupError(`${moduleFile} lists ${property} in ${value}, which is no list in this module`)
  if (/^[^\]]*permissionsIn\(/.test(files.read(path).split(start)[1] ?? '')) return
  files.edit(path, (text) => {
    const listed = withItem(text, start, name)
    if (listed === undefined || path.endsWith('/permissions.ts')) return listed
    return withImport(listed, [name], path === moduleFile ? source : './permissions.js')
  })
}

function addToProxy(
  files: StagedFiles,
  { name, proxy }: TargetModule,
  { Entity, variable }: TemplateValues,
): void {
  files.edit(proxy?.path ?? '', (text) => {
    const entry = `${variable}: { service: ${Entity}AppService, rows: ${Entity}Dto }`
    const listed = withItem(text, /^export const \w+Members = \{/m, entry)
    return (
      listed &&
      withImport(
        listed,
        [`${Entity}AppService`, `${Entity}Dto`],
        `${readRepository(files).scope}/${name}/contracts`,
      )
    )
  })
}
