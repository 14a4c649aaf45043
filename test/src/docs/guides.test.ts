import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Configuration, createLogger, moduleListingOf } from '@keel/framework'
import { writeSolution } from '@keel/framework/cli'
import {
  applySchemaScripts,
  createDatabase,
  type Database,
  Databases,
  dropDatabase,
  type EntityClass,
  findDrift,
  modelSnapshot,
} from '@keel/framework/data'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type GuideBlock,
  guideBlocks,
  guideCommands,
  guideIndex,
  guidePages,
  keepContract,
  writeGuideFiles,
} from '../support/guides.js'
import { linter } from '../support/lint-tools.js'
import { shell } from '../support/npm-start.js'
import { linkOwnPackages } from '../support/solution.js'
import { databasePrefix, directServer, runVariable, templates } from '../support/test-databases.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const compiler = `node '${root}node_modules/@typescript/native/bin/tsc' -b`
/** Where test hosts of a solution find the migrated databases: its own global set-up would make them. */
const variable = 'KEEL_TEST_DATABASES'

// Inside of the repository: the libraries are those of this one, and packages are read as TypeScript.
mkdirSync(join(root, 'test/.generated'), { recursive: true })
const folder = mkdtempSync(join(root, 'test/.generated/guides-'))
const solution = join(folder, 'acme')
const own = guideBlocks.filter(({ use }) => use === 'file' || use === 'merge')
/** The fleet as the commands write it: its files by their paths. */
const generated = new Map<string, string>()
/** The commands for the compiled solution, which run beside the tests. */
let commandsRun: Promise<string> = Promise.resolve('')
/** The databases of the solution; those that this repository has too are filled already. */
const databases: Record<string, string> = {}

beforeAll(async () => {
  for (const [name, database] of Object.entries(databases))
    if (isOwn(name))
      await createDatabase(directServer, database, name === 'Default' ? { template: templates.Default } : {})
  await applyScripts('yard', 'Default')
  await applyScripts('fleet', 'Fleet')
  process.env[variable] = JSON.stringify({ server: directServer.urlOf(''), templates: databases })
}, 60_000)
afterAll(async () => {
  delete process.env[variable]
  await commandsRun.catch(() => undefined)
  for (const [name, database] of Object.entries(databases))
    if (isOwn(name)) await dropDatabase(directServer, database)
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

/** A database that is made here: Default has the tables of the yard beside those of the platform. */
const isOwn = (name: string): boolean => name === 'Default' || !Object.hasOwn(templates, name)

/** Runs a command of a guide in the solution, without npm. */
function keel(command: string): Promise<string> {
  return shell(solution, command.replace(/^npx keel /, `node '${root}framework/bin/keel.js' `))
}

/** Makes the solution that the guides describe. Answers what the compiler says. */
async function makeSolution(): Promise<string> {
  mkdirSync(solution)
  writeSolution({ name: 'acme', hub: true, pricing: true }, solution)
  for (const command of guideCommands('')) await keel(command)
  const fleet = ['modules/fleet', 'proxies/fleet', 'test/src/fleet']
  await shell(solution, `${linter} check --write ${fleet.join(' ')}`)
  for (const path of fleet)
    for (const entry of readdirSync(join(solution, path), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name)
      if (entry.isFile()) generated.set(relative(solution, file), readFileSync(file, 'utf8'))
    }
  writeGuideFiles(solution)
  linkOwnPackages(solution)
  const { keel: settings } = JSON.parse(readFileSync(join(solution, 'package.json'), 'utf8')) as {
    keel: { databases: readonly (keyof typeof templates | 'Fleet' | 'Billing')[] }
  }
  for (const name of settings.databases)
    databases[name] = isOwn(name)
      ? `${databasePrefix}_guides${name.toLowerCase()}_${process.env[runVariable]}`
      : templates[name as keyof typeof templates]
  return shell(solution, `${compiler} test 2>&1`).then(
    () => '',
    (error: Error) => error.message,
  )
}

async function runCompiledCommands(): Promise<string> {
  const said: string[] = []
  for (const command of guideCommands('compiled')) {
    if (command.includes('contract diff')) keepContract(solution)
    said.push(await keel(command))
  }
  // The solution has the package of the new proxy from here on.
  linkOwnPackages(solution)
  await shell(solution, `${compiler} proxies/yard-client 2>&1`)
  return said.join('\n')
}

function applyScripts(module: string, connection: string): Promise<string[]> {
  const schema = pathToFileURL(join(solution, 'modules', module, 'schema/'))
  return within(connection, schema, (database) => applySchemaScripts(database, schema, () => undefined))
}

/** Opens a database of the solution for some work. */
async function within<T>(
  connection: string,
  schema: URL,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const address = directServer.urlOf(databases[connection] ?? '')
  const configuration = new Configuration('Development').add(
    { [`ConnectionStrings:${connection}`]: address, 'Log:Level': 'error' },
    'test',
  )
  const logger = createLogger('guides', configuration)
  const opened = new Databases(configuration, logger, [{ database: connection, schema }])
  try {
    return await work(opened.named(connection))
  } finally {
    await Promise.all(opened.all.map((database) => database.stop()))
  }
}

test('every code block of the guides is a file, a part of one, or a command', () => {
  expect(guidePages).toHaveLength(12)
  const unnamed = guideBlocks.filter(({ use, language }) => !use && language !== 'sh')
  expect(unnamed.map(({ page, text }) => `${page}: ${text}`)).toEqual([])
  const { scripts } = JSON.parse(readFileSync(join(solution, 'package.json'), 'utf8')) as { scripts: object }
  const run = Object.keys(scripts).join('|')
  const known = new RegExp(`^(npm (install|start|test|run (${run}))|npx keel contract write)( |$)`)
  const commands = guideBlocks.filter(({ use, language }) => !use && language === 'sh')
  expect(commands.flatMap(({ text }) => text.trim().split('\n')).filter((line) => !known.test(line))).toEqual(
    [],
  )
  expect(guideBlocks.filter(({ use, text }) => use === 'run' && /^(?!npx keel )/m.test(text.trim()))).toEqual(
    [],
  )
})

test('parts of files are lines of these files', () => {
  const linesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
  const isPart = ({ target, text }: GuideBlock) =>
    `\n${linesOf(readFileSync(join(solution, target), 'utf8'))}\n`.includes(`\n${linesOf(text)}\n`)
  const parts = guideBlocks.filter(({ use }) => use === 'part')
  expect(parts.length).toBeGreaterThan(5)
  expect(parts.filter((part) => !isPart(part)).map(({ page, text }) => `${page}: ${text}`)).toEqual([])
})

test('the fleet of the guides has as many files and lines of one’s own as the index tells', () => {
  const fleet = own.filter(({ target }) => !target.startsWith('test/src/house/'))
  const files = new Set(fleet.map(({ target }) => target)).size
  const lines = fleet.reduce((sum, block) => sum + ownLines(block), 0)
  expect(guideIndex).toContain(`needs ${files} files with ${lines} lines`)
  expect([files <= 16, lines <= 400]).toEqual([true, true])
  const written = [...generated.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  expect(guideIndex).toContain(`write ${generated.size} files with ${written} lines`)
  // Files of modules that are there are changed by commands alone.
  expect(own.filter(({ target }) => /^(hosts|migrator|modules\/(?!fleet\/))/.test(target))).toEqual([])
})

/** How many lines of a file the commands have not written; of members that are added, how many there are. */
function ownLines({ use, target, text }: GuideBlock): number {
  if (use === 'merge') return Object.keys(JSON.parse(text) as object).length
  const before = (generated.get(target) ?? '').split('\n')
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => {
      const at = before.indexOf(line)
      if (at >= 0) before.splice(at, 1)
      return at < 0
    }).length
}

test('the links of the guides lead to files that are there', () => {
  const docs = join(root, 'docs/guides')
  const pages = [...guidePages, { name: 'README.md', text: guideIndex }]
  const links = pages.flatMap(({ text }) =>
    [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, path = '']) => path),
  )
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter((path) => !existsSync(join(docs, path)))).toEqual([])
})

describe('the solution of the guides', async () => {
  const compiled = await makeSolution()

  test('compiles, is laid out like the rest, and has no finding of the linter', async () => {
    expect(compiled).toBe('')
    const files = own.map(({ target }) => `'${target}'`).join(' ')
    await shell(solution, `${linter} check --error-on-warnings ${files} 2>&1`)
  }, 60_000)

  if (compiled) return
  commandsRun = runCompiledCommands()
  commandsRun.catch(() => undefined)

  test('its schema scripts make what its entity classes declare', async () => {
    const { FleetModule } = (await import(
      /* @vite-ignore */ join(solution, 'modules/fleet/src/fleet.module.ts')
    )) as { FleetModule: object }
    const { entities = [], schema } = moduleListingOf(FleetModule) ?? {}
    const model = modelSnapshot(entities as readonly EntityClass[])
    expect(model.tables).toHaveLength(2)
    const drift = await within('Fleet', schema as URL, (database) =>
      database.withConnection((session) => findDrift(session, model)),
    )
    expect(drift.told).toEqual([])
  })

  for (const path of ['fleet/trips', 'house/house'])
    describe(`test/src/${path}.test.ts`, async () => {
      await import(/* @vite-ignore */ join(solution, `test/src/${path}.test.ts`))
    })

  test('does what the commands of the guides say', async () => {
    expect(await commandsRun).toContain('proxies/yard-client is written: gates.')
    expect(readdirSync(join(solution, 'proxies/yard-client/dist'))).toContain('index.js')
  }, 60_000)
})
