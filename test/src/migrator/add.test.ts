import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programIn } from '@keel/framework'
import { createDatabase, dropDatabase } from '@keel/framework/data'
import ts from 'typescript'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { testServer } from '../support/test-databases.js'
import { copyProgram, migrate, patientMs, removeBundle, stepsOf } from './migrator-program.js'

/** The real model, after a snapshot in which one column has another name. */
const programs = ['flagged', 'renamed', 'told yes', 'told no', 'without a terminal', 'removed'].map(() =>
  copyProgram({ snapshot: (text) => text.replaceAll('"RegexDescription"', '"RegexHint"') }),
)
afterAll(() => {
  for (const program of programs) program.remove()
})

/** Runs `add` and answers the migration that it wrote. */
async function add(
  place: number,
  ...args: string[]
): Promise<{ said: Record<string, unknown>; source: string }> {
  const path = programs[place]?.path ?? ''
  const outcome = await migrate(['add', 'claim-hint', '--json', ...args], {}, path)
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  const said = stepsOf(outcome).find(({ step }) => step === 'add') ?? {}
  return { said, source: readFileSync(join(path, 'src/migrations', `${String(said.name)}.ts`), 'utf8') }
}

test(
  'what looks like a rename is flagged in the migration, which can not know',
  async () => {
    const { said, source } = await add(0)
    expect(said.possibleRenames).toEqual(['AbpClaimTypes.RegexHint=RegexDescription'])
    expect(source).toContain(`  up: /* sql */ \`
-- Is AbpClaimTypes.RegexDescription what AbpClaimTypes.RegexHint was? Then this loses its values: write it again with --rename AbpClaimTypes.RegexHint=RegexDescription.
alter table "AbpClaimTypes" drop column "RegexHint";
alter table "AbpClaimTypes" add column "RegexDescription" varchar(128);
\`,`)
  },
  patientMs,
)

test(
  'a rename that is asked for keeps the values, up and down',
  async () => {
    const { said, source } = await add(1, '--rename', 'AbpClaimTypes.RegexHint=RegexDescription')
    expect(said.possibleRenames).toEqual([])
    expect(source).toBe(`import type { Migration } from '../migration.js'

/**
 * - AbpClaimTypes.RegexHint: renamed → AbpClaimTypes.RegexDescription
 */
export const claimHintMigration: Migration = {
  name: '${String(said.name)}',
  up: /* sql */ \`
alter table "AbpClaimTypes" rename column "RegexHint" to "RegexDescription";
\`,
  down: /* sql */ \`
alter table "AbpClaimTypes" rename column "RegexDescription" to "RegexHint";
\`,
}
`)
  },
  patientMs,
)

const question = 'Is this a rename: AbpClaimTypes.RegexHint=RegexDescription? [y/N] '
const renamed = 'alter table "AbpClaimTypes" rename column "RegexHint" to "RegexDescription";'
const droppedAndAdded =
  'alter table "AbpClaimTypes" drop column "RegexHint";\nalter table "AbpClaimTypes" add column "RegexDescription" varchar(128);'

// `script` of util-linux makes a terminal of the system; other systems have another program of that name.
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')

/** Runs `add` in a terminal and types an answer when it asks. Answers what the terminal showed, and the migration. */
async function addInTerminal(place: number, answer: string): Promise<{ shown: string; source: string }> {
  const path = programs[place]?.path ?? ''
  const call = `'${process.execPath}' '${programIn(path)}' add claim-hint`
  const child = spawn('script', ['--quiet', '--return', '--command', call, '/dev/null'])
  let shown = ''
  child.stdout.on('data', (text) => {
    const hadAsked = shown.includes(question)
    shown += String(text)
    if (!hadAsked && shown.includes(question)) child.stdin.write(`${answer}\n`)
  })
  const [code] = (await once(child, 'close')) as (number | null)[]
  expect(code, shown).toBe(0)
  return { shown, source: migrationOf(path) }
}

function migrationOf(path: string): string {
  const folder = join(path, 'src/migrations')
  const name = readdirSync(folder).find((file) => file.endsWith('-claim-hint.ts')) ?? ''
  return readFileSync(join(folder, name), 'utf8')
}

test.skipIf(!hasTerminal)(
  'on a terminal a rename is asked for, and yes keeps the values',
  async () => {
    const { shown, source } = await addInTerminal(2, 'yes')
    expect(shown).toContain(question)
    expect(source).toContain(renamed)
    expect(source).not.toContain('drop column')
  },
  patientMs,
)

test.skipIf(!hasTerminal)(
  'on a terminal every other answer drops one column and adds the other, and the migration says so',
  async () => {
    const { shown, source } = await addInTerminal(3, '')
    expect(shown).toContain(question)
    expect(shown).toContain('add --rename AbpClaimTypes.RegexHint=RegexDescription')
    expect(source).toContain('-- Is AbpClaimTypes.RegexDescription what AbpClaimTypes.RegexHint was?')
    expect(source).toContain(droppedAndAdded)
  },
  patientMs,
)

test(
  'without a terminal nobody is asked, and the possible rename is flagged',
  async () => {
    const path = programs[4]?.path ?? ''
    const outcome = await migrate(['add', 'claim-hint'], {}, path)
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).not.toContain('Is this a rename')
    expect(outcome.stdout).toContain('add --rename AbpClaimTypes.RegexHint=RegexDescription')
    expect(migrationOf(path)).toContain(droppedAndAdded)
  },
  patientMs,
)

test(
  'remove takes back the last migration that was not released, and no other',
  async () => {
    const path = programs[5]?.path ?? ''
    const database = 'keel_test_remove'
    await createDatabase(testServer, database)
    onTestFinished(() => dropDatabase(testServer, database))
    const env = { ConnectionStrings__Default: testServer.urlOf(database) }
    const folder = join(path, 'src/migrations')
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: path,
        encoding: 'utf8',
      }).stdout
    const commit = (message: string) => git('add', '-A', 'src') + git('commit', '-qm', message)
    git('init', '-q')
    commit('before')
    const { said } = await add(5)
    build(path)

    expect(await migrate(['remove'], env, path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Removed ${String(said.name)}.`),
    })
    expect(git('status', '--porcelain', 'src')).toBe('')
    build(path)

    await add(5)
    build(path)
    commit('with the migration')
    git('tag', 'v9.0.0')
    expect(await migrate(['remove'], env, path)).toMatchObject({
      code: 22,
      stderr: expect.stringContaining(`${String(said.name)} was released with v9.0.0`),
    })
    git('tag', '-d', 'v9.0.0')
    expect(await migrate(['remove'], env, path)).toMatchObject({ code: 0 })
    expect(readdirSync(folder)).not.toContain(`${String(said.name)}.ts`)
    expect(git('diff', '--stat', 'HEAD~1', '--', 'src')).toBe('')
  },
  patientMs,
)

/** Brings the compiled migrations of a copy up to their sources. */
function build(path: string): void {
  removeBundle(path)
  const [from, to] = [join(path, 'src/migrations'), join(path, 'dist/migrations')]
  for (const file of readdirSync(from).filter((name) => name.endsWith('.ts'))) {
    const { outputText } = ts.transpileModule(readFileSync(join(from, file), 'utf8'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    })
    writeFileSync(join(to, file.replace(/\.ts$/, '.js')), outputText)
  }
  copyFileSync(join(from, 'snapshot.json'), join(to, 'snapshot.json'))
}
