import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { ApiHost } from '@keel/api-host'
import { Configuration, createApplication, KeelModule, Module } from '@keel/framework'
import { OpenIdModule } from '@keel/openid'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url).pathname
const cultures = ['en', 'de', 'es', 'fr', 'tr', 'zh-Hans']

@Module({ dependsOn: [ApiHost, OpenIdModule] })
class AllTexts extends KeelModule {}

/** Every folder of texts in the repository. */
const folders = [`${root}framework`, ...readdirSync(`${root}modules`).map((name) => `${root}modules/${name}`)]
  .map((packageFolder) => `${packageFolder}/localization`)
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => [folder, ...subfolders(folder)])
  .filter((folder) => readdirSync(folder).some((name) => name.endsWith('.json')))
  .map((folder) => folder.slice(root.length))

function subfolders(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`)
}

const textsOf = (folder: string, culture: string): Record<string, string> =>
  JSON.parse(readFileSync(`${root}${folder}/${culture}.json`, 'utf8'))
const placeholdersOf = (text = ''): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

const inEveryCulture = folders.flatMap((folder) => cultures.map((culture) => [folder, culture] as const))

test.each(inEveryCulture)(
  '%s has every text in %s, with the placeholders of the English one',
  (folder, culture) => {
    const shape = (name: string) =>
      Object.fromEntries(
        Object.entries(textsOf(folder, name)).map(([key, text]) => [key, placeholdersOf(text)]),
      )
    expect(shape(culture)).toEqual(shape('en'))
  },
)

test.each(inEveryCulture)('%s has no empty text in %s', (folder, culture) => {
  const blank = Object.entries(textsOf(folder, culture)).filter(([, text]) => text.trim() === '')
  expect(blank).toEqual([])
})

const { localization, permissions, features } = createApplication(AllTexts, new Configuration())
const without = (keys: readonly string[]): string[] =>
  keys.filter((key) => localization.find(key, 'en') === undefined)

test('every permission and every group of permissions has a text', () => {
  const names = [...permissions.values()].flatMap(({ name, group }) => [name, group])
  expect(without(names.map((name) => `Permission:${name}`))).toEqual([])
})

test('every feature and every group of features has a text', () => {
  const names = [...features.definitions.values()].flatMap(({ name, group }) => [name, group])
  expect(without(names.map((name) => `Feature:${name}`))).toEqual([])
})

/** What the framework and the modules are made of. */
const sources = ['framework', ...readdirSync(`${root}modules`).map((name) => `modules/${name}`)]
  .flatMap((folder) =>
    readdirSync(`${root}${folder}/src`, { recursive: true }).map((path) => `${root}${folder}/src/${path}`),
  )
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => readFileSync(path, 'utf8'))

test('every error code has a text, whichever module declares it', async () => {
  const doors = ['framework', ...readdirSync(`${root}modules`).map((name) => `modules/${name}`)]
    .map((folder) => `${root}${folder}/src/contracts/index.ts`)
    .filter((path) => existsSync(path))
  const exported = (await Promise.all(doors.map((path) => import(path)))).flatMap((door: object) =>
    Object.entries(door).filter(([name, value]) => name.endsWith('Errors') && typeof value === 'object'),
  )
  const declared = sources.flatMap((text) =>
    [...text.matchAll(/export const (\w+Errors) = \{/g)].map(([, name]) => name),
  )
  expect(exported.map(([name]) => name).sort()).toEqual(declared.sort())
  expect(without(exported.flatMap(([, codes]) => Object.values(codes as Record<string, string>)))).toEqual([])
})

test('every text that the code names exists', () => {
  const name =
    /'((?:\w+:)*Validation:\w+|(?:Http|SignIn|SignOut):\w+)'|\bkey: '([A-Z][\w:.]+)'|\bfault\(context, '(\w+)'/g
  const named = sources
    .flatMap((text) => [...text.matchAll(name)])
    .map(([, text, key, kind]) => text ?? key ?? `Validation:${kind}`)
  expect(named.length).toBeGreaterThan(40)
  expect(without(named)).toEqual([])
})
