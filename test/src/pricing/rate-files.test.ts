import { ImportStatus } from '@keel/framework/contracts'
import { readSpreadsheet, writeXlsx } from '@keel/framework/spreadsheets'
import { DefaultCustomer, PricingAnalyst, PricingManager } from '@keel/identity/contracts'
import {
  ChargeCodeAppService,
  CurrencyAppService,
  ExchangeRateAppService,
  ExchangeRatePermissions,
  LanePointType,
  PricingErrors,
  RateBasis,
  RateCardAppService,
  RateCardType,
  RateLaneAppService,
  RateLineAppService,
  type RateSheetReportDto,
  RateZoneAppService,
} from '@keel/pricing/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { csvOf, dryRun, imported, upload } from '../support/imports.js'
import { send } from '../support/wire.js'

let app: App
let analyst: AppCaller
let manager: AppCaller
let customer: AppCaller
const charges = new Map<string, string>()

beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:PollMs': '100', 'Jobs:FirstRetryMs': '1' })
  analyst = await app.as({ roles: [PricingAnalyst] })
  manager = await app.as({ roles: [PricingManager] })
  customer = await app.as({ roles: [DefaultCustomer] })
  const { items } = await analyst.service(ChargeCodeAppService).getList({ maxResultCount: 200 })
  for (const { code, id } of items) charges.set(code, id)
})
afterAll(() => app?.close())

const rates = 'pricing/exchange-rate'
const xmlOf = (content: string, before = '') =>
  new File([`<?xml version="1.0" encoding="UTF-8"?>\n${before}${content}`], 'eurofxref-daily.xml')
/** A file as the European Central Bank publishes it every day. */
const daily = (days: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  xmlOf(`<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>European Central Bank</gesmes:name>
	</gesmes:Sender>
	<Cube>
${Object.entries(days)
  .map(
    ([day, ofDay]) => `		<Cube time='${day}'>
${Object.entries(ofDay)
  .map(([currency, rate]) => `			<Cube currency='${currency}' rate='${rate}'/>`)
  .join('\n')}
		</Cube>`,
  )
  .join('\n')}
	</Cube>
</gesmes:Envelope>`)
const ratesOn = async (rateDate: string) => {
  const { items } = await analyst
    .service(ExchangeRateAppService)
    .getList({ maxResultCount: 100, sorting: 'toCurrencyCode' })
  return items
    .filter((rate) => rate.rateDate === rateDate)
    .map(({ fromCurrencyCode, toCurrencyCode, rate, source }) =>
      [fromCurrencyCode, toCurrencyCode, Number(rate), source].join(' '),
    )
}

describe('exchange rates', () => {
  test('of the European Central Bank come from its daily XML, once for each date and currency', async () => {
    const file = () => daily({ '2026-09-01': { USD: '1.1702', JPY: '172.45', CHF: '0.9389' } })
    expect(await imported(analyst, rates, file(), dryRun)).toMatchObject({
      ...{ isDryRun: true, status: ImportStatus.Completed, insertedCount: 3 },
    })
    expect(await ratesOn('2026-09-01')).toEqual([])
    expect(await imported(analyst, rates, file())).toMatchObject({
      ...{ status: ImportStatus.Completed, rowCount: 3, insertedCount: 3, updatedCount: 0 },
    })
    expect(await ratesOn('2026-09-01')).toEqual([
      'EUR CHF 0.9389 ECB',
      'EUR JPY 172.45 ECB',
      'EUR USD 1.1702 ECB',
    ])
    expect(await imported(analyst, rates, file())).toMatchObject({ insertedCount: 0, updatedCount: 0 })
    const corrected = daily({ '2026-09-01': { USD: '1.1703' }, '2026-09-02': { USD: '1.1650' } })
    expect(await imported(analyst, rates, corrected)).toMatchObject({ insertedCount: 1, updatedCount: 1 })
    expect(await ratesOn('2026-09-01')).toContain('EUR USD 1.1703 ECB')
  })

  test('of the European Central Bank come from its CSV files, and a day without a rate has none', async () => {
    const day = csvOf('Date, USD, JPY, SEK, ', '3 September 2026, 1.1650, 172.60, 10.955, ')
    expect(await imported(analyst, rates, day)).toMatchObject({ insertedCount: 3 })
    expect(await ratesOn('2026-09-03')).toHaveLength(3)
    const history = csvOf('Date,USD,JPY,', '2026-09-04,1.1660,N/A,', '2026-09-03,1.1650,172.60,')
    expect(await imported(analyst, rates, history)).toMatchObject({
      ...{ rowCount: 3, insertedCount: 1, updatedCount: 0 },
    })
    expect(await ratesOn('2026-09-04')).toEqual(['EUR USD 1.166 ECB'])
  })

  test('that count on a day are the latest ones of each currency, while they are not too old', async () => {
    const current = async (date: string) => {
      const rows = await analyst.service(ExchangeRateAppService).getCurrent({ fromCurrencyCode: 'EUR', date })
      return rows.map(({ toCurrencyCode, rate, rateDate }) => [toCurrencyCode, Number(rate), rateDate])
    }
    expect(await current('2026-09-03')).toEqual([
      ['CHF', 0.9389, '2026-09-01'],
      ['JPY', 172.6, '2026-09-03'],
      ['SEK', 10.955, '2026-09-03'],
      ['USD', 1.165, '2026-09-03'],
    ])
    expect((await current('2026-09-09')).map(([to]) => to)).toEqual(['JPY', 'SEK', 'USD'])
    const unknown = await send(analyst, 'GET', '/api/pricing/exchange-rate/current?FromCurrencyCode=QQQ')
    expect(unknown.body.error.code).toBe(PricingErrors.CurrencyUnknown)
  })

  test('of others come in the shape of the exported list', async () => {
    const exported = await analyst.fetch('/api/pricing/exchange-rate/as-excel-file')
    const file = new File([await exported.blob()], 'rates.xlsx')
    expect(await imported(analyst, rates, file)).toMatchObject({
      ...{ status: ImportStatus.Completed, insertedCount: 0, updatedCount: 0 },
    })
    const own = csvOf('fromCurrencyCode,toCurrencyCode,rateDate,rate,source', 'USD,CAD,2026-09-01,1.38,Bank')
    expect(await imported(analyst, rates, own)).toMatchObject({ insertedCount: 1 })
  })

  test('at fault are named by line and column, and none of the file is written', async () => {
    const file = daily({
      '2026-09-09': { USD: '1.17', QQQ: '2', EUR: '1', CHF: '-1', GBP: '0.87' },
      '': { SEK: 'x' },
    })
    const report = await imported(analyst, rates, file)
    expect(report).toMatchObject({ status: ImportStatus.Refused, faultCount: 5 })
    expect(report.faults.map(({ row, column, value, code }) => [row, column, value, code])).toEqual([
      [10, 'toCurrencyCode', 'QQQ', PricingErrors.CurrencyUnknown],
      [11, 'toCurrencyCode', 'EUR', 'Pricing:Validation:SameCurrency'],
      [12, 'rate', '-1', 'Validation:Minimum'],
      [16, 'rate', 'x', 'Validation:Decimal'],
      [16, 'rateDate', null, 'Validation:Required'],
    ])
    expect(await ratesOn('2026-09-09')).toEqual([])
    const twice = csvOf(
      'fromCurrencyCode,toCurrencyCode,rateDate,rate,source',
      'EUR,USD,2026-09-09,1.1,a',
      'EUR,USD,2026-09-09,1.2,a',
    )
    expect((await imported(analyst, rates, twice)).faults).toMatchObject([
      { row: 3, code: 'Import:RowTwice' },
    ])
  })

  test.each([
    [
      'entities that double and double again',
      `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><Envelope>&b;</Envelope>`,
    ],
    [
      'a file of the server as entity',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><Envelope>&x;</Envelope>',
    ],
    ['an entity without a document type', '<Envelope>&x;</Envelope>'],
    ['elements without an end', `<Envelope>${'<Cube>'.repeat(100_000)}`],
    ['a text without an end', `<Envelope>${'x'.repeat(200_000)}</Envelope>`],
    ['a tag without an end', `<Envelope><Cube ${'a="1" '.repeat(50_000)}`],
    ['another document', '<html><Cube time="2026-09-10"><Cube currency="USD" rate="1"/></Cube></html>'],
    ['half a document', '<Envelope><Cube time="2026-09-10"><Cube currency="USD" rate="1"/>'],
  ])('in XML with %s are refused in a moment', async (_, content) => {
    const begin = performance.now()
    const report = await imported(analyst, rates, xmlOf(content))
    expect(report).toMatchObject({ status: ImportStatus.Refused, faultCount: 1, insertedCount: 0 })
    expect(report.faults[0]).toMatchObject({ row: null, code: 'Pricing:Validation:RateFile' })
    expect(performance.now() - begin).toBeLessThan(10_000)
  })

  test('are imported by callers who may create and change them', async () => {
    expect((await upload(customer, rates, daily({}))).status).toBe(403)
    const creator = await app.as({
      permissions: [ExchangeRatePermissions.View, ExchangeRatePermissions.Create],
    })
    expect((await upload(creator, rates, daily({}))).status).toBe(403)
    const { View, Create, Edit, Import } = ExchangeRatePermissions
    const editor = await app.as({ permissions: [View, Create, Edit] })
    expect((await upload(editor, rates, daily({}))).status).toBe(403)
    const importer = await app.as({ permissions: [View, Create, Edit, Import] })
    expect((await upload(importer, rates, daily({}))).status).toBe(200)
  })
})

describe('currencies', () => {
  const currencies = 'pricing/currency'
  const entry = (country: string, members: Readonly<Record<string, string>>) =>
    `<CcyNtry><CtryNm>${country}</CtryNm>${Object.entries(members)
      .map(([name, text]) => `<${name}>${text}</${name}>`)
      .join('')}</CcyNtry>`
  const listOne = (...entries: readonly string[]) =>
    xmlOf(`<ISO_4217 Pblshd="2026-01-01"><CcyTbl>\n${entries.join('\n')}\n</CcyTbl></ISO_4217>`)
  const euro = { CcyNm: 'Euro', Ccy: 'EUR', CcyNbr: '978', CcyMnrUnts: '2' }

  test('come from list one of ISO 4217, once for each code, and keep what the list does not have', async () => {
    const file = () =>
      listOne(
        entry('ANTARCTICA', { CcyNm: 'No universal currency' }),
        entry('GERMANY', { ...euro, CcyNm: 'Euro &amp; Cent' }),
        entry('FRANCE', euro),
        entry('ZZ', { CcyNm: 'Q Dinar', Ccy: 'QQD', CcyNbr: '008', CcyMnrUnts: '3' }),
        entry('ZZ08_Gold', { CcyNm: 'Gold', Ccy: 'QQX', CcyNbr: '959', CcyMnrUnts: 'N.A.' }),
      )
    const counts = { rowCount: 2, insertedCount: 1, updatedCount: 1, faults: [] }
    expect(await imported(analyst, currencies, file(), dryRun)).toMatchObject(counts)
    expect(await imported(analyst, currencies, file())).toMatchObject(counts)
    expect(await imported(analyst, currencies, file())).toMatchObject({ insertedCount: 0, updatedCount: 0 })
    const { items } = await analyst.service(CurrencyAppService).getList({ maxResultCount: 200 })
    const found = items.filter(({ code }) => ['EUR', 'QQD', 'QQX'].includes(code))
    expect(found).toMatchObject([
      { code: 'EUR', name: 'Euro & Cent', numericCode: '978', minorUnits: 2, symbol: '€' },
      { code: 'QQD', name: 'Q Dinar', numericCode: '008', minorUnits: 3, symbol: null },
    ])
  })

  test('at fault are named, and a document of another kind is refused', async () => {
    const report = await imported(
      analyst,
      currencies,
      listOne(entry('ZZ', { CcyNm: '', Ccy: 'QQE', CcyNbr: '9', CcyMnrUnts: '5' }), entry('ZZ', euro)),
    )
    expect(report.faults.map(({ row, column, code }) => [row, column, code])).toEqual([
      [3, 'numericCode', 'Pricing:Validation:NumericCode'],
      [3, 'name', 'Validation:Required'],
      [3, 'minorUnits', 'Validation:Maximum'],
    ])
    const other = await imported(analyst, currencies, daily({}))
    expect(other.faults).toMatchObject([{ row: null, code: 'Pricing:Validation:CurrencyFile' }])
    expect((await upload(customer, currencies, listOne())).status).toBe(403)
  })
})

describe('rate sheets', () => {
  const cards = (who: AppCaller) => who.service(RateCardAppService)
  let number = 0

  /** A draft with two lanes, three charges and the breaks of one of them. */
  async function draft() {
    const { id } = await cards(analyst).create({
      ...{
        reference: `SHEET-${++number}`,
        name: 'Sheet',
        cardType: RateCardType.Buy,
        transportModeCode: 'Air',
      },
      ...{ currencyCode: 'USD', validFrom: '2026-10-01', validTo: '2026-12-31' },
    })
    const lanes = analyst.service(RateLaneAppService)
    const lines = analyst.service(RateLineAppService)
    const port = { originType: LanePointType.Port, originUnLocode: 'DEFRA' }
    const to = { destinationType: LanePointType.Country, destinationCountryCode: 'US' }
    const first = await lanes.create({
      ...{ rateCardId: id, laneNumber: 1, transitDays: 3, departuresPerWeek: '2.5', ...port, ...to },
    })
    const second = await lanes.create({
      ...{
        rateCardId: id,
        laneNumber: 2,
        originType: LanePointType.Any,
        destinationType: LanePointType.Zone,
      },
      ...{ destinationZoneId: await zone(), isActive: false },
    })
    const rate = { rateLaneId: first.id, currencyCode: 'EUR' }
    const freight = await lines.create({
      ...{
        ...rate,
        chargeCodeId: charges.get('AFR') ?? '',
        basis: RateBasis.PerChargeableKg,
        minAmount: '95',
      },
    })
    const steps = [
      ['0', '4.1'],
      ['45', '3.55'],
      ['100', '2.95'],
    ] as const
    await lines.setBreaks(freight.id, {
      breaks: steps.map(([fromQuantity, amount]) => ({ fromQuantity, amount })),
    })
    await lines.create({
      ...rate,
      chargeCodeId: charges.get('AWB') ?? '',
      basis: RateBasis.PerBill,
      amount: '35',
    })
    await lines.create({
      ...{ rateLaneId: second.id, chargeCodeId: charges.get('AFR') ?? '', basis: RateBasis.PerChargeableKg },
      ...{ currencyCode: 'USD', amount: '5.25' },
    })
    return id
  }
  let zoneId: string | undefined
  const zone = async () =>
    (zoneId ??= (await analyst.service(RateZoneAppService).create({ code: 'USEC', name: 'East coast' })).id)

  const exported = async (id: string, culture = 'en') => {
    const response = await analyst.fetch(`/api/pricing/rate-card/${id}/sheet`, {
      headers: { 'accept-language': culture },
    })
    expect(response.status).toBe(200)
    return new File([await response.blob()], 'sheet.xlsx')
  }
  const importSheet = async (
    id: string,
    file: File,
    {
      fields = {},
      culture = 'en',
      who = analyst,
    }: { fields?: object; culture?: string; who?: AppCaller } = {},
  ) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
    form.append('file', file)
    const headers = { 'accept-language': culture }
    const path = `/api/pricing/rate-card/${id}/import`
    const response = await who.fetch(path, { method: 'POST', body: form, headers })
    // biome-ignore lint/suspicious/noExplicitAny: answers and errors
    return { status: response.status, body: (await response.json()) as any }
  }
  const nothing = { added: 0, changed: 0, removed: 0 }
  const header =
    'laneNumber,originType,origin,destinationType,destination,chargeCode,basis,currencyCode,amount,fromQuantity,breakAmount'
  const changesOf = ({ lanes, lines, breaks }: RateSheetReportDto) =>
    [lanes, lines, breaks].map(({ added, changed, removed }) => [added, changed, removed])
  const stampOf = async (id: string) => (await cards(analyst).get(id)).concurrencyStamp

  test('show a card line by line, and change nothing when they are imported again, in any language', async () => {
    const id = await draft()
    const stamp = await stampOf(id)
    for (const culture of ['en', 'de', 'zh-Hans']) {
      const { status, body } = await importSheet(id, await exported(id, culture), { culture })
      expect({ status, body }).toMatchObject({
        ...{ status: 200, body: { isWritten: true, rowCount: 5, faultCount: 0 } },
      })
      expect([body.lanes, body.lines, body.breaks]).toEqual([nothing, nothing, nothing])
    }
    expect(await stampOf(id)).toBe(stamp)
    const columns = {
      lane: { header: 'Lane', kind: 'number' },
      origin: { header: 'Origin', kind: 'text' },
      to: { header: 'Destination', kind: 'text' },
      charge: { header: 'Charge', kind: 'text' },
      basis: { header: 'Basis', kind: 'text' },
      from: { header: 'From quantity', kind: 'decimal' },
      amount: { header: 'Break amount', kind: 'decimal' },
    } as const
    const rows: unknown[] = []
    for await (const { values } of readSpreadsheet(columns, await exported(id)))
      rows.push(Object.values(values))
    expect(rows).toEqual([
      [1, 'DEFRA', 'US', 'AFR', 'Per chargeable kg', '0', '4.1'],
      [1, 'DEFRA', 'US', 'AFR', 'Per chargeable kg', '45', '3.55'],
      [1, 'DEFRA', 'US', 'AFR', 'Per chargeable kg', '100', '2.95'],
      [1, 'DEFRA', 'US', 'AWB', 'Per bill of lading or air waybill', null, null],
      [2, null, 'USEC', 'AFR', 'Per chargeable kg', null, null],
    ])
  })

  test('are all of a draft from then on: lanes, lines and breaks are added, changed and removed', async () => {
    const id = await draft()
    const file = () =>
      csvOf(
        header,
        '1,Port,DEFRA,Country,US,AFR,PerChargeableKg,EUR,,0,4.10',
        '1,,,,,AFR,,,,45,3.60',
        '1,,,,,AFR,,,,300,2.35',
        '1,,,,,FSC,PerChargeableKg,EUR,0.85,,',
        '7,Zone,usec,Any,,AFR,PerChargeableKg,USD,6,,',
        '8,Country,DE,Port,USORD,,,,,,',
      )
    const planned = (await importSheet(id, file(), dryRun)).body
    expect(planned).toMatchObject({ isDryRun: true, isWritten: false, rowCount: 6, faultCount: 0 })
    const changes = [
      [2, 1, 1],
      [2, 1, 2],
      [1, 1, 1],
    ]
    expect(changesOf(planned)).toEqual(changes)
    expect((await analyst.service(RateLaneAppService).getList({ rateCardId: id })).totalCount).toBe(2)
    const written = (await importSheet(id, file())).body
    expect(written).toMatchObject({ isDryRun: false, isWritten: true })
    expect(changesOf(written)).toEqual(changes)
    const { items } = await analyst.service(RateLaneAppService).getList({ rateCardId: id })
    expect(items.map(({ laneNumber, transitDays }) => [laneNumber, transitDays ?? null])).toEqual([
      ...[1, 7, 8].map((one) => [one, null]),
    ])
    const lines = analyst.service(RateLineAppService)
    const ofLane = (await lines.getList({ rateLaneId: items[0]?.id ?? '' })).items
    const freight = ofLane.find(({ chargeCode }) => chargeCode?.code === 'AFR')
    const breaks = await lines.getBreaks(freight?.id ?? '')
    expect(breaks.map(({ fromQuantity, amount }) => [Number(fromQuantity), Number(amount)])).toEqual([
      ...[
        [0, 4.1],
        [45, 3.6],
        [300, 2.35],
      ],
    ])
    expect(
      changesOf((await importSheet(id, file())).body)
        .flat()
        .some(Boolean),
    ).toBe(false)
  })

  test('name every faulty cell with sheet, row, column, value and reason, and write nothing then', async () => {
    const id = await draft()
    const stamp = await stampOf(id)
    const columns = Object.fromEntries(
      header.split(',').map((name) => [name, { header: name, kind: 'text' as const }]),
    )
    const lines = [
      '1,Port,XXQQQ,Country,usa,AFR,PerChargeableKg,EUR,,0,4.10',
      '1,,DEHAM,,,AFR,,,,0,3.60',
      '1,,,,,ZZZ,PerSack,QQQ,1e3,,',
      '2,Zone,NOWHERE,Any,US,AFR,,,-1,,5',
      'x,Port,DEFRA,Any,,,,,,,',
      '3,Seaport,DEFRA,Any,,,PerBill,,,,',
      '4,Port,,Any,,AWB,PerBill,EUR,35,,',
      '4,Port,,Any,,awb,PerBill,EUR,35,,',
    ]
    const rows = lines.map((line) =>
      Object.fromEntries(line.split(',').map((cell, at) => [header.split(',')[at] ?? '', cell])),
    )
    const stream = writeXlsx(columns, rows, { sheetName: 'Rates 2026' })
    const file = new File([await new Response(stream).blob()], 'sheet.xlsx')
    const { body } = await importSheet(id, file, { culture: 'de' })
    expect(body).toMatchObject({ isWritten: false, rowCount: 8, faultCount: body.faults.length })
    const faults = body.faults as {
      sheet: string
      row: number
      column: string
      value: string
      code: string
      message: string
    }[]
    expect(new Set(faults.map(({ sheet }) => sheet))).toEqual(new Set(['Rates 2026']))
    expect(
      faults
        .map(({ row, column, value, code }) => [row, column, value, code.split(':').at(-1)])
        .sort((a, b) => Number(a[0]) - Number(b[0]) || (String(a[1]) < String(b[1]) ? -1 : 1)),
    ).toEqual([
      [2, 'destination', 'usa', 'CountryCode'],
      [2, 'origin', 'XXQQQ', 'UnknownPort'],
      [3, 'fromQuantity', '0', 'NotAscending'],
      [3, 'origin', 'DEHAM', 'RowDiffers'],
      [4, 'amount', '1e3', 'Decimal'],
      [4, 'basis', 'PerSack', 'Option'],
      [4, 'chargeCode', 'ZZZ', 'UnknownCharge'],
      [4, 'currencyCode', 'QQQ', 'Unknown'],
      [5, 'amount', '-1', 'Minimum'],
      [5, 'basis', null, 'Required'],
      [5, 'currencyCode', null, 'Required'],
      [5, 'destination', 'US', 'LanePoint'],
      [5, 'fromQuantity', null, 'Required'],
      [5, 'origin', 'NOWHERE', 'UnknownZone'],
      [6, 'laneNumber', 'x', 'Number'],
      [7, 'chargeCode', null, 'Required'],
      [7, 'originType', 'Seaport', 'Option'],
      [8, 'origin', null, 'LanePoint'],
      [9, 'chargeCode', 'awb', 'Duplicate'],
    ])
    expect(faults.find(({ value }) => value === 'DEHAM')?.message).toContain('weicht von Zeile 2 ab')
    expect(await stampOf(id)).toBe(stamp)
  })

  test('that are no sheets, too long, or of a card that is no draft are refused', async () => {
    const id = await draft()
    const faultOf = async (file: File) => (await importSheet(id, file)).body.faults[0]
    expect(await faultOf(new File(['PK\u0003\u0004nonsense'], 'a.xlsx'))).toMatchObject({
      ...{ row: null, code: 'Spreadsheet:NoWorkbook' },
    })
    expect(await faultOf(csvOf('laneNumber,colour', '1,red'))).toMatchObject({ column: 'colour', row: null })
    expect(await faultOf(csvOf('origin', 'DEFRA'))).toMatchObject({ code: 'Spreadsheet:ColumnsMissing' })
    const many = csvOf(
      'laneNumber,originType,destinationType',
      ...Array.from({ length: 20_001 }, () => '1,Any,Any'),
    )
    expect(await faultOf(many)).toMatchObject({ code: 'Spreadsheet:TooManyRows' })
    const stale = await importSheet(id, csvOf('laneNumber', '1'), { fields: { concurrencyStamp: 'old' } })
    expect(stale.status).toBe(409)
    expect((await importSheet(id, csvOf(header), { who: customer })).status).toBe(403)
    expect((await send(customer, 'GET', `/api/pricing/rate-card/${id}/sheet`)).status).toBe(404)
    await cards(analyst).submit(id, {})
    await cards(manager).approve(id, {})
    expect((await importSheet(id, csvOf(header), dryRun)).body.error.code).toBe(
      PricingErrors.RateCardNotEditable,
    )
    expect((await exported(id)).size).toBeGreaterThan(1000)
  })
})
