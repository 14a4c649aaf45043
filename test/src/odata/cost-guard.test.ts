import { sql } from '@keel/framework/data'
import { expect, onTestFinished, test } from 'vitest'
import { type AppCaller, startApp } from '../support/app.js'
import { hubOf } from '../support/hub-rows.js'

async function adminOf(settings: Record<string, string>): Promise<AppCaller> {
  const app = await startApp(undefined, settings)
  onTestFinished(() => app.close())
  await hubOf(app).execute(sql`
    insert into "HubShipments" ("Id", "ShipmentReference", "Status", "CreationTime", "ConcurrencyStamp", "VisibleOrganizationIds", "VesselName")
    select gen_random_uuid(), 'S' || n, n % 3, now(), 'stamp', '{}', case n % 2 when 0 then 'EVER GIVEN' end from generate_series(1, 20000) n`)
  await hubOf(app).execute({ text: 'analyze "HubShipments"', values: [] })
  return app.admin()
}

async function answerOf(
  caller: AppCaller,
  path: string,
  headers: Record<string, string> = {},
): Promise<[status: number, message: string | undefined]> {
  const answer = await caller.fetch(`/odata${path.replaceAll(' ', '%20')}`, { headers })
  const { error } = (await answer.json()) as { error?: { message: string } }
  return [answer.status, error?.message]
}

test('what may become too many entities is refused before it is asked of the database', async () => {
  const admin = await adminOf({ 'OData:MaxObjects': '3000', 'OData:MaxExpandedRows': '2000' })
  const refusal = [400, expect.stringContaining('might have more than 3000 entities')]
  expect(await answerOf(admin, '/Shipments?$expand=OriginPort,DestinationPort')).toEqual([200, undefined])
  expect(await answerOf(admin, '/Shipments?$expand=Documents,Orders')).toEqual(refusal)
  expect(await answerOf(admin, '/Shipments?$expand=Documents($expand=DocumentType)')).toEqual(refusal)
  expect(await answerOf(admin, '/Shipments?$top=10&$expand=Documents($top=5),Orders($top=5)')).toEqual([
    200,
    undefined,
  ])
})

test('what the planner expects to cost too much is refused before it runs, and cheap queries are not', async () => {
  const admin = await adminOf({ 'OData:MaxPlanCost': '500' })
  expect(await answerOf(admin, '/Shipments?$top=5&$orderby=length(ShipmentReference)')).toEqual([
    400,
    expect.stringContaining('would cost too much'),
  ])
  expect(await answerOf(admin, '/Shipments?$top=5')).toEqual([200, undefined])
  expect(await answerOf(admin, '/Shipments?$top=5')).toEqual([200, undefined])
})

test('a larger page of a query that was cheap enough is judged anew, and so is the count of a streamed answer', async () => {
  const admin = await adminOf({ 'OData:MaxPlanCost': '500' })
  const refusal = [400, expect.stringContaining('would cost too much')]
  const first = (rows: number) => answerOf(admin, `/Shipments?$apply=top(${rows})/aggregate($count as Rows)`)
  expect([await first(1), await first(2), await first(20_000), await first(3)]).toEqual([
    [200, undefined],
    [200, undefined],
    refusal,
    [200, undefined],
  ])
  const stream = '/Shipments?$select=ShipmentReference&$filter=length(ShipmentReference) gt 1'
  const prefer = 'maxpagesize=15000'
  expect(await answerOf(admin, stream, { prefer })).toEqual([200, undefined])
  expect(await answerOf(admin, `${stream}&$count=true`, { prefer })).toEqual(refusal)
})

test('whether a query costs too much does not depend on values that rows may have', async () => {
  const admin = await adminOf({ 'OData:MaxPlanCost': '2000' })
  const verdicts: string[] = []
  // Half of the rows have the first value, which takes sorting them. Somewhere on the way to the limit that makes the difference.
  for (let count = 0; count <= 40; count += 1) {
    const others = Array.from(
      { length: count },
      (_, index) => ` and length(ShipmentReference) ne ${1000 + index}`,
    ).join('')
    const statuses: number[] = []
    for (const vessel of ['EVER GIVEN', 'NO SUCH VESSEL']) {
      const query = `$top=5&$orderby=length(ShipmentReference)&$filter=VesselName eq '${vessel}'${others}`
      statuses.push((await answerOf(admin, `/Shipments?${query}`))[0])
    }
    verdicts.push(statuses.join(' '))
  }
  expect(new Set(verdicts)).toEqual(new Set(['200 200', '400 400']))
})

test('a query that takes too long is ended, and its caller told to come back', async () => {
  const admin = await adminOf({ 'Database:QueryTimeoutMs': '1' })
  const answer = await admin.fetch(
    "/odata/Shipments?$top=1&$count=true&$filter=endswith(tolower(ShipmentReference),'zz')",
  )
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('takes too long') } })
})
