import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
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
