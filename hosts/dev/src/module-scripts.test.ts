import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ModuleScripts, scriptOfModule, writeModuleScript } from './module-scripts.js'

let root: string
/** What the modules of a test have said. */
let said: unknown[]

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'keel-scripts-')))
  said = []
  Object.assign(globalThis, { sayOfScripts: (...words: unknown[]) => said.push(...words) })
})
afterEach(() => rmSync(root, { recursive: true }))

/** Writes a compiled file and its script. */
function write(name: string, text: string): string {
  const file = join(root, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  if (!name.includes('node_modules')) writeModuleScript(ts, root, file)
  return file
}

test('modules that run as scripts give each other what they export, of every form', async () => {
  writeFileSync(join(root, 'data.json'), '{ "count": 7 }')
  write('node_modules/a-library/index.js', 'exports.loaded = "a library"')
  write('node_modules/a-library/package.json', '{ "main": "index.js" }')
  write('part/node_modules/a-library/index.js', 'exports.loaded = "another version of it"')
  write('part/node_modules/a-library/package.json', '{ "main": "index.js" }')
  write('part/other.js', `import { loaded } from 'a-library';\nexport const library = loaded;\n`)
  write('later.js', 'export default class Later {}\nexport function* numbers() {}\n')
  write(
    'values.js',
    `export var Status;
(function (Status) { Status[Status["Open"] = 1] = "Open"; })(Status || (Status = {}));
let Port = class Port {
  static name = 'port'
};
Port = Object.assign(Port, { isDecorated: true });
export { Port, Port as Harbour };
export const { one, list: [two] } = { one: 1, list: [2] };
export async function wait() {
  return [import.meta.dirname, "import.meta.url", \`
import './text.js'
\`].length;
}
`,
  )
  write(
    'door.js',
    `export * from './values.js';\nexport * as values from './values.js';\nexport { one as first } from './values.js';\nexport default 1 + 1;\n`,
  )
  const main = write(
    'main.js',
    `import { sep } from 'node:path';
import number, { first, Harbour as Haven,
  Status } from './door.js';
import * as door from './door.js';
import { library } from './part/other.js';
import './part/other.js'; import data from './data.json' with { type: 'json' };
sayOfScripts(data.count, sep, number, first, Haven.isDecorated, Status.Open, Object.keys(door).sort().join(), library);
const { default: Later } = await import('./later.js');
sayOfScripts(Later.name, new URL(import.meta.url).pathname, await door.wait());
sayOfScripts(new Error('here').stack.split('\\n')[1].replace(/.*main/, 'main'));
`,
  )
  const scripts = await ModuleScripts.load(root, main)
  expect(said).toEqual([])
  await scripts?.run()
  expect(said).toEqual([
    ...[
      7,
      '/',
      2,
      1,
      true,
      1,
      'Harbour,Port,Status,default,first,one,two,values,wait',
      'another version of it',
    ],
    ...['Later', main, 3],
    expect.stringMatching(/^main\.js:10:/),
  ])
})

test('what has changed is read again, with what it imports newly, and all runs in its new form', async () => {
  write('part.js', 'export const part = "old";\n')
  const main = write('main.js', `import { part } from './part.js';\nsayOfScripts(part);\n`)
  const scripts = await ModuleScripts.load(root, main)
  write('further.js', 'export const further = "new";\n')
  write('part.js', `import { further } from './further.js';\nexport const part = further;\n`)
  expect(await scripts?.refresh()).toBe(true)
  await scripts?.run()
  expect(said).toEqual(['new'])
})

test('what imports nothing from some places can run before the program does; when one of its files has changed since, nothing runs as scripts', async () => {
  const part = write('framework/part.js', `sayOfScripts('framework');\nexport const part = 1;\n`)
  write('framework/data/rows.js', `sayOfScripts('rows');\nexport const rows = 2;\n`)
  write(
    'modules/hub/ports.js',
    `import { rows } from '../../framework/data/rows.js';\nsayOfScripts('ports', rows);\n`,
  )
  const main = write(
    'main.js',
    `import { part } from './framework/part.js';\nimport './modules/hub/ports.js';\nsayOfScripts('main', part);\n`,
  )
  const [scripts, stale] = [await ModuleScripts.load(root, main), await ModuleScripts.load(root, main)]
  for (const each of [scripts, stale])
    expect(each?.runAhead([join(root, 'framework', 'data')])).toEqual([part])
  expect(said).toEqual(['framework', 'framework'])
  expect(await scripts?.refresh()).toBe(true)
  await scripts?.run()
  expect(said).toEqual(['framework', 'framework', 'rows', 'ports', 2, 'main', 1])
  write('framework/part.js', 'export const part = 2;\n')
  expect(await stale?.refresh()).toBe(false)
})

test('an import of what a module does not export is told', async () => {
  write('part.js', 'export const part = 1;\n')
  const main = write('main.js', `import { parts } from './part.js';\n`)
  const scripts = await ModuleScripts.load(root, main)
  await expect(scripts?.run()).rejects.toThrow(
    `The module './part.js' does not provide an export named 'parts' (${main})`,
  )
})

test.each([
  ['a file has no script of its own', 'one.js', `import './two.js';\n`, ''],
  ['files import each other in a circle', 'one.js', `import './two.js';\n`, `import './one.js';\n`],
  ['an exported variable may change', 'one.js', `import './two.js';\n`, 'export let count = 1;\n'],
])('nothing runs as scripts where %s', async (_, name, text, other) => {
  const main = write(name, text)
  if (other) write('two.js', other)
  else writeFileSync(join(root, 'two.js'), '')
  expect(await ModuleScripts.load(root, main)).toBeUndefined()
  expect(scriptOfModule(ts, text)).toContain('$use("./two.js")')
})
