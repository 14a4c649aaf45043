import { execFile } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What `npm pack` would put into a package of a workspace. */
interface Packed {
  readonly name: string
  readonly files: readonly { readonly path: string }[]
}

/** A workspace as `npm query .workspace` tells it. */
interface Workspace {
  readonly name: string
  readonly location: string
  readonly license?: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

let workspaces: readonly Workspace[]
let packed: readonly Packed[]

beforeAll(async () => {
  ;[workspaces, packed] = (await Promise.all([
    npm('query', '.workspace'),
    npm('pack', '--workspaces', '--dry-run', '--ignore-scripts', '--json'),
  ])) as [Workspace[], Packed[]]
})

async function npm(...words: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)('npm', words, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout)
}

test('every package names its licence and brings its text along when it is published', () => {
  const licence = readFileSync(`${root}LICENSE`, 'utf8')
  const { license } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { license: string }
  const publishable = workspaces.filter((workspace) => !workspace.private)
  expect(publishable.length).toBeGreaterThan(15)
  const without = publishable.filter(({ name, location, license: named }) => {
    const file = packed.find((one) => one.name === name)?.files.find(({ path }) => path === 'LICENSE')
    return named !== license || !file || readFileSync(`${root}${location}/LICENSE`, 'utf8') !== licence
  })
  expect(without.map(({ location }) => location)).toEqual([])
})

test('the framework is published with the templates that keel writes modules and entities from', () => {
  const templates = readdirSync(`${root}framework/templates`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.template'))
    .map((path) => `templates/${path}`)
  const published = packed.find(({ name }) => name === '@keel/framework')?.files.map(({ path }) => path)
  expect(templates.length).toBeGreaterThan(10)
  expect(published).toEqual(expect.arrayContaining(templates))
})

test('what a solution of one’s own needs is published, and nothing published needs a package that is not', () => {
  const published = workspaces.filter((workspace) => !workspace.private)
  const names = published.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      'create-keel',
      '@keel/framework',
      '@keel/migrator',
      '@keel/auth-host',
      '@keel/dev-host',
      '@keel/embedded-postgres',
    ]),
  )
  const missing = published.flatMap(({ name, dependencies = {} }) =>
    Object.keys(dependencies)
      .filter((dependency) => dependency.startsWith('@keel/') && !names.includes(dependency))
      .map((dependency) => `${name} needs ${dependency}`),
  )
  expect(missing).toEqual([])
})

test('every door and every program of a published package is in it', () => {
  const published = workspaces.filter((workspace) => !workspace.private)
  const missing = published.flatMap(({ name, exports = {}, bin = {} }) => {
    const files = new Set(packed.find((one) => one.name === name)?.files.map(({ path }) => `./${path}`))
    const doors = Object.values(exports).flatMap(({ types, default: file }) => [types, file])
    return [...doors, ...Object.values(bin)]
      .filter((path) => path !== undefined && !files.has(path.replace(/^(?!\.\/)/, './')))
      .map((path) => `${name}: ${path}`)
  })
  expect(missing).toEqual([])
})

test('what npm ci installs takes less than 400 MiB on disk, as the blocks of the files of all packages that npm notes as installed', () => {
  const lock = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { link?: boolean }>
  }
  const installed = Object.keys(lock.packages).filter((path) => /(^|\/)node_modules\//.test(path))
  const sizes = installed.map((path) => ({ path, bytes: bytesOf(join(root, path)) }))
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  // All of them together hold more than the programs of PostgreSQL alone: the sum is one of something.
  expect(total).toBeGreaterThan(100 * mebibyte)
  const largest = sizes
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 15)
    .map(({ path, bytes }) => `${path} ${Math.round(bytes / mebibyte)}`)
  expect(
    total / mebibyte,
    `MiB of ${installed.length} packages, the largest: ${largest.join(', ')}`,
  ).toBeLessThan(400)
})

const mebibyte = 1024 * 1024

/** What a package takes on disk, without the packages that are installed in it; 0 for a link to a package of the repository. */
function bytesOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // npm notes packages for other systems, which it leaves out, and links to the workspaces.
  if (!stat || stat.isSymbolicLink()) return 0
  if (!stat.isDirectory()) return stat.blocks * 512
  const entries = readdirSync(path).filter((name) => name !== 'node_modules')
  return entries.reduce((sum, name) => sum + bytesOf(join(path, name)), stat.blocks * 512)
}
