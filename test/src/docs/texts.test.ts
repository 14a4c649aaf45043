import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { AccountErrors } from '@keel/account/contracts'
import { ApiHost } from '@keel/api-host'
import { ApiKeyErrors } from '@keel/api-keys/contracts'
import { FeatureErrors } from '@keel/feature-management/contracts'
import { Configuration, createApplication, KeelModule, Module } from '@keel/framework'
import { HubErrors } from '@keel/hub/contracts'
import { IdentityErrors } from '@keel/identity/contracts'
import { OpenIdModule } from '@keel/openid'
import { OpenIdErrors } from '@keel/openid/contracts'
import { PermissionErrors } from '@keel/permission-management/contracts'
import { PricingErrors } from '@keel/pricing/contracts'
import { SaasErrors } from '@keel/saas/contracts'
import { SettingErrors } from '@keel/setting-management/contracts'
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

test('every error code has a text', () => {
  expect(
    without(
      [
        AccountErrors,
        ApiKeyErrors,
        HubErrors,
        PricingErrors,
        IdentityErrors,
        PermissionErrors,
        OpenIdErrors,
        SettingErrors,
        FeatureErrors,
        SaasErrors,
      ].flatMap((codes) => Object.values(codes)),
    ),
  ).toEqual([])
})

test('every text that the code names exists', () => {
  const sources = ['framework', ...readdirSync(`${root}modules`).map((name) => `modules/${name}`)].flatMap(
    (folder) =>
      readdirSync(`${root}${folder}/src`, { recursive: true }).map((path) => `${root}${folder}/src/${path}`),
  )
  const name =
    /'((?:\w+:)*Validation:\w+|(?:Http|SignIn|SignOut):\w+)'|\bkey: '([A-Z][\w:.]+)'|\bfault\(context, '(\w+)'/g
  const named = sources
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(name)])
    .map(([, text, key, kind]) => text ?? key ?? `Validation:${kind}`)
  expect(named.length).toBeGreaterThan(40)
  expect(without(named)).toEqual([])
})
