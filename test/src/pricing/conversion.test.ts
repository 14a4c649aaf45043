import {
  CurrencyAppService,
  ExchangeRateAppService,
  ExchangeRatePermissions,
  ExchangeRateType,
  PricingErrors,
  PricingSettingPermissions,
  PricingSettingsAppService,
} from '@keel/pricing/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { send } from '../support/wire.js'

let app: App
let analyst: AppCaller
let manager: AppCaller
/** Holds ExchangeRate.View alone. */
let reader: AppCaller

/** The rates of the examples (domain model, section 7.3). */
const day = '2026-11-02'
const settings = { maxRateAgeDays: 7, pivotCurrency: 'EUR' }

beforeAll(async () => {
  app = await startApp()
  analyst = await app.as({ permissions: [ExchangeRatePermissions.View, ExchangeRatePermissions.Create] })
  manager = await app.as({ permissions: [PricingSettingPermissions.SettingManagement] })
  reader = await app.as({ permissions: [ExchangeRatePermissions.View] })
  for (const [to, rate] of [
    ['USD', '1.08'],
    ['CNY', '7.8'],
    ['SGD', '1.45'],
    ['JPY', '162.5'],
  ] as const)
    await add('EUR', to, rate)
})
afterAll(() => app?.close())

function add(
  fromCurrencyCode: string,
  toCurrencyCode: string,
  rate: string,
  more: { rateDate?: string; rateType?: ExchangeRateType } = {},
) {
  const given = { fromCurrencyCode, toCurrencyCode, rate, source: 'test', rateDate: day, ...more }
  return analyst.service(ExchangeRateAppService).create(given)
}

const convert = (
  fromCurrencyCode: string,
  toCurrencyCode: string,
  more: { amount?: string; date?: string; rateType?: ExchangeRateType } = {},
) =>
  reader
    .service(ExchangeRateAppService)
    .convert({ amount: '1000', date: day, fromCurrencyCode, toCurrencyCode, ...more })

test.each([
  ['EUR', 'USD', '1.08', '1080', null],
  ['USD', 'EUR', '0.92592593', '925.93', null],
  ['CNY', 'EUR', '0.12820513', '128.21', null],
  ['SGD', 'USD', '0.74482759', '744.83', 'EUR'],
  ['SGD', 'JPY', '112.06896552', '112069', 'EUR'],
  ['USD', 'USD', '1', '1000', null],
])('%s is converted to %s by %s', async (from, to, rate, convertedAmount, pivotCurrencyCode) => {
  const { rate: used, convertedAmount: converted, ...rest } = await convert(from, to)
  expect([Number(used), Number(converted)]).toEqual([Number(rate), Number(convertedAmount)])
  expect(rest).toMatchObject({ rateDate: from === to ? null : day, pivotCurrencyCode })
})

test('an amount is rounded half away from zero to the digits of its currency', async () => {
  const rounded = async (amount: string, to: string) =>
    Number((await convert(to, to, { amount })).convertedAmount)
  expect([
    await rounded('0.125', 'EUR'),
    await rounded('-0.125', 'EUR'),
    await rounded('2.5', 'JPY'),
    await rounded('1.2345', 'KWD'),
  ]).toEqual([0.13, -0.13, 3, 1.235])
})

test('the latest rate up to the day counts, for as many days as the setting says, and no deleted one', async () => {
  await add('GBP', 'CHF', '1.10', { rateDate: '2026-10-01' })
  const later = await add('GBP', 'CHF', '1.20', { rateDate: '2026-10-05' })
  const rateOn = async (date: string) => {
    const { rate, rateDate } = await convert('GBP', 'CHF', { date })
    return [Number(rate), rateDate]
  }
  expect(await rateOn('2026-10-04')).toEqual([1.1, '2026-10-01'])
  expect(await rateOn('2026-10-12')).toEqual([1.2, '2026-10-05'])
  const none = { code: PricingErrors.ExchangeRateNotFound }
  await expect(rateOn('2026-10-13')).rejects.toMatchObject(none)
  await expect(rateOn('2026-09-30')).rejects.toMatchObject(none)
  const change = manager.service(PricingSettingsAppService)
  await change.update({ ...settings, maxRateAgeDays: 8 })
  expect(await rateOn('2026-10-13')).toEqual([1.2, '2026-10-05'])
  await change.update({ ...settings, maxRateAgeDays: 0 })
  await expect(rateOn('2026-10-12')).rejects.toMatchObject(none)
  await change.update(settings)
  const remover = await app.as({ permissions: [ExchangeRatePermissions.Delete] })
  await remover.service(ExchangeRateAppService).delete(later.id)
  await expect(rateOn('2026-10-12')).rejects.toMatchObject(none)
})

test('amounts go over the currency that the setting names', async () => {
  await add('NOK', 'SEK', '0.95')
  await add('NOK', 'DKK', '0.64')
  await expect(convert('SEK', 'DKK')).rejects.toMatchObject({
    status: 403,
    code: PricingErrors.ExchangeRateNotFound,
    data: { fromCurrencyCode: 'SEK', toCurrencyCode: 'DKK', date: day },
  })
  const change = manager.service(PricingSettingsAppService)
  await change.update({ ...settings, pivotCurrency: 'NOK' })
  expect(await convert('SEK', 'DKK')).toMatchObject({ pivotCurrencyCode: 'NOK' })
  await change.update(settings)
})

test('a kind of rate is preferred to Mid rates, which serve where there is none', async () => {
  await add('EUR', 'USD', '1.05', { rateType: ExchangeRateType.Buy })
  const used = async (rateType: ExchangeRateType) => {
    const { rate, rateType: found } = await convert('EUR', 'USD', { rateType })
    return [Number(rate), found]
  }
  expect(await used(ExchangeRateType.Buy)).toEqual([1.05, ExchangeRateType.Buy])
  expect(await used(ExchangeRateType.Sell)).toEqual([1.08, ExchangeRateType.Mid])
})

test('unknown currencies, too many digits and callers without the permission are refused', async () => {
  await expect(convert('EUR', 'QQQ')).rejects.toMatchObject({ code: PricingErrors.CurrencyUnknown })
  await expect(convert('EUR', 'USD', { amount: '1.23456' })).rejects.toMatchObject({ status: 400 })
  const body = { amount: 1, fromCurrencyCode: 'EUR', toCurrencyCode: 'USD' }
  const path = '/api/pricing/exchange-rate/convert'
  expect(await send(manager, 'POST', path, body)).toMatchObject({ status: 403 })
})

test('Pricing’s settings are read and changed by callers with the permission, and name a currency', async () => {
  const path = '/api/pricing/settings'
  expect(await send(reader, 'GET', path)).toMatchObject({ status: 403 })
  expect(await send(reader, 'PUT', path, settings)).toMatchObject({ status: 403 })
  expect(await send(manager, 'GET', path)).toMatchObject({ status: 200, body: settings })
  for (const wrong of [{ maxRateAgeDays: -1 }, { pivotCurrency: 'eur' }])
    expect(await send(manager, 'PUT', path, { ...settings, ...wrong })).toMatchObject({ status: 400 })
  expect(await send(manager, 'PUT', path, { ...settings, pivotCurrency: 'QQQ' })).toMatchObject({
    status: 403,
    body: { error: { code: PricingErrors.CurrencyUnknown } },
  })
})

test('the digits of the currency come from its row', async () => {
  const editor = await app.as({ permissions: [ExchangeRatePermissions.View, ExchangeRatePermissions.Edit] })
  const currencies = editor.service(CurrencyAppService)
  const { items } = await currencies.getList({ filter: 'CNY' })
  const { id, code, numericCode, name, minorUnits } = items[0] as (typeof items)[number]
  await currencies.update(id, { code, numericCode, name, minorUnits: 0 })
  expect(Number((await convert('CNY', 'CNY', { amount: '9.6' })).convertedAmount)).toBe(10)
  await currencies.update(id, { code, numericCode, name, minorUnits })
})
