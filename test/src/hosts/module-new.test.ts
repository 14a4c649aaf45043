import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const bin = join(root, 'framework/bin/keel.js')
const parts = [
  ...['framework', 'modules', 'hosts', 'migrator', 'proxies', 'test'],
  ...[
    '.gitignore',
    'package.json',
    'lerna.json',
    'biome.json',
    'tsconfig.json',
    'tsconfig.base.json',
    'vitest.config.mts',
  ],
]
const leftOut = new Set(['node_modules', '.generated', '.keel', 'bundle'])

let copy: string

beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), 'keel-module-')))
  for (const part of parts) {
    const filter = (path: string) => !leftOut.has(path.slice(path.lastIndexOf('/') + 1))
    cpSync(join(root, part), join(copy, part), { recursive: true, preserveTimestamps: true, filter })
  }
  // Libraries are those of this repository, packages of ours those of the copy.
  const libraries = join(root, 'node_modules')
  mkdirSync(join(copy, 'node_modules/@keel'), { recursive: true })
  for (const name of readdirSync(libraries))
    if (name !== '@keel' && name !== '.vite')
      symlinkSync(join(libraries, name), join(copy, 'node_modules', name))
  for (const name of readdirSync(join(libraries, '@keel'))) {
    const target = realpathSync(join(libraries, '@keel', name)).slice(root.length)
    symlinkSync(join(copy, target), join(copy, 'node_modules/@keel', name))
  }
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Runs a program of Node.js in the copy; throws with what it said when it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  // A run within a run of Vitest is one of its own.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|KEEL_TEST)/.test(name)),
  )
  const file = program.startsWith('/') ? program : join(copy, program)
  const options = { cwd: copy, env, maxBuffer: 10_000_000 }
  return promisify(execFile)(process.execPath, [file, ...args], options).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
    },
  )
}

const build = () => run('node_modules/@typescript/native/bin/tsc', '-b')

test('keel module new writes a module that compiles, can be formatted and migrated, and passes its own test', async () => {
  expect(await run(bin, 'module', 'new', 'fleet', 'fuel-card')).toContain('npm run migrate -- add fleet')
  symlinkSync(join(copy, 'modules/fleet'), join(copy, 'node_modules/@keel/fleet'))
  await build()
  await run('migrator/dist/main.js', 'add', 'fleet')
  expect(readdirSync(join(copy, 'migrator/src/migrations')).some((name) => name.endsWith('-fleet.ts'))).toBe(
    true,
  )
  await build()
  await run(
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--write',
    '--error-on-warnings',
    'modules/fleet',
    'test/src/fleet/fuel-cards.test.ts',
    'hosts/api',
    'migrator/src',
  )
  const report = await run(
    'node_modules/vitest/vitest.mjs',
    'run',
    'test/src/fleet/fuel-cards.test.ts',
    '--reporter=json',
  )
  expect(JSON.parse(report.slice(report.indexOf('{')))).toMatchObject({
    numPassedTests: 2,
    numFailedTests: 0,
  })
}, 180_000)

test.for([
  [['fleet', 'Vehicle'], /"Vehicle" is no name/],
  [['hub', 'vehicle'], /modules\/hub exists already/],
  [['same', 'same'], /both called same/],
] as const)('keel module new %s is refused before anything is written', async ([names, told]) => {
  await expect(run(bin, 'module', 'new', ...names)).rejects.toThrow(told)
  expect(existsSync(join(copy, 'modules', names[0], 'src/domain', `${names[1]}.ts`))).toBe(false)
})
