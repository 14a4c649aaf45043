import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  AppService,
  crudPermissions,
  Dto,
  defineFeature,
  defineSetting,
  emptyGuid,
  id,
  op,
  PermissionGroup,
  remoteService,
  z,
} from '../contracts/index.js'
import { DataModule } from '../data/data.module.js'
import { Entity } from '../data/entities/entity.js'
import { BaseEntity } from '../data/entities/entity-bases.js'
import { HttpModule } from '../http/host/http.module.js'
import { AllowAnonymous, Authenticated, RequiresPermission } from '../security/guards.js'
import { SecurityModule } from '../security/security.module.js'
import { createApplication } from './application.js'
import type { Constructor } from './class.js'
import { Configuration, configurationSection } from './configuration.js'
import { HttpDelete } from './http-verbs.js'
import { AutoApiController, Injectable, Provides } from './injectable.js'
import { KeelModule, Module, type ModuleOptions } from './module.js'
import { StartupError } from './startup-error.js'

const Stock = remoteService('Stock', 'stock')
class ItemDto extends Dto({ name: z.string() }) {}
abstract class ItemAppService extends AppService(Stock, 'ItemAppService', {
  get: op(id).returns(ItemDto),
  create: op(ItemDto),
}) {}
abstract class Clock {
  abstract now(): Date
}

@Injectable()
class Calendar {
  constructor(readonly clock: Clock) {}
}
@Injectable()
class Planner {
  constructor(readonly calendar: Calendar) {}
}
@Injectable()
class Shelf {
  constructor(readonly items: ItemAppService) {}
}

@AutoApiController(ItemAppService)
class ItemService implements ItemAppService {
  get = undefined as never
  create = undefined as never
}
Object.assign(ItemService.prototype, { get: async () => ({ name: 'A' }), create: async () => undefined })

/** A module of this name that lists something. */
function moduleOf(name: string, options: ModuleOptions): Constructor<KeelModule> {
  const type = { [name]: class extends KeelModule {} }[name] as Constructor<KeelModule>
  Module(options)(type)
  return type
}

/** What a host of one module says when it can not start. */
async function refusal(options: ModuleOptions, settings: object = {}): Promise<string> {
  try {
    const configuration = new Configuration().add(
      { Log: { Level: 'fatal' }, PORT: '0', ...settings },
      'settings.json',
    )
    const application = await createApplication(moduleOf('StockModule', options), configuration).start()
    await application.stop()
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    return (error as StartupError).message
  }
  throw new Error('It started.')
}

test('a dependency that nothing provides is told with the chain that leads to it', async () => {
  expect(await refusal({ services: [Planner, Calendar] })).toBe(
    'Nothing provides Clock: list a class that provides it in services of a module.\n' +
      '  Planner (Stock) → Calendar (Stock) → Clock\n' +
      `  at ${placeOfLine('constructor(readonly clock: Clock)')}`,
  )
})

test('a contract that nothing implements is told with the ways to bind it', async () => {
  expect(await refusal({ services: [Shelf] })).toBe(
    'Nothing provides ItemAppService: add the module that implements it to dependsOn of the host, or the contract to remotes.\n' +
      '  Shelf (Stock) → ItemAppService\n' +
      `  at ${placeOfLine('constructor(readonly items: ItemAppService)')}`,
  )
})

test('a parameter without a class is told by its position', async () => {
  @Injectable()
  class Odd {
    constructor(readonly options: { size: number }) {}
  }
  expect(await refusal({ services: [Odd] })).toBe(
    'Parameter 1 (options) of Odd has no class that can be injected: give it a class as type, import that class without `import type`, and break import circles.\n' +
      '  Odd (Stock)\n' +
      `  at ${placeOfLine('constructor(readonly options: { size: number })')}`,
  )
})

test('constructors in a circle are told step by step', async () => {
  class Egg {}
  class Hen {}
  Reflect.defineMetadata('design:paramtypes', [Hen], Egg)
  Reflect.defineMetadata('design:paramtypes', [Egg], Hen)
  expect(await refusal({ services: [Egg, Hen] })).toBe(
    'Services need each other in a circle: Egg → Hen → Egg. Move what both need into a third one.',
  )
})

test('modules in a circle are told step by step', () => {
  class OneModule extends KeelModule {}
  class TwoModule extends KeelModule {}
  Module({ dependsOn: [TwoModule] })(OneModule)
  Module({ dependsOn: [OneModule] })(TwoModule)
  expect(() => createApplication(moduleOf('Host', { dependsOn: [OneModule] }), new Configuration())).toThrow(
    "Modules depend on each other in a circle: OneModule → TwoModule → OneModule. Let one side use the other's contracts only.",
  )
})

test('a class in dependsOn that is no module is named with who names it', () => {
  class Plain extends KeelModule {}
  expect(() => createApplication(moduleOf('Host', { dependsOn: [Plain] }), new Configuration())).toThrow(
    'Plain is named in dependsOn of Host but has no @Module({ … })',
  )
})

test('a contract that is implemented twice names both', async () => {
  @AutoApiController(ItemAppService)
  class OtherItemService extends ItemService {}
  const OtherModule = moduleOf('OtherModule', { services: [OtherItemService] })
  expect(await refusal({ dependsOn: [OtherModule], services: [ItemService] })).toBe(
    'ItemAppService is implemented twice: by OtherItemService (Other) and ItemService (Stock). Keep one.\n' +
      `  at ${placeOfLine('class OtherItemService')}\n  at ${placeOfLine('class ItemService')}`,
  )
})

test('a contract whose text name is not that of its class stops the start', async () => {
  abstract class BoxAppService extends AppService(Stock, 'ItemAppService', {
    get: op(id).returns(ItemDto),
  }) {}
  @AutoApiController(BoxAppService)
  @AllowAnonymous()
  class BoxService implements BoxAppService {
    get = undefined as never
  }
  Object.assign(BoxService.prototype, { get: async () => ({ name: 'A' }) })
  expect(await refusal({ services: [BoxService] })).toBe(
    "The contract BoxAppService is called 'ItemAppService': write AppService(…, 'BoxAppService', …). Routes and clients derive from that text.",
  )
})

test('an extension point that is filled twice names both', async () => {
  @Provides(Clock)
  class WallClock {}
  @Provides(Clock)
  class TestClock {}
  expect(await refusal({ services: [WallClock, TestClock, Calendar] })).toBe(
    'Clock is provided twice: by WallClock (Stock) and TestClock (Stock). Keep one.\n' +
      `  at ${placeOfLine('class WallClock')}\n  at ${placeOfLine('class TestClock')}`,
  )
})

test('operations that are missing are all named', async () => {
  // @ts-expect-error the compiler says so too
  @AutoApiController(ItemAppService)
  class EmptyService {}
  expect(await refusal({ services: [EmptyService] })).toBe(
    'EmptyService (Stock) does not implement ItemAppService.get, ItemAppService.create\n' +
      `  at ${placeOfLine('class EmptyService')}`,
  )
})

test('a verb that the contract does not know is named with the cure', async () => {
  @AutoApiController(ItemAppService)
  class RemovingItemService extends ItemService {}
  HttpDelete('all')(RemovingItemService.prototype, 'create')
  expect(await refusal({ services: [RemovingItemService] })).toBe(
    "RemovingItemService.create has @HttpDelete('all'), but clients call it by POST /api/stock/item: write .at('DELETE', 'all') at ItemAppService.create, or remove the decorator",
  )
})

/** Where something is written in this file, as messages tell it. */
function placeOfLine(beginning: string): string {
  const lines = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n')
  const index = lines.findIndex((line) => line.trimStart().startsWith(beginning))
  return `framework/src/modularity/startup.test.ts:${index + 1}`
}

test('every operation that nobody guards is named with its place and the cure', async () => {
  @AutoApiController(ItemAppService)
  class LooseService {
    async get(): Promise<ItemDto> {
      return new ItemDto()
    }
    async create(): Promise<void> {}
  }
  expect(await refusal({ dependsOn: [SecurityModule], services: [LooseService] })).toBe(
    'LooseService.get has no permission: add @RequiresPermission, @Authenticated or @AllowAnonymous\n' +
      `  at ${placeOfLine('async get()')}\n` +
      'LooseService.create has no permission: add @RequiresPermission, @Authenticated or @AllowAnonymous\n' +
      `  at ${placeOfLine('async create()')}`,
  )
})

test('an operation that asks for a permission nobody lists is named', async () => {
  @AutoApiController(ItemAppService)
  class GuardedService {
    @AllowAnonymous() async get(): Promise<ItemDto> {
      return new ItemDto()
    }
    @RequiresPermission('Item.Create') async create(): Promise<void> {}
  }
  expect(await refusal({ dependsOn: [SecurityModule], services: [GuardedService] })).toBe(
    'GuardedService.create asks for the permission Item.Create, which no module of this host lists in permissions\n' +
      `  at ${placeOfLine("@RequiresPermission('Item.Create') async create()")}`,
  )
})

test('a permission that two classes define is named', () => {
  @PermissionGroup('Stock')
  class ItemPermissions extends crudPermissions('Item') {}
  @PermissionGroup('Stock')
  class MorePermissions {
    static readonly Edit = 'Item.Edit'
  }
  const Host = moduleOf('Host', { permissions: [ItemPermissions, MorePermissions] })
  expect(() => createApplication(Host, new Configuration())).toThrow(
    'The permission Item.Edit is defined twice: by the module Host. ',
  )
})

test('a bare operation stops a host that checks nobody', async () => {
  expect(await refusal({ dependsOn: [HttpModule], services: [ItemService] })).toMatch(
    /^ItemService\.get \(\w+\) is not for everybody/,
  )
})

test('an operation that is not for everybody stops a host that checks nobody', async () => {
  abstract class ThingAppService extends AppService(Stock, 'ThingAppService', { get: op(id) }) {}
  @AutoApiController(ThingAppService)
  @Authenticated()
  class ThingService {
    async get(): Promise<void> {}
  }
  expect(await refusal({ dependsOn: [HttpModule], services: [ThingService] })).toMatch(
    /^ThingService\.get \(\w+\) is not for everybody, and this host checks nobody: add SecurityModule to it, leave \w+ out, or say @AllowAnonymous$/,
  )
})

test('two operations on one route are both named', async () => {
  abstract class ThingAppService extends AppService(Stock, 'ThingAppService', {
    find: op(id).at('GET', '{id}'),
    get: op(id),
  }) {}
  @AutoApiController(ThingAppService)
  @AllowAnonymous()
  class ThingService {
    async find(): Promise<void> {}
    async get(): Promise<void> {}
  }
  expect(await refusal({ dependsOn: [HttpModule], services: [ThingService] })).toBe(
    'ThingService.get and ThingService.find both answer at GET /api/stock/thing/{id}: rename one, or give it a path with .at(verb, path)',
  )
})

test('two modules that use one name for a permission, a setting, a feature or a table are both named', async () => {
  const permissions = () => {
    class FleetPermissions {
      static readonly View = 'Fleet.View'
    }
    PermissionGroup('Fleet')(FleetPermissions)
    return { permissions: [FleetPermissions] }
  }
  const table = () => {
    class Vehicle extends BaseEntity {}
    Entity('FleetVehicles')(Vehicle)
    return { entities: [Vehicle] }
  }
  const clashes: [string, () => ModuleOptions][] = [
    ['permission Fleet.View', permissions],
    ['setting Fleet.Size', () => ({ settings: [defineSetting('Fleet.Size')] })],
    ['feature Fleet.Trips', () => ({ features: [defineFeature('Fleet.Trips', { default: false })] })],
    ['table FleetVehicles of the database Default', table],
  ]
  const settings = { ConnectionStrings: { Default: 'Host=localhost;Database=none' } }
  for (const [what, options] of clashes) {
    const dependsOn = [moduleOf('AcmeModule', options()), moduleOf('GlobexModule', options()), DataModule]
    const told = await refusal({ dependsOn }, settings)
    expect(told).toContain(`The ${what} is defined twice: by the modules Acme and Globex. `)
    expect(told).toMatch(/: rename one\.$/)
  }
})

test('a bad setting of a section that a module lists stops the start before anything runs', async () => {
  const Section = configurationSection('Stock', { shelves: z.int().min(1) })
  expect(await refusal({ configuration: [Section] }, { Stock: { Shelves: 'many' } })).toBe(
    'The configuration is not valid:\n  Stock:shelves: Invalid input: expected number, received string (from settings.json)',
  )
})

test('a database whose connection is not set is named with the ways to set it', async () => {
  expect(await refusal({ dependsOn: [SecurityModule], entities: [class Row {}] })).toBe(
    'ConnectionStrings:Default is not set. Set it in appsettings.secrets.json or as the environment variable ConnectionStrings__Default.',
  )
})

test.each([['abc'], ['70000'], ['-1']])('PORT=%s is refused', async (port) => {
  expect(await refusal({ dependsOn: [HttpModule] }, { PORT: port })).toBe(
    `PORT is ${port}: set it to a number from 0 to 65535.`,
  )
})

test('modules start dependencies first and shut down the other way round', async () => {
  const calls: string[] = []
  class BaseModule extends KeelModule {
    override configureServices = () => void calls.push('base configures')
    override onApplicationInitialization = () => void calls.push('base starts')
    override onApplicationShutdown = () => void calls.push('base stops')
  }
  Module({})(BaseModule)
  class TopModule extends KeelModule {
    override configureServices = () => void calls.push('top configures')
    override onApplicationInitialization = () => void calls.push('top starts')
    override onApplicationShutdown = () => void calls.push('top stops')
  }
  Module({ dependsOn: [BaseModule] })(TopModule)
  const application = await createApplication(
    TopModule,
    new Configuration().add({ 'Log:Level': 'fatal' }, 'test'),
  ).start()
  await application.stop()
  expect(calls).toEqual([
    'base configures',
    'top configures',
    'base starts',
    'top starts',
    'top stops',
    'base stops',
  ])
})

test('a start that fails shuts down what had started and tells the first failure', async () => {
  const calls: string[] = []
  class FragileModule extends KeelModule {
    override onApplicationInitialization = () => {
      throw new Error('no power')
    }
    override onApplicationShutdown = () => void calls.push('stopped')
  }
  Module({})(FragileModule)
  const application = createApplication(
    FragileModule,
    new Configuration().add({ 'Log:Level': 'fatal' }, 'test'),
  )
  await expect(application.start()).rejects.toThrow('no power')
  expect(calls).toEqual(['stopped'])
})

test('a service is made with the first call of one of its operations, once', async () => {
  let made = 0
  @AllowAnonymous()
  @AutoApiController(ItemAppService)
  class CountedService implements ItemAppService {
    constructor() {
      made++
    }

    async get() {
      return { name: 'A' }
    }

    async create() {
      return undefined
    }
  }
  const configuration = new Configuration().add({ Log: { Level: 'fatal' }, PORT: '0' }, 'settings.json')
  const module = moduleOf('StockModule', { dependsOn: [HttpModule], services: [CountedService] })
  const application = await createApplication(module, configuration).start()
  try {
    const items = application.get(ItemAppService)
    expect(made).toBe(0)
    await Promise.all([items.get(emptyGuid), items.get(emptyGuid)])
    expect(made).toBe(1)
  } finally {
    await application.stop()
  }
})
