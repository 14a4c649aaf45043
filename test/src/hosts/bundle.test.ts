import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { programIn } from '@keel/framework'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const execute = promisify(execFile)
let folder: string

/** A program of two files, in the folder of the tests so that it finds the packages. */
beforeAll(async () => {
  mkdirSync(join(root, 'test/.generated'), { recursive: true })
  folder = mkdtempSync(join(root, 'test/.generated/bundle-'))
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'bundled', type: 'module' }))
  writeFileSync(join(folder, 'text.txt'), 'beside the program')
  writeFileSync(
    join(folder, 'dist/main.js'),
    `import { hostDirectory, StartupError } from '@keel/framework'
import { textBeside, fail } from './service.js'

const what = process.argv[2]
if (what === 'folder') console.log(hostDirectory(import.meta.url))
else if (what === 'text') console.log(textBeside())
else if (what === 'lazy') console.log((await import('./lazy.js')).value)
else if (what === 'driver') console.log(typeof (await import('@redis/client')).createClient)
else {
  try {
    fail(StartupError)
  } catch (error) {
    console.log(error.stack)
  }
}
`,
  )
  writeFileSync(
    join(folder, 'dist/service.js'),
    `import { readFileSync } from 'node:fs'

// The folder above, as localization and schema scripts of a module are named.
export const textBeside = () => readFileSync(new URL('../text.txt', import.meta.url), 'utf8')



export function fail(Type) {
  throw new Type('told with its place')
}
`,
  )
  writeFileSync(join(folder, 'dist/lazy.js'), `export const value = 'loaded when it was asked for'\n`)
  await keelBundle()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const keelBundle = () => execute(process.execPath, [join(root, 'framework/bin/keel.js'), 'bundle', folder])

async function runBundle(what: string): Promise<string> {
  const { stdout } = await execute(process.execPath, [join(folder, 'bundle/main.js'), what])
  return stdout
}

test('a bundle finds the files beside the program that it was made from', async () => {
  expect(await runBundle('text')).toBe('beside the program\n')
})

test('a bundle finds the folder of its package', async () => {
  expect(await runBundle('folder')).toBe(`${folder}\n`)
})

test('a bundle loads later what the program loads later', async () => {
  expect(await runBundle('lazy')).toBe('loaded when it was asked for\n')
})

test('a bundle loads drivers, which are no part of it', async () => {
  expect(await runBundle('driver')).toBe('function\n')
})

test('the stack of an error in a bundle names the lines that it was made from', async () => {
  const stack = await runBundle('fail')
  expect(stack).toContain('told with its place')
  expect(stack).toContain(`at fail (${join(folder, 'dist/service.js')}:9)`)
  expect(stack).toContain(`${join(folder, 'dist/main.js')}:11`)
})

test('V8 takes the code cache of a bundle, and a bundle whose cache is broken or missing runs all the same', async () => {
  const bundle = join(folder, 'bundle')
  const [name = ''] = readdirSync(bundle).filter((file) => /^main-[\w-]{8}\.cjs\.cache$/.test(file))
  const cache = join(bundle, name)
  const told = async (): Promise<string> => {
    const script = `
import { syncBuiltinESMExports } from 'node:module'
import vm from 'node:vm'
vm.Script = class extends vm.Script {
  constructor(...given) {
    super(...given)
    console.log(this.cachedDataRejected)
  }
}
syncBuiltinESMExports()
process.argv[2] = 'text'
await import(${JSON.stringify(join(bundle, 'main.js'))})`
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', script, 'text'])
    return stdout
  }
  expect(await told()).toBe('false\nbeside the program\n')
  const kept = readFileSync(cache)
  writeFileSync(cache, kept.subarray(0, kept.length / 2))
  expect(await told()).toBe('true\nbeside the program\n')
  rmSync(cache)
  expect(await told()).toBe('undefined\nbeside the program\n')
  writeFileSync(cache, kept)
})

test('a program is started from its bundle until one of its files changes, and again when that was bundled', async () => {
  const bundle = join(folder, 'bundle/main.js')
  expect(programIn(folder)).toBe(bundle)

  const later = new Date(Date.now() + 5000)
  utimesSync(join(folder, 'dist/lazy.js'), later, later)
  expect(programIn(folder)).toBe(join(folder, 'dist/main.js'))

  await keelBundle()
  expect(programIn(folder)).toBe(bundle)
  expect(readdirSync(join(folder, 'bundle'))).not.toContain('main.js.map')
})

test('keel bundle refuses a String.raw whose text is not ASCII, and names its place', async () => {
  const own = join(folder, 'raw')
  mkdirSync(join(own, 'dist'), { recursive: true })
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'raw', type: 'module' }))
  const bundleOf = (text: string) => {
    writeFileSync(join(own, 'dist/main.js'), `// 5 °C\nconsole.log(String.raw\`${text}\`)\n`)
    return execute(process.execPath, [join(root, 'framework/bin/keel.js'), 'bundle', own])
  }
  await bundleOf('\\d+ C')
  await expect(bundleOf('\\d+ °C')).rejects.toMatchObject({
    stderr: expect.stringMatching(
      /raw\/dist\/main\.js:2 has a String\.raw with characters that are not ASCII/,
    ),
  })
})

test('keel bundle says what is missing, and ends with 2', async () => {
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  const failure = await execute(process.execPath, [
    join(root, 'framework/bin/keel.js'),
    'bundle',
    empty,
  ]).catch((error: { code: number; stderr: string }) => error)
  expect(failure).toMatchObject({ code: 2, stderr: expect.stringContaining('compile it first') })
})
