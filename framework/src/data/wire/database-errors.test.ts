import { expect, test } from 'vitest'
import { BusinessError, ConcurrencyError, UnavailableError, ValidationError } from '../../contracts/errors.js'
import type { EntityMeta } from '../entities/entity.js'
import { alreadyExists, inUse, translateWriteError } from '../stores/write-errors.js'
import { asUnavailable } from './unavailable.js'

const entity = {
  name: 'Shipment',
  conflicts: { IX_Reference: 'Hub:ReferenceAlreadyExists' },
} as unknown as EntityMeta
/** What a refusal by PostgreSQL means, as it comes from Sequelize. */
const translate = (refusal: object): unknown => translateWriteError({ parent: refusal }, entity)
const taken = (detail: string, constraint = 'IX_Reference') =>
  translate({ code: '23505', constraint, detail })

test('a broken unique index is the entity’s own conflict, with the values it is about', () => {
  expect(taken('Key ("ShipmentReference")=(S-1) already exists.')).toMatchObject({
    constructor: BusinessError,
    code: 'Hub:ReferenceAlreadyExists',
    data: { entity: 'Shipment', shipmentReference: 'S-1' },
  })
})

test('a broken unique index without a code of its own is a general conflict', () => {
  expect(taken('Key ("Code")=(X) already exists.', 'IX_Other')).toMatchObject({
    code: alreadyExists,
    data: { code: 'X' },
  })
})

test('the tenant is no part of what a conflict tells', () => {
  expect(
    (taken('Key ("TenantId", "ShipmentReference")=(null, S-1) already exists.') as BusinessError).data,
  ).toEqual({
    entity: 'Shipment',
    shipmentReference: 'S-1',
  })
})

test('a value with a comma is told whole', () => {
  expect(
    (taken('Key ("TenantId", "ShipmentReference")=(null, A, B) already exists.') as BusinessError).data,
  ).toEqual({
    entity: 'Shipment',
    shipmentReference: 'A, B',
  })
})

test('a conflict without a detail tells the entity alone', () => {
  expect((translate({ code: '23505' }) as BusinessError).data).toEqual({ entity: 'Shipment' })
})

test('a row that others refer to is in use', () => {
  const detail = 'Key (Id)=(1) is still referenced from table "HubOrders".'
  expect(
    translate({ code: '23503', constraint: 'FK_HubOrders_HubShipments_ShipmentId', detail }),
  ).toMatchObject({
    constructor: BusinessError,
    code: inUse,
    data: { entity: 'Shipment' },
  })
})

test.each([
  [
    {
      code: '23503',
      constraint: 'FK_HubShipments_HubPorts_OriginPortId',
      detail: 'Key is not present in table "HubPorts".',
    },
    { text: { key: 'Validation:NoSuchEntity' }, members: ['originPortId'] },
  ],
  [
    { code: '23502', column: 'ShipmentReference' },
    { text: { key: 'Validation:Required' }, members: ['shipmentReference'] },
  ],
  [
    { code: '23514', constraint: 'CK_HubShipments_TotalPackages' },
    { text: { key: 'Validation:OutOfRange' }, members: ['totalPackages'] },
  ],
])('what a key or check refuses is a fault of its member: %j', (refusal, fault) => {
  expect(translate(refusal)).toMatchObject({ constructor: ValidationError, validationErrors: [fault] })
})

test.each(['40001', '40P01'])('the conflict of transactions %s is a concurrency error', (code) => {
  expect(translate({ code })).toBeInstanceOf(ConcurrencyError)
})

test('an error of pg itself is understood as well', () => {
  expect(translateWriteError({ code: '40001' }, entity)).toBeInstanceOf(ConcurrencyError)
})

test('the cause is kept', () => {
  const error = { parent: { code: '40001' } }
  expect((translateWriteError(error, entity) as Error).cause).toBe(error)
})

test('what keeps a pooler from the server is told as a database that is not available', () => {
  const fault = Object.assign(new Error('server login has been failing'), { code: '08P01' })
  expect(asUnavailable({ ...fault, severity: 'FATAL' }, 'Hub')).toBeInstanceOf(UnavailableError)
  const mistake = { ...fault, severity: 'ERROR' }
  expect(asUnavailable(mistake, 'Hub')).toBe(mistake)
})

test('everything else stays what it is', () => {
  const error = new Error('x')
  expect(translateWriteError(error, entity)).toBe(error)
})
