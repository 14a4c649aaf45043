import { controller, httpGet } from 'inversify-express-utils'
import { expect, test } from 'vitest'
import { AppService, crud, Dto, id, op, remoteService, z } from '../contracts/index.js'
import { createApplication } from '../modularity/application.js'
import { Configuration } from '../modularity/configuration.js'
import { AutoApiController } from '../modularity/injectable.js'
import { KeelModule, Module } from '../modularity/module.js'
import { AllowAnonymous, Authenticated, RequiresPermission } from '../security/guards.js'
import { columns } from './columns.js'
import { moduleGraph } from './module-graph.js'
import { rootOf } from './root-module.js'
import { routeTable } from './routes.js'

class ItemDto extends Dto({ name: z.string() }) {}
const { get } = crud(ItemDto, ItemDto)
abstract class ItemAppService extends AppService(remoteService('Stock', 'stock'), 'ItemAppService', {
  get,
  count: op().at('GET', 'count').returns(z.int()),
  merge: op(id),
  sort: op(),
}) {}

@AutoApiController(ItemAppService)
class ItemService {
  @RequiresPermission('Item.View') async get() {
    return { name: 'A' }
  }
  @AllowAnonymous() async count() {
    return 1
  }
  @Authenticated() async merge() {}
  async sort() {}
}

@controller('/stock/shelf')
class ShelfController {
  @httpGet('/:id')
  @Authenticated()
  look(): void {}
}

@Module({})
class ClockModule extends KeelModule {}
@Module({})
class OtherModule extends KeelModule {}
@Module({ name: 'Stock', dependsOn: [ClockModule], services: [ItemService], controllers: [ShelfController] })
class StockModule extends KeelModule {}
@Module({ dependsOn: [ClockModule, StockModule] })
class ShopHost extends KeelModule {}

const shop = createApplication(ShopHost, new Configuration())

test('the table of routes says who may call what', () => {
  expect(routeTable(shop)).toBe(
    [
      'GET   /api/stock/item/count       ItemService.count     everybody',
      'POST  /api/stock/item/sort        ItemService.sort      nobody: add @RequiresPermission, @Authenticated or @AllowAnonymous',
      'GET   /api/stock/item/{id}        ItemService.get       Item.View',
      'POST  /api/stock/item/{id}/merge  ItemService.merge     who is signed in',
      'GET   /stock/shelf/{id}           ShelfController.look  who is signed in',
      '',
    ].join('\n'),
  )
})

test('the graph of modules is in the order of their start', () => {
  expect(moduleGraph(shop)).toBe('1  Clock\n2  Stock     ← Clock\n3  ShopHost  ← Clock, Stock\n')
})

test('the root is the exported module that no other needs', () => {
  expect(rootOf([ClockModule, 'text', ItemDto, ShopHost, StockModule], 'shop')).toBe(ShopHost)
})

test.each([
  [[ItemDto, KeelModule], 'shop exports no module: name a file that exports a class with @Module({ … })'],
  [
    [ClockModule, OtherModule],
    'shop exports several root modules: ClockModule, OtherModule. Name a file that exports one.',
  ],
])('without one root module (%#) it says what to name', (exported, message) => {
  expect(() => rootOf(exported, 'shop')).toThrow(message)
})

test('columns are as wide as their widest text', () => {
  expect(columns([['a', 'bb', ''], ['ccc', 'd', 'e'], ['f']])).toBe('a    bb\nccc  d   e\nf\n')
})
