import { sql } from '@keel/framework/data'
import { HubErrors, ShipmentAppService } from '@keel/hub/contracts'
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
  QuoteAppService,
  QuoteStatus,
  RateBasis,
  RateCardAppService,
  RateCardType,
  RateLaneAppService,
  RateLineAppService,
  ShipmentChargeAppService,
} from '@keel/pricing/contracts'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../support/app.js'
import { addOrganization, hubOf } from '../support/hub-rows.js'
import { ApiWithoutPricing } from '../support/own-pricing.js'
import { send } from '../support/wire.js'

/** What the README says about Pricing on a host of its own, with the lists of {@link ApiWithoutPricing}; all tests of Pricing run so with KEEL_TEST_REMOTE=pricing. */
test('Pricing on a host of its own prices a quote with organizations and ports of Hub, which makes the shipment when it is accepted', async () => {
  const app = await startApp(ApiWithoutPricing)
  onTestFinished(() => app.close())
  const organizationId = await addOrganization(app, 'BUYER')
  const analyst = await app.as({ roles: [PricingAnalyst, Operator] })
  const manager = await app.as({ roles: [PricingManager, Operator] })
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const { id: rateCardId } = await analyst.service(RateCardAppService).create({
    ...{ reference: 'RATES', name: 'Rates', cardType: RateCardType.Buy, currencyCode: 'EUR' },
    ...{ transportModeCode: 'Sea', containerModeCode: 'LCL', validFrom: day(-30), validTo: day(60) },
  })
  const lane = await analyst.service(RateLaneAppService).create({
    ...{ rateCardId, laneNumber: 1, originType: LanePointType.Port, originUnLocode: 'CNSGH' },
    ...{ destinationType: LanePointType.Port, destinationUnLocode: 'DEHAM' },
  })
  const { items } = await analyst.service(ChargeCodeAppService).getList({ filter: 'OFR' })
  await analyst.service(RateLineAppService).create({
    ...{ rateLaneId: lane.id, basis: RateBasis.PerBill, currencyCode: 'EUR', amount: '1000' },
    chargeCodeId: items.find(({ code }) => code === 'OFR')?.id ?? '',
  })
  await analyst.service(RateCardAppService).submit(rateCardId, {})
  await manager.service(RateCardAppService).approve(rateCardId, {})
  const quotes = analyst.service(QuoteAppService)
  const { id, reference } = await quotes.create({
    ...{ organizationId, transportModeCode: 'Sea', containerModeCode: 'LCL', currencyCode: 'EUR' },
    ...{ originUnLocode: 'CNSGH', destinationUnLocode: 'DEHAM' },
    cargoLines: [{ quantity: 1, grossWeightKg: 500, volumeM3: 1 }],
  })
  const { options } = await quotes.calculate(id, {})
  await quotes.submit(id, {})
  await manager.service(QuoteAppService).approve(id, {})
  await manager.service(QuoteAppService).accept(id, { optionId: options?.[0]?.id ?? '' })
  await expect
    .poll(async () => (await quotes.get(id)).status, { timeout: 30_000, interval: 50 })
    .toBe(QuoteStatus.Converted)
  const { shipmentId } = await quotes.get(id)
  expect(await analyst.service(ShipmentAppService).get(shipmentId ?? '')).toMatchObject({
    ...{ shipmentReference: reference, externalId: id, controllingCustomer: { code: 'BUYER' } },
  })
  const charges = await analyst.service(ShipmentChargeAppService).getList({ shipmentId })
  expect(charges.items.map(({ costAmount }) => costAmount)).toEqual(['1000'])

  // Hub's events reach Pricing's database, where its host handles them, and the other way around.
  const staff = await app.as({ roles: [OperationsManager, SuperUser] })
  const deliver = () =>
    send(staff, 'POST', `/api/hub/shipment/${shipmentId}/force-status`, { status: 8, reason: 'there' })
  expect((await deliver()).status).toBe(200)
  await expect
    .poll(
      () => hubOf(app).query(sql`select from "HubShipmentOpenCharges" where "ShipmentId" = ${shipmentId}`),
      {
        timeout: 30_000,
      },
    )
    .toHaveLength(1)
  const refused = async () =>
    (await send(staff, 'POST', `/api/hub/shipment/${shipmentId}/complete`, {})).body.error?.code
  expect(await refused()).toBe(HubErrors.ChargesNotApproved)
  const renamed = await send(staff, 'PUT', `/api/hub/organization/${organizationId}`, { code: 'BUYERTOO' })
  expect(renamed.status).toBe(200)
  await expect
    .poll(async () => (await quotes.get(id)).organizationCode, { timeout: 30_000, interval: 50 })
    .toBe('BUYERTOO')
})
