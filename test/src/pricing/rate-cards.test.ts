import { PortAppService } from '@keel/hub/contracts'
import { DefaultCustomer, PricingAnalyst, PricingManager, SuperUser } from '@keel/identity/contracts'
import {
  ChargeCodeAppService,
  ChargeGroup,
  CurrencyAppService,
  LanePointType,
  PricingErrors,
  RateBasis,
  RateBreakAppService,
  RateCardAppService,
  RateCardStatus,
  RateCardType,
  RateDifferenceKind,
  RateLaneAppService,
  RateLineAppService,
  RateZoneAppService,
  RateZoneMemberAppService,
} from '@keel/pricing/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addMember, addOrganization, portId } from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

let app: App
let analyst: AppCaller
let manager: AppCaller
let customer: AppCaller
let stranger: AppCaller
let organization: string
const charges = new Map<string, string>()
let number = 0

beforeAll(async () => {
  app = await startApp()
  analyst = await app.as({ roles: [PricingAnalyst] })
  manager = await app.as({ roles: [PricingManager] })
  organization = await addOrganization(app, 'BUYER')
  customer = await app.as({ roles: [DefaultCustomer] })
  stranger = await app.as({ roles: [DefaultCustomer] })
  await addMember(app, customer.userId, organization)
  await addMember(app, stranger.userId, await addOrganization(app, 'OTHER'))
  const { items } = await analyst.service(ChargeCodeAppService).getList({ maxResultCount: 200 })
  for (const { code, id } of items) charges.set(code, id)
})
afterAll(() => app?.close())

const cards = (who: AppCaller) => who.service(RateCardAppService)
const lanes = (who: AppCaller) => who.service(RateLaneAppService)
const lines = (who: AppCaller) => who.service(RateLineAppService)
const charge = (code: string) => charges.get(code) ?? ''
const card = (more: object = {}) => ({
  reference: `CARD-${++number}`,
  name: 'Asia to Europe',
  cardType: RateCardType.Sell,
  transportModeCode: 'Sea' as const,
  containerModeCode: 'FCL',
  currencyCode: 'USD',
  validFrom: '2026-10-01',
  validTo: '2026-12-31',
  ...more,
})
const lane = (rateCardId: string, more: object = {}) => ({
  rateCardId,
  laneNumber: 1,
  originType: LanePointType.Port,
  originUnLocode: 'CNSGH',
  destinationType: LanePointType.Country,
  destinationCountryCode: 'NL',
  ...more,
})
const line = (rateLaneId: string, more: object = {}) => ({
  rateLaneId,
  chargeCodeId: charge('OFR'),
  basis: RateBasis.PerContainer,
  containerTypeCode: '45G1',
  currencyCode: 'USD',
  amount: '2850',
  ...more,
})
/** A draft with a lane and its freight. */
async function draft(more: object = {}) {
  const { id } = await cards(analyst).create(card(more))
  const laneId = (await lanes(analyst).create(lane(id))).id
  const lineId = (await lines(analyst).create(line(laneId))).id
  return { id, laneId, lineId }
}
/** A card that counts. */
async function active(more: object = {}) {
  const made = await draft(more)
  await cards(analyst).submit(made.id, {})
  await cards(manager).approve(made.id, {})
  return made
}
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  )

describe('zones', () => {
  test('hold ports and countries, and are found by a port', async () => {
    const zones = analyst.service(RateZoneAppService)
    const members = analyst.service(RateZoneMemberAppService)
    const base = await zones.create({ code: 'NEUR', name: 'North Europe' })
    const benelux = await zones.create({ code: 'BNL', name: 'Benelux' })
    await members.create({ rateZoneId: base.id, unLocode: 'NLRTM' })
    await members.create({ rateZoneId: benelux.id, countryCode: 'NL' })
    expect((await zones.resolve('NLRTM')).map(({ code }) => code)).toEqual(['BNL', 'NEUR'])
    expect((await zones.resolve('NLAMS')).map(({ code }) => code)).toEqual(['BNL'])
    expect(await codeOf(members.create({ rateZoneId: base.id, unLocode: 'NLRTM' }))).toBe(
      PricingErrors.RateZoneMemberAlreadyExists,
    )
    expect(await codeOf(members.create({ rateZoneId: base.id, unLocode: 'QQXXX' }))).toBe(
      PricingErrors.UnknownPort,
    )
    const both = await send(analyst, 'POST', '/api/pricing/rate-zone-member', {
      ...{ rateZoneId: base.id, unLocode: 'NLRTM', countryCode: 'NL' },
    })
    expect([both.status, faultyMembers(both)]).toEqual([400, ['unLocode']])
  })

  test('that a lane uses are not deleted, others are with their members', async () => {
    const zones = analyst.service(RateZoneAppService)
    const used = await zones.create({ code: 'USED', name: 'Used' })
    const free = await zones.create({ code: 'FREE', name: 'Free' })
    await analyst.service(RateZoneMemberAppService).create({ rateZoneId: free.id, countryCode: 'DE' })
    const { id } = await cards(analyst).create(card())
    await lanes(analyst).create(
      lane(id, { originType: LanePointType.Zone, originUnLocode: null, originZoneId: used.id }),
    )
    expect(await codeOf(zones.delete(used.id))).toBe(PricingErrors.RateZoneInUse)
    await zones.delete(free.id)
    expect(
      (await analyst.service(RateZoneMemberAppService).getList({ rateZoneId: free.id })).totalCount,
    ).toBe(0)
    expect((await send(customer, 'GET', '/api/pricing/rate-zone')).status).toBe(403)
    expect((await send(customer, 'GET', '/odata/RateZones')).status).toBe(403)
  })
})

test('a charge code that a rate has keeps its code and its group, and another one does not', async () => {
  const codes = analyst.service(ChargeCodeAppService)
  const {
    id,
    extraProperties: _,
    ...made
  } = await codes.create({
    ...{ code: 'USEDCODE', name: 'Used', chargeGroup: ChargeGroup.Freight, defaultBasis: RateBasis.PerBill },
    ...{ appliesToSea: true, appliesToAir: true, appliesToRoad: true, appliesToRail: true },
  })
  const input = { ...made, code: 'RENAMED' }
  expect((await codes.update(id, input)).code).toBe('RENAMED')
  const { laneId } = await draft({ reference: 'OF-A-CODE' })
  await lines(analyst).create(line(laneId, { chargeCodeId: id }))
  expect(await codeOf(codes.update(id, { ...input, code: 'AGAIN' }))).toBe(PricingErrors.ChargeCodeInUse)
  expect(await codeOf(codes.update(id, { ...input, chargeGroup: ChargeGroup.Other }))).toBe(
    PricingErrors.ChargeCodeInUse,
  )
  expect((await codes.update(id, { ...input, name: 'Named anew' })).name).toBe('Named anew')
})

describe('a rate card', () => {
  test('is a draft with lanes, lines and breaks until someone other than its editor approves it', async () => {
    const { id, laneId, lineId } = await draft()
    expect(await codeOf(cards(manager).approve(id, {}))).toBe(PricingErrors.RateCardInvalidStatusTransition)
    const air = await lines(analyst).create(
      line(laneId, {
        chargeCodeId: charge('BAF'),
        basis: RateBasis.PerGrossKg,
        containerTypeCode: null,
        amount: null,
      }),
    )
    expect(await codeOf(cards(analyst).submit(id, {}))).toBe(PricingErrors.RateCardLineWithoutAmount)
    const breaks = [
      { fromQuantity: '0', amount: '4.1' },
      { fromQuantity: '45', amount: '3.55' },
    ]
    expect(await codeOf(lines(analyst).setBreaks(air.id, { breaks: [...breaks].reverse() }))).toBe(
      PricingErrors.RateBreakNotAscending,
    )
    expect(await lines(analyst).setBreaks(air.id, { breaks })).toMatchObject(breaks)
    await analyst
      .service(RateBreakAppService)
      .create({ rateLineId: air.id, fromQuantity: '100', amount: '2.95' })
    expect((await lines(analyst).getBreaks(air.id)).map(({ fromQuantity }) => fromQuantity)).toEqual([
      '0',
      '45',
      '100',
    ])
    await cards(analyst).submit(id, {})
    await cards(manager).return(id, { reason: 'too dear' })
    await lines(manager).update(lineId, line(laneId, { amount: '2800' }))
    await cards(analyst).submit(id, {})
    expect(await codeOf(cards(manager).approve(id, {}))).toBe(PricingErrors.RateCardApproverIsEditor)
    const other = await app.as({ roles: [PricingManager] })
    expect(await cards(other).approve(id, {})).toMatchObject({
      status: RateCardStatus.Active,
      approvedById: other.userId,
    })
    for (const change of [
      () => cards(analyst).update(id, { name: 'x' }),
      () => cards(manager).delete(id),
      () => lanes(analyst).delete(laneId),
      () => lines(analyst).update(lineId, line(laneId)),
      () => lines(analyst).setBreaks(air.id, { breaks }),
    ])
      expect(await codeOf(change())).toBe(PricingErrors.RateCardNotEditable)
  })

  test('needs an active lane with freight on it', async () => {
    const { id } = await cards(analyst).create(card())
    expect(await codeOf(cards(analyst).submit(id, {}))).toBe(PricingErrors.RateCardNoLane)
    const made = await lanes(analyst).create(lane(id))
    await lines(analyst).create(line(made.id, { chargeCodeId: charge('BAF') }))
    expect(await codeOf(cards(analyst).submit(id, {}))).toBe(PricingErrors.RateCardNoFreightLine)
  })

  test('needs breaks from 0 on, also on lines with an amount', async () => {
    const { id, lineId } = await draft()
    const breaks = analyst.service(RateBreakAppService)
    await breaks.create({ rateLineId: lineId, fromQuantity: '45', amount: '3' })
    await expect(cards(analyst).submit(id, {})).rejects.toMatchObject({
      ...{ code: PricingErrors.RateBreakNotAscending, data: { fromQuantity: '45' } },
    })
    await breaks.create({ rateLineId: lineId, fromQuantity: '0', amount: '4' })
    expect((await cards(analyst).submit(id, {})).status).toBe(RateCardStatus.PendingApproval)
  })

  test('names the faults of a lane and of a line', async () => {
    const { id } = await cards(analyst).create(card())
    const wrong = await send(analyst, 'POST', '/api/pricing/rate-lane', lane(id, { originCountryCode: 'CN' }))
    expect([wrong.status, faultyMembers(wrong)]).toEqual([400, ['originUnLocode']])
    const { id: laneId } = await lanes(analyst).create(lane(id))
    const dear = await send(
      analyst,
      'POST',
      '/api/pricing/rate-line',
      line(laneId, { minAmount: '10', maxAmount: '5' }),
    )
    expect([dear.status, faultyMembers(dear)]).toEqual([400, ['maxAmount']])
    await lines(analyst).create(line(laneId))
    expect(await codeOf(lines(analyst).create(line(laneId)))).toBe(PricingErrors.RateLineDuplicate)
    const late = await send(analyst, 'POST', '/api/pricing/rate-card', card({ validTo: '2026-09-30' }))
    expect([late.status, faultyMembers(late)]).toEqual([400, ['validTo']])
  })

  test('of a customer does not count on the days of another one, which the error names', async () => {
    const first = card({ organizationId: organization })
    await active(first)
    const { id } = await draft({
      organizationId: organization,
      validFrom: '2026-12-31',
      validTo: '2027-03-31',
    })
    await cards(analyst).submit(id, {})
    await expect(cards(manager).approve(id, {})).rejects.toMatchObject({
      code: PricingErrors.RateCardOverlappingValidity,
      data: { reference: first.reference, validFrom: '2026-10-01', validTo: '2026-12-31' },
    })
    await cards(manager).return(id, { reason: 'overlap' })
    await cards(analyst).update(id, { validFrom: '2027-01-01' })
    await cards(analyst).submit(id, {})
    expect((await cards(manager).approve(id, {})).status).toBe(RateCardStatus.Active)
  })

  test('gets versions, of which the new one supersedes the old one, and which are compared', async () => {
    const { id } = await active()
    const next = await cards(analyst).createNewVersion(id, {})
    expect(next).toMatchObject({ version: 2, status: RateCardStatus.Draft, previousVersionId: id })
    expect(await codeOf(cards(analyst).createNewVersion(id, {}))).toBe(
      PricingErrors.RateCardOpenVersionExists,
    )
    expect(await cards(analyst).getDifferences(next.id, { otherId: id })).toEqual([])
    const [copied] = (await lanes(analyst).getList({ rateCardId: next.id })).items
    const [freight] = (await lines(analyst).getList({ rateLaneId: copied?.id ?? '' })).items
    await lines(analyst).update(freight?.id ?? '', line(copied?.id ?? '', { amount: '2990.5' }))
    await lines(analyst).create(line(copied?.id ?? '', { containerTypeCode: '22G1', amount: '1650' }))
    expect(await cards(analyst).getDifferences(next.id, { otherId: id })).toMatchObject([
      { kind: RateDifferenceKind.Added, lane: 'CNSGH → NL', containerTypeCode: '22G1', before: null },
      {
        kind: RateDifferenceKind.Changed,
        before: { amount: '2850' },
        after: { amount: '2990.5' },
      },
    ])
    await cards(analyst).submit(next.id, {})
    await cards(manager).approve(next.id, {})
    expect((await cards(analyst).get(id)).status).toBe(RateCardStatus.Superseded)
    expect((await cards(analyst).archive(id, {})).status).toBe(RateCardStatus.Archived)
    const copy = await cards(analyst).copy(next.id, { reference: 'COPY-OF' })
    expect(copy).toMatchObject({ version: 1, previousVersionId: null, status: RateCardStatus.Draft })
    expect((await lanes(analyst).getList({ rateCardId: copy.id })).totalCount).toBe(1)
  })

  test('is suspended, resumed and lengthened', async () => {
    const { id } = await active()
    expect(await cards(manager).suspend(id, { reason: 'strike' })).toMatchObject({
      status: RateCardStatus.Suspended,
      statusReason: 'strike',
    })
    expect((await cards(manager).resume(id, {})).status).toBe(RateCardStatus.Active)
    expect(await codeOf(cards(manager).extendValidity(id, { validTo: '2026-12-31' }))).toBe(
      PricingErrors.RateCardValidityNotLonger,
    )
    expect((await cards(manager).extendValidity(id, { validTo: '2027-01-31' })).validTo).toBe('2027-01-31')
  })
})

test('customers see active tariffs of their own and public ones, and no buying card in any way', async () => {
  const own = await active({ organizationId: organization, priority: 7, reference: 'OWN-TARIFF' })
  const open = await active({ reference: 'PUBLIC-TARIFF' })
  const buying = await active({ cardType: RateCardType.Buy, reference: 'BUYING' })
  const hidden = await draft({ organizationId: organization, priority: 8, reference: 'OWN-DRAFT' })
  const referencesOf = async (who: AppCaller) => {
    const { items } = await cards(who).getList({ maxResultCount: 200 })
    return items.map(({ reference }) => reference)
  }
  expect(await referencesOf(customer)).toEqual(expect.arrayContaining(['OWN-TARIFF', 'PUBLIC-TARIFF']))
  expect(await referencesOf(customer)).not.toEqual(expect.arrayContaining(['BUYING']))
  expect(await referencesOf(stranger)).not.toEqual(expect.arrayContaining(['OWN-TARIFF']))
  for (const id of [buying.id, hidden.id])
    expect((await send(customer, 'GET', `/api/pricing/rate-card/${id}`)).status).toBe(404)
  const lineIds = async (who: AppCaller) => {
    const { body } = await send(who, 'GET', '/odata/RateLines?$select=Id&$top=500')
    return body.value.map(({ Id }: { Id: string }) => Id)
  }
  expect(await lineIds(customer)).toEqual(expect.arrayContaining([own.lineId, open.lineId]))
  expect(await lineIds(customer)).not.toEqual(expect.arrayContaining([buying.lineId]))
  expect(await lineIds(customer)).not.toEqual(expect.arrayContaining([hidden.lineId]))
  const expanded = await send(
    customer,
    'GET',
    `/odata/RateCards?$filter=Reference eq 'OWN-TARIFF'&$expand=Lanes($expand=Lines($expand=Breaks,ChargeCode))`,
  )
  expect(expanded.body.value[0].Lanes[0].Lines[0]).toMatchObject({
    Amount: 2850,
    ChargeCode: { Code: 'OFR' },
  })
  const csv = await cards(customer).getListAsCsvFile({})
  expect(csv).toBeDefined()
  // Staff without RateCard.ViewBuy sees no buying card either.
  const seller = await app.as({
    permissions: ['RateCard.View', 'Organization.View', 'Organization.AccessAll'],
  })
  expect(await referencesOf(seller)).not.toEqual(expect.arrayContaining(['BUYING']))
  expect(await referencesOf(seller)).toEqual(expect.arrayContaining(['OWN-DRAFT']))
})

test('deactivated ports, charge codes and currencies are refused for new use, and stay on rows that have them', async () => {
  const owner = await app.as({ roles: [SuperUser] })
  const { id, laneId } = await draft({ currencyCode: 'SEK' })
  const kept = await lines(analyst).create(line(laneId, { chargeCodeId: charge('PSS'), currencyCode: 'SEK' }))
  const other = await lanes(analyst).create(lane(id, { laneNumber: 2, originUnLocode: 'DEBRV' }))
  const currencies = owner.service(CurrencyAppService)
  const [krona] = (await currencies.getList({ filter: 'SEK' })).items
  await currencies.delete(krona?.id ?? '')
  await owner.service(ChargeCodeAppService).delete(charge('PSS'))
  await owner.service(PortAppService).delete(portId('DEBRV'))

  const refused = await send(
    analyst,
    'POST',
    '/api/pricing/rate-line',
    line(other.id, { chargeCodeId: charge('PSS') }),
  )
  expect([refused.status, faultyMembers(refused)]).toEqual([400, ['chargeCodeId']])
  expect(refused.body.error.validationErrors[0].message).toContain('deactivated')
  expect(await codeOf(lines(analyst).create(line(other.id, { currencyCode: 'SEK' })))).toBe(
    PricingErrors.CurrencyDeactivated,
  )
  expect(await codeOf(cards(analyst).create(card({ currencyCode: 'SEK' })))).toBe(
    PricingErrors.CurrencyDeactivated,
  )
  expect(await codeOf(lanes(analyst).create(lane(id, { laneNumber: 3, originUnLocode: 'DEBRV' })))).toBe(
    PricingErrors.UnknownPort,
  )

  const { rateLaneId, chargeCodeId, basis, currencyCode } = kept
  await lines(analyst).update(kept.id, { rateLaneId, chargeCodeId, basis, currencyCode, amount: '3' })
  await lanes(analyst).update(other.id, lane(id, { laneNumber: 2, originUnLocode: 'DEBRV', transitDays: 9 }))
  await cards(analyst).update(id, { name: 'Still in kronor', currencyCode: 'SEK' })
  const sheet = await (await analyst.fetch(`/api/pricing/rate-card/${id}/sheet`)).blob()
  const file = new File([sheet], 'sheet.xlsx')
  expect(await cards(analyst).importSheet(id, { file, dryRun: true })).toMatchObject({
    faultCount: 0,
    lines: { added: 0, changed: 0, removed: 0 },
  })
})
