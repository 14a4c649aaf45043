import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import type { LoadedModule } from './loaded-module.js'
import { Localization } from './localization.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A module with these files in its localization folder. */
function moduleWith(name: string, files: Record<string, object>): LoadedModule {
  const folder = mkdtempSync(join(tmpdir(), 'keel-localization-'))
  folders.push(folder)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(content))
  }
  return { name, options: { localization: pathToFileURL(`${folder}/`) } } as LoadedModule
}

const shop = () =>
  moduleWith('Shop', {
    'en.json': { Cart: 'Cart', Empty: 'Empty {what} of {owner}', Only: 'English only' },
    'de.json': { Cart: 'Einkaufswagen', Empty: '{what} von {owner} leeren' },
    'de-AT.json': { Cart: 'Einkaufswagerl' },
  })

test.each([
  ['de-AT', 'Einkaufswagerl'],
  ['de-CH', 'Einkaufswagen'],
  ['de', 'Einkaufswagen'],
  ['ja', 'Cart'],
])('in %s a text comes from the culture, its parent, else English', (culture, text) => {
  expect(new Localization([shop()]).find('Cart', culture)).toBe(text)
})

test('the default culture goes before English', () => {
  expect(new Localization([shop()], 'de').find('Cart', 'ja')).toBe('Einkaufswagen')
})

test('placeholders are filled from the data, and stay where it lacks them', () => {
  const localization = new Localization([shop()])
  expect(localization.find('Empty', 'de', { what: 'Korb' })).toBe('Korb von {owner} leeren')
  expect(localization.find('Empty', 'en', { what: '{owner}', owner: 'Ada' })).toBe('Empty {owner} of Ada')
})

test('a resource is told with the texts of parents, but not with those of its bases', () => {
  const resources = new Localization([shop()]).resources('de-AT')
  expect(resources.find(({ name }) => name === 'Shop')).toEqual({
    name: 'Shop',
    baseResources: ['AbpUi', 'AbpValidation'],
    texts: { Cart: 'Einkaufswagerl', Empty: '{what} von {owner} leeren', Only: 'English only' },
  })
})

test('every base of a resource is a resource of the list', () => {
  const resources = new Localization([shop()]).resources('en')
  const names = resources.map(({ name }) => name)
  expect(
    resources.flatMap(({ baseResources }) => baseResources.filter((base) => !names.includes(base))),
  ).toEqual([])
})

test('a folder of the folder adds to the resource of its name, and a later module goes first', () => {
  const localization = new Localization([
    moduleWith('Other', { 'AbpUi/en.json': { Cancel: 'Never mind', Own: 'Own' } }),
  ])
  const ui = localization.resources('en').find(({ name }) => name === 'AbpUi')
  expect(ui?.texts).toMatchObject({ Cancel: 'Never mind', Own: 'Own', Save: 'Save' })
  expect(localization.find('Cancel', 'en')).toBe('Never mind')
})

test('resource.json names the resource and what it inherits', () => {
  const named = moduleWith('Other', {
    'resource.json': { name: 'AbpOther', baseResources: ['AbpUi'] },
    'en.json': { A: 'a' },
  })
  const told = new Localization([named]).resources('en').find(({ name }) => name === 'AbpOther')
  expect(told).toEqual({ name: 'AbpOther', baseResources: ['AbpUi'], texts: { A: 'a' } })
})

test('a base that nobody has texts of stops the start', () => {
  const broken = moduleWith('Other', { 'resource.json': { baseResources: ['Nothing'] }, 'en.json': {} })
  expect(() => new Localization([broken])).toThrow(/The localization resource Other inherits Nothing/)
})

test('a file that is no JSON stops the start and is named', () => {
  const broken = moduleWith('Other', { 'en.json': {} })
  writeFileSync(new URL('de.json', broken.options.localization), '{')
  expect(() => new Localization([broken])).toThrow(/de\.json can not be read: /)
})

test('where the start reads English alone, other languages are read when somebody asks for them', () => {
  const localization = new Localization([shop()], 'en', false)
  expect(localization.cultures).toContain('de')
  expect(localization.find('Cart', 'de-CH')).toBe('Einkaufswagen')
})

test('a file that is read later and is no JSON leaves English, with a warning that names it', async () => {
  const broken = moduleWith('Other', { 'en.json': { Cart: 'Cart' }, 'de.json': {} })
  writeFileSync(new URL('de.json', broken.options.localization), '{')
  const localization = new Localization([broken], 'en', false)
  const warned = once(process, 'warning')
  expect(localization.find('Cart', 'de')).toBe('Cart')
  const [warning] = await warned
  expect(warning.message).toMatch(/de\.json can not be read: /)
})

test('a default culture without texts stops the start', () => {
  expect(() => new Localization([], 'xx')).toThrow(/^App:DefaultCulture is xx: set it to one of en, /)
})

test('languages are told by their own names, English first', () => {
  expect(new Localization([]).languages).toEqual([
    { cultureName: 'en', displayName: 'English' },
    { cultureName: 'de', displayName: 'Deutsch' },
    { cultureName: 'es', displayName: 'Español' },
    { cultureName: 'fr', displayName: 'Français' },
    { cultureName: 'tr', displayName: 'Türkçe' },
    { cultureName: 'zh-Hans', displayName: '简体中文' },
  ])
})
