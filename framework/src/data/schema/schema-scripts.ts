import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { StartupError } from '../../modularity/startup-error.js'
import type { Database } from '../connections/database.js'
import {
  type DatabaseSession,
  inTransaction,
  runSqlScript,
  takeAdvisoryLock,
  withoutStatementTimeout,
} from '../wire/session.js'

/** A numbered script of a database that the migrator does not own. */
export interface SchemaScript {
  /** Name of its file, e.g. `0002-organizations.sql`. */
  readonly name: string
  readonly text: string
  /** Of the text with line ends as `\n`, so that a checkout on Windows is the same script. */
  readonly sha256: string
  /** Hashes of earlier texts with the same effect, from the lines `-- replaces <sha256>` of the script. */
  readonly replaces: readonly string[]
}

/**
 * The scripts of the framework's own tables. A database gets them before the scripts of its modules. Their names
 * begin with `framework/`.
 */
export const frameworkScripts = new URL('../../../schema/', import.meta.url)

/**
 * Brings a database up to the scripts of the framework, and then to the numbered scripts of a folder
 * (`0001-….sql`, `0002-….sql`, …). Answers the names of those it applied, each in a transaction of its own.
 * Scripts go forward only: refused when an applied one was changed, or when numbers repeat or leave gaps.
 * Callers at the same time wait for each other.
 */
export async function applySchemaScripts(
  database: Database,
  folder: URL,
  log: (message: string) => void,
): Promise<string[]> {
  const folders = [readSchemaScripts(frameworkScripts), readSchemaScripts(folder)]
  const applied: string[] = []
  await database.withConnection((session) =>
    withoutStatementTimeout(session, async () => {
      for (;;) {
        const name = await applyNext(session, folders, database.name, log)
        if (!name) return
        applied.push(name)
        log(`${database.name}: applied ${name}`)
      }
    }),
  )
  return applied
}

/** Applies the first script that is not applied, alone on the database, and answers its name; undefined when there is none. */
function applyNext(
  session: DatabaseSession,
  folders: readonly (readonly SchemaScript[])[],
  database: string,
  log: (message: string) => void,
): Promise<string | undefined> {
  return inTransaction(session, async () => {
    await takeAdvisoryLock(session, 'keel:schema', (holder) => log(waiting(holder?.pid)))
    await session.query(createHistory)
    const history = await readHistory(session)
    const [next] = folders.flatMap((scripts) => pendingScripts(scripts, history, database))
    if (!next) return undefined
    const { name, text, sha256 } = next
    await runSqlScript(session, name, text)
    await session.query('insert into "KeelSchemaScripts" ("Name", "Sha256") values ($1, $2)', [name, sha256])
    return name
  })
}

/** The scripts of a folder in their order. Throws when a name has no number, or when numbers repeat or leave gaps. */
export function readSchemaScripts(folder: URL): SchemaScript[] {
  const path = fileURLToPath(folder)
  const names = readdirSync(path)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  for (const [index, name] of names.entries()) {
    const number = /^(\d{4})-[a-z0-9-]+\.sql$/.exec(name)?.[1]
    const expected = String(index + 1).padStart(4, '0')
    if (number === undefined) throw new StartupError(`${path}${name} is not named like 0001-what-it-does.sql`)
    if (number !== expected)
      throw new StartupError(
        `${path}${name} should have the number ${expected}: schema scripts are numbered without gaps or repeats`,
      )
  }
  return names.map((name) => {
    const text = readFileSync(`${path}/${name}`, 'utf8').replaceAll('\r\n', '\n')
    return {
      name: folder.href === frameworkScripts.href ? `framework/${name}` : name,
      text,
      sha256: createHash('sha256').update(text).digest('hex'),
      replaces: [...text.matchAll(/^-- replaces ([0-9a-f]{64})$/gm)].map(([, hash = '']) => hash),
    }
  })
}

/** The scripts that a database still lacks, given the hashes of those it has by name. Throws when the two don't fit together. */
export function pendingScripts(
  scripts: readonly SchemaScript[],
  applied: ReadonlyMap<string, string>,
  database: string,
): SchemaScript[] {
  const known = scripts.filter(({ name }) => applied.has(name))
  const changed = known.find(
    ({ name, sha256, replaces }) => ![sha256, ...replaces].includes(applied.get(name) ?? ''),
  )
  if (changed) {
    throw new StartupError(
      `${changed.name} was changed after it was applied to the database ${database}: undo the change and write a new script. If another module of this database has a script of that name, rename this one`,
    )
  }
  const overtaken = scripts.slice(0, known.length).find(({ name }) => !applied.has(name))
  if (overtaken)
    throw new StartupError(
      `${overtaken.name} is not applied to the database ${database}, but later scripts are: was it renamed?`,
    )
  return scripts.slice(known.length)
}

const createHistory = `create table if not exists "KeelSchemaScripts" (
  "Name" varchar(200) not null constraint "PK_KeelSchemaScripts" primary key,
  "Sha256" char(64) not null,
  "AppliedTime" timestamptz not null default now()
)`

/** The hashes of the scripts that were applied to a database, by name; none where no script ever was. */
export async function readSchemaHistory(session: DatabaseSession): Promise<Map<string, string>> {
  const { rows } = await session.query<{ exists: boolean }>(
    `select to_regclass('"KeelSchemaScripts"') is not null as exists`,
  )
  return rows[0]?.exists ? readHistory(session) : new Map()
}

async function readHistory(session: DatabaseSession): Promise<Map<string, string>> {
  const { rows } = await session.query<{ Name: string; Sha256: string }>(
    'select "Name", "Sha256" from "KeelSchemaScripts"',
  )
  return new Map(rows.map((row) => [row.Name, row.Sha256]))
}

const waiting = (pid?: number): string =>
  `waiting for another run on this database${pid ? ` (PostgreSQL process ${pid})` : ''}`
