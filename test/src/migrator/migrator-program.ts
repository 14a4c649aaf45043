import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programIn } from '@keel/framework'
import { createDatabase, dropDatabase } from '@keel/framework/data'
import pg from 'pg'
import { directServer, templates, testServer } from '../support/test-databases.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const migrator = join(root, 'migrator')

/** For tests that start processes, in ms: they wait for whatever else the machine is doing. */
export const patientMs = 120_000

/** How a process ended, and all it said. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A migrator at work. */
export interface MigratorProcess {
  readonly child: ChildProcess
  readonly done: Promise<Outcome>
  /** What it printed so far. */
  said(): string
  /** HTTP status and body of its status endpoint, asked with this path's query and headers; undefined while it does not listen. */
  status(query?: string, headers?: Record<string, string>): Promise<[number, unknown] | undefined>
}

/** Runs the built migrator to its end with nothing but these settings in its environment. */
export function migrate(
  args: readonly string[],
  env: Record<string, string>,
  program?: string,
): Promise<Outcome> {
  return startMigrator(args, env, program).done
}

/** Starts the built migrator, or a copy of it ({@link copyProgram}). */
export function startMigrator(
  args: readonly string[],
  env: Record<string, string>,
  program = migrator,
): MigratorProcess {
  const child = spawn(process.execPath, [programIn(program), ...args], {
    env: { KEEL_ENVIRONMENT: 'Development', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (output.stdout += String(text)))
  child.stderr.on('data', (text) => (output.stderr += String(text)))
  const done = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, ...output }))
  const said = () => output.stdout + output.stderr
  const status = async (query = '', headers = {}): Promise<[number, unknown] | undefined> => {
    const url = /"url":"([^"]+)"/.exec(output.stdout)?.[1]
    if (!url) return undefined
    const response = await fetch(`${url}/migration/status${query}`, { headers })
    return [response.status, await response.json()]
  }
  return { child, done, said, status }
}

/** The JSON lines of a run with `--json`. Throws when one is none. */
export function stepsOf({ stdout }: Pick<Outcome, 'stdout'>): Record<string, unknown>[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ step }) => step !== undefined)
}

/** A migration of a test. */
export interface TestMigration {
  readonly name: string
  readonly up: string
  readonly down?: string
}

/** In what a copy of the migrator differs from the real one. */
export interface ProgramChanges {
  /** Instead of the real migrations: none of them, or what comes after them. */
  readonly migrations?: 'none' | readonly TestMigration[]
  /** Changes the text of the snapshot. */
  readonly snapshot?: (text: string) => string
  /** Configuration files by name. */
  readonly files?: Readonly<Record<string, object | string>>
}

/** What a bundle reads beside its package: pages, texts and scripts stay where they are. */
const besideMigrator = ['framework', 'hosts', 'modules', 'node_modules']

/**
 * A copy of the built migrator with other migrations or configuration files: the same program in another folder. Where the migrator has a bundle the
 * copy has one too, which starts in half the time.
 */
export function copyProgram({ migrations, snapshot, files = {} }: ProgramChanges): {
  path: string
  remove(): void
} {
  // Beside the tests, so that package names resolve from there.
  mkdirSync(join(root, 'test/.generated'), { recursive: true })
  const solution = mkdtempSync(join(root, 'test/.generated/migrator-'))
  for (const name of besideMigrator) symlinkSync(join(root, name), join(solution, name))
  const path = join(solution, 'migrator')
  const hasBundle = dirname(programIn(migrator)) === join(migrator, 'bundle')
  for (const part of [
    'dist',
    ...(hasBundle ? ['bundle'] : []),
    'package.json',
    'appsettings.json',
    'appsettings.Development.json',
    'src/migrations',
  ])
    cpSync(join(migrator, part), join(path, part), {
      recursive: true,
      filter: (name) => !/\.tsbuildinfo$/.test(name),
    })
  if (migrations === 'none') removeMigrations(path)
  else if (migrations) addMigrations(path, migrations)
  if (snapshot) changeSnapshot(path, snapshot)
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(path, name), typeof content === 'string' ? content : JSON.stringify(content))
  // Without its inputs the bundle stays the program, although files of the copy are younger.
  if (hasBundle)
    edit(join(path, 'bundle/bundle.json'), (text) => JSON.stringify({ ...JSON.parse(text), inputs: {} }))
  return { path, remove: () => rmSync(solution, { recursive: true, force: true }) }
}

/** Lets a copy run what is in its `dist` from now on. */
export function removeBundle(path: string): void {
  rmSync(join(path, 'bundle'), { recursive: true, force: true })
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

/** Adds statements to the chunk of a copied bundle, if there is one, that exports the migrations and the snapshot. */
function changeBundle(path: string, statements: string): void {
  const bundle = join(path, 'bundle')
  if (!existsSync(bundle)) return
  // The folder holds the chunks of the bundle before, too.
  const record = JSON.parse(readFileSync(join(bundle, 'bundle.json'), 'utf8')) as { readonly chunks: object }
  const chunks = Object.keys(record.chunks).filter((name) => /^migrations-[^.]+\.cjs$/.test(name))
  const [chunk] = chunks
  if (!chunk || chunks.length > 1) throw new Error(`Which of these has the migrations: ${chunks.join(', ')}?`)
  // Its last line closes the function that the chunk is.
  edit(join(bundle, chunk), (text) => text.replace(/\n\}\)$/, () => `\n${statements}\n})`))
  rmSync(join(bundle, `${chunk}.cache`), { force: true })
}

function changeSnapshot(path: string, change: (text: string) => string): void {
  for (const folder of ['dist', 'src']) edit(join(path, folder, 'migrations/snapshot.json'), change)
  const snapshot = readFileSync(join(path, 'dist/migrations/snapshot.json'), 'utf8')
  changeBundle(path, `exports.snapshot = ${snapshot}`)
}

function removeMigrations(path: string): void {
  const none = 'export const migrations = []\nexport const snapshot = { tables: [] }\n'
  writeFileSync(join(path, 'dist/migrations/index.js'), none)
  for (const name of readdirSync(join(path, 'src/migrations'))) rmSync(join(path, 'src/migrations', name))
  writeFileSync(join(path, 'src/migrations/snapshot.json'), '{ "tables": [] }')
  changeBundle(path, 'exports.migrations = []; exports.snapshot = { tables: [] }')
}

function addMigrations(path: string, added: readonly TestMigration[]): void {
  const file = join(path, 'dist/migrations/index.js')
  const list = JSON.stringify(added.map(({ down = '', ...migration }) => ({ ...migration, down })))
  edit(file, (text) => {
    const renamed = text.replace('export const migrations =', 'const real =')
    return `${renamed}\nexport const migrations = [...real, ...${list}]\n`
  })
  changeBundle(path, `exports.migrations = [...exports.migrations, ...${list}]`)
}

/** A database of a test. */
export interface TestDatabase {
  readonly url: string
  /** The environment that leads a migrator to it. */
  readonly env: Record<string, string>
  query<R extends pg.QueryResultRow>(text: string): Promise<R[]>
  /** A connection past any pooler that the test keeps; ended with the database. */
  connect(): Promise<pg.Client>
  drop(): Promise<void>
}

/** An empty database, or a copy of the one that the real migrator made. */
export async function makeDatabase(kind: 'empty' | 'migrated'): Promise<TestDatabase> {
  const name = `${templates.Default}_${randomUUID().slice(0, 8)}`
  await createDatabase(testServer, name, kind === 'migrated' ? { template: templates.Default } : {})
  const url = testServer.urlOf(name)
  const clients: pg.Client[] = []
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: directServer.urlOf(name) })
    client.on('error', () => undefined)
    await client.connect()
    clients.push(client)
    return client
  }
  let asking: Promise<pg.Client> | undefined
  return {
    url,
    env: { ConnectionStrings__Default: url },
    connect,
    async query<R extends pg.QueryResultRow>(text: string) {
      asking ??= connect()
      return (await (await asking).query<R>(text)).rows
    },
    async drop() {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
      await dropDatabase(testServer, name)
    },
  }
}

/** The names of its tables. */
export async function tablesOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Digests of the rows of all tables by name, with the transaction that wrote each row: equal ones mean that nothing was written. */
export async function contentsOf(database: TestDatabase): Promise<Record<string, string | null>> {
  const names = await tablesOf(database)
  if (names.length === 0) return {}
  const parts = names.map(
    (name) => `select '${name}' as name,
      (select md5(string_agg(t.xmin::text || t::text, '|' order by t::text)) from ${pg.escapeIdentifier(name)} t) as digest`,
  )
  const rows = await database.query<{ name: string; digest: string | null }>(parts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

/** Everything in the schema that a migration could make, as lines of text. */
export async function schemaOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ line: string }>(`
    select format('%s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid)) as line
      from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped
    union all select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`)
  return rows.map(({ line }) => line)
}
