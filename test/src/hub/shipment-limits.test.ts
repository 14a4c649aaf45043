import { sql } from '@keel/framework/data'
import { OrganizationPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { countRows } from '../support/hub-rows.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

const shipment = '/api/hub/shipment'
const { View, Create, Edit, ViewGoodsValue } = ShipmentPermissions

let app: App
let caller: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  caller = await app.as({
    permissions: [View, Create, Edit, ViewGoodsValue, OrganizationPermissions.AccessAll],
  })
})
afterAll(() => app.close())

const tooMany = 2147483648
const notGuid = 'NLRTM'
/** A value that breaks one limit of CreateShipmentDto, by the member it is in. */
const violations: readonly (readonly [member: string, value: unknown])[] = [
  ['shipmentReference', undefined],
  ['shipmentReference', null],
  ['shipmentReference', ''],
  ['shipmentReference', '   '],
  ['shipmentReference', 'x'.repeat(101)],
  ['shipmentReference', 7],
  ['estimatedDeparture', 'tomorrow'],
  ['estimatedArrival', '2026-02-29'],
  ['cargoReadyDate', 'soon'],
  ['estimatedPickup', 20261201],
  ['firstConsolLegDeparturePortId', notGuid],
  ['lastConsolLegArrivalPortId', 12],
  ['transportModeId', 'Air'],
  ['containerModeId', ''],
  ['incotermId', '0000'],
  ['serviceLevelId', true],
  ['cargoDescription', 'x'.repeat(501)],
  ['cargoDescription', 5],
  ['totalPackages', -1],
  ['totalPackages', tooMany],
  ['totalPackages', 1.5],
  ['totalPackages', 'many'],
  ['totalGrossWeight', -0.001],
  ['totalGrossWeight', 'heavy'],
  ['totalGrossWeight', 1.7e308],
  ['totalVolume', -1],
  ['totalVolume', 1.1e30],
  ['goodsValue', -0.01],
  ['goodsValue', 1.005],
  ['goodsValue', '12345678901234567'],
  ['goodsValue', 'a lot'],
  ['goodsCurrencyCode', 'eur'],
  ['goodsCurrencyCode', 'EURO'],
  ['addresses', {}],
  ['addresses', Array.from({ length: 31 }, () => ({ role: 2, companyName: 'Company' }))],
]

/** A value that breaks one limit of a party, by the member it is in. */
const partyViolations: readonly (readonly [member: string, value: unknown])[] = [
  ['role', undefined],
  ['role', 15],
  ['sequence', -1],
  ['sequence', 32768],
  ['organizationId', 'ACME'],
  ['companyName', ''],
  ['companyName', 'x'.repeat(201)],
  ['addressLine1', 'x'.repeat(201)],
  ['addressLine2', 'x'.repeat(201)],
  ['city', 'x'.repeat(101)],
  ['stateProvince', 'x'.repeat(101)],
  ['postalCode', 'x'.repeat(21)],
  ['countryCode', 'NLD'],
  ['contactName', 'x'.repeat(101)],
  ['phone', 'x'.repeat(51)],
  ['email', 'nobody'],
  ['email', `${'x'.repeat(250)}@example.com`],
  ['taxNumber', 'x'.repeat(31)],
]

/** A shipment at every limit. */
const atTheLimits = {
  estimatedDeparture: '9999-12-31T23:59:59.999Z',
  estimatedArrival: '0001-01-01',
  cargoDescription: 'x'.repeat(500),
  totalPackages: tooMany - 1,
  totalGrossWeight: 1e30,
  totalVolume: 0,
  goodsCurrencyCode: 'EUR',
}

function isEnvelope({ headers, body }: Answer): boolean {
  const members = ['code', 'message', 'details', 'data', 'validationErrors']
  return headers.get('_AbpErrorFormat') === 'true' && members.every((member) => member in body.error)
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 40)
const named = (rows: typeof violations) =>
  rows.map(([member, value]) => ({ member, value, shown: shown(value) }))

describe('creating a shipment', () => {
  test.for(named(violations))(
    'with $shown as $member answers 400 and names that member alone',
    async ({ member, value }) => {
      const answer = await send(caller, 'POST', shipment, { shipmentReference: 'L-one', [member]: value })
      expect({
        status: answer.status,
        members: faultyMembers(answer),
        isEnvelope: isEnvelope(answer),
      }).toEqual({
        status: 400,
        members: [member],
        isEnvelope: true,
      })
    },
  )

  test.for(named(partyViolations))(
    'with a party whose $member is $shown answers 400 and names that member alone',
    async ({ member, value }) => {
      const party = { role: 'Consignor', companyName: 'Company', [member]: value }
      const values = { shipmentReference: 'L-party', addresses: [{ role: 2, companyName: 'Company' }, party] }
      const answer = await send(caller, 'POST', shipment, values)
      expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
        status: 400,
        members: [`addresses[1].${member}`],
      })
    },
  )

  test('with every limit broken at once answers 400 and names every member', async () => {
    const party = Object.fromEntries(partyViolations)
    const values = { ...Object.fromEntries(violations), addresses: [party] }
    const answer = await send(caller, 'POST', shipment, values)
    const members = violations.map(([member]) => member).filter((member) => member !== 'addresses')
    const ofParty = partyViolations.map(([member]) => `addresses[0].${member}`)
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: [...new Set([...members, ...ofParty])].sort(),
    })
  })

  test('with faults tells each of them in words, and all of them in the details', async () => {
    const values = { cargoDescription: 'x'.repeat(501), totalPackages: -1 }
    const { body } = await send(caller, 'POST', shipment, values)
    expect(body).toEqual({
      error: {
        code: null,
        message: 'Your request is not valid!',
        details: [
          'The following errors were detected during validation.',
          ' - shipmentReference: a value is required',
          ' - cargoDescription: the text must have at most 500 characters',
          ' - totalPackages: the value must be 0 or more',
        ].join('\n'),
        data: null,
        validationErrors: [
          {
            message: 'shipmentReference: a value is required',
            members: ['shipmentReference'],
          },
          {
            message: 'cargoDescription: the text must have at most 500 characters',
            members: ['cargoDescription'],
          },
          { message: 'totalPackages: the value must be 0 or more', members: ['totalPackages'] },
        ],
      },
    })
  })

  test('with faults stores nothing', async () => {
    await send(caller, 'POST', shipment, { shipmentReference: 'L-nothing', totalPackages: -1 })
    expect(await countRows(app, sql`"HubShipments" where "ShipmentReference" = 'L-nothing'`)).toBe(0)
  })

  test('at every limit is allowed', async () => {
    const values = { shipmentReference: 'x'.repeat(100), ...atTheLimits, goodsValue: '9999999999999999.99' }
    const { status, text } = await send(caller, 'POST', shipment, values)
    expect({ status, isExact: text.includes('"goodsValue":9999999999999999.99') }).toEqual({
      status: 200,
      isExact: true,
    })
  })

  test('at every lower limit is allowed', async () => {
    const values = { shipmentReference: 'x', cargoDescription: '', totalPackages: 0, totalGrossWeight: 0 }
    expect((await send(caller, 'POST', shipment, values)).body).toMatchObject(values)
  })

  test('with its reference alone is allowed', async () => {
    expect((await send(caller, 'POST', shipment, { shipmentReference: 'L-alone' })).status).toBe(200)
  })

  test('with null for whatever is optional is allowed', async () => {
    const members = [...new Set(violations.map(([member]) => member))].filter(
      (name) => name !== 'shipmentReference',
    )
    const values = Object.fromEntries(members.map((member) => [member, null]))
    expect((await send(caller, 'POST', shipment, { shipmentReference: 'L-null', ...values })).status).toBe(
      200,
    )
  })

  test('with members that nobody knows is allowed, and they are ignored', async () => {
    const values = { shipmentReference: 'L-unknown', colour: 'green', id: '1', status: 9, isDeleted: true }
    const { status, body } = await send(caller, 'POST', shipment, values)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 0, shipmentReference: 'L-unknown' },
    })
  })

  test.for([
    ['no body', undefined],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"shipment"'],
    ['a number', '1'],
  ] as const)('with %s as the body answers 400 in an envelope', async ([, body]) => {
    const answer = await send(caller, 'POST', shipment, body)
    expect({ status: answer.status, isEnvelope: isEnvelope(answer) }).toEqual({
      status: 400,
      isEnvelope: true,
    })
  })

  test.for(['{', '{"shipmentReference":', 'shipmentReference=1', '{"a":1}}'])(
    'with the broken JSON %j answers 400 in an envelope',
    async (body) => {
      const answer = await send(caller, 'POST', shipment, body)
      expect({ status: answer.status, isEnvelope: isEnvelope(answer) }).toEqual({
        status: 400,
        isEnvelope: true,
      })
    },
  )
})

describe('changing a shipment', () => {
  let path: string

  beforeAll(async () => {
    const { body } = await send(caller, 'POST', shipment, { shipmentReference: 'L-changed' })
    path = `${shipment}/${body.id}`
  })

  const ofUpdate = violations.filter(
    ([member, value]) => member !== 'addresses' && !(member === 'shipmentReference' && value === undefined),
  )
  const dates = ['estimatedDelivery', 'actualPickup', 'actualDeparture', 'actualArrival', 'actualDelivery']
  const further = [
    ...dates.map((date) => [date, 'soon'] as const),
    ['concurrencyStamp', 'x'.repeat(41)] as const,
  ]

  test.for(named([...ofUpdate, ...further]))(
    'with $shown as $member answers 400 and names that member alone',
    async ({ member, value }) => {
      const answer = await send(caller, 'PUT', path, { [member]: value })
      expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
        status: 400,
        members: [member],
      })
    },
  )

  test('with every limit broken at once answers 400 and names every member', async () => {
    const values = [...ofUpdate, ...further]
    const answer = await send(caller, 'PUT', path, Object.fromEntries(values))
    expect(faultyMembers(answer)).toEqual([...new Set(values.map(([member]) => member))].sort())
  })

  test('at every limit, and without its reference, is allowed', async () => {
    const { status, body } = await send(caller, 'PUT', path, { ...atTheLimits, goodsValue: 1 })
    expect({ status, reference: body.shipmentReference }).toEqual({ status: 200, reference: 'L-changed' })
  })
})

test('no weights of one caller keep others from sums over all shipments', async () => {
  const departing = { estimatedDeparture: '2031-05-01T00:00:00Z', totalGrossWeight: 1e30, totalVolume: 1e30 }
  for (const shipmentReference of ['L-heavy-1', 'L-heavy-2'])
    expect((await send(caller, 'POST', shipment, { ...departing, shipmentReference })).status).toBe(200)
  const { status, body } = await send(caller, 'GET', `${shipment}/statistics?from=2031-01-01&to=2031-12-31`)
  expect([status, body[0]?.totalGrossWeight]).toEqual([200, 2e30])
})

test('a body of more than a megabyte answers 413 in an envelope', async () => {
  const answer = await send(caller, 'POST', shipment, { shipmentReference: 'x'.repeat(1024 * 1024) })
  expect({ status: answer.status, isEnvelope: isEnvelope(answer) }).toEqual({ status: 413, isEnvelope: true })
})

test('a body that is no JSON answers 415 in an envelope', async () => {
  const body = new URLSearchParams({ shipmentReference: 'L-form' })
  const response = await caller.fetch(shipment, { method: 'POST', body })
  expect({ status: response.status, format: response.headers.get('_AbpErrorFormat') }).toEqual({
    status: 415,
    format: 'true',
  })
})
