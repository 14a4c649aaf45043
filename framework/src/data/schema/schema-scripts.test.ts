import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { frameworkScripts, pendingScripts, readSchemaScripts } from './schema-scripts.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderOf(files: Record<string, string>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'keel-scripts-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return pathToFileURL(`${folder}/`)
}

const hashesOf = (folder: URL): Map<string, string> =>
  new Map(readSchemaScripts(folder).map(({ name, sha256 }) => [name, sha256]))

test('scripts come in the order of their numbers, other files are left alone', () => {
  const folder = folderOf({ '0002-b.sql': 'b', '0001-a.sql': 'a', 'README.md': '' })
  expect(readSchemaScripts(folder).map(({ name, text }) => [name, text])).toEqual([
    ['0001-a.sql', 'a'],
    ['0002-b.sql', 'b'],
  ])
})

test.each([
  ['a gap', { '0001-a.sql': '', '0003-c.sql': '' }, '0003-c.sql should have the number 0002'],
  ['a repeated number', { '0001-a.sql': '', '0001-b.sql': '' }, '0001-b.sql should have the number 0002'],
  ['a name without a number', { 'ports.sql': '' }, 'ports.sql is not named like 0001-what-it-does.sql'],
])('%s is refused', (_, files, message) => {
  expect(() => readSchemaScripts(folderOf(files))).toThrow(message)
})

test('line ends of Windows make the same script', () => {
  expect(hashesOf(folderOf({ '0001-a.sql': 'a\r\nb' }))).toEqual(hashesOf(folderOf({ '0001-a.sql': 'a\nb' })))
})

test('what a database has is not applied again', () => {
  const folder = folderOf({ '0001-a.sql': 'a', '0002-b.sql': 'b' })
  const applied = hashesOf(folder)
  applied.delete('0002-b.sql')
  const scripts = readSchemaScripts(folder)
  expect(pendingScripts(scripts, applied, 'Hub').map(({ name }) => name)).toEqual(['0002-b.sql'])
  expect(pendingScripts(scripts, hashesOf(folder), 'Hub')).toEqual([])
})

test('a script that was changed after it was applied is refused by name', () => {
  const scripts = readSchemaScripts(folderOf({ '0001-a.sql': 'new' }))
  expect(() => pendingScripts(scripts, new Map([['0001-a.sql', 'hash of old']]), 'Hub')).toThrow(
    '0001-a.sql was changed after it was applied to the database Hub',
  )
})

test('a script that names the hash of its earlier text counts as applied where that text was', () => {
  const [before = ''] = hashesOf(folderOf({ '0001-a.sql': 'old' })).values()
  const scripts = readSchemaScripts(folderOf({ '0001-a.sql': `-- Elsewhere now.\n-- replaces ${before}\n` }))
  expect(pendingScripts(scripts, new Map([['0001-a.sql', before]]), 'Hub')).toEqual([])
  expect(() => pendingScripts(scripts, new Map([['0001-a.sql', 'hash of another']]), 'Hub')).toThrow(
    '0001-a.sql was changed',
  )
})

test('the scripts of the framework have names of their own', () => {
  expect(readSchemaScripts(frameworkScripts).map(({ name }) => name)).toEqual([
    'framework/0001-change-feed.sql',
    'framework/0002-event-boxes.sql',
    'framework/0003-imports.sql',
    'framework/0004-changes-announced-by-hosts.sql',
  ])
})

test('a script that is not applied although a later one is, is refused by name', () => {
  const folder = folderOf({ '0001-a.sql': 'a', '0002-b.sql': 'b' })
  const applied = hashesOf(folder)
  applied.delete('0001-a.sql')
  expect(() => pendingScripts(readSchemaScripts(folder), applied, 'Hub')).toThrow('0001-a.sql is not applied')
})
