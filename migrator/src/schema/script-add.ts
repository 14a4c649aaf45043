import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Application, Constructor, KeelModule } from '@keel/framework'
import {
  compareScripts,
  modelSnapshot,
  type Rename,
  readSchemaScripts,
  renameModel,
  type ScriptDifferences,
} from '@keel/framework/data'
import { annotateSql } from '../annotated-sql.js'
import { possibleRenames, readRenames, renameFlag } from '../renames.js'
import { withDatabaseOf } from './module-database.js'

/** The wish for a script. */
export interface ScriptRequest {
  readonly module: Constructor<KeelModule>
  /** The title of the script in kebab-case: the change that it makes. */
  readonly title: string
  /** Renames among the changes, as `Table.Old=New` or `Old=New`. */
  readonly renames: readonly string[]
}

/**
 * Writes the next schema script of a module from the differences between its scripts and its entity classes. Notes below each statement tell
 * its locks and dangers. Answers the path and the text of the script; undefined when there is no difference.
 */
export async function addScript(
  application: Application,
  { module, title, renames }: ScriptRequest,
): Promise<{ path: string; text: string } | undefined> {
  return withDatabaseOf(application, module, async ({ database, scripts: folder, entities }) => {
    const scripts = readSchemaScripts(folder)
    const model = modelSnapshot(entities)
    let given: readonly Rename[] = []
    const differences = await database.withConnection((session) =>
      compareScripts(session, {
        scripts,
        model,
        renames: (from, to) => {
          given = readRenames(renames, from, to)
          return given
        },
      }),
    )
    if (differences.changes.length === 0) return undefined
    const number = String(scripts.length + 1).padStart(4, '0')
    const path = fileURLToPath(new URL(`${number}-${title}.sql`, folder))
    const text = await scriptText(differences, given)
    writeFileSync(path, text, { flag: 'wx' })
    return { path, text }
  })
}

async function scriptText(
  { told, sql, scripted, declared }: ScriptDifferences,
  given: readonly Rename[],
): Promise<string> {
  const flags = possibleRenames(renameModel(scripted, given), declared).map(renameFlag)
  const head = [...told.map((sentence) => `-- ${sentence}`), ...flags].join('\n')
  return `${head}\n\n${await annotateSql(sql, scripted)}\n`
}
