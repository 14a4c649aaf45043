import { readFileSync } from 'node:fs'
import type { ErrorEnvelope } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { ShipmentAppService } from '@keel/hub/contracts'
import {
  CustomerAdmin,
  DefaultCustomer,
  Operator,
  PricingAnalyst,
  PricingManager,
} from '@keel/identity/contracts'
import {
  ChargeCodeAppService,
  ChargeGroup,
  ChargeStatus,
  ExchangeRateAppService,
  FuelIndexAppService,
  FuelIndexValueAppService,
  LanePointType,
  MarginRuleAppService,
  MarginType,
  PricingErrors,
  PricingSettingsAppService,
  QuoteAppService,
  QuotePermissions,
  QuoteStatus,
  quoteTransitions,
  RateBasis,
  RateCardAppService,
  RateCardStatus,
  RateCardType,
  RateLaneAppService,
  RateLineAppService,
  rateCardTransitions,
  ShipmentChargeAppService,
  SurchargeRuleAppService,
} from '@keel/pricing/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { dotPicture } from '../support/dot-picture.js'
import { holdWrites } from '../support/holds.js'
import { addMember, addOrganization, addShipments, hubOf } from '../support/hub-rows.js'
import { pdfText } from '../support/pdf-text.js'
import { faultyMembers, send } from '../support/wire.js'

let app: App
let analyst: AppCaller
let manager: AppCaller
let operator: AppCaller
let customer: AppCaller
let stranger: AppCaller
let organization: string
const charges = new Map<string, string>()
const logo = `data:image/png;base64,${dotPicture.toString('base64')}`
const today = new Date().toISOString().slice(0, 10)
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const { PerRevenueTon, PerBill, PerContainer, PerTeu, PerChargeableKg } = RateBasis

beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:PollMs': '100', 'App:WhiteLabeling:LogoUrl': logo })
  analyst = await app.as({ roles: [PricingAnalyst] })
  manager = await app.as({ roles: [PricingManager] })
  operator = await app.as({ roles: [Operator] })
  organization = await addOrganization(app, 'BUYER')
  customer = await app.as({ roles: [CustomerAdmin] })
  stranger = await app.as({ roles: [DefaultCustomer] })
  await addMember(app, customer.userId, organization)
  await addMember(app, stranger.userId, await addOrganization(app, 'OTHER'))
  const { items } = await analyst.service(ChargeCodeAppService).getList({ maxResultCount: 200 })
  for (const { code, id } of items) charges.set(code, id)
  for (const [toCurrencyCode, rate] of [
    ['USD', '1.08'],
    ['CNY', '7.8'],
    ['SGD', '1.45'],
  ] as const)
    await analyst
      .service(ExchangeRateAppService)
      .create({ fromCurrencyCode: 'EUR', toCurrencyCode, rate, rateDate: today, source: 'test' })
  await addRates()
})
afterAll(() => app?.close())

type Rate = [code: string, basis: RateBasis, currency: string, amount: string | null, more?: object]
/** A buying card that counts, with one lane. */
async function addCard(
  modes: [mode: 'Sea' | 'Air', container: string],
  from: string,
  to: string,
  rates: Rate[],
  more: object = {},
) {
  const [transportModeCode, containerModeCode] = modes
  const card = await analyst.service(RateCardAppService).create({
    ...{ reference: `${from}-${to}-${containerModeCode}${JSON.stringify(more).length}`, name: 'Rates' },
    ...{ cardType: RateCardType.Buy, transportModeCode, containerModeCode, currencyCode: 'USD' },
    ...{ validFrom: dayIn(-30), validTo: dayIn(60), carrierCode: 'MSK' },
    ...more,
  })
  const lane = await analyst.service(RateLaneAppService).create({
    ...{ rateCardId: card.id, laneNumber: 1, transitDays: 30 },
    ...{
      originType: LanePointType.Port,
      originUnLocode: from,
      destinationType: LanePointType.Port,
      destinationUnLocode: to,
    },
  })
  const lines = analyst.service(RateLineAppService)
  for (const [code, basis, currencyCode, amount, { breaks, ...rest }] of rates.map(
    ([a, b, c, d, e = {}]) =>
      [a, b, c, d, e as { breaks?: { fromQuantity: string; amount: string }[] }] as const,
  )) {
    const chargeCodeId = charges.get(code) ?? ''
    const line = await lines.create({
      rateLaneId: lane.id,
      chargeCodeId,
      basis,
      currencyCode,
      amount,
      ...rest,
    })
    if (breaks) await lines.setBreaks(line.id, { breaks })
  }
  await analyst.service(RateCardAppService).submit(card.id, {})
  await manager.service(RateCardAppService).approve(card.id, {})
  return card
}

/** The rates and margins of the worked examples (domain model, section 7.4). */
async function addRates(): Promise<void> {
  await addCard(['Sea', 'LCL'], 'CNSGH', 'DEHAM', [
    ['OFR', PerRevenueTon, 'USD', '42', { minAmount: '42' }],
    ['BAF', PerRevenueTon, 'USD', '12', { minAmount: '12' }],
    ['PSS', PerRevenueTon, 'USD', '10', { minAmount: '10' }],
    ['OCFS', PerRevenueTon, 'CNY', '120', { minAmount: '120' }],
    ['ODOC', PerBill, 'CNY', '350'],
    ['ENS', PerBill, 'USD', '30'],
    ['DCFS', PerRevenueTon, 'EUR', '28.5', { minAmount: '28.5' }],
    ['DDOC', PerBill, 'EUR', '65'],
  ])
  await addCard(['Sea', 'FCL'], 'SGSIN', 'NLRTM', [
    ['OFR', PerContainer, 'USD', '2850', { containerTypeCode: '45G1' }],
    ['OFR', PerContainer, 'USD', '1650', { containerTypeCode: '22G1' }],
    ['ISPS', PerContainer, 'USD', '14'],
    ['ETS', PerTeu, 'EUR', '24'],
    ['OTHC', PerContainer, 'SGD', '300', { containerTypeCode: '45G1' }],
    ['OTHC', PerContainer, 'SGD', '215', { containerTypeCode: '22G1' }],
    ['DTHC', PerContainer, 'EUR', '285'],
    ['ODOC', PerBill, 'USD', '60'],
  ])
  const breaks = [
    ['0', '4.1'],
    ['45', '3.55'],
    ['100', '2.95'],
    ['300', '2.35'],
    ['500', '2.1'],
    ['1000', '1.95'],
  ].map(([fromQuantity = '', amount = '']) => ({ fromQuantity, amount }))
  await addCard(['Air', 'LSE'], 'DEFRA', 'USORD', [
    ['AFR', PerChargeableKg, 'EUR', null, { minAmount: '95', breaks }],
    ['FSC', PerChargeableKg, 'EUR', '0.85'],
    ['SSC', PerChargeableKg, 'EUR', '0.15'],
    ['XRY', PerChargeableKg, 'EUR', '0.12', { minAmount: '25' }],
    ['OHC', PerChargeableKg, 'EUR', '0.1', { minAmount: '45' }],
    ['AWB', PerBill, 'EUR', '35'],
    ['DHC', PerChargeableKg, 'USD', '0.12', { minAmount: '75' }],
  ])
  const index = await analyst
    .service(FuelIndexAppService)
    .create({ code: 'VLSFO', name: 'Fuel oil', unit: 'USD/t', transportModeCode: 'Sea' })
  await analyst
    .service(FuelIndexValueAppService)
    .create({ fuelIndexId: index.id, valueDate: dayIn(-3), value: '612' })
  const sea = {
    transportModeCode: 'Sea' as const,
    containerModeCode: 'FCL',
    currencyCode: 'USD',
    validFrom: dayIn(-30),
  }
  const surcharges = analyst.service(SurchargeRuleAppService)
  await surcharges.create({
    ...{ ...sea, chargeCodeId: charges.get('BAF') ?? '', basis: PerTeu },
    ...{ fuelIndexId: index.id, fuelBaseValue: '500', fuelStep: '25', fuelAmountPerStep: '18' },
  })
  await surcharges.create({
    ...{ ...sea, chargeCodeId: charges.get('CAF') ?? '', basis: RateBasis.PercentOfGroup },
    ...{ amount: '3', percentOfGroup: ChargeGroup.Freight },
  })
  const margin = (
    containerModeCode: string,
    chargeGroup: ChargeGroup,
    marginType: MarginType,
    value: string,
    more = {},
  ) =>
    manager.service(MarginRuleAppService).create({
      ...{ name: `${containerModeCode} ${chargeGroup}`, containerModeCode, chargeGroup, marginType, value },
      ...{ currencyCode: containerModeCode === 'LCL' ? 'EUR' : 'USD', validFrom: dayIn(-30) },
      ...more,
    })
  const { MarkupPercent, MarginPercent, FixedPerUnit } = MarginType
  const { Freight, OriginLocal, DestinationLocal } = ChargeGroup
  await margin('LCL', Freight, MarkupPercent, '15', { minMarginAmount: '40' })
  await margin('LCL', OriginLocal, MarkupPercent, '10')
  await margin('LCL', DestinationLocal, MarkupPercent, '10')
  await margin('FCL', Freight, FixedPerUnit, '150')
  await margin('FCL', OriginLocal, MarkupPercent, '8')
  await margin('FCL', DestinationLocal, MarkupPercent, '8')
  await margin('LSE', Freight, MarginPercent, '18')
  await margin('LSE', OriginLocal, MarkupPercent, '10', { minMarginAmount: '5' })
  await margin('LSE', DestinationLocal, MarkupPercent, '10', { minMarginAmount: '5' })
}

const quotes = (who: AppCaller) => who.service(QuoteAppService)
const pallets = {
  quantity: 4,
  lengthCm: 120,
  widthCm: 80,
  heightCm: 130,
  grossWeightKg: 1240,
  description: 'Chairs',
}
const requestA = (more: object = {}) => ({
  ...{ organizationId: organization, transportModeCode: 'Sea' as const, containerModeCode: 'LCL' },
  ...{ originUnLocode: 'CNSGH', destinationUnLocode: 'DEHAM', currencyCode: 'EUR', cargoLines: [pallets] },
  ...more,
})
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  )
/** A quote that was sent. */
async function sent(more: object = {}) {
  const { id } = await quotes(analyst).create(requestA(more))
  await quotes(analyst).calculate(id, {})
  return quotes(analyst).submit(id, {})
}

describe('the worked examples by HTTP', () => {
  test.each([
    ['A', requestA(), ['652.53', '725.43', '72.9', '10.05']],
    [
      'B',
      requestA({
        ...{
          containerModeCode: 'FCL',
          originUnLocode: 'SGSIN',
          destinationUnLocode: 'NLRTM',
          currencyCode: 'USD',
        },
        cargoLines: [
          { containerTypeCode: '45G1', quantity: 2, grossWeightKg: 30_000 },
          { containerTypeCode: '22G1', quantity: 1, grossWeightKg: 12_000 },
        ],
      }),
      ['9692.54', '10269.77', '577.23', '5.62'],
    ],
    [
      'C',
      requestA({
        ...{
          transportModeCode: 'Air',
          containerModeCode: 'LSE',
          originUnLocode: 'DEFRA',
          destinationUnLocode: 'USORD',
        },
        ...{
          currencyCode: 'USD',
          cargoLines: [{ quantity: 12, lengthCm: 60, widthCm: 50, heightCm: 45, grossWeightKg: 268 }],
        },
      }),
      ['1249.39', '1439.03', '189.64', '13.18'],
    ],
  ] as const)('%s is right to the cent, in a quote and in a search', async (_, given, totals) => {
    const request = { ...given, organizationId: organization }
    const { id } = await quotes(analyst).create(request)
    const quote = await quotes(analyst).calculate(id, {})
    const of = (option: {
      totalCost?: unknown
      totalSell: unknown
      marginAmount?: unknown
      marginPercent?: unknown
    }) => [
      ...[option.totalCost, option.totalSell, option.marginAmount, option.marginPercent].map((amount) =>
        String(Number(amount)),
      ),
    ]
    expect(quote.options?.map(of)).toEqual([totals])
    expect(quote).toMatchObject({ status: QuoteStatus.Calculated, validUntil: dayIn(14) })
    const { organizationId: __, ...question } = request
    const found = await send(analyst, 'POST', '/api/pricing/rate-search/search', question)
    expect(found.body.map(of)).toEqual([totals])
    expect(found.body[0].charges.length).toBe((await quotes(analyst).getCharges(id)).length)
    expect(found.body[0].charges[0].explanation).toMatchObject({
      laneNumber: 1,
      exchangeRate: expect.any(String),
    })
  })
})

test('what lacks a rate, cargo or a volume is refused with the reason', async () => {
  const search = (more: object) =>
    send(analyst, 'POST', '/api/pricing/rate-search/search', {
      ...requestA(),
      organizationId: undefined,
      ...more,
    })
  expect((await search({ destinationUnLocode: 'NLRTM' })).body.error).toMatchObject({
    code: PricingErrors.QuoteNoRateFound,
    data: { origin: 'CNSGH', destination: 'NLRTM' },
  })
  expect((await search({ destinationUnLocode: 'QQXXX' })).body.error.code).toBe(PricingErrors.UnknownPort)
  expect((await search({ currencyCode: 'JPY' })).body.error.code).toBe(PricingErrors.ExchangeRateNotFound)
  expect((await search({ cargoLines: [{ quantity: 1, grossWeightKg: 5 }] })).status).toBe(400)
  const drafted = (more: object) => send(analyst, 'POST', '/api/pricing/quote', requestA(more))
  const loose = await drafted({ cargoLines: [{ quantity: 1, grossWeightKg: 5 }] })
  const box = await drafted({ containerModeCode: 'FCL', cargoLines: [{ quantity: 1, grossWeightKg: 5 }] })
  expect([loose.status, faultyMembers(loose), box.status, faultyMembers(box)]).toEqual([
    ...[400, ['cargoLines[0].volumeM3'], 400, ['cargoLines[0].containerTypeCode']],
  ])
  const { id } = await quotes(analyst).create(requestA({ cargoLines: null }))
  expect(await codeOf(quotes(analyst).calculate(id, {}))).toBe(PricingErrors.QuoteNoCargo)
})

test('a change of a calculated quote takes its options away', async () => {
  const { id } = await quotes(analyst).create(requestA())
  await quotes(analyst).calculate(id, {})
  const changed = await quotes(analyst).setCargoLines(id, { cargoLines: [{ ...pallets, quantity: 2 }] })
  expect(changed).toMatchObject({
    status: QuoteStatus.Draft,
    options: [],
    volumeM3: 2.496,
    cargoLines: [{ quantity: 2 }],
  })
  expect(await codeOf(quotes(analyst).submit(id, {}))).toBe(PricingErrors.QuoteInvalidStatusTransition)
  expect(await quotes(analyst).copy(id, {})).toMatchObject({ status: QuoteStatus.Draft, volumeM3: 2.496 })
})

test('a refused step names the step and the status in the language of the caller, and their codes in its data', async () => {
  const { id, reference } = await quotes(analyst).create(requestA())
  const refusal = async (language: string) => {
    const headers = { 'accept-language': language, 'content-type': 'application/json' }
    const call = { method: 'POST', headers, body: '{}' }
    const response = await analyst.fetch(`/api/pricing/quote/${id}/submit`, call)
    return ((await response.json()) as ErrorEnvelope).error
  }
  const { message, data } = await refusal('en')
  expect(message).toBe(`Sending is not possible for the quote ${reference}: it is Draft.`)
  expect(data).toEqual({ reference, action: 'submit', from: 'Draft', to: 'Sent' })
  expect((await refusal('de')).message).toBe(
    `Das Senden ist für das Angebot ${reference} nicht möglich: Status Entwurf.`,
  )
})

test.each(['en', 'de', 'es', 'fr', 'tr', 'zh-Hans'])(
  'every step of quotes and rate cards has words in %s',
  (language) => {
    const file = new URL(`../../../modules/pricing/localization/${language}.json`, import.meta.url)
    const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    const keys = [
      ...Object.keys(quoteTransitions).map((action) => `Pricing:Quote:Action:${action}`),
      ...Object.keys(rateCardTransitions).map((action) => `Pricing:RateCard:Action:${action}`),
    ]
    expect(keys.filter((key) => !texts[key])).toEqual([])
  },
)

test('a quote with too little margin is sent by someone other than its creator', async () => {
  const thin = { originUnLocode: 'DEHAM', destinationUnLocode: 'CNSGH' }
  await addCard(['Sea', 'LCL'], 'DEHAM', 'CNSGH', [
    ['OFR', PerRevenueTon, 'EUR', '10'],
    ['ENS', PerBill, 'EUR', '9000'],
  ])
  const { id } = await quotes(manager).create(requestA(thin))
  await quotes(manager).calculate(id, {})
  expect((await quotes(manager).submit(id, {})).status).toBe(QuoteStatus.PendingApproval)
  expect(await codeOf(quotes(manager).approve(id, {}))).toBe(PricingErrors.QuoteApproverIsCreator)
  const other = await app.as({ roles: [PricingManager] })
  expect((await quotes(other).return(id, { reason: 'more' })).status).toBe(QuoteStatus.Calculated)
  await quotes(manager).submit(id, {})
  expect((await quotes(other).approve(id, {})).status).toBe(QuoteStatus.Sent)
})

test('the least margin and the days of validity are what the settings say, and what they are not given stays', async () => {
  const settings = manager.service(PricingSettingsAppService)
  const before = await settings.get()
  expect(before).toMatchObject({ minMarginPercent: 5, quoteValidityDays: 14, allowNegativeFuel: false })
  const { maxRateAgeDays, pivotCurrency } = before
  await settings.update({ maxRateAgeDays, pivotCurrency, minMarginPercent: 100, quoteValidityDays: 3 })
  const { id } = await quotes(analyst).create(requestA())
  expect(await quotes(analyst).calculate(id, {})).toMatchObject({ validUntil: dayIn(3) })
  expect((await quotes(analyst).submit(id, {})).status).toBe(QuoteStatus.PendingApproval)
  await settings.update({ maxRateAgeDays, pivotCurrency, minMarginPercent: 5, quoteValidityDays: 14 })
  expect(await settings.get()).toEqual(before)
  await expect(settings.update({ ...before, quoteValidityDays: 367 })).rejects.toMatchObject({ status: 400 })
})

test('nobody without Quote.ViewCost learns a cost, by no way', async () => {
  const { id } = await sent()
  const secrets = [
    'totalCost',
    'marginAmount',
    'marginPercent',
    'rateCardId',
    'costAmount',
    'rateAmount',
    'explanation',
    'marginRuleId',
  ]
  for (const who of [customer, operator]) {
    const quote = await send(who, 'GET', `/api/pricing/quote/${id}`)
    const all = await send(who, 'GET', `/api/pricing/quote/${id}/charges`)
    expect([quote.status, all.status, all.body.length]).toEqual([200, 200, 8])
    for (const text of [JSON.stringify(quote.body), JSON.stringify(all.body)])
      for (const secret of secrets) expect(text).not.toContain(`"${secret}"`)
    const rows = await send(who, 'GET', '/odata/QuoteOptions?$expand=Charges')
    expect(rows.body.value.length).toBeGreaterThan(0)
    for (const secret of ['TotalCost', 'MarginPercent', 'CostAmount', 'RateAmount'])
      expect(JSON.stringify(rows.body.value)).not.toContain(`"${secret}"`)
    for (const query of [
      'QuoteOptions?$filter=TotalCost gt 1',
      'QuoteOptions?$orderby=MarginPercent',
      'QuoteOptions?$apply=aggregate(TotalCost with sum as S)',
      'QuoteCharges?$filter=CostAmountQuote lt 5',
      'Quotes?$filter=Options/any(o:o/MarginAmount gt 1)',
      'QuoteCharges?$select=RateAmount',
      'QuoteOptions?$expand=RateCard',
    ])
      expect([query, (await send(who, 'GET', `/odata/${query}`)).status]).toEqual([query, 403])
    const found = await send(operator, 'POST', '/api/pricing/rate-search/search', {
      ...requestA(),
      organizationId: undefined,
    })
    for (const secret of secrets) expect(JSON.stringify(found.body)).not.toContain(`"${secret}"`)
    expect(found.body[0].totalSell).toBe(725.43)
  }
})

test('customers see quotes of their own that were sent, and their own requests', async () => {
  const draft = await quotes(analyst).create(requestA())
  const request = await quotes(customer).create(requestA())
  const offer = await sent()
  const seen = async (who: AppCaller) =>
    (await quotes(who).getList({ maxResultCount: 200 })).items.map(({ id }) => id)
  const own = await seen(customer)
  expect([own.includes(request.id), own.includes(offer.id), own.includes(draft.id)]).toEqual([
    true,
    true,
    false,
  ])
  expect(await seen(stranger)).toEqual([])
  for (const path of ['Quotes', 'QuoteCargoLines', 'QuoteOptions', 'QuoteCharges', 'ShipmentCharges'])
    expect((await send(stranger, 'GET', `/odata/${path}`)).body.value).toEqual([])
  expect((await send(stranger, 'GET', `/api/pricing/quote/${offer.id}`)).status).toBe(404)
  const foreign = await send(stranger, 'POST', '/api/pricing/quote', requestA())
  expect(foreign.status).toBe(403)
  const admin = await app.as({ roles: [CustomerAdmin], organizations: ['OTHER'] })
  expect((await send(admin, 'POST', '/api/pricing/quote', requestA())).status).toBe(400)
  expect(await codeOf(quotes(customer).calculate(request.id, {}))).toBe('Volo.Authorization:010002')
  const { status, body } = await send(customer, 'POST', '/api/pricing/rate-search/search', requestA())
  expect([status, body.error.code]).toEqual([403, PricingErrors.QuoteNoRateFound])
})

/** Waits for the events that make a shipment of a quote. */
async function converted(id: string, wanted = QuoteStatus.Converted) {
  for (let turn = 0; turn < 300; turn++) {
    const quote = await quotes(analyst).get(id)
    if (quote.status === wanted && (wanted === QuoteStatus.Converted || quote.statusReason)) return quote
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`The quote ${id} has not become ${QuoteStatus[wanted]}`)
}

test('an accepted quote becomes one shipment with its charges, once', async () => {
  const quote = await sent()
  const optionId = quote.options?.[0]?.id ?? ''
  expect(await codeOf(quotes(customer).accept(quote.id, { optionId: quote.id }))).toBe(
    PricingErrors.QuoteOptionNotFound,
  )
  const both = await Promise.allSettled([
    quotes(customer).accept(quote.id, { optionId }),
    quotes(operator).accept(quote.id, { optionId }),
  ])
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const { shipmentId, reference } = await converted(quote.id)
  const shipment = await operator.service(ShipmentAppService).get(shipmentId ?? '')
  expect(shipment).toMatchObject({
    ...{ shipmentReference: reference, quoteReference: reference, totalPackages: 4, totalGrossWeight: 1240 },
    ...{
      cargoDescription: 'Chairs',
      firstConsolLegDeparturePort: { unLocode: 'CNSGH' },
      transportMode: { code: 'Sea' },
    },
    ...{ controllingCustomer: { code: 'BUYER' }, sourceSystem: 'Pricing', externalId: quote.id },
  })
  const { items } = await operator
    .service(ShipmentChargeAppService)
    .getList({ shipmentId, maxResultCount: 100 })
  expect(items).toHaveLength(8)
  const freight = items.find(({ chargeCode }) => chargeCode?.code === 'OFR')
  expect(freight).toMatchObject({
    ...{ costAmount: '209.66', costCurrencyCode: 'USD', sellAmount: '234.13', sellCurrencyCode: 'EUR' },
    ...{ status: ChargeStatus.Estimated, debtorOrganizationId: organization },
  })
  expect(await codeOf(quotes(analyst).cancel(quote.id, { reason: 'x' }))).toBe(
    PricingErrors.QuoteInvalidStatusTransition,
  )
  const [counted] = await hubOf(app).query<{ count: number }>({
    text: `select count(*)::int as count from "HubShipments" where "ExternalId" = $1`,
    values: [quote.id],
  })
  expect(counted?.count).toBe(1)
  await operator.service(ShipmentAppService).cancel(shipmentId ?? '', { reason: 'no cargo' })
  const cancelled = async () => {
    const { items: now } = await operator
      .service(ShipmentChargeAppService)
      .getList({ shipmentId, maxResultCount: 100 })
    return now.every(({ status }) => status === ChargeStatus.Cancelled)
  }
  await expect.poll(cancelled, { timeout: 30_000 }).toBe(true)
})

test('an accepted quote is cancelled when Hub refused its shipment, and not before Hub has answered', async () => {
  await addShipments(app, [{ ShipmentReference: 'TAKEN-TOO' }])
  const quote = await sent()
  const optionId = quote.options?.[0]?.id ?? ''
  const hold = await holdWrites(app.host.databaseUrl('Hub'), 'AbpEventInbox')
  try {
    await quotes(customer).accept(quote.id, { optionId, shipmentReference: 'TAKEN-TOO' })
    expect(await codeOf(quotes(analyst).cancel(quote.id, { reason: 'x' }))).toBe(
      PricingErrors.QuoteInvalidStatusTransition,
    )
  } finally {
    await hold.release()
  }
  await converted(quote.id, QuoteStatus.Accepted)
  expect((await quotes(analyst).cancel(quote.id, { reason: 'no such reference' })).status).toBe(
    QuoteStatus.Cancelled,
  )
})

test('a reference that is taken keeps the quote accepted, until it is asked for under another one', async () => {
  await addShipments(app, [{ ShipmentReference: 'TAKEN' }])
  const quote = await sent()
  const optionId = quote.options?.[0]?.id ?? ''
  await quotes(customer).accept(quote.id, { optionId, shipmentReference: 'TAKEN' })
  expect((await converted(quote.id, QuoteStatus.Accepted)).statusReason).toBe(
    'Hub:Shipment:ReferenceAlreadyExists',
  )
  const accepting = await app.as({
    permissions: [QuotePermissions.View, QuotePermissions.Accept],
    organizations: ['BUYER'],
  })
  const refused = await send(accepting, 'POST', `/api/pricing/quote/${quote.id}/convert-to-shipment`, {
    shipmentReference: 'FREE-0',
  })
  expect(refused.status).toBe(403)
  await quotes(customer).convertToShipment(quote.id, { shipmentReference: 'FREE-1' })
  const { shipmentId } = await converted(quote.id)
  expect((await operator.service(ShipmentAppService).get(shipmentId ?? '')).shipmentReference).toBe('FREE-1')
  expect(await codeOf(quotes(customer).convertToShipment(quote.id, { shipmentReference: 'FREE-2' }))).toBe(
    PricingErrors.QuoteAlreadyConverted,
  )
})

test('charges of shipments are approved and invoiced, and fixed then; customers see approved ones without costs', async () => {
  const [shipmentId = ''] = await addShipments(app, [
    { parties: [{ role: 4, organizationId: organization }] },
  ])
  const service = (who: AppCaller) => who.service(ShipmentChargeAppService)
  const approver = await app.as({ roles: [Operator], permissions: ['ShipmentCharge.Approve'] })
  const charge = {
    shipmentId,
    chargeCodeId: charges.get('STO') ?? '',
    description: 'Storage',
    debtorOrganizationId: organization,
  }
  for (const of of ['sell', 'cost'])
    await expect(service(operator).create({ ...charge, [`${of}Amount`]: '5' })).rejects.toMatchObject({
      code: PricingErrors.ShipmentChargeCurrencyMissing,
      data: { member: `${of}CurrencyCode` },
    })
  const money = { costAmount: '80', costCurrencyCode: 'EUR', sellAmount: '120', sellCurrencyCode: 'EUR' }
  const { id } = await service(operator).create({ ...charge, ...money })
  expect((await service(customer).getList({ shipmentId })).totalCount).toBe(0)
  await service(approver).approve([id])
  const shown = await send(customer, 'GET', `/api/pricing/shipment-charge/${id}`)
  expect([shown.status, shown.body.sellAmount, 'costAmount' in shown.body]).toEqual([200, 120, false])
  expect((await send(customer, 'GET', '/odata/ShipmentCharges?$filter=CostAmount gt 1')).status).toBe(403)
  // What was approved stays so: others would change or delete it behind the approver's back.
  const deleter = await app.as({ roles: [Operator], permissions: ['ShipmentCharge.Delete'] })
  for (const attempt of [
    () => service(operator).update(id, { sellAmount: '12000' }),
    () => service(operator).update(id, { debtorOrganizationId: null }),
    () => service(deleter).delete(id),
  ])
    expect(await codeOf(attempt())).toBe(PricingErrors.ShipmentChargeLocked)
  expect((await service(approver).update(id, { sellAmount: '125' })).sellAmount).toBe('125')
  await service(approver).markInvoiced(id, { invoiceNumber: 'INV-1', invoiceDate: today })
  expect(await codeOf(service(operator).update(id, { sellAmount: '1' }))).toBe(
    PricingErrors.ShipmentChargeLocked,
  )
})

test('the profit of a shipment sums its charges in one currency, for callers who may see costs', async () => {
  const [shipmentId = ''] = await addShipments(app, [
    { parties: [{ role: 4, organizationId: organization }] },
  ])
  const service = (who: AppCaller) => who.service(ShipmentChargeAppService)
  const charge = {
    ...{ shipmentId, chargeCodeId: charges.get('STO') ?? '', description: 'Storage' },
    debtorOrganizationId: organization,
  }
  const nothing = { cost: '0', sell: '0', margin: '0', percent: null }
  expect(await service(operator).getProfit(shipmentId, {})).toMatchObject({ currencyCode: 'EUR', ...nothing })
  const price = { sellAmount: '300', sellCurrencyCode: 'EUR' }
  await service(operator).create({ ...charge, ...price, costAmount: '80', costCurrencyCode: 'EUR' })
  await service(operator).create({ ...charge, costAmount: '108', costCurrencyCode: 'USD' })
  const { id: cancelled } = await service(operator).create({ ...charge, ...price })
  await app.host
    .get(Databases)
    .named('Pricing')
    .execute(
      sql`update "PricingShipmentCharges" set "Status" = ${ChargeStatus.Cancelled} where "Id" = ${cancelled}`,
    )
  expect(await service(operator).getProfit(shipmentId, { date: today })).toMatchObject({
    ...{
      currencyCode: 'EUR',
      date: today,
      cost: '180',
      sell: '300',
      margin: '120',
      percent: '40',
    },
  })
  expect(await service(operator).getProfit(shipmentId, { currencyCode: 'USD' })).toMatchObject({
    ...{ currencyCode: 'USD', cost: '194.4', sell: '324', margin: '129.6', percent: '40' },
  })
  const inCurrency = (currencyCode: string) =>
    codeOf(service(operator).getProfit(shipmentId, { currencyCode }))
  expect([await inCurrency('QQQ'), await inCurrency('CHF')]).toEqual([
    PricingErrors.CurrencyUnknown,
    PricingErrors.ExchangeRateNotFound,
  ])
  const refused = await send(customer, 'GET', `/api/pricing/shipment-charge/${shipmentId}/profit`)
  expect([refused.status, Object.keys(refused.body)]).toEqual([403, ['error']])
  // Somebody who pays sees approved charges, and none of a shipment that others pay for.
  const trusted = await app.as({ roles: [CustomerAdmin], permissions: ['ShipmentCharge.ViewCost'] })
  await addMember(app, trusted.userId, organization)
  expect(await service(trusted).getProfit(shipmentId, {})).toMatchObject(nothing)
})

describe('a quote as PDF', () => {
  const pdf = async (who: AppCaller, id: string, query = '', culture = 'en') => {
    const response = await who.fetch(`/api/pricing/quote/${id}/pdf${query}`, {
      headers: { 'accept-language': culture },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const file = new Uint8Array(await response.arrayBuffer())
    return { raw: Buffer.from(file).toString('latin1'), text: pdfText(file) }
  }

  test('shows seller, cargo, option and charges in the language of the reader, and no cost', async () => {
    const { id, reference } = await sent({ notes: 'Stack them.' })
    for (const who of [customer, analyst]) {
      const { raw, text } = await pdf(who, id, '', 'de')
      expect(raw).toContain('/Subtype /Image')
      for (const shown of [
        `Angebot ${reference}`,
        'Keel',
        'Chairs',
        '120 × 80 × 130',
        '725,43 EUR',
        'Stack them.',
      ])
        expect(text).toContain(shown)
      expect(text).toContain('Shanghai (CNSGH)')
      for (const secret of ['652,53', '72,90', '10,05', '209,66', '0,92592593'])
        expect(text).not.toContain(secret)
    }
    const { text } = await pdf(customer, id, '', 'tr')
    expect(text).toContain(`Teklif ${reference}`)
    expect(text).toContain('Geçerlilik')
  })

  test('shows costs, conversion and margin to callers who ask for them and may see them', async () => {
    const { id } = await sent()
    const { text } = await pdf(analyst, id, '?withCosts=true')
    for (const shown of ['652.53 EUR', '209.66 USD', '0.92592593', '72.90 EUR (10.05 %)'])
      expect(text).toContain(shown)
    for (const who of [customer, operator])
      expect((await send(who, 'GET', `/api/pricing/quote/${id}/pdf?withCosts=true`)).status).toBe(403)
    expect((await send(stranger, 'GET', `/api/pricing/quote/${id}/pdf`)).status).toBe(404)
  })

  test('has an option that was calculated, of which the caller may choose one', async () => {
    const { id } = await quotes(analyst).create(requestA())
    const answer = async (query = '') =>
      (await send(analyst, 'GET', `/api/pricing/quote/${id}/pdf${query}`)).body
    expect((await answer()).error.code).toBe(PricingErrors.QuoteNotCalculated)
    const { options } = await quotes(analyst).calculate(id, {})
    expect((await answer(`?optionId=${id}`)).error.code).toBe(PricingErrors.QuoteOptionNotFound)
    expect((await pdf(analyst, id, `?optionId=${options?.[0]?.id}`)).text).toContain('(Calculated)')
  })

  test('shows texts of any script, and as many pages as it needs', async () => {
    const settings = manager.service(PricingSettingsAppService)
    const before = await settings.get()
    await settings.update({ ...before, sellerName: '环球货运有限公司', sellerAddress: 'Κηφισίας 12\nΑθήνα' })
    const description = 'Стулья, كراسي, 의자, 椅子与很长的说明文字'
    const cargoLines = Array.from({ length: 40 }, () => ({
      ...pallets,
      quantity: 1,
      grossWeightKg: 20,
      description,
    }))
    const notes = `${'x'.repeat(300)} 😀\u0007`
    const { id, reference } = await sent({ cargoLines, notes })
    const { raw, text } = await pdf(customer, id, '', 'zh-Hans')
    for (const shown of ['环球货运有限公司', 'Αθήνα', '报价单', reference, 'Стулья', '椅子与很长'])
      expect(text).toContain(shown)
    expect(Number(/\/Count (\d+)/.exec(raw)?.[1])).toBeGreaterThan(1)
    expect(raw.length).toBeLessThan(300_000)
    await settings.update({ ...before, sellerName: null, sellerAddress: null })
  })
})

describe('when rates change', () => {
  let number = 0
  /** A card of a route of its own, and a quote by it that was sent. */
  async function priced() {
    const carrierCode = `CAR${++number}`
    const card = await addCard(
      ['Sea', 'LCL'],
      'NLRTM',
      'USNYC',
      [
        ['OFR', PerRevenueTon, 'EUR', '40'],
        ['DDOC', PerBill, 'EUR', '65'],
      ],
      { carrierCode, reference: `CHANGING-${number}` },
    )
    return card.id
  }
  const request = () => requestA({ originUnLocode: 'NLRTM', destinationUnLocode: 'USNYC' })
  const send1 = () => sent({ originUnLocode: 'NLRTM', destinationUnLocode: 'USNYC' })
  /** A new version of a card, whose freight costs another amount. */
  async function reprice(cardId: string, amount: string) {
    const { id } = await analyst.service(RateCardAppService).createNewVersion(cardId, {})
    const [lane] = (await analyst.service(RateLaneAppService).getList({ rateCardId: id })).items
    const lines = analyst.service(RateLineAppService)
    const { items } = await lines.getList({ rateLaneId: lane?.id ?? '' })
    const freight = items.find(({ chargeCode }) => chargeCode?.code === 'OFR')
    const {
      id: lineId = '',
      rateLaneId = '',
      chargeCodeId = '',
      basis = PerBill,
      currencyCode = '',
    } = freight ?? {}
    await lines.update(lineId, { rateLaneId, chargeCodeId, basis, currencyCode, amount })
    await analyst.service(RateCardAppService).submit(id, {})
    await manager.service(RateCardAppService).approve(id, {})
    return id
  }
  async function suspendAll() {
    const service = manager.service(RateCardAppService)
    const { items } = await service.getList({ filter: 'CHANGING', status: 2, maxResultCount: 50 })
    for (const { id } of items) await service.suspend(id, { reason: 'no space' })
  }

  const outdated = async () =>
    (await quotes(analyst).getList({ isOutdated: true, maxResultCount: 100 })).items.map(({ id }) => id)
  const optionOf = (quote: { options?: { totalSell: unknown }[] | null | undefined }) =>
    Number(quote.options?.[0]?.totalSell)

  test('the quotes are found, the difference is shown, and then saved', async () => {
    const cardId = await priced()
    const { id } = await send1()
    const untouched = await quotes(analyst).getReRating(id)
    expect(untouched).toMatchObject({ hasChanges: false, options: [{ charges: [] }] })
    expect(await outdated()).not.toContain(id)
    await reprice(cardId, '50')
    expect(await outdated()).toContain(id)
    const byCard = await quotes(analyst).getList({ rateCardId: cardId })
    expect(byCard.items.map((quote) => quote.id)).toEqual([id])
    for (const filter of ['IsOutdated=true', `RateCardId=${cardId}`])
      for (const path of ['quote', 'quote/as-csv-file'])
        expect((await send(customer, 'GET', `/api/pricing/${path}?${filter}`)).status).toBe(403)
    const shown = await quotes(analyst).getReRating(id)
    expect(shown).toMatchObject({ hasChanges: true, status: QuoteStatus.Sent, pricingDateAfter: today })
    const [option] = shown.options
    expect([Number(option?.costBefore), Number(option?.costAfter)]).toEqual([264.68, 314.6])
    expect(option?.charges).toHaveLength(1)
    expect(Number(option?.charges[0]?.sellAfter) - Number(option?.charges[0]?.sellBefore)).toBeCloseTo(
      49.92,
      2,
    )
    const masked = await send(operator, 'GET', `/api/pricing/quote/${id}/re-rating`)
    expect(masked.status).toBe(200)
    for (const secret of ['cost', 'margin']) expect(JSON.stringify(masked.body)).not.toContain(`"${secret}`)
    expect((await quotes(analyst).get(id)).status).toBe(QuoteStatus.Sent)
    expect((await send(customer, 'GET', `/api/pricing/quote/${id}/re-rating`)).status).toBe(403)
    const stale = await send(analyst, 'POST', `/api/pricing/quote/${id}/re-rate`, { concurrencyStamp: 'old' })
    expect(stale.status).toBe(409)
    const { concurrencyStamp } = shown
    const after = await quotes(operator).reRate(id, { concurrencyStamp })
    expect(after).toMatchObject({
      status: QuoteStatus.Calculated,
      pricingDate: today,
      selectedOptionId: null,
    })
    expect(optionOf(after)).toBe(Number(option?.sellAfter))
    expect(await outdated()).not.toContain(id)
    expect((await quotes(analyst).getReRating(id)).hasChanges).toBe(false)
  })

  test('a job prices many quotes again in the name of the caller, each by itself', async () => {
    const cardId = await priced()
    const [first, second, changed] = [await send1(), await send1(), await send1()]
    await reprice(cardId, '60')
    const seen = async ({ id }: { id: string }) => {
      const { concurrencyStamp } = await quotes(analyst).getReRating(id)
      return { id, concurrencyStamp }
    }
    const asked = [await seen(first), await seen(second), await seen(changed)]
    await quotes(analyst).reRate(changed.id, {})
    const begun = (await quotes(analyst).get(changed.id)).concurrencyStamp
    expect((await send(customer, 'POST', '/api/pricing/quote/re-rate-many', { quotes: asked })).status).toBe(
      403,
    )
    const { jobId } = await quotes(analyst).reRateMany({ quotes: asked })
    expect(jobId).toMatch(/^[0-9a-f-]{36}$/)
    for (const { id } of [first, second])
      await expect
        .poll(async () => (await quotes(analyst).get(id)).status, { timeout: 20_000 })
        .toBe(QuoteStatus.Calculated)
    expect(optionOf(await quotes(analyst).get(second.id))).toBeGreaterThan(optionOf(second))
    expect((await quotes(analyst).get(changed.id)).concurrencyStamp).toBe(begun)
    await suspendAll()
    await quotes(analyst).reRateMany({ quotes: [{ id: first.id }] })
    await expect
      .poll(async () => (await quotes(analyst).get(first.id)).statusReason, { timeout: 20_000 })
      .toBe(PricingErrors.QuoteNoRateFound)
    expect(await quotes(analyst).get(first.id)).toMatchObject({ status: QuoteStatus.Calculated })
  })

  test('quotes that were accepted or not calculated are not priced again', async () => {
    const draft = await quotes(analyst).create(request())
    expect(await codeOf(quotes(analyst).getReRating(draft.id))).toBe(
      PricingErrors.QuoteInvalidStatusTransition,
    )
    expect(await codeOf(quotes(analyst).reRate(draft.id, {}))).toBe(
      PricingErrors.QuoteInvalidStatusTransition,
    )
  })
})

test('quotes and cards end after their last day, by a job of the night', async () => {
  const offer = await sent()
  const ending = await addCard(['Sea', 'LCL'], 'BEANR', 'USNYC', [['OFR', PerRevenueTon, 'EUR', '40']])
  const databases = app.host.get(Databases)
  await databases.named('Pricing').execute(sql`
    update "PricingQuotes" set "ValidUntil" = current_date - 1 where "Id" = ${offer.id}`)
  await databases.named('Pricing').execute(sql`
    update "PricingRateCards" set "ValidTo" = current_date - 1 where "Id" = ${ending.id}`)
  const hurried = await databases.named('Default').execute(sql`
    update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' where "RecurringName" like '%Expiry.expire'
      and "CompletionTime" is null`)
  expect(hurried).toBe(1)
  const card = async () => (await analyst.service(RateCardAppService).get(ending.id)).status
  await expect.poll(card, { timeout: 20_000 }).toBe(RateCardStatus.Expired)
  expect((await quotes(analyst).get(offer.id)).status).toBe(QuoteStatus.Expired)
})

test('a margin rule is found for a charge as the calculation finds it, with its price', async () => {
  const question = {
    ...{
      transportModeCode: 'Sea',
      containerModeCode: 'LCL',
      originUnLocode: 'CNSGH',
      destinationUnLocode: 'DEHAM',
    },
    ...{ chargeCodeId: charges.get('OFR'), cost: 194.13, currencyCode: 'EUR' },
  }
  const asked = (more: object = {}) =>
    send(analyst, 'POST', '/api/pricing/margin-rule/test', { ...question, ...more })
  expect((await asked()).body).toMatchObject({
    rule: { name: 'LCL 0' },
    cost: 194.13,
    sell: 234.13,
    bound: 'Minimum',
  })
  expect((await asked({ cost: 1000 })).body).toMatchObject({ sell: 1150, bound: null })
  const fixed = { containerModeCode: 'FCL', currencyCode: 'USD', cost: 5700, quantity: 2 }
  expect((await asked(fixed)).body).toMatchObject({
    rule: { marginType: MarginType.FixedPerUnit },
    sell: 6000,
  })
  expect((await asked({ chargeCodeId: charges.get('BAF') })).body).toMatchObject({ rule: null, sell: 194.13 })
  expect((await asked({ chargeCodeId: organization })).status).toBe(400)
  expect((await send(customer, 'POST', '/api/pricing/margin-rule/test', question)).status).toBe(403)
})
