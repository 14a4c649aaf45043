import { PricingAnalyst, PricingManager } from '@keel/identity/contracts'
import {
  ChargeCodeAppService,
  ChargeGroup,
  FuelIndexAppService,
  FuelIndexValueAppService,
  MarginRuleAppService,
  MarginType,
  PricingErrors,
  RateBasis,
  RateZoneAppService,
  SurchargeRuleAppService,
} from '@keel/pricing/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization } from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

/** Entities to which this host adds a field. */
const withOwnFields = ['FuelIndex', 'MarginRule', 'RateZone', 'SurchargeRule', 'ShipmentCharge']

let app: App
let analyst: AppCaller
let manager: AppCaller
let bunker: string

beforeAll(async () => {
  app = await startApp(undefined, {
    ...Object.fromEntries(
      withOwnFields.map((entity) => [`OwnFields:Modules:Pricing:${entity}:Desk:Type`, 'text']),
    ),
  })
  analyst = await app.as({ roles: [PricingAnalyst] })
  manager = await app.as({ roles: [PricingManager] })
  const { items } = await analyst.service(ChargeCodeAppService).getList({ filter: 'BAF' })
  bunker = items.find(({ code }) => code === 'BAF')?.id ?? ''
})
afterAll(() => app?.close())

const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  )
const surcharge = (more: object = {}) => ({
  chargeCodeId: bunker,
  transportModeCode: 'Sea' as const,
  basis: RateBasis.PerTeu,
  currencyCode: 'USD',
  validFrom: '2026-01-01',
  ...more,
})

test('a fuel index has one value a day, of which the latest up to a date is current', async () => {
  const indices = analyst.service(FuelIndexAppService)
  const values = analyst.service(FuelIndexValueAppService)
  const index = await indices.create({
    code: 'VLSFO',
    name: 'Fuel oil',
    unit: 'USD/t',
    transportModeCode: 'Sea',
  })
  expect(await codeOf(indices.getCurrent(index.id, { date: '2026-10-01' }))).toBe(
    PricingErrors.FuelIndexValueMissing,
  )
  for (const [valueDate, value] of [
    ['2026-10-01', '590.5'],
    ['2026-11-01', '612'],
  ] as const)
    await values.create({ fuelIndexId: index.id, valueDate, value })
  expect(await codeOf(values.create({ fuelIndexId: index.id, valueDate: '2026-11-01', value: '1' }))).toBe(
    PricingErrors.FuelIndexValueAlreadyExists,
  )
  expect((await indices.getCurrent(index.id, { date: '2026-10-31' })).value).toBe('590.5')
  expect((await indices.getCurrent(index.id, { date: '2027-01-01' })).value).toBe('612')
  const rules = analyst.service(SurchargeRuleAppService)
  const fuel = { fuelIndexId: index.id, fuelBaseValue: '500', fuelStep: '25', fuelAmountPerStep: '18' }
  expect(await rules.create(surcharge(fuel))).toMatchObject({
    ...fuel,
    amount: null,
    chargeCode: { code: 'BAF' },
  })
  for (const wrong of [{ ...fuel, fuelStep: null }, { ...fuel, amount: '3' }, {}])
    expect(await codeOf(rules.create(surcharge(wrong)))).toBe(PricingErrors.SurchargeFuelFieldsIncomplete)
})

test('a surcharge names what it is a percentage of, and ends after its start', async () => {
  const wrong = await send(
    analyst,
    'POST',
    '/api/pricing/surcharge-rule',
    surcharge({ basis: RateBasis.PercentOfGroup, amount: '3', validTo: '2025-12-31', originZoneId: bunker }),
  )
  expect([wrong.status, faultyMembers(wrong).sort()]).toEqual([
    400,
    ['originZoneId', 'percentOfGroup', 'validTo'],
  ])
  const zone = await analyst.service(RateZoneAppService).create({ code: 'ASIA', name: 'Asia' })
  const made = await analyst.service(SurchargeRuleAppService).create(
    surcharge({
      ...{
        basis: RateBasis.PercentOfGroup,
        amount: '3',
        percentOfGroup: ChargeGroup.Freight,
        originZoneId: zone.id,
      },
    }),
  )
  expect(made).toMatchObject({ originZone: { code: 'ASIA' }, amount: '3' })
  expect(await codeOf(manager.service(RateZoneAppService).delete(zone.id))).toBe(PricingErrors.RateZoneInUse)
  const found = await send(
    analyst,
    'GET',
    '/odata/SurchargeRules?$expand=OriginZone,ChargeCode&$filter=OriginZone/Code eq %27ASIA%27',
  )
  expect(found.body.value).toMatchObject([
    { Amount: 3, OriginZone: { Code: 'ASIA' }, ChargeCode: { Code: 'BAF' } },
  ])
})

test('a margin is made by a manager, knows its customer, and takes less than the whole price', async () => {
  const rule = {
    ...{ name: 'Freight', marginType: MarginType.MarginPercent, value: '18', currencyCode: 'EUR' },
    validFrom: '2026-01-01',
    organizationId: await addOrganization(app, 'MARGIN'),
  }
  expect((await send(analyst, 'POST', '/api/pricing/margin-rule', rule)).status).toBe(403)
  const margins = manager.service(MarginRuleAppService)
  expect(await margins.create(rule)).toMatchObject({
    organizationCode: 'MARGIN',
    priority: 100,
    isActive: true,
  })
  expect(await codeOf(margins.create({ ...rule, value: '100' }))).toBe(PricingErrors.MarginRuleInvalidPercent)
  const unknown = await send(manager, 'POST', '/api/pricing/margin-rule', { ...rule, organizationId: bunker })
  expect([unknown.status, faultyMembers(unknown)]).toEqual([400, ['organizationId']])
  const customer = await app.as({
    organizations: ['MARGIN'],
    permissions: ['Organization.View', 'RateCard.View'],
  })
  for (const path of [
    '/odata/MarginRules',
    '/api/pricing/margin-rule',
    '/odata/SurchargeRules',
    '/odata/FuelIndices',
  ])
    expect((await send(customer, 'GET', path)).status).toBe(403)
})

test('fields that an installation adds are written and read with their rows', async () => {
  const named = { code: 'DESK', name: 'Desk' }
  const rows = {
    'fuel-index': { ...named, unit: 'USD/t', transportModeCode: 'Sea' },
    'margin-rule': { name: 'Desk', marginType: 0, value: 1, currencyCode: 'EUR', validFrom: '2026-01-01' },
    'rate-zone': named,
    'surcharge-rule': surcharge({ amount: '3' }),
  }
  for (const [path, row] of Object.entries(rows)) {
    const extraProperties = { Desk: 'Bremen' }
    const made = await send(manager, 'POST', `/api/pricing/${path}`, { ...row, extraProperties })
    expect([path, made.status, made.body.extraProperties]).toEqual([path, 200, extraProperties])
    const kept = await send(manager, 'PUT', `/api/pricing/${path}/${made.body.id}`, row)
    expect([path, kept.body.extraProperties]).toEqual([path, extraProperties])
    const cleared = { ...row, extraProperties: { Desk: null } }
    const after = await send(manager, 'PUT', `/api/pricing/${path}/${made.body.id}`, cleared)
    expect([path, after.body.extraProperties?.Desk ?? null]).toEqual([path, null])
  }
})
