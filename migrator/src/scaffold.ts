import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  compareModels,
  describeChange,
  type ModelSnapshot,
  migrationSql,
  type Rename,
  renameModel,
  type TableSnapshot,
  undoRenames,
} from '@keel/framework/data'
import { Refusal } from './exit-codes.js'
import type { Migration, MigrationSet } from './migration.js'
import { possibleRenames, renameFlag } from './renames.js'

/** The input for a new migration. */
export interface ScaffoldRequest {
  /** The title in kebab-case: the change that it makes. The date is put before it. */
  readonly title: string
  /** The folder of migration sources, with `index.ts` and `snapshot.json`. */
  readonly folder: string
  readonly set: MigrationSet
  readonly model: ModelSnapshot
  /**
   * Tables and columns that only got another name. Possible renames that are not listed are flagged in the
   * migration.
   */
  readonly renames?: readonly Rename[]
  readonly today: Date
}

/**
 * Writes the migration that leads from the snapshot to the model, for a person to read and the compiler to build, and brings `index.ts`
 * and `snapshot.json` up to it. Answers its name, or undefined when nothing differs.
 */
export function scaffoldMigration({
  title,
  folder,
  set,
  model,
  renames = [],
  today,
}: ScaffoldRequest): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(title))
    throw new Refusal(
      'scaffoldRefused',
      `"${title}" is no name for a migration: say what it changes, like add-api-keys`,
    )
  refuseStaleBuild(folder, set)
  const changes = compareModels(set.snapshot, model, renames)
  if (changes.length === 0) return undefined
  const name = `${today.toISOString().slice(0, 10).replaceAll('-', '')}-${title}`
  if (set.migrations.some((migration) => titleOf(migration.name) === title))
    throw new Refusal('scaffoldRefused', `There is a migration ${title} already: find another name`)
  const migration = {
    name,
    up: [
      ...possibleRenames(renameModel(set.snapshot, renames), model).map(renameFlag),
      migrationSql(set.snapshot, model, renames),
    ].join('\n'),
    down: migrationSql(model, set.snapshot, undoRenames(renames)),
  }
  writeFileSync(join(folder, `${name}.ts`), migrationSource(migration, changes.map(describeChange)))
  writeFileSync(join(folder, 'snapshot.json'), snapshotSource(model))
  writeFileSync(join(folder, 'index.ts'), indexSource([...set.migrations.map((known) => known.name), name]))
  return name
}

/** The program knows the migrations it was built with. When the sources went on, it would write the same changes a second time. */
export function refuseStaleBuild(folder: string, set: MigrationSet): void {
  const path = join(folder, 'snapshot.json')
  if (!existsSync(path))
    throw new Refusal(
      'scaffoldRefused',
      `${path} does not exist: migrations are made where the migrator's sources are. A solution's own modules have schema scripts: npm run schema -- add`,
    )
  const changes = compareModels(set.snapshot, JSON.parse(readFileSync(path, 'utf8')) as ModelSnapshot)
  if (changes.length)
    throw new Refusal(
      'scaffoldRefused',
      `${folder} holds migrations that are not built yet: run \`npx tsc -b migrator\` first`,
    )
}

const titleOf = (name: string): string => name.slice(name.indexOf('-') + 1)

/** `20261121-add-api-keys` → `addApiKeysMigration` */
const exportOf = (name: string): string =>
  `${titleOf(name).replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}Migration`

function migrationSource({ name, up, down }: Migration, changes: readonly string[]): string {
  const shown = changes.length > 12 ? [...changes.slice(0, 11), `and ${changes.length - 11} more`] : changes
  const comment = shown.map((line) => ` * - ${line.replaceAll('*/', '* /')}`).join('\n')
  return `import type { Migration } from '../migration.js'

/**
${comment}
 */
export const ${exportOf(name)}: Migration = {
  name: '${name}',
  up: /* sql */ \`
${templateText(up)}
\`,
  down: /* sql */ \`
${templateText(down)}
\`,
}
`
}

const templateText = (sql: string): string => sql.replace(/[\\`]|\$\{/g, '\\$&')

/** The text of `index.ts`. */
export function indexSource(names: readonly string[]): string {
  const imports = [...names].sort().map((name) => `import { ${exportOf(name)} } from './${name}.js'\n`)
  const list = names.map(exportOf)
  const oneLine = `export const migrations: readonly Migration[] = [${list.join(', ')}]`
  const manyLines = `export const migrations: readonly Migration[] = [\n${list.map((entry) => `  ${entry},\n`).join('')}]`
  return `import type { ModelSnapshot } from '@keel/framework/data'
import type { Migration } from '../migration.js'
${imports.join('')}import model from './snapshot.json' with { type: 'json' }

// Written by \`migrator add\`, like snapshot.json: the migrations in their order, and the model after the last of them.
${oneLine.length > 110 ? manyLines : oneLine}
export const snapshot = model as ModelSnapshot
`
}

/** JSON with a line for every column, key and index, so that a change of the model is a change of a line. */
export function snapshotSource({ tables }: ModelSnapshot): string {
  return `{\n  "tables": ${list(tables, '  ', tableSource)}\n}\n`
}

function tableSource(table: TableSnapshot): string {
  const members = Object.entries(table).map(([name, value]) => {
    const text = Array.isArray(value) ? list(value, '      ', oneLineSource) : oneLineSource(value)
    return `      ${JSON.stringify(name)}: ${text}`
  })
  return `{\n${members.join(',\n')}\n    }`
}

function list<T>(values: readonly T[], indent: string, write: (value: T) => string): string {
  if (values.length === 0) return '[]'
  return `[\n${values.map((value) => `${indent}  ${write(value)}`).join(',\n')}\n${indent}]`
}

function oneLineSource(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLineSource).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${oneLineSource(member)}`)
    .join(', ')} }`
}
