import {
  OperationsManager,
  Operator,
  PricingAnalyst,
  PricingManager,
  SuperUser,
} from '@keel/identity/contracts'
import {
  ChargeCodeAppService,
  LanePointType,
  MarginRuleAppService,
  MarginType,
  QuoteAppService,
  RateBasis,
  RateCardAppService,
  RateCardStatus,
  RateCardType,
  RateLaneAppService,
  RateLineAppService,
  ShipmentChargeAppService,
} from '@keel/pricing/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

let app: App
let staff: AppCaller
let analyst: AppCaller
let manager: AppCaller
let operator: AppCaller
let chargeCodeId: string

beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:PollMs': '100' })
  staff = await app.as({ roles: [OperationsManager, SuperUser] })
  analyst = await app.as({ roles: [PricingAnalyst] })
  manager = await app.as({ roles: [PricingManager] })
  operator = await app.as({ roles: [Operator] })
  const { items } = await analyst.service(ChargeCodeAppService).getList({ maxResultCount: 200 })
  chargeCodeId = items.find(({ code }) => code === 'OFR')?.id ?? ''
})
afterAll(() => app?.close())

/** An active selling card of a customer. */
async function sellingCard(organizationId: string, reference: string, more: object = {}): Promise<string> {
  const cards = analyst.service(RateCardAppService)
  const { id } = await cards.create({
    ...{ reference, name: 'Tariff', cardType: RateCardType.Sell, organizationId, currencyCode: 'USD' },
    ...{ transportModeCode: 'Sea', containerModeCode: 'FCL', validFrom: '2026-10-01', validTo: '2036-12-31' },
    ...more,
  })
  const lane = await analyst.service(RateLaneAppService).create({
    ...{ rateCardId: id, laneNumber: 1, originType: LanePointType.Port, originUnLocode: 'CNSGH' },
    ...{ destinationType: LanePointType.Port, destinationUnLocode: 'NLRTM' },
  })
  await analyst.service(RateLineAppService).create({
    ...{ rateLaneId: lane.id, chargeCodeId, basis: RateBasis.PerBill, currencyCode: 'USD', amount: '10' },
  })
  await cards.submit(id, {})
  await manager.service(RateCardAppService).approve(id, {})
  return id
}

test('quotes, cards, margins and charges of an organization that is merged belong to the one that stays', async () => {
  const source = await addOrganization(app, 'PRICEDGOES')
  const target = await addOrganization(app, 'PRICEDSTAYS')
  const kept = await sellingCard(target, 'KEPT')
  const doubled = await sellingCard(source, 'DOUBLED')
  const moved = await sellingCard(source, 'MOVED', { containerModeCode: 'LCL' })
  const quote = await analyst.service(QuoteAppService).create({
    ...{ organizationId: source, transportModeCode: 'Sea', containerModeCode: 'LCL', currencyCode: 'EUR' },
    ...{
      originUnLocode: 'CNSGH',
      destinationUnLocode: 'DEHAM',
      cargoLines: [{ quantity: 1, grossWeightKg: 10, volumeM3: 1 }],
    },
  })
  const margin = await manager.service(MarginRuleAppService).create({
    ...{ name: 'Of one customer', organizationId: source, marginType: MarginType.MarkupPercent, value: '9' },
    ...{ currencyCode: 'EUR', validFrom: '2026-10-01' },
  })
  const [shipmentId = ''] = await addShipments(app, [{ parties: [{ role: 4, organizationId: source }] }])
  const charge = await operator.service(ShipmentChargeAppService).create({
    ...{ shipmentId, chargeCodeId, description: 'Freight', sellAmount: '5', sellCurrencyCode: 'EUR' },
    ...{ debtorOrganizationId: source, creditorOrganizationId: source },
  })

  const answer = await send(staff, 'POST', `/api/hub/organization/${target}/merge`, { sourceId: source })
  expect(answer.status).toBe(200)
  const name = answer.body.fullName

  const card = (id: string) => analyst.service(RateCardAppService).get(id)
  await expect
    .poll(
      async () => (await operator.service(ShipmentChargeAppService).get(charge.id)).creditorOrganizationId,
      {
        timeout: 30_000,
      },
    )
    .toBe(target)
  const stays = { organizationId: target, organizationCode: 'PRICEDSTAYS' }
  expect(await analyst.service(QuoteAppService).get(quote.id)).toMatchObject({
    ...stays,
    organizationName: name,
  })
  expect(await manager.service(MarginRuleAppService).get(margin.id)).toMatchObject(stays)
  expect(await operator.service(ShipmentChargeAppService).get(charge.id)).toMatchObject({
    debtorOrganizationId: target,
  })
  expect(await card(kept)).toMatchObject({ ...stays, status: RateCardStatus.Active })
  expect(await card(moved)).toMatchObject({ ...stays, status: RateCardStatus.Active })
  // One customer has one price: the organization that stays keeps its own.
  expect(await card(doubled)).toMatchObject({
    ...{ ...stays, status: RateCardStatus.Expired, statusReason: 'PRICEDGOES → PRICEDSTAYS' },
  })
})
