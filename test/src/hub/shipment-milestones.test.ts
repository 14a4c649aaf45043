import {
  AddressRole,
  HubErrors,
  MilestoneCode,
  Severity,
  ShipmentAppService,
  ShipmentExceptionAppService,
  ShipmentMilestoneAppService,
  ShipmentStatus,
} from '@keel/hub/contracts'
import { CustomerAdmin, OperationsManager, Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrganization,
  addShipments,
  codeId,
  containerId,
  modeId,
  portId,
  type ShipmentRow,
} from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

const nowhere = '00000000-0000-4000-8000-000000000001'
const route = '/api/hub/shipment-milestone'
const hourMs = 3_600_000
const ago = (hours: number): string => new Date(Date.now() - hours * hourMs).toISOString()

let app: App
let staff: AppCaller
let customer: AppCaller
let stranger: AppCaller
let shipments: ShipmentAppService
let milestones: ShipmentMilestoneAppService
let acme: string
let other: string

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  acme = await addOrganization(app, 'ACME')
  other = await addOrganization(app, 'OTHER')
  staff = await app.as({ roles: [Operator] })
  customer = await app.as({ roles: [CustomerAdmin], organizations: ['ACME'] })
  stranger = await app.as({
    permissions: ['Shipment.View', 'Shipment.Edit', 'Shipment.ChangeStatus'],
    organizations: ['OTHER'],
  })
  shipments = staff.service(ShipmentAppService)
  milestones = staff.service(ShipmentMilestoneAppService)
})
afterAll(() => app?.close())

/** A shipment of ACME that can be booked. */
async function bookable(row: ShipmentRow = {}, ...roles: readonly AddressRole[]): Promise<string> {
  const parties = [AddressRole.Consignor, AddressRole.Consignee, ...roles].map((role) => ({
    role,
    organizationId: acme,
  }))
  const values = {
    TransportModeId: modeId('Sea'),
    ContainerModeId: containerId('FCL'),
    FirstConsolLegDeparturePortId: portId('CNSHA'),
    LastConsolLegArrivalPortId: portId('NLRTM'),
    EstimatedDeparture: '2027-01-01T00:00:00Z',
    EstimatedArrival: '2027-02-01T00:00:00Z',
    BookingReference: 'BK',
  }
  return (await addShipments(app, [{ ...values, parties, ...row }]))[0] as string
}
const of = async (shipmentId: string) => (await milestones.getList({ shipmentId, maxResultCount: 50 })).items
const codesOf = async (shipmentId: string) =>
  (await of(shipmentId)).map(({ code }) => MilestoneCode[code]).join(' ')
const reachedOf = async (shipmentId: string) =>
  (await of(shipmentId)).filter(({ actualTime }) => actualTime).map(({ code }) => MilestoneCode[code])

describe('a booking plans the milestones of its transport mode', () => {
  test.for([
    ['Sea', 'FCL', [], 'BKD BKC CRD GIN LOD DEP ARV DIS CCI GOU DLV EMR'],
    ['Sea', 'LCL', [], 'BKD BKC CRD GIN LOD DEP ARV DIS CCI GOU DLV'],
    ['Sea', 'LCL', [AddressRole.PickupFrom], 'BKD BKC CRD PUP GIN LOD DEP ARV DIS CCI GOU DLV'],
    ['Air', 'LSE', [], 'BKD BKC CRD GIN DEP ARV DIS CCI DLV'],
    ['Road', 'FTL', [], 'BKD BKC CRD GIN DEP ARV CCI DLV'],
  ] as const)('%s, %s, %j: %s', async ([mode, container, roles, expected]) => {
    const id = await bookable(
      { TransportModeId: modeId(mode), ContainerModeId: containerId(container) },
      ...roles,
    )
    await shipments.book(id, {})
    expect(await codesOf(id)).toBe(expected)
    expect(await reachedOf(id)).toEqual(['BKD'])
  })

  test('with ports and dates of the shipment, which the estimated times follow', async () => {
    const id = await bookable()
    await shipments.book(id, {})
    const departure = async () => (await of(id)).find(({ code }) => code === MilestoneCode.DEP)
    const planned = new Date('2027-01-01T00:00:00Z')
    expect(await departure()).toMatchObject({
      port: { unLocode: 'CNSHA' },
      plannedTime: planned,
      estimatedTime: planned,
    })
    await shipments.update(id, { estimatedDeparture: '2027-01-05T00:00:00Z' })
    expect(await departure()).toMatchObject({
      plannedTime: planned,
      estimatedTime: new Date('2027-01-05T00:00:00Z'),
    })
  })
})

test('actions reach their milestones, and a cancellation removes those that are open', async () => {
  const id = await bookable()
  await shipments.book(id, {})
  await shipments.confirm(id, {})
  await shipments.receiveCargo(id, { actualTime: ago(50) })
  await shipments.depart(id, { actualTime: ago(40), portId: portId('CNNGB') })
  await shipments.arrive(id, { actualTime: ago(30) })
  await shipments.clearCustoms(id, {})
  await shipments.deliver(id, {})
  expect(await reachedOf(id)).toEqual(['BKD', 'BKC', 'GIN', 'DEP', 'ARV', 'CCI', 'DLV'])
  expect((await of(id)).find(({ code }) => code === MilestoneCode.DEP)?.port?.unLocode).toBe('CNNGB')
  expect((await shipments.get(id)).milestones).toHaveLength(12)
  const cancelled = await bookable()
  await shipments.book(cancelled, {})
  await shipments.cancel(cancelled, { reason: 'Test' })
  expect(await codesOf(cancelled)).toBe('BKD')
})

test('a pick-up from a door is reached when the cargo is received, and one without a milestone gets it', async () => {
  const door = await bookable({}, AddressRole.PickupFrom)
  await shipments.book(door, {})
  await shipments.confirm(door, {})
  await shipments.receiveCargo(door, {})
  expect(await reachedOf(door)).toEqual(['BKD', 'BKC', 'PUP'])
  const old = await bookable({ Status: ShipmentStatus.InTransit })
  await shipments.arrive(old, {})
  expect(await codesOf(old)).toBe('ARV')
})

describe('milestones', () => {
  test('are added, changed, reached and deleted by staff, each once', async () => {
    const shipmentId = await bookable()
    const body = { shipmentId, code: MilestoneCode.TSA, portId: portId('SGSIN') }
    const created = await milestones.create(body)
    expect(created).toMatchObject({
      sequence: 80,
      port: { unLocode: 'SGSIN' },
      isCustomerVisible: true,
      actualTime: null,
    })
    await expect(milestones.create(body)).rejects.toMatchObject({ code: HubErrors.MilestoneAlreadyExists })
    expect((await milestones.setActual(created.id, {})).actualTime).toBeInstanceOf(Date)
    await expect(milestones.setActual(created.id, { time: ago(-25) })).rejects.toMatchObject({
      code: HubErrors.ActualTimeInFuture,
    })
    expect((await milestones.update(created.id, { actualTime: null })).actualTime).toBeNull()
    expect(faultyMembers(await send(staff, 'POST', route, { ...body, portId: nowhere }))).toEqual(['portId'])
    expect((await send(customer, 'POST', route, body)).status).toBe(403)
    expect((await send(customer, 'POST', `${route}/${created.id}/set-actual`, {})).status).toBe(403)
    await milestones.delete(created.id)
    await expect(milestones.get(created.id)).rejects.toMatchObject({ status: 404 })
  })

  test('of others, and those for staff alone, are neither seen nor touched', async () => {
    const shipmentId = await bookable()
    const shown = await milestones.create({ shipmentId, code: MilestoneCode.LOD })
    const hidden = await milestones.create({ shipmentId, code: MilestoneCode.GOU, isCustomerVisible: false })
    const read = async (who: AppCaller) => [
      (await send(who, 'GET', `${route}/${shown.id}`)).status,
      (await send(who, 'GET', `${route}/${hidden.id}`)).status,
      (await send(who, 'GET', `${route}?shipmentId=${shipmentId}`)).body.totalCount,
      (await send(who, 'GET', `/odata/ShipmentMilestones?$filter=ShipmentId eq ${shipmentId}`)).body.value
        .length,
      (await send(who, 'GET', `/api/hub/shipment/${shipmentId}`)).body.milestones?.length,
      (await send(who, 'GET', `/api/hub/shipment/${shipmentId}/timeline`)).status,
    ]
    expect(await read(staff)).toEqual([200, 200, 2, 2, 2, 200])
    expect(await read(customer)).toEqual([200, 404, 1, 1, 1, 200])
    expect(await read(stranger)).toEqual([404, 404, 0, 0, undefined, 404])
    for (const [method, path] of [
      ['PUT', `${route}/${shown.id}`],
      ['DELETE', `${route}/${shown.id}`],
      ['POST', `${route}/${shown.id}/set-actual`],
    ] as const) {
      const body = method === 'DELETE' ? undefined : {}
      const [theirs, none] = [
        await send(stranger, method, path, body),
        await send(stranger, method, path.replace(shown.id, nowhere), body),
      ]
      expect([theirs.status, theirs.text]).toEqual([404, none.text.replaceAll(nowhere, shown.id)])
    }
  })

  test('go with their shipment', async () => {
    const shipmentId = await bookable()
    await milestones.create({ shipmentId, code: MilestoneCode.LOD })
    const manager = await app.as({ roles: [OperationsManager] })
    await manager.service(ShipmentAppService).delete(shipmentId)
    expect(await of(shipmentId)).toEqual([])
  })
})

test('a timeline merges milestones, status changes and exceptions by their time', async () => {
  const id = await bookable({ EstimatedDeparture: ago(10), EstimatedArrival: ago(-200) })
  await shipments.book(id, {})
  await shipments.confirm(id, {})
  await shipments.depart(id, { actualTime: ago(9), note: 'On time' })
  const exceptionTypeId = codeId('ExceptionType', 'DEL')
  await staff.service(ShipmentExceptionAppService).create({
    shipmentId: id,
    exceptionTypeId,
    severity: Severity.Critical,
    description: 'Storm',
    raisedTime: ago(5),
  })
  const entries = await customer.service(ShipmentAppService).getTimeline(id)
  expect(entries.map(({ time }) => time.getTime())).toEqual(
    entries.map(({ time }) => time.getTime()).sort((a, b) => a - b),
  )
  expect(entries.map(({ kind, value, isActual, text }) => [kind, value, isActual, text]).slice(0, 2)).toEqual(
    [
      ['Milestone', MilestoneCode.DEP, true, null],
      ['Exception', Severity.Critical, true, 'Storm'],
    ],
  )
  const changes = entries.filter(({ kind }) => kind === 'StatusChange')
  expect(changes.map(({ value, text }) => [ShipmentStatus[value], text])).toEqual([
    ['Booked', null],
    ['Confirmed', null],
    ['InTransit', 'On time'],
  ])
  expect(entries.at(-1)).toMatchObject({ kind: 'Milestone', value: MilestoneCode.ARV, isActual: false })
})

test('an arrival that moves to a day later or more is a delay, critical from three days on, of what is booked', async () => {
  const raised = async (Status: ShipmentStatus, estimatedArrival: string) => {
    const id = await bookable({ Status })
    await shipments.update(id, { estimatedArrival })
    const { items } = await staff.service(ShipmentExceptionAppService).getList({ shipmentId: id })
    return items.map(({ exceptionType, severity, delayHours }) => [exceptionType?.code, severity, delayHours])
  }
  const { Draft, Booked } = ShipmentStatus
  expect(await raised(Draft, '2027-02-09T00:00:00Z')).toEqual([])
  expect(await raised(Booked, '2027-02-01T23:00:00Z')).toEqual([])
  expect(await raised(Booked, '2027-01-01T00:00:00Z')).toEqual([])
  expect(await raised(Booked, '2027-02-02T00:00:00Z')).toEqual([['DEL', Severity.Warning, 24]])
  expect(await raised(Booked, '2027-02-04T00:00:00Z')).toEqual([['DEL', Severity.Critical, 72]])
})

describe('statistics', () => {
  const path = '/api/hub/shipment/statistics?from=2031-01-01&to=2031-03-01'

  beforeAll(async () => {
    const ours = [{ role: AddressRole.ControllingCustomer, organizationId: acme }]
    const theirs = [{ role: AddressRole.ControllingCustomer, organizationId: other }]
    const sea = {
      TransportModeId: modeId('Sea'),
      TotalPackages: 2,
      TotalGrossWeight: 10.5,
      Co2Emissions: 1,
      IsOnHold: false,
      IsDeleted: false,
    }
    await addShipments(app, [
      { ...sea, parties: ours, EstimatedDeparture: '2031-01-01T00:00:00Z' },
      { ...sea, parties: ours, EstimatedDeparture: '2031-02-28T23:59:59Z', IsOnHold: true, Status: 1 },
      { ...sea, parties: theirs, EstimatedDeparture: '2031-01-15T00:00:00Z', TransportModeId: modeId('Air') },
      { ...sea, parties: ours, EstimatedDeparture: '2031-03-01T00:00:00Z' },
      { ...sea, parties: ours, EstimatedDeparture: '2031-01-15T00:00:00Z', IsDeleted: true },
    ])
  })

  const groups = async (who: AppCaller, groupBy: string) =>
    (await send(who, 'GET', `${path}&groupBy=${groupBy}`)).body.map(
      ({ key, count, totalPackages, totalGrossWeight, onHold }: Record<string, unknown>) => [
        key,
        count,
        totalPackages,
        totalGrossWeight,
        onHold,
      ],
    )

  test('sum the shipments of the caller, from the first moment to before the last', async () => {
    expect(await groups(staff, 'transportMode')).toEqual([
      ['Sea', 2, 4, 21, 1],
      ['Air', 1, 2, 10.5, 0],
    ])
    expect(await groups(customer, 'transportMode')).toEqual([['Sea', 2, 4, 21, 1]])
    expect(await groups(stranger, 'organization')).toEqual([['OTHER', 1, 2, 10.5, 0]])
    expect(await groups(customer, 'status')).toEqual([
      ['0', 1, 2, 10.5, 0],
      ['1', 1, 2, 10.5, 1],
    ])
    expect(await groups(customer, 'month')).toEqual([
      ['2031-01', 1, 2, 10.5, 0],
      ['2031-02', 1, 2, 10.5, 1],
    ])
  })

  test('refuse an end before the start, and groups that there are not', async () => {
    const faulty = async (query: string) =>
      faultyMembers(await send(staff, 'GET', `/api/hub/shipment/statistics?${query}`))
    expect(await faulty('from=2031-02-01&to=2031-01-01')).toEqual(['to'])
    expect(await faulty('groupBy=customer')).toEqual(['groupBy'])
  })
})
