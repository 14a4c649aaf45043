import { AutoApiController, KeelModule, Module } from '@keel/framework'
import { AppService, Dto, op, remoteService, z } from '@keel/framework/contracts'
import { HttpHost, HttpModule } from '@keel/framework/http'
import { AllowAnonymous } from '@keel/framework/security'
import { startTestHost } from '@keel/framework/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { comparedWithDocument, undocumentedAnswers } from '../support/documented-traffic.js'
import { testServer } from '../support/test-databases.js'
import { send } from '../support/wire.js'

class LampDto extends Dto({ isLit: z.boolean() }) {}
abstract class LampAppService extends AppService(remoteService('Test', 'test'), 'LampAppService', {
  get: op().returns(LampDto),
  getBroken: op().returns(LampDto),
}) {}

@AutoApiController(LampAppService)
@AllowAnonymous()
class LampService implements LampAppService {
  async get(): Promise<LampDto> {
    return { isLit: true }
  }
  async getBroken(): Promise<LampDto> {
    return { isLit: 'no', watts: 40 } as unknown as LampDto
  }
}

@Module({ dependsOn: [HttpModule], services: [LampService] })
class LampHost extends KeelModule {
  override onApplicationInitialization({
    application,
  }: Parameters<KeelModule['onApplicationInitialization']>[0]): void {
    application.get(HttpHost).mount('/api/test/hidden', (_request, response) => {
      response.end('psst')
    })
  }
}

let host: Awaited<ReturnType<typeof startTestHost>>
beforeAll(async () => {
  const settings = { 'App:CheckAnswers': 'false' }
  host = comparedWithDocument(
    await startTestHost(LampHost, { server: testServer, templates: {}, settings }),
    { root: LampHost, settings },
  )
})
afterAll(() => host?.close())

test('an answer that is as documented is nothing to report', async () => {
  await send(host, 'GET', '/api/test/lamp')
  expect(undocumentedAnswers()).toEqual([])
})

test('an answer with a wrong or an undeclared member is reported with operation, status and place', async () => {
  await send(host, 'GET', '/api/test/lamp/broken')
  expect(undocumentedAnswers()).toEqual([
    'GET /api/test/lamp/broken answered 200: $.isLit: "no" is no boolean',
    'GET /api/test/lamp/broken answered 200: $.watts is not declared',
  ])
})

test('an operation that no document has is reported', async () => {
  await host.fetch('/api/test/hidden')
  expect(undocumentedAnswers()).toEqual(['GET /api/test/hidden: there is no such operation'])
})
