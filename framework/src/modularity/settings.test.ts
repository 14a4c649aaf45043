import { expect, test } from 'vitest'
import { defineFeature, defineSetting } from '../contracts/index.js'
import { type Application, createApplication } from './application.js'
import type { Constructor } from './class.js'
import { Configuration } from './configuration.js'
import { FeatureSource } from './features.js'
import { Provides } from './injectable.js'
import { KeelModule, Module, type ModuleOptions } from './module.js'
import { SettingSource } from './settings.js'

const Zone = defineSetting('Zone', { default: 'UTC', isVisibleToClients: true })
const Pages = defineSetting('Pages', { default: 10, isVisibleToClients: true })
const Strict = defineSetting('Strict', { default: true, isVisibleToClients: true })
const Secret = defineSetting('Secret', { isEncrypted: true })
const settings = [Zone, Pages, Strict, Secret]

@Provides(SettingSource)
class StoredSettings extends SettingSource {
  version = 7

  global() {
    return new Map([
      ['Zone', 'Europe/Berlin'],
      ['Pages', '50'],
      ['Secret', 'stored'],
    ])
  }

  async ofUser(userId: string) {
    return new Map(userId === 'anna' ? [['Zone', 'Asia/Tokyo']] : [])
  }
}

function composed(options: ModuleOptions, values: Record<string, string> = {}): Application {
  const type = class StockModule extends KeelModule {} as Constructor<KeelModule>
  Module(options)(type)
  const configuration = new Configuration().add({ 'Log:Level': 'fatal', ...values }, 'settings.json')
  return createApplication(type, configuration)
}

test('a setting has the default of its definition, as text', async () => {
  const { settings: read } = composed({ settings })
  expect(await Promise.all(settings.map(({ name }) => read.valueOf(name)))).toEqual([
    'UTC',
    '10',
    'True',
    null,
  ])
})

test('the configuration wins over the default', async () => {
  const { settings: read } = composed({ settings }, { 'Settings:Zone': 'Europe/Paris' })
  expect(await read.valueOf('Zone')).toBe('Europe/Paris')
})

test('what was set for everybody wins over the configuration, and what a user set over that', async () => {
  const application = composed({ settings, services: [StoredSettings] }, { 'Settings:Zone': 'Europe/Paris' })
  await application.start()
  const { settings: read } = application
  expect([
    await read.valueOf('Zone'),
    await read.valueOf('Zone', 'bert'),
    await read.valueOf('Zone', 'anna'),
    await read.valueOf('Pages', 'anna'),
    await read.valueOf('Strict', 'anna'),
  ]).toEqual(['Europe/Berlin', 'Europe/Berlin', 'Asia/Tokyo', '50', 'True'])
  await application.stop()
})

test('the version is that of the source, and constant without one', async () => {
  const application = composed({ settings, services: [StoredSettings] })
  await application.start()
  expect([application.settings.version, composed({ settings }).settings.version]).toEqual([7, 0])
  await application.stop()
})

test('clients see visible settings alone', async () => {
  const application = composed({ settings, services: [StoredSettings] })
  await application.start()
  expect(await application.settings.visibleValues('anna')).toEqual({
    Zone: 'Asia/Tokyo',
    Pages: '50',
    Strict: 'True',
  })
  await application.stop()
})

test('a setting that nobody declares is a mistake of the program', async () => {
  await expect(composed({ settings }).settings.valueOf('Zones')).rejects.toThrow(
    'There is no setting Zones: list it in settings of a module',
  )
})

test('an encrypted setting can not be visible to clients', () => {
  expect(() => defineSetting('Password', { isEncrypted: true, isVisibleToClients: true })).toThrow(
    "The setting Password is encrypted, so it can't be visible to clients",
  )
})

test.each([
  [Pages, '-3', '-3'],
  [Pages, ' 12 ', '12'],
  [Pages, '1.5', undefined],
  [Pages, '', undefined],
  [Pages, '99999999999', undefined],
  [Strict, 'false', 'False'],
  [Strict, 'TRUE', 'True'],
  [Strict, 'yes', undefined],
  [Zone, ' as it is ', ' as it is '],
  [defineSetting('Length', { default: 6, range: [2, 128] }), '129', undefined],
  [defineSetting('Letter', { default: 'a', accepts: (text) => /^[a-c]$/.test(text) }), 'd', undefined],
])('%o reads %j as %j', (setting, text, value) => {
  expect(setting.read(text)).toBe(value)
})

test('a configured value that the setting can not have stops the start', () => {
  expect(() => composed({ settings }, { 'Settings:Pages': 'many' })).toThrow(
    'Settings:Pages is "many" (from settings.json), which is no value of this setting; its default is 10',
  )
})

test('a family of settings has a value for each name that goes on from its own', async () => {
  @Provides(SettingSource)
  class Keys extends SettingSource {
    version = 1
    global() {
      return new Map([['Keys.Google', 'g']])
    }
    ofUser() {
      return new Map<string, string>()
    }
  }
  const application = composed({ settings: [defineSetting('Keys.*')], services: [Keys] })
  await application.start()
  const { settings: read } = application
  expect([await read.valueOf('Keys.Google'), await read.valueOf('Keys.GitHub')]).toEqual(['g', null])
  await expect(read.valueOf('Keys.')).rejects.toThrow('There is no setting Keys.')
  await application.stop()
})

test('two settings of one name stop the start', () => {
  expect(() => composed({ settings: [Zone, defineSetting('Zone')] })).toThrow(
    'The setting Zone is defined twice: by the module Stock. ',
  )
})

test('one definition may be listed twice', () => {
  expect(composed({ settings: [Zone, Zone] }).settings.definitions.size).toBe(1)
})

const Reports = defineFeature('Reports', { default: true })
const Seats = defineFeature('Seats', { default: 5, isVisibleToClients: false })

test('features have their default or what the configuration says, toggles in lower case', async () => {
  const { features } = composed({ features: [Reports, Seats] }, { 'Features:Reports': 'False' })
  expect([
    await features.valueOf('Reports'),
    await features.isEnabled('Reports'),
    await features.valueOf('Seats'),
  ]).toEqual(['false', false, '5'])
})

test('clients see visible features alone', async () => {
  expect(await composed({ features: [Reports, Seats] }).features.visibleValues()).toEqual({ Reports: 'true' })
})

test('a toggle that is neither on nor off stops the start', () => {
  expect(() => composed({ features: [Reports] }, { 'Features:Reports': 'yes' })).toThrow(
    'Features:Reports is "yes" (from settings.json): set it to true or false',
  )
})

test('a feature that nobody declares is a mistake of the program', async () => {
  await expect(composed({}).features.isEnabled('Reports')).rejects.toThrow(
    'There is no feature Reports: list it in features of a module',
  )
})

const Colour = defineFeature('Shop.Colour', {
  default: 'red',
  choices: [
    { value: 'red', displayText: 'Red' },
    { value: 'blue', displayText: 'Blue' },
  ],
})

test.each([
  [Reports, 'TRUE', 'true'],
  [Reports, '1', undefined],
  [Seats, '007', '7'],
  [Seats, '7.5', undefined],
  [defineFeature('Few', { default: 1, range: [1, 3] }), '4', undefined],
  [Colour, 'blue', 'blue'],
  [Colour, 'green', undefined],
  [defineFeature('Motto', { default: '' }), 'x'.repeat(129), undefined],
])('the feature %o reads %j as %j', (feature, text, value) => {
  expect(feature.read(text)).toBe(value)
})

test('a feature is in the group that its name begins with', () => {
  expect([Colour.group, Colour.valueType.name, Reports.group]).toEqual([
    'Shop',
    'SelectionStringValueType',
    'Reports',
  ])
})

test('what was set while the system runs wins over the configuration', async () => {
  @Provides(FeatureSource)
  class SetFeatures extends FeatureSource {
    version = 3
    ofHost() {
      return new Map([['Reports', 'false']])
    }
  }
  const application = composed(
    { features: [Reports, Seats], services: [SetFeatures] },
    { 'Features:Reports': 'true', 'Features:Seats': '9' },
  )
  await application.start()
  const { features } = application
  expect([features.version, await features.valueOf('Reports'), await features.valueOf('Seats')]).toEqual([
    3,
    'false',
    '9',
  ])
  await application.stop()
})

test('global features are those of all modules, each once', () => {
  expect(composed({ globalFeatures: ['Blogging', 'Rating', 'Blogging'] }).features.enabledGlobally).toEqual([
    'Blogging',
    'Rating',
  ])
})
