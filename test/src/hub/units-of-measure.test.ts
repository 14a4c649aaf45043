import { namedGuid } from '@keel/framework/data'
import {
  CodeEntityPermissions,
  HubErrors,
  OrderAppService,
  UnitOfMeasureAppService,
  UnitQuantity,
} from '@keel/hub/contracts'
import { OperationsManager, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization } from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

const path = '/api/hub/unit-of-measure'
const idOf = (code: string) => namedGuid(`UnitOfMeasure:${code}`)

let app: App
let owner: AppCaller
let reader: AppCaller
let units: UnitOfMeasureAppService

beforeAll(async () => {
  app = await startApp()
  owner = await app.as({ roles: [SuperUser] })
  reader = await app.as({ permissions: [CodeEntityPermissions.View] })
  units = owner.service(UnitOfMeasureAppService)
})
afterAll(() => app?.close())

describe('a unit', () => {
  const teu = { code: 'TEU', name: 'Twenty-foot unit', quantity: UnitQuantity.Count, factorToBase: '1' }

  test('is created, without offset unless it says one', async () => {
    const created = await units.create(teu)
    expect(created).toMatchObject({ ...teu, symbol: null, offsetToBase: '0' })
    await expect(units.create(teu)).rejects.toMatchObject({
      status: 403,
      code: HubErrors.UnitAlreadyExists,
      message: 'There is a unit with the code TEU already.',
    })
  })

  test('must keep to the limits', async () => {
    const values = { code: 'kg', name: ' ', quantity: 6, factorToBase: 0, offsetToBase: '1e3' }
    const answer = await send(owner, 'POST', path, values)
    expect([answer.status, faultyMembers(answer)]).toEqual([
      400,
      ['code', 'factorToBase', 'name', 'offsetToBase', 'quantity'],
    ])
  })

  test('keeps all sixteen digits of its factor', async () => {
    const { text } = await send(reader, 'GET', `${path}/${idOf('OZA')}`)
    expect(text).toContain('"factorToBase":0.0000295735295625')
  })

  test('that a line is counted in keeps what it measures, and may change its name', async () => {
    const manager = await app.as({ roles: [OperationsManager] })
    await manager.service(OrderAppService).create({
      orderNumber: 'UNITS-1',
      orderDate: '2026-11-01',
      currencyCode: 'EUR',
      buyerId: await addOrganization(app, 'UNITBUYER'),
      supplierId: await addOrganization(app, 'UNITSELLER'),
      lines: [{ lineNumber: 1, productCode: 'SKU-1', quantity: '3', unitCode: 'STN' }],
    })
    const { id, ...unit } = await units.get(idOf('STN'))
    for (const change of [
      { code: 'STX' },
      { factorToBase: '907' },
      { offsetToBase: '1' },
      { quantity: UnitQuantity.Count },
    ])
      await expect(units.update(id, { ...unit, ...change })).rejects.toMatchObject({
        status: 403,
        code: HubErrors.UnitInUse,
      })
    const factorToBase = '907.1847400000'
    expect(await units.update(id, { ...unit, factorToBase, name: 'ton (US)' })).toMatchObject({
      code: 'STN',
      name: 'ton (US)',
    })
    expect(await units.update(idOf('STI'), { ...unit, code: 'STY' })).toMatchObject({ code: 'STY' })
  })

  test('that is deleted is offered no more, and still converted', async () => {
    await units.delete(idOf('CWI'))
    expect(await units.getLookup({ filter: 'CWI' })).toEqual([])
    expect(await units.convert({ value: 2, from: 'CWI', to: 'KGM' })).toMatchObject({
      value: '101.60469088',
      unitCode: 'KGM',
    })
  })

  test('is written by holders of CodeEntity permissions, and picked by everybody', async () => {
    const nobody = await app.as({ permissions: [] })
    expect((await send(nobody, 'GET', `${path}/lookup?filter=KGM`)).body).toEqual([
      { id: idOf('KGM'), code: 'KGM', name: 'kilogram' },
    ])
    expect((await send(nobody, 'GET', path)).status).toBe(403)
    expect((await send(nobody, 'POST', `${path}/convert`, { value: 1, from: 'KGM', to: 'LBR' })).status).toBe(
      403,
    )
    expect((await send(reader, 'POST', path, teu)).status).toBe(403)
  })

  test('is listed by its quantity, and by a part of code, name or symbol', async () => {
    const { items } = await units.getList({
      quantity: UnitQuantity.Mass,
      filter: 'gram',
      maxResultCount: 100,
    })
    expect(items.map(({ code }) => code)).toEqual(['CGM', 'GRM', 'HGM', 'KGM', 'MC', 'MGM'])
    expect((await units.getList({ filter: 'ft³' })).items.map(({ code }) => code)).toEqual(['FTQ'])
  })
})

describe('a value', () => {
  test('is converted exactly, as a number with all of its digits', async () => {
    const { text } = await send(reader, 'POST', `${path}/convert`, { value: 100, from: 'FTQ', to: 'MTQ' })
    expect(text).toContain('"value":2.8316846592')
    const fever = await send(reader, 'POST', `${path}/convert`, { value: '98.6', from: 'FAH', to: 'CEL' })
    expect(fever.body).toEqual({ value: 37, unitCode: 'CEL' })
  })

  test('is not converted to a unit of another quantity', async () => {
    const answer = await send(reader, 'POST', `${path}/convert`, { value: 1, from: 'KGM', to: 'MTQ' })
    expect([answer.status, answer.body.error]).toMatchObject([
      403,
      {
        code: HubErrors.UnitQuantityMismatch,
        message: 'KGM and MTQ measure different quantities and can not be converted.',
        data: { from: 'KGM', fromQuantity: 'Mass', to: 'MTQ', toQuantity: 'Volume' },
      },
    ])
  })

  test('is not converted from or to a unit that does not exist', async () => {
    const answer = await send(reader, 'POST', `${path}/convert`, { value: 1, from: 'QQ1', to: 'QQ2' })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['from', 'to']])
  })
})

test('units are an entity set', async () => {
  const query =
    "$filter=Quantity eq 'Length' and FactorToBase gt 1000&$orderby=FactorToBase&$select=Code,FactorToBase"
  expect((await send(reader, 'GET', `/odata/UnitsOfMeasure?${query}`)).body.value).toMatchObject([
    { Code: 'SMI', FactorToBase: 1609.344 },
    { Code: 'NMI', FactorToBase: 1852 },
  ])
  const nobody = await app.as({ permissions: [] })
  expect((await send(nobody, 'GET', '/odata/UnitsOfMeasure')).status).toBe(403)
})

test('lines of orders take codes of units that the list lacks', async () => {
  const staff = await app.as({ roles: [OperationsManager] })
  const orders = staff.service(OrderAppService)
  const codes = ['PCE', 'ZZ9', 'X1']
  const { id } = await orders.create({
    orderNumber: 'UNITS-2',
    orderDate: '2026-11-01',
    currencyCode: 'EUR',
    buyerId: await addOrganization(app, 'UNITBUYER2'),
    supplierId: await addOrganization(app, 'UNITSELLER2'),
    lines: codes.map((unitCode, index) => ({
      ...{ lineNumber: index + 1, productCode: 'SKU', quantity: '1' },
      unitCode,
    })),
  })
  expect((await orders.getLines(id)).map(({ unitCode }) => unitCode)).toEqual(codes)
})
