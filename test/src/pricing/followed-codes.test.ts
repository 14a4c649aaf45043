import { randomUUID } from 'node:crypto'
import { Databases, sql } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { OrganizationCodeChangedEto, OrganizationMergedEto, PortCodeChangedEto } from '@keel/hub/contracts'
import {
  OperationsManager,
  Operator,
  PricingAnalyst,
  PricingManager,
  SuperUser,
} from '@keel/identity/contracts'
import {
  LanePointType,
  MarginRuleAppService,
  MarginType,
  QuoteAppService,
  RateCardAppService,
  RateCardType,
  RateLaneAppService,
  RateZoneAppService,
  RateZoneMemberAppService,
} from '@keel/pricing/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

/** Codes of Hub's organizations and ports that change: what Pricing stored of them follows (domain model, section 6.5). */
let app: App
let staff: AppCaller
let analyst: AppCaller
let manager: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:PollMs': '100' })
  staff = await app.as({ roles: [OperationsManager, SuperUser] })
  analyst = await app.as({ roles: [PricingAnalyst, Operator] })
  manager = await app.as({ roles: [PricingManager] })
})
afterAll(() => app?.close())

const patience = { timeout: 30_000, interval: 50 }
const pricing = () => app.host.get(Databases).named('Pricing')

const changeCode = (id: string, code: string) => send(staff, 'PUT', `/api/hub/organization/${id}`, { code })

async function newQuote(organizationId: string, more: object = {}): Promise<string> {
  const { id } = await analyst.service(QuoteAppService).create({
    ...{ organizationId, transportModeCode: 'Sea', containerModeCode: 'LCL', currencyCode: 'EUR' },
    ...{ originUnLocode: 'CNSGH', destinationUnLocode: 'DEHAM' },
    ...more,
  })
  return id
}

const quote = (id: string) => analyst.service(QuoteAppService).get(id)
const codeOf = async (id: string) => (await quote(id)).organizationCode
const ownerOf = async (id: string) => (await quote(id)).organizationId

/** What was told `minutes` ago and comes only now, as a dead letter that is replayed. */
async function tell(event: object, key: string): Promise<void> {
  await app.host.get(DistributedEventBus).publish(event, { key })
}
const told = (entityId: string, reference: string, minutes: number) => ({
  ...{ eventId: randomUUID(), occurredAt: new Date(Date.now() - minutes * 60_000), entityId, reference },
})

/** Resolves when Pricing has handled everything that was told it. */
async function settled(): Promise<void> {
  const [hub, own] = [app.host.get(Databases).named('Hub'), pricing()]
  const open = async () => {
    const sent = await hub.query(sql`select from "AbpEventOutbox" where "EventName" like 'Hub.%'`)
    const handled = await own.query(sql`select from "AbpEventInbox" where "Status" = 0`)
    return sent.length + handled.length
  }
  await expect.poll(open, patience).toBe(0)
}

/** As if the time of the second pass had come. */
async function secondPass(): Promise<void> {
  const jobs = app.host.get(Databases).named('Default')
  await jobs.execute(sql`
    update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' - interval '1 second'
    where "JobName" like 'Pricing.Follow%' and "CompletionTime" is null`)
  await expect
    .poll(
      async () =>
        (
          await jobs.query(
            sql`select from "AbpBackgroundJobs" where "JobName" like 'Pricing.Follow%' and "CompletionTime" is null`,
          )
        ).length,
      patience,
    )
    .toBe(0)
}

test('quotes, cards and margins follow the code of their organization, and keep their tenant', async () => {
  const organizationId = await addOrganization(app, 'OLDCODE')
  const id = await newQuote(organizationId)
  const card = await analyst.service(RateCardAppService).create({
    ...{
      reference: 'CODED',
      name: 'Tariff',
      cardType: RateCardType.Sell,
      organizationId,
      currencyCode: 'EUR',
    },
    ...{ transportModeCode: 'Sea', validFrom: '2026-10-01', validTo: '2036-12-31' },
  })
  const margin = await manager.service(MarginRuleAppService).create({
    ...{ name: 'Of one customer', organizationId, marginType: MarginType.MarkupPercent, value: '9' },
    ...{ currencyCode: 'EUR', validFrom: '2026-10-01' },
  })
  const tenantId = randomUUID()
  await pricing().execute(sql`update "PricingQuotes" set "TenantId" = ${tenantId} where "Id" = ${id}`)

  expect((await changeCode(organizationId, 'NEWCODE')).status).toBe(200)
  await expect.poll(() => codeOf(id), patience).toBe('NEWCODE')
  await settled()
  expect([
    (await analyst.service(RateCardAppService).get(card.id)).organizationCode,
    (await manager.service(MarginRuleAppService).get(margin.id)).organizationCode,
  ]).toEqual(['NEWCODE', 'NEWCODE'])
  const [kept] = await pricing().query<{ tenantId: string }>(
    sql`select "TenantId" as "tenantId" from "PricingQuotes" where "Id" = ${id}`,
  )
  expect(kept).toEqual({ tenantId })
})

test('all rows of an organization follow, however many they are', async () => {
  const organizationId = await addOrganization(app, 'MANYROWS')
  const id = await newQuote(organizationId)
  await pricing().execute(sql`
    insert into "PricingQuotes" select (jsonb_populate_record(q, jsonb_build_object('Id', gen_random_uuid(), 'Reference', 'MANY-' || n))).*
    from "PricingQuotes" q, generate_series(1, 2100) n where q."Id" = ${id}`)
  expect((await changeCode(organizationId, 'ALLROWS')).status).toBe(200)
  await expect.poll(() => codeOf(id), patience).toBe('ALLROWS')
  await settled()
  const counts = await pricing().query(sql`
    select "OrganizationCode" as code, count(*)::int as count from "PricingQuotes" where "OrganizationId" = ${organizationId} group by 1`)
  expect(counts).toEqual([{ code: 'ALLROWS', count: 2101 }])
})

test('a change of a code that comes after a later one does not undo it, and one that was missed is made up for', async () => {
  const organizationId = await addOrganization(app, 'FIRST')
  const id = await newQuote(organizationId)
  const code = (oldCode: string, reference: string, minutes: number) =>
    tell(
      new OrganizationCodeChangedEto({ ...told(organizationId, reference, minutes), oldCode }),
      randomUUID(),
    )
  await code('SECOND', 'THIRD', 1)
  await settled()
  expect(await codeOf(id)).toBe('THIRD')
  await code('FIRST', 'SECOND', 2)
  await settled()
  expect(await codeOf(id)).toBe('THIRD')
})

test('what was written from before a change of the code follows in a second pass', async () => {
  const organizationId = await addOrganization(app, 'READ')
  const id = await newQuote(organizationId)
  expect((await changeCode(organizationId, 'READLATER')).status).toBe(200)
  await expect.poll(() => codeOf(id), patience).toBe('READLATER')
  await settled()
  // As a request writes it that had read the code before.
  await pricing().execute(sql`update "PricingQuotes" set "OrganizationCode" = 'READ' where "Id" = ${id}`)
  await secondPass()
  expect(await codeOf(id)).toBe('READLATER')
})

test('a quote that is made for an organization while it is merged belongs to the one that stays', async () => {
  const source = await addOrganization(app, 'UNDERWAY')
  const target = await addOrganization(app, 'STAYING')
  const id = await newQuote(source)
  expect(
    (await send(staff, 'POST', `/api/hub/organization/${target}/merge`, { sourceId: source })).status,
  ).toBe(200)
  await expect.poll(() => ownerOf(id), patience).toBe(target)
  await settled()
  // As a request writes it that had read the organization before the merge.
  await pricing().execute(
    sql`update "PricingQuotes" set "OrganizationId" = ${source}, "OrganizationCode" = 'UNDERWAY' where "Id" = ${id}`,
  )
  await secondPass()
  expect(await quote(id)).toMatchObject({ organizationId: target, organizationCode: 'STAYING' })
})

test('of two merges of which the later one comes first, rows end with the organization that is there', async () => {
  const [first, second, third] = [
    await addOrganization(app, 'CHAINA'),
    await addOrganization(app, 'CHAINB'),
    await addOrganization(app, 'CHAINC'),
  ]
  const id = await newQuote(first)
  const merged = (target: [string, string], source: [string, string], minutes: number) =>
    tell(
      new OrganizationMergedEto({
        ...told(target[0], target[1], minutes),
        name: `${target[1]} Company`,
        sourceId: source[0],
        sourceCode: source[1],
      }),
      randomUUID(),
    )
  await merged([third, 'CHAINC'], [second, 'CHAINB'], 1)
  await settled()
  await merged([second, 'CHAINB'], [first, 'CHAINA'], 2)
  await settled()
  expect(await quote(id)).toMatchObject({
    organizationId: third,
    organizationCode: 'CHAINC',
    organizationName: 'CHAINC Company',
  })
})

test('lanes, zones and quotes follow the code of a port, also where two ports change codes', async () => {
  const port = (unLocode: string) => ({ unLocode, name: unLocode, isSeaport: true, isAirport: false })
  const [one, other] = [
    await send(staff, 'POST', '/api/hub/port', port('NLAAA')),
    await send(staff, 'POST', '/api/hub/port', port('NLBBB')),
  ]
  expect([one.status, other.status]).toEqual([200, 200])
  const organizationId = await addOrganization(app, 'PORTS')
  const id = await newQuote(organizationId, { originUnLocode: 'NLAAA', destinationUnLocode: 'NLBBB' })
  const { id: rateCardId } = await analyst.service(RateCardAppService).create({
    ...{ reference: 'PORTS', name: 'Rates', cardType: RateCardType.Buy, currencyCode: 'EUR' },
    ...{ transportModeCode: 'Sea', validFrom: '2026-10-01', validTo: '2036-12-31' },
  })
  const lane = await analyst.service(RateLaneAppService).create({
    ...{
      rateCardId,
      laneNumber: 1,
      originType: LanePointType.Port,
      originUnLocode: 'NLAAA',
      viaUnLocode: 'NLBBB',
    },
    ...{ destinationType: LanePointType.Port, destinationUnLocode: 'NLBBB' },
  })
  const zone = await analyst.service(RateZoneAppService).create({ code: 'PORTS', name: 'Ports' })
  const member = await analyst
    .service(RateZoneMemberAppService)
    .create({ rateZoneId: zone.id, unLocode: 'NLAAA' })

  const rename = async (portId: string, unLocode: string) =>
    expect((await send(staff, 'PUT', `/api/hub/port/${portId}`, port(unLocode))).status).toBe(200)
  await rename(one.body.id, 'NLTTT')
  await rename(other.body.id, 'NLAAA')
  await rename(one.body.id, 'NLBBB')
  await settled()
  expect(await quote(id)).toMatchObject({ originUnLocode: 'NLBBB', destinationUnLocode: 'NLAAA' })
  expect(await analyst.service(RateLaneAppService).get(lane.id)).toMatchObject({
    ...{ originUnLocode: 'NLBBB', viaUnLocode: 'NLAAA', destinationUnLocode: 'NLAAA' },
  })
  expect(await analyst.service(RateZoneMemberAppService).get(member.id)).toMatchObject({ unLocode: 'NLBBB' })
})

test('a change of the code of a port that comes late leads to the code of today, and leaves rows alone that were made long after it', async () => {
  const [portId, organizationId] = [randomUUID(), await addOrganization(app, 'LATE')]
  const early = await newQuote(organizationId)
  const late = await newQuote(organizationId)
  await pricing().execute(
    sql`update "PricingQuotes" set "OriginUnLocode" = 'NLLAA' where "Id" in (${early}, ${late})`,
  )
  await pricing().execute(
    sql`update "PricingQuotes" set "CreationTime" = now() - interval '2 hours' where "Id" = ${early}`,
  )
  const code = (oldCode: string, reference: string, minutes: number) =>
    tell(new PortCodeChangedEto({ ...told(portId, reference, minutes), oldCode }), randomUUID())
  await code('NLLBB', 'NLLCC', 30)
  await settled()
  await code('NLLAA', 'NLLBB', 60)
  await settled()
  expect([(await quote(early)).originUnLocode, (await quote(late)).originUnLocode]).toEqual([
    'NLLCC',
    'NLLAA',
  ])
})
