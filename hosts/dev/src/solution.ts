import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What `npm start` has to know of a solution, from the `package.json` at its root. */
export interface Solution {
  readonly root: string
  /** The name in the names of its databases: `acme_default`. */
  readonly name: string
  /** The databases by connection name; the first is Default. */
  readonly databases: readonly string[]
  /** The path of a first call to show; undefined without one. */
  readonly firstCall: string | undefined
}

/**
 * Reads the solution of a folder: the name, and `"keel": { "databases": ["Default", "Fleet"], "firstCall": "/api/fleet/vehicle" }`. Throws when
 * there is no such member, or when a name of a database is none.
 */
export function readSolution(root: string): Solution {
  const { name = '', keel } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name?: string
    keel?: { databases?: readonly string[]; firstCall?: string }
  }
  if (!keel)
    throw new Error(
      `package.json in ${root} has no member "keel": { "databases": ["Default"] } names the databases`,
    )
  const databases = [...new Set(['Default', ...(keel.databases ?? [])])]
  const wrong = databases.find((database) => !/^[A-Z][A-Za-z0-9]*$/.test(database))
  if (wrong !== undefined)
    throw new Error(
      `"${wrong}" in "keel" of package.json is no name of a database: write it like Fleet, as its module does`,
    )
  return { root, name: name.replace(/[^a-z0-9]+/g, '_'), databases, firstCall: keel.firstCall }
}

/** The name that a database has on the embedded server. */
export function databaseName({ name }: Pick<Solution, 'name'>, database: string): string {
  return `${name}_${database.toLowerCase()}`
}

/** True when a solution has a program in this folder. */
export function hasProgram({ root }: Pick<Solution, 'root'>, folder: string): boolean {
  return existsSync(join(root, folder, 'package.json'))
}
