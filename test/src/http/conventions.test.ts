import { AutoApiController, HttpGet, HttpPost, KeelModule, Module } from '@keel/framework'
import { createClient } from '@keel/framework/client'
import { AppService, Dto, enumerationName, id, op, remoteService, z } from '@keel/framework/contracts'
import { AbpApiDefinitionModule, DocsUiModule, HttpModule } from '@keel/framework/http'
import { AllowAnonymous, SecurityModule } from '@keel/framework/security'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { openApiOf } from '../support/open-api.js'
import { faultyMembers, send } from '../support/wire.js'

enum Frequency {
  Daily = 0,
  Weekly = 1,
  Monthly = 2,
}
class ScheduleDto extends Dto({
  frequency: enumerationName('Frequency', Frequency),
  later: enumerationName('Frequency', Frequency).nullish(),
}) {}
class ScheduleFilter extends Dto({ frequency: enumerationName('Frequency', Frequency).nullish() }) {}
class TextDto extends Dto({ text: z.string() }) {}

abstract class ScheduleAppService extends AppService(remoteService('Plan', 'plan'), 'ScheduleAppService', {
  update: op(id, ScheduleDto).returns(ScheduleDto),
  getList: op(ScheduleFilter).returns(TextDto),
  getReport: op(ScheduleDto).at('POST').returns(ScheduleDto),
  find: op(id).at('GET', 'found/{id}').returns(TextDto),
}) {}

@AutoApiController(ScheduleAppService)
@AllowAnonymous()
class ScheduleService implements ScheduleAppService {
  async update(_id: string, input: ScheduleDto): Promise<ScheduleDto> {
    return input
  }
  async getList({ frequency }: ScheduleFilter): Promise<TextDto> {
    return { text: String(frequency) }
  }
  @HttpPost()
  async getReport(input: ScheduleDto): Promise<ScheduleDto> {
    return input
  }
  @HttpGet('found/{id}')
  async find(found: string): Promise<TextDto> {
    return { text: found }
  }
}

@Module({
  dependsOn: [
    HttpModule,
    DocsUiModule,
    AbpApiDefinitionModule,
    SecurityModule,
    IdentityModule,
    PermissionManagementModule,
  ],
  services: [ScheduleService],
})
class PlanHost extends KeelModule {}

const someId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
let app: App
beforeAll(async () => {
  app = await startApp(PlanHost)
})
afterAll(() => app?.close())

test.for([
  ['Weekly', 'Weekly'],
  ['mONTHLY', 'Monthly'],
  [0, 'Daily'],
  ['2', 'Monthly'],
])('an enumeration that travels by name reads %j and writes %j', async ([given, written]) => {
  const { status, body } = await send(app.host, 'PUT', `/api/plan/schedule/${someId}`, { frequency: given })
  expect({ status, body }).toEqual({ status: 200, body: { frequency: written } })
})

test('a name that is none of the enumeration’s is refused', async () => {
  const input = { frequency: 'Hourly', later: 7 }
  const answer = await send(app.host, 'PUT', `/api/plan/schedule/${someId}`, input)
  expect([answer.status, faultyMembers(answer)]).toEqual([400, ['frequency', 'later']])
})

test('an enumeration that travels by name may be asked for in the query', async () => {
  const texts = ['?Frequency=weekly', '?frequency=2', ''].map(
    async (query) => (await send(app.host, 'GET', `/api/plan/schedule${query}`)).body.text,
  )
  expect(await Promise.all(texts)).toEqual(['Weekly', 'Monthly', 'undefined'])
})

test('the documents call an enumeration that travels by name a text', async () => {
  const { components } = await openApiOf(app.host)
  const { body } = await send(app.host, 'GET', '/api/abp/api-definition?includeTypes=true')
  expect([
    components.schemas['Plan.ScheduleDto'],
    body.types['Keel.Plan.Schedules.ScheduleDto'].properties[0],
  ]).toMatchObject([
    { properties: { frequency: { type: 'string', enum: ['Daily', 'Weekly', 'Monthly'] } } },
    { name: 'Frequency', type: 'System.String', typeSimple: 'string', isRequired: true },
  ])
})

test('a contract’s own verb and path are where clients and raw calls find it', async () => {
  const client = createClient(ScheduleAppService, { baseUrl: app.host.url })
  const answers = await Promise.all([
    client.getReport({ frequency: 'Daily' }),
    client.find(someId),
    send(app.host, 'POST', '/api/plan/schedule/get-report', { frequency: 'Daily' }).then(({ body }) => body),
    send(app.host, 'GET', `/api/plan/schedule/found/${someId}`).then(({ body }) => body),
  ])
  expect(answers).toEqual([
    { frequency: 'Daily' },
    { text: someId },
    { frequency: 'Daily' },
    { text: someId },
  ])
})
