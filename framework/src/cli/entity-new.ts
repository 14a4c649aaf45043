import { InputError } from '../modularity/input-error.js'
import { defaultFields, readFields } from './entity-fields.js'
import { listEntity } from './entity-lists.js'
import { addEntityTexts } from './entity-texts.js'
import { entityValues } from './entity-values.js'
import { checkName, pascal, plural } from './names.js'
import { StagedFiles } from './staged-files.js'
import { readModule, type TargetModule } from './target-module.js'
import { renderPart, renderTemplates, type TemplateValues } from './templates.js'

/** The wish of a user: names in kebab-case, and fields as {@link readFields} reads them. */
export interface EntityRequest {
  readonly module: string
  readonly entity: string
  readonly fields?: string | undefined
}

/** Steps that are left when an entity was written. */
export interface EntityWork {
  /** The commands that come next. */
  readonly commands: readonly string[]
  /** Texts that are English in every language. */
  readonly untranslated: readonly string[]
}

/**
 * Writes an entity into a module of this repository, with all that it is served with, and a test. Answers
 * what to do next. Throws, before anything is written, when a name or a field can't be used, when a file is
 * there already, or when the module has another shape.
 */
export function writeEntity(request: EntityRequest, directory: string): string {
  const files = StagedFiles.above(directory)
  const work = addEntity(files, request)
  files.write()
  return `${pascal(request.entity)} is written into modules/${request.module}. Next:\n\n${tellWork(request, work)}`
}

/** The steps as a text for people. */
export function tellWork({ module }: EntityRequest, { commands, untranslated }: EntityWork): string {
  const texts = untranslated.length
    ? `\nTo translate in modules/${module}/localization (English in every language): ${untranslated.join(', ')}.\n`
    : ''
  return `${commands.map((command) => `  ${command}\n`).join('')}${texts}`
}

/**
 * Stages an entity and its entries in the lists of the module, its proxy and its texts. Throws as {@link
 * writeEntity} does.
 */
export function addEntity(files: StagedFiles, request: EntityRequest): EntityWork {
  const { module, entity, fields: written = defaultFields } = request
  for (const name of [module, entity]) checkName(name)
  if (module === entity)
    throw new InputError(
      `The module and its entity are both called ${module}: name the entity after what it is`,
    )
  const target = readModule(files, module)
  refuseTakenName(files, pascal(entity))
  const fields = readFields(written, pascal(entity))
  const values = entityValues(files, target, entity, fields)
  for (const [path, text] of Object.entries(renderTemplates('entity', values))) files.create(path, text)
  files.create(`test/src/${module}/${values.entities}.test.ts`, renderPart('entity-test.ts', values))
  listEntity(files, target, values)
  if (target.hasSchema) addSchemaScript(files, target, values)
  const untranslated = addEntityTexts(files, target, entity, fields)
  const { entities = '' } = values
  return {
    untranslated,
    commands: [
      'npm run format',
      ...(target.hasSchema ? [] : ['npm run build', `npm run migrate -- add ${entities}`]),
      'npm run build',
      `npx vitest run test/src/${module}/${entities}.test.ts`,
    ],
  }
}

/** Permissions and entity sets have names that no two modules share. */
function refuseTakenName(files: StagedFiles, Entity: string): void {
  const taken = new RegExp(`crudPermissions\\('${Entity}'|entitySet\\('${pascal(plural(Entity))}'`)
  const path = files
    .list('modules')
    .find((file) => /\/src\/.*\.ts$/.test(file) && taken.test(files.read(file)))
  if (path) throw new InputError(`${path} has a ${Entity} already: choose another name`)
}

function addSchemaScript(files: StagedFiles, { folder }: TargetModule, values: TemplateValues): void {
  const numbers = files
    .list(`${folder}/schema`)
    .map((path) => Number(/\/(\d{4})-[^/]*\.sql$/.exec(path)?.[1] ?? 0))
  const next = String(Math.max(0, ...numbers) + 1).padStart(4, '0')
  files.create(`${folder}/schema/${next}-${values.entities}.sql`, renderPart('table.sql', values))
}
