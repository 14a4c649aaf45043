import { type ImportDto, ImportStatus } from '@keel/framework/contracts'
import {
  CodeEntityPermissions,
  HsCodeAppService,
  HubErrors,
  OrderAppService,
  PackLineAppService,
  ReferenceDataPermissions,
} from '@keel/hub/contracts'
import { OperationsManager, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments, codeId, storedRow } from '../support/hub-rows.js'
import { csvOf, dryRun, imported, upload } from '../support/imports.js'
import { faultyMembers, send } from '../support/wire.js'

const header = 'section,hscode,description,parent,level'
/** Rows of the data set, whose texts have commas and semicolons, and whose last row is the sum of all goods. */
const file = () =>
  csvOf(
    header,
    'I,01,Animals; live,TOTAL,2',
    'I,0101,"Horses, asses, mules and hinnies; live",01,4',
    'I,010121,"Horses; live, pure-bred breeding animals",0101,6',
    'I,010129,"Horses; live, other than pure-bred breeding animals",0101,6',
    'I,010130,Asses; live,0101,6',
    'II,09,"Coffee, tea, mate and spices",TOTAL,2',
    'II,0901,"Coffee, whether or not roasted or decaffeinated; husks and skins; coffee substitutes containing coffee in any proportion ",09,4',
    'II,090111,Coffee; not roasted or decaffeinated,0901,6',
    'TOTAL,99,Commodities not specified according to kind,TOTAL,2',
    'TOTAL,9999,Commodities not specified according to kind,99,4',
    'TOTAL,999999,Commodities not specified according to kind,9999,6',
    'TOTAL,TOTAL,Total of all HS2022 commodities,TOTAL,5',
  )
const list = 'harmonized-system'

let app: App
let importer: AppCaller
let reader: AppCaller
let owner: AppCaller
let manager: AppCaller
let codes: HsCodeAppService
let buyerId: string
let supplierId: string
let number = 0

beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:PollMs': '100' })
  importer = await app.as({ permissions: [ReferenceDataPermissions.Import, CodeEntityPermissions.View] })
  reader = await app.as({ permissions: [CodeEntityPermissions.View] })
  owner = await app.as({ roles: [SuperUser] })
  manager = await app.as({ roles: [OperationsManager] })
  codes = owner.service(HsCodeAppService)
  buyerId = await addOrganization(app, 'HSBUYER')
  supplierId = await addOrganization(app, 'HSSELLER')
})
afterAll(() => app?.close())

const idOf = async (code: string) => {
  const found = (await codes.getList({ filter: code })).items.find((one) => one.code === code)
  return found?.id ?? ''
}
const codesOf = (rows: readonly { readonly code: string }[]) => rows.map(({ code }) => code)
const find = async (filter: string) => codesOf((await codes.getList({ filter, maxResultCount: 100 })).items)
const keysOf = ({ faults }: Pick<ImportDto, 'faults'>) =>
  (faults ?? []).map(({ row, column, code }) => [row, column, code])
const line = (lineNumber: number, hsCode: string | null) => ({
  ...{ lineNumber, productCode: `SKU-${lineNumber}`, quantity: '1', unitCode: 'C62' },
  hsCode,
})
const order = (...hsCodes: (string | null)[]) => ({
  ...{ orderNumber: `HS-${++number}`, orderDate: '2026-11-01', currencyCode: 'EUR', buyerId, supplierId },
  lines: hsCodes.map((code, index) => line(index + 1, code)),
})
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    ({ status, code, data }) => [status, code, data],
  )

/** An order and a line of cargo with codes that no list has, from before any list was imported. */
let early: { orderId: string; packLineId: string; shipmentId: string }

test('while no list was imported every code is taken', async () => {
  const { id: orderId } = await manager.service(OrderAppService).create(order('010199', '7777', '84'))
  const [shipmentId = ''] = await addShipments(app, [{}])
  const { id: packLineId } = await manager.service(PackLineAppService).create({
    shipmentId,
    ...{ lineNumber: 1, packageCount: 1, packageTypeId: codeId('PackageType', 'CT'), grossWeightKg: 1 },
    hsCode: '010199',
  })
  early = { orderId, packLineId, shipmentId }
})

test('a file of the Harmonized System is checked by a dry run, written by another, and changes nothing the second time', async () => {
  const counts = {
    status: ImportStatus.Completed,
    rowCount: 11,
    insertedCount: 11,
    updatedCount: 0,
    faults: [],
  }
  expect(await imported(importer, list, file(), dryRun)).toMatchObject(counts)
  expect(await find('01')).toEqual([])
  expect(await imported(importer, list, file())).toMatchObject(counts)
  expect(await imported(importer, list, file())).toMatchObject({ ...counts, insertedCount: 0 })
  const heading = await codes.get(await idOf('0901'))
  expect(heading).toMatchObject({
    code: '0901',
    description:
      'Coffee, whether or not roasted or decaffeinated; husks and skins; coffee substitutes containing coffee in any proportion',
    level: 4,
    sectionCode: 'II',
    parentId: await idOf('09'),
  })
})

test('a later edition changes descriptions, and codes that it lacks stay', async () => {
  const counts = { rowCount: 2, insertedCount: 1, updatedCount: 1 }
  // As a spreadsheet leaves it: without the zeros in front.
  const edition = csvOf(header, 'I,10130,Asses; live and well,101,6', 'I,10190,Mules and hinnies; live,101,6')
  expect(await imported(importer, list, edition)).toMatchObject(counts)
  expect(await find('0101.30')).toEqual(['010130'])
  expect((await codes.get(await idOf('010130'))).description).toBe('Asses; live and well')
  expect(await find('010121')).toEqual(['010121'])
})

test('a faulty row is reported with its line and its column, and nothing is written', async () => {
  const faulty = csvOf(
    header,
    'I,02,Meat,TOTAL,2',
    'I,0201,Meat of bovine animals,03,4',
    'I,0202,Meat of bovine animals; frozen,02,6',
    'I,030111,Fish; live,0301,6',
    'I,02033,Meat of swine,0203,5',
    'I,0204,,02,4',
    ',0205,Meat of horses,02,4',
    'I,0201,Twice,02,4',
    'I,XX,Letters,TOTAL,2',
  )
  const report = await imported(importer, list, faulty)
  expect(report).toMatchObject({ status: ImportStatus.Refused, rowCount: 9 })
  expect(keysOf(report)).toEqual([
    [3, 'parentCode', 'Hub:Validation:HsParent'],
    [4, 'level', 'Hub:Validation:HsLevel'],
    [5, 'code', 'Hub:Validation:NoSuchHsParent'],
    [6, 'code', 'Hub:Validation:HsCode'],
    [7, 'description', 'Validation:Required'],
    [8, 'sectionCode', 'Validation:Required'],
    [9, 'code', 'Import:RowTwice'],
    [10, 'code', 'Hub:Validation:HsCode'],
  ])
  expect(await find('02')).toEqual([])
})

test('only holders of ReferenceData.Import import the list', async () => {
  expect((await upload(owner, list, file(), dryRun)).status).toBe(200)
  expect((await upload(manager, list, file(), dryRun)).status).toBe(403)
})

describe('a code', () => {
  test('is found by its digits, or by words in any order, form and case', async () => {
    expect(await find('0101')).toEqual(['0101', '010121', '010129', '010130', '010190'])
    expect(await find('01 01.2')).toEqual(['010121', '010129'])
    expect(await find('breeding HORSE')).toEqual(['010121', '010129'])
    expect(await find('decaf roast')).toEqual(['0901', '090111'])
    expect(await find('horses coffee')).toEqual([])
    for (const text of ['%', "'", '& | ! :*', '(', 'the']) expect(await find(text)).toEqual([])
  })

  test('is offered by the same searches to everybody who is signed in', async () => {
    const nobody = await app.as({ permissions: [] })
    const { body } = await send(nobody, 'GET', '/api/hub/hs-code/lookup?filter=live%20ass')
    expect(body).toMatchObject([
      { code: '0101', name: 'Horses, asses, mules and hinnies; live' },
      { code: '010130', name: 'Asses; live and well' },
    ])
  })

  test('has the codes right below it as its children', async () => {
    const chapter = await idOf('01')
    expect(codesOf(await codes.getChildren(chapter))).toEqual(['0101'])
    expect(codesOf(await codes.getChildren(await idOf('0101')))).toEqual([
      '010121',
      '010129',
      '010130',
      '010190',
    ])
    expect(await codes.getChildren(await idOf('010130'))).toEqual([])
    await expect(codes.getChildren('00000000-0000-4000-8000-000000000001')).rejects.toMatchObject({
      status: 404,
    })
    expect(codesOf((await codes.getList({ level: 2 })).items)).toEqual(['01', '09', '99'])
    expect(codesOf((await codes.getList({ parentId: chapter })).items)).toEqual(['0101'])
  })

  test('is created below the code that its digits name, which has to be there', async () => {
    const created = await codes.create({
      code: '0102',
      description: 'Bovine animals; live',
      sectionCode: 'I',
    })
    expect(created).toMatchObject({ level: 4, parentId: await idOf('01') })
    const again = { code: '0102', description: 'Twice', sectionCode: 'I' }
    await expect(codes.create(again)).rejects.toMatchObject({ code: HubErrors.HsCodeAlreadyExists })
    for (const code of ['0301', '010399', '123', 'AB']) {
      const answer = await send(owner, 'POST', '/api/hub/hs-code', { ...again, code })
      expect([answer.status, faultyMembers(answer)]).toEqual([400, ['code']])
    }
    expect((await send(reader, 'POST', '/api/hub/hs-code', { ...again, code: '0103' })).status).toBe(403)
    const moved = await codes.update(created.id, { ...again, code: '9901' })
    expect(moved).toMatchObject({ code: '9901', description: 'Twice', parentId: await idOf('99') })
  })

  test('that has others below it, or stands on a line, keeps its digits', async () => {
    await manager.service(OrderAppService).create(order('010130'))
    for (const code of ['0101', '010130']) {
      const { id: _, ...row } = await codes.get(await idOf(code))
      const change = { ...row, code: '0199' }
      await expect(codes.update(await idOf(code), change)).rejects.toMatchObject({
        status: 403,
        code: HubErrors.HsCodeInUse,
      })
      expect(await codes.update(await idOf(code), { ...row, sectionCode: 'XX' })).toMatchObject({
        sectionCode: 'XX',
      })
    }
  })
})

describe('a line', () => {
  const orders = () => manager.service(OrderAppService)
  const packLines = () => manager.service(PackLineAppService)

  test('takes no code that the list lacks, once it has the chapter', async () => {
    expect(await refusal(orders().create(order('010121', '010122')))).toEqual([
      403,
      HubErrors.HsCodeInvalid,
      { code: '010122', member: 'lines[1].hsCode' },
    ])
    const { id } = await orders().create(order('010121', '0101', '01', null, '847130', '84'))
    expect((await orders().getLines(id)).map(({ hsCode }) => hsCode)).toEqual([
      ...['010121', '0101', '01', null],
      ...['847130', '84'],
    ])
    const pack = {
      shipmentId: early.shipmentId,
      ...{ lineNumber: 2, packageCount: 1, packageTypeId: codeId('PackageType', 'CT'), grossWeightKg: 1 },
    }
    expect(await refusal(packLines().create({ ...pack, hsCode: '010122' }))).toEqual([
      403,
      HubErrors.HsCodeInvalid,
      { code: '010122', member: 'hsCode' },
    ])
    expect(await packLines().create({ ...pack, hsCode: '847130' })).toMatchObject({ hsCode: '847130' })
  })

  test('keeps the code that it has, and can be changed', async () => {
    const { orderId, packLineId } = early
    const lines = await orders().setLines(orderId, {
      lines: [line(1, '7777'), { ...line(2, '010199'), quantity: '5' }],
    })
    expect(lines.map(({ hsCode }) => hsCode)).toEqual(['7777', '010199'])
    expect(await packLines().update(packLineId, { grossWeightKg: 2, hsCode: '010199' })).toMatchObject({
      grossWeightKg: 2,
      hsCode: '010199',
    })
    expect(await refusal(packLines().update(packLineId, { hsCode: '010198' }))).toEqual([
      403,
      HubErrors.HsCodeInvalid,
      { code: '010198', member: 'hsCode' },
    ])
    expect(await packLines().update(packLineId, { hsCode: '010129' })).toMatchObject({ hsCode: '010129' })
  })

  test('takes no code that was deactivated', async () => {
    const id = await idOf('090111')
    await codes.delete(id)
    expect(await storedRow(app, 'HubHsCodes', id)).toMatchObject({ IsActive: false })
    expect(await find('090111')).toEqual([])
    expect(await refusal(orders().create(order('090111')))).toEqual([
      403,
      HubErrors.HsCodeInvalid,
      { code: '090111', member: 'lines[0].hsCode' },
    ])
    await codes.update(id, { code: '090111', description: 'Coffee', sectionCode: 'II', isActive: true })
    await orders().create(order('090111'))
  })

  test('of a row that another system sends is refused in the same way', async () => {
    const sent = { ...order('010122'), externalId: 'HS-EXT' }
    const answer = await send(manager, 'PUT', '/api/hub/order/by-external-id/many', { rows: [sent] })
    expect(answer.body.rows).toMatchObject([{ outcome: 3, faults: [{ code: HubErrors.HsCodeInvalid }] }])
  })
})

test('codes are an entity set with the codes above and below', async () => {
  const query =
    "/odata/HsCodes?$filter=Level eq 4 and startswith(Code,'01')&$select=Code&$expand=Parent($select=Code),Children($select=Code;$orderby=Code;$top=2)"
  const { body } = await send(reader, 'GET', query)
  expect(body.value).toMatchObject([
    { Code: '0101', Parent: { Code: '01' }, Children: [{ Code: '010121' }, { Code: '010129' }] },
  ])
  const above = await send(reader, 'GET', "/odata/HsCodes/$count?$filter=Parent/Parent/Code eq '01'")
  expect(above.text).toBe('4')
  expect(
    (await send(reader, 'GET', '/odata/HsCodes?$search=hinnies&$select=Code&$orderby=Code')).body.value,
  ).toMatchObject([{ Code: '0101' }, { Code: '010190' }])
  const nobody = await app.as({ permissions: [] })
  expect((await send(nobody, 'GET', '/odata/HsCodes')).status).toBe(403)
})
