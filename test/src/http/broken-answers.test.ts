import { AutoApiController, KeelModule, Module } from '@keel/framework'
import { AppService, Dto, op, remoteService, z } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { HttpModule } from '@keel/framework/http'
import { AllowAnonymous, SecurityModule } from '@keel/framework/security'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { detailedErrors } from '../support/copies.js'

class BoxDto extends Dto({ name: z.string().max(10) }) {}
abstract class BoxAppService extends AppService(remoteService('Broken', 'broken'), 'BoxAppService', {
  getWhole: op().returns(BoxDto),
  getHollow: op().returns(BoxDto),
  addMarked: op(BoxDto).returns(BoxDto),
}) {}

@AutoApiController(BoxAppService)
@AllowAnonymous()
class BoxService {
  constructor(private readonly databases: Databases) {}

  async getWhole() {
    return { name: 'whole' }
  }
  // What the compiler can't see: rows of a statement have the type that somebody says.
  async getHollow() {
    return JSON.parse('{"name":null,"secret":1}') as BoxDto
  }
  async addMarked({ name }: BoxDto) {
    const database = this.databases.named('Default')
    await database.execute(
      sql`insert into "AbpSettings" ("Id", "Name", "Value") values (gen_random_uuid(), ${name}, '')`,
    )
    return { name: `${name} is longer than ten` }
  }
}

@Module({
  dependsOn: [HttpModule, SecurityModule, IdentityModule, PermissionManagementModule],
  services: [BoxService],
})
class BrokenHost extends KeelModule {}

let app: App
beforeAll(async () => {
  app = await startApp(BrokenHost, detailedErrors)
})
afterAll(() => app?.close())

interface Envelope {
  readonly error: { readonly details: string }
}
const detailsOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as Envelope).error.details

test('an answer that keeps its contract goes out', async () => {
  const answer = await app.host.fetch('/api/broken/box/whole')
  expect([answer.status, await answer.json()]).toEqual([200, { name: 'whole' }])
})

test('an answer that breaks its contract is a fault that names operation, members and place', async () => {
  const answer = await app.host.fetch('/api/broken/box/hollow')
  expect(answer.status).toBe(500)
  expect(await detailsOf(answer)).toContain(
    'ContractBreachError: The answer of BoxService.getHollow is not what BoxAppService.getHollow promises:\n' +
      '  name: Invalid input: expected string, received null\n' +
      '  secret: not declared by the contract\n' +
      '  at test/src/http/broken-answers.test.ts:',
  )
})

test('a call inside the process hears of it too, and what it wrote is undone', async () => {
  const boxes = app.host.get(BoxAppService)
  await expect(boxes.addMarked({ name: 'marked' })).rejects.toThrow(/^The answer of BoxService\.addMarked/)
  const rows = await app.host
    .get(Databases)
    .named('Default')
    .query(sql`select 1 from "AbpSettings" where "Name" = 'marked'`)
  expect(rows).toEqual([])
})
