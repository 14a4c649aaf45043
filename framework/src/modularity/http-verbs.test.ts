import { expect, test } from 'vitest'
import { AppService, id, op, remoteService, z } from '../contracts/index.js'
import { divergingRoutes, HttpDelete, HttpGet, HttpPatch, HttpPost, HttpPut } from './http-verbs.js'

abstract class ItemAppService extends AppService(remoteService('Stock', 'stock'), 'ItemAppService', {
  get: op(id).returns(z.string()),
  update: op(id),
  delete: op(id),
  count: op().at('GET', 'count').returns(z.int()),
  patch: op(id),
  merge: op(id),
}) {}

class Matching {
  @HttpGet() async get() {}
  @HttpPut() async update() {}
  @HttpDelete() async delete() {}
  @HttpGet('count') async count() {}
  @HttpPatch() async patch() {}
  @HttpPost() async merge() {}
}
class Inheriting extends Matching {
  @HttpDelete() override async merge() {}
}
class OtherPath {
  @HttpGet('total') async count() {}
}
class PathOfItsOwn {
  @HttpPost('merge') async merge() {}
}
class NoOperation {
  @HttpPost() async sort() {}
}

test.each([
  [Matching, []],
  [
    Inheriting,
    [
      "Inheriting.merge has @HttpDelete(), but clients call it by POST /api/stock/item/{id}/merge: write .at('DELETE') at ItemAppService.merge, or remove the decorator",
    ],
  ],
  [
    OtherPath,
    [
      "OtherPath.count has @HttpGet('total'), but clients call it by GET /api/stock/item/count: write .at('GET', 'total') at ItemAppService.count, or remove the decorator",
    ],
  ],
  [
    PathOfItsOwn,
    [
      "PathOfItsOwn.merge has @HttpPost('merge'), but clients call it by POST /api/stock/item/{id}/merge: write .at('POST', 'merge') at ItemAppService.merge, or remove the decorator",
    ],
  ],
  [
    NoOperation,
    [
      'NoOperation.sort has @HttpPost(), but ItemAppService has no such operation: add it there, or remove the decorator',
    ],
  ],
])('%o says of its routes what the contract says, or is told how to', (service, sentences) => {
  expect(divergingRoutes(service, ItemAppService)).toEqual(sentences)
})
