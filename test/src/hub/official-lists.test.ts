import { type ImportDto, ImportStatus } from '@keel/framework/contracts'
import { PortPermissions, ReferenceDataPermissions } from '@keel/hub/contracts'
import { OperationsManager, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { csvOf, dryRun, imported, upload } from '../support/imports.js'
import { send } from '../support/wire.js'

let app: App
let importer: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:PollMs': '100' })
  importer = await app.as({ permissions: [ReferenceDataPermissions.Import, PortPermissions.View] })
})
afterAll(() => app?.close())

/** The beginning of a part of the list, as UNECE publishes it. */
const part = [
  ',"AD",,".ANDORRA",,,,,,,,',
  ',"AD","ALV","Andorra la Vella","Andorra la Vella",,"--34-6--","AI","0601",,"4230N 00131E",',
  '+,"AD","ESC","Escàs","Escas","04","--3-----","RL","1407",,"4233N 00131E",',
  '=,"AT",,"Vienna = Wien","Vienna = Wien",,,,,,,',
  ',"XZ","AAD","Aasgard","Aasgard",,"1-------","RQ","0212",,"6505N 00644E","Country: NO"',
  ',"DE","9B0","Abtsgmünd","Abtsgmund",,"--3-----","RL","0901",,,',
  ',"AD","ALV","Andorra the second","Andorra the second",,"1-------","AI","0601",,,',
  'X,"NL","QQX","Leaves","Leaves",,"--3-----","XX","0601",,,',
  ',"CN","SHA","Shanghai","Shanghai",,"---45---","AI","9601",,"3114N 12128E",',
]

const rowsOf = async (query: string) =>
  (await send(importer, 'GET', `/odata/Ports?$filter=${encodeURIComponent(query)}&$orderby=UnLocode`)).body
    .value
const keysOf = ({ faults }: Pick<ImportDto, 'faults'>) =>
  (faults ?? []).map(({ row, column, code }) => [row, column, code])

test('a part of the official list is checked by a dry run, and written as ports by another', async () => {
  const checked = await imported(importer, 'un-locode', csvOf(...part), dryRun)
  expect(checked).toMatchObject({
    status: ImportStatus.Completed,
    rowCount: 4,
    insertedCount: 3,
    updatedCount: 1,
  })
  expect(await rowsOf("UnLocode eq 'ADALV'")).toEqual([])

  const report = await imported(importer, 'un-locode', csvOf(...part))
  expect(report).toMatchObject({
    status: ImportStatus.Completed,
    insertedCount: 3,
    updatedCount: 1,
    faults: [],
  })
  expect(await rowsOf("UnLocode in ('ADALV','ADESC')")).toMatchObject([
    {
      ...{
        UnLocode: 'ADALV',
        Name: 'Andorra la Vella',
        CountryCode: 'AD',
        IataCode: 'ALV',
        SubdivisionCode: null,
      },
      ...{ IsSeaport: false, IsRoadTerminal: true, IsAirport: true, IsInlandDepot: true },
      ...{ Latitude: 42.5, Longitude: 1.516667, IsActive: true },
    },
    { UnLocode: 'ADESC', Name: 'Escàs', NameWoDiacritics: 'Escas', SubdivisionCode: '04', IataCode: null },
  ])
  expect(await rowsOf("UnLocode eq 'NLQQX'")).toMatchObject([{ IsActive: false }])
})

test('curated ports keep flags and position, and an import of the same list changes nothing', async () => {
  expect(await rowsOf("UnLocode eq 'CNSHA'")).toMatchObject([{ IsSeaport: true, Name: 'Shanghai' }])
  const again = await imported(importer, 'un-locode', csvOf(...part))
  expect(again).toMatchObject({ rowCount: 4, insertedCount: 0, updatedCount: 0 })
})

test('a file whose header names its columns is read by these, in whichever order', async () => {
  const file = csvOf(
    'Change,Country,Location,Name,NameWoDiacritics,Subdivision,Status,Function,Date,IATA,Coordinates,Remarks',
    ',AD,QQA,Alpha,Alpha,,AI,1-------,0601,QQA,"9100N 00131E",',
  )
  expect(await imported(importer, 'un-locode', file)).toMatchObject({ insertedCount: 1 })
  expect(await rowsOf("UnLocode eq 'ADQQA'")).toMatchObject([
    { IsSeaport: true, IataCode: 'QQA', Latitude: null },
  ])
  const template = csvOf('unLocode,name,functionCodes', 'ADQQA,Omega,1--4----')
  expect(await imported(importer, 'un-locode', template)).toMatchObject({ updatedCount: 1 })
  expect(await rowsOf("UnLocode eq 'ADQQA'")).toMatchObject([
    { Name: 'Omega', IsAirport: true, IataCode: 'QQA' },
  ])
})

test('a faulty row is reported with its line, and nothing is written', async () => {
  const file = csvOf(
    ',"AD",,".ANDORRA",,,,,,,,',
    ',"AD","QQB","Good","Good",,"--3-----","AI","0601",,,',
    ',"AD","Q!B","Bad code","Bad code",,"--3-----","AI","0601",,,',
    ',"QQ","QQB","No country","No country",,"--3-----","AI","0601",,,',
    ',"AD","QQC",,,,"road","AI","0601",,,',
  )
  const report = await imported(importer, 'un-locode', file)
  expect(report).toMatchObject({ status: ImportStatus.Refused, rowCount: 4, faultCount: 4 })
  expect(keysOf(report)).toEqual([
    [3, 'unLocode', 'Hub:Validation:UnLocode'],
    [4, 'unLocode', 'Hub:Validation:NoSuchCountry'],
    [5, 'name', 'Validation:Required'],
    [5, 'functionCodes', 'Hub:Validation:FunctionCodes'],
  ])
  expect(await rowsOf("UnLocode eq 'ADQQB'")).toEqual([])
})

test('only holders of ReferenceData.Import import the list, and see reports of their own', async () => {
  const superUser = await app.as({ roles: [SuperUser] })
  const { status, body } = await upload(superUser, 'un-locode', csvOf(part[1] ?? ''))
  expect(status).toBe(200)
  expect((await send(importer, 'GET', `/api/hub/un-locode/import/${body.id}`)).status).toBe(404)
  const other = await app.as({ roles: [OperationsManager] })
  expect((await upload(other, 'un-locode', csvOf(part[1] ?? ''))).status).toBe(403)
  expect((await send(other, 'GET', `/api/hub/un-locode/import/${body.id}`)).status).toBe(403)
})

test('a list of ISO 3166-1 adds countries, and gives others their official name', async () => {
  const file = () =>
    csvOf(
      'name,alpha-2,alpha-3,country-code,region',
      'Netherlands (Kingdom of the),NL,NLD,528,Europe',
      'Quay Islands,QQ,QQQ,9,Oceania',
    )
  const counts = { rowCount: 2, insertedCount: 1, updatedCount: 1, faults: [] }
  expect(await imported(importer, 'iso3166', file(), dryRun)).toMatchObject(counts)
  expect(await imported(importer, 'iso3166', file())).toMatchObject(counts)
  expect(await imported(importer, 'iso3166', file())).toMatchObject({ insertedCount: 0, updatedCount: 0 })
  const { body } = await send(importer, 'GET', "/odata/Countries?$filter=Code in ('NL','QQ')&$orderby=Code")
  expect(body.value).toMatchObject([
    {
      Code: 'NL',
      Name: 'Netherlands',
      OfficialName: 'Netherlands (Kingdom of the)',
      NumericCode: '528',
      CurrencyCode: 'EUR',
    },
    { Code: 'QQ', Name: 'Quay Islands', Alpha3Code: 'QQQ', NumericCode: '009', IsActive: true },
  ])
  const taken = csvOf('code,alpha3Code,numericCode,shortName', 'QR,NLD,528,Twin', 'QS,QS,1,Short')
  expect(keysOf(await imported(importer, 'iso3166', taken)).map(([row]) => row)).toEqual([2, 2, 3])
})
