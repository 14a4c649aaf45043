import type { ErrorEnvelope } from '@keel/framework/contracts'
import { sql } from '@keel/framework/data'
import {
  EventSource,
  HubErrors,
  ShipmentAppService,
  type ShipmentDto,
  ShipmentPermissions,
  ShipmentStatus,
  ShipmentStatusHistoryAppService,
} from '@keel/hub/contracts'
import { CustomerAdmin, OperationsManager, Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addOrganization,
  addShipments,
  containerId,
  hubOf,
  modeId,
  portId,
  type ShipmentRow,
  storedRow,
} from '../support/hub-rows.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { faultyMembers, send } from '../support/wire.js'

const path = '/api/hub/shipment'
const nowhere = '00000000-0000-4000-8000-000000000001'
const hourMs = 3_600_000
const past = (hours: number): string => new Date(Date.now() - hours * hourMs).toISOString()
const { Edit, ChangeStatus, Cancel, Reopen, ForceStatus, View } = ShipmentPermissions

/** The actions by the last part of their routes: permission, a body that every guard lets pass, and where they lead from where. */
const actions = {
  book: { needs: ChangeStatus, body: {}, moves: { Draft: 'Booked' } },
  confirm: { needs: ChangeStatus, body: { bookingReference: 'BK-1' }, moves: { Booked: 'Confirmed' } },
  'receive-cargo': { needs: ChangeStatus, body: {}, moves: { Confirmed: 'CargoReceived' } },
  depart: {
    needs: ChangeStatus,
    body: {},
    moves: { Confirmed: 'InTransit', CargoReceived: 'InTransit' },
  },
  arrive: { needs: ChangeStatus, body: {}, moves: { InTransit: 'Arrived' } },
  'clear-customs': { needs: ChangeStatus, body: {}, moves: { Arrived: 'CustomsCleared' } },
  'dispatch-delivery': {
    needs: ChangeStatus,
    body: {},
    moves: { Arrived: 'OutForDelivery', CustomsCleared: 'OutForDelivery' },
  },
  deliver: {
    needs: ChangeStatus,
    body: {},
    moves: { Arrived: 'Delivered', CustomsCleared: 'Delivered', OutForDelivery: 'Delivered' },
  },
  complete: { needs: ChangeStatus, body: {}, moves: { Delivered: 'Completed' } },
  cancel: {
    needs: Cancel,
    body: { reason: 'No cargo' },
    moves: { Draft: 'Cancelled', Booked: 'Cancelled', Confirmed: 'Cancelled' },
  },
  reopen: {
    needs: Reopen,
    body: { reason: 'Mistake' },
    moves: { Completed: 'Delivered', Cancelled: 'Draft' },
  },
  'set-hold': { needs: ChangeStatus, body: { reason: 'Payment' }, moves: {} },
  'release-hold': { needs: ChangeStatus, body: {}, moves: {} },
  'force-status': { needs: ForceStatus, body: { status: 10, reason: 'Cleaning up' }, moves: {} },
} as const
type Action = keyof typeof actions
const names = Object.keys(actions) as Action[]
const moving = names.filter((action) => Object.keys(actions[action].moves).length > 0)
const statuses = Object.keys(ShipmentStatus).filter((key) => Number.isNaN(Number(key)))

let app: App
/** Holds all permissions on statuses but that to force them. */
let staff: AppCaller
let manager: AppCaller
let shipments: ShipmentAppService
let sender: string
let receiver: string

beforeAll(async () => {
  // Events stay in the outbox, where the tests read them. Stacks tell where a copy of the host was built.
  const settings = { 'Events:IsDeliveryEnabled': 'false', 'App:SendExceptionDetails': 'false' }
  app = await startApp(undefined, settings)
  staff = await app.as({ roles: [Operator], permissions: [Reopen] })
  manager = await app.as({ roles: [OperationsManager] })
  shipments = staff.service(ShipmentAppService)
  sender = await addOrganization(app, 'SENDER')
  receiver = await addOrganization(app, 'RECEIVER')
})
afterAll(() => app?.close())

/** Columns of shipments that have all that guards ask for. */
function complete(more: ShipmentRow = {}): ShipmentRow {
  return {
    TransportModeId: modeId('Sea'),
    ContainerModeId: containerId('FCL'),
    FirstConsolLegDeparturePortId: portId('CNSHA'),
    LastConsolLegArrivalPortId: portId('NLRTM'),
    EstimatedDeparture: past(-48),
    EstimatedArrival: past(-480),
    parties: [
      { role: 0, organizationId: sender },
      { role: 1, organizationId: receiver },
    ],
    ...more,
  }
}

const add = async (more: ShipmentRow = {}): Promise<string> =>
  (await addShipments(app, [complete(more)]))[0] as string

/** The names and the payloads of the events of a shipment, in order, whose key is its id. */
async function eventsOf(id: string) {
  const rows = await hubOf(app).query<{ name: string; data: Buffer }>(sql`
    select "EventName" as name, "EventData" as data from "AbpEventOutbox"
    where "ExtraProperties"::jsonb ->> 'Key' = ${id} order by "CreationTime"`)
  return rows.map(({ name, data }) => ({ name, ...JSON.parse(data.toString('utf8')) }))
}

const historyOf = async (id: string) => {
  const { items } = await staff
    .service(ShipmentStatusHistoryAppService)
    .getList({ shipmentId: id, maxResultCount: 50 })
  return items.map(({ fromStatus, toStatus, reason }) => [
    fromStatus === null || fromStatus === undefined ? null : ShipmentStatus[fromStatus],
    ShipmentStatus[toStatus],
    reason,
  ])
}

describe('every action from every status', () => {
  test.for(moving)('%s leads where the domain model says, and is refused elsewhere', async (action) => {
    const { body, moves } = actions[action]
    const ids = await addShipments(
      app,
      statuses.map((_, Status) => complete({ Status, ActualDeparture: past(9), ActualArrival: past(5) })),
    )
    const answers = await Promise.all(ids.map((id) => send(staff, 'POST', `${path}/${id}/${action}`, body)))
    const seen = answers.map(({ status, body }) =>
      status === 200 ? ShipmentStatus[body.status] : [status, body.error.code, body.error.data.from],
    )
    expect(seen).toEqual(
      statuses.map(
        (from) =>
          (moves as Record<string, string>)[from] ?? [403, HubErrors.ShipmentInvalidStatusTransition, from],
      ),
    )
    // A refusal leaves no trace, and a move leaves one line.
    for (const [index, id] of ids.entries()) {
      const from = statuses[index] as string
      const to = (moves as Record<string, string>)[from]
      const stored = await storedRow(app, 'HubShipments', id)
      expect([from, ShipmentStatus[stored.Status as number]]).toEqual([from, to ?? from])
      expect((await historyOf(id)).map((line) => line.slice(0, 2))).toEqual(to ? [[from, to]] : [])
    }
  })

  test('a refusal names statuses, and what is missing, in the language of the caller', async () => {
    const id = await add({ ShipmentReference: 'S-LANG' })
    const empty = await shipments.create({ shipmentReference: 'S-LACKS' })
    const refusalOf = async (language: string, id: string, action: string) => {
      const headers = { 'accept-language': language }
      const response = await staff.fetch(`${path}/${id}/${action}`, { method: 'POST', headers })
      return ((await response.json()) as ErrorEnvelope).error
    }
    const told: Record<string, readonly [from: string, to: string, missing: string]> = {
      en: ['Draft', 'Arrived', 'Departure port'],
      de: ['Entwurf', 'Angekommen', 'Abgangshafen'],
      es: ['Borrador', 'Llegado', 'Puerto de salida'],
      fr: ['Brouillon', 'Arrivé', 'Port de départ'],
      tr: ['Taslak', 'Vardı', 'Kalkış limanı'],
      'zh-Hans': ['草稿', '已到达', '起运港'],
    }
    for (const [language, [from, to, missing]] of Object.entries(told)) {
      const { message, data } = await refusalOf(language, id, 'arrive')
      expect(message).toMatch(new RegExp(`S-LANG.*${from}.*${to}`))
      expect(data).toMatchObject({ action: 'arrive', from: 'Draft', to: 'Arrived' })
      expect((await refusalOf(language, empty.id, 'book')).message).toContain(missing)
    }
    expect((await refusalOf('en', id, 'arrive')).message).toBe(
      'The shipment S-LANG is Draft, so it can not become Arrived.',
    )
    expect((await refusalOf('en', empty.id, 'book')).message).toBe(
      'The shipment S-LACKS can not be booked yet. Missing: Transport mode, Container mode, Departure port, Arrival port, Estimated departure, Consignor, Consignee.',
    )
  })

  test('once the cargo was received only those who may force a status cancel', async () => {
    const id = await add({ Status: ShipmentStatus.InTransit })
    const body = { reason: 'Lost at sea' }
    expect((await send(staff, 'POST', `${path}/${id}/cancel`, body)).status).toBe(403)
    expect((await send(manager, 'POST', `${path}/${id}/cancel`, body)).body.status).toBe(
      ShipmentStatus.Cancelled,
    )
  })
})

describe('permissions', () => {
  test.for(names)('%s needs its own, whatever else the caller holds', async (action) => {
    const { needs, body, moves } = actions[action]
    const permissions = [View, Edit, ChangeStatus, Cancel, Reopen, ForceStatus, 'Organization.AccessAll']
    const [without, only] = await Promise.all([
      app.as({ permissions: permissions.filter((permission) => permission !== needs) }),
      app.as({ permissions: [needs, 'Organization.AccessAll'] }),
    ])
    const from = Object.keys(moves)[0] ?? 'Draft'
    const id = await add({ Status: ShipmentStatus[from as keyof typeof ShipmentStatus] })
    const refused = await send(without, 'POST', `${path}/${id}/${action}`, body)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'Volo.Authorization:010002'])
    expect((await send(only, 'POST', `${path}/${id}/${action}`, body)).status).toBe(200)
  })

  test('the roles of the domain model hold them', async () => {
    const granted = (caller: AppCaller) =>
      send(caller, 'GET', '/api/abp/application-configuration').then(({ body }) =>
        [ChangeStatus, Cancel, Reopen, ForceStatus].filter((name) => body.auth.grantedPolicies[name]),
      )
    const [customer, operator] = [
      await app.as({ roles: [CustomerAdmin] }),
      await app.as({ roles: [Operator] }),
    ]
    expect(await granted(customer)).toEqual([Cancel])
    expect(await granted(operator)).toEqual([ChangeStatus, Cancel])
    expect(await granted(manager)).toEqual([ChangeStatus, Cancel, Reopen, ForceStatus])
  })

  test('a shipment of others is not found, as one that does not exist', async () => {
    const stranger = await app.as({ permissions: [View, ChangeStatus, Cancel, Reopen, ForceStatus] })
    const id = await add()
    for (const action of names) {
      const { body } = actions[action]
      const [theirs, none] = [
        await send(stranger, 'POST', `${path}/${id}/${action}`, body),
        await send(stranger, 'POST', `${path}/${nowhere}/${action}`, body),
      ]
      expect([theirs.status, theirs.text]).toEqual([404, none.text.replaceAll(nowhere, id)])
    }
  })
})

describe('guards', () => {
  test('a booking names everything that is missing', async () => {
    const { id } = await shipments.create({ shipmentReference: 'S-EMPTY' })
    await expect(shipments.book(id, {})).rejects.toMatchObject({
      code: HubErrors.MissingForBooking,
      data: {
        fields: [
          'transportModeId',
          'containerModeId',
          'firstConsolLegDeparturePortId',
          'lastConsolLegArrivalPortId',
          'estimatedDeparture',
          'addresses.Consignor',
          'addresses.Consignee',
        ],
      },
    })
  })

  test('a cargo ready date is enough of a date for a booking', async () => {
    const id = await add({ EstimatedDeparture: null, CargoReadyDate: past(-1) })
    expect((await shipments.book(id, {})).status).toBe(ShipmentStatus.Booked)
  })

  test.for([
    [{ EstimatedArrival: null }, HubErrors.MissingForConfirmation],
    [{ EstimatedDeparture: past(-48), EstimatedArrival: past(-47) }, HubErrors.ArrivalBeforeDeparture],
  ] as const)('a confirmation with %j is refused: %s', async ([row, code]) => {
    const id = await add({ Status: ShipmentStatus.Booked, ...row })
    await expect(shipments.confirm(id, { bookingReference: 'BK' })).rejects.toMatchObject({ code })
  })

  test('a confirmation without a booking reference is refused, and with the one of the booking it is not', async () => {
    const id = await add()
    await shipments.book(id, {})
    await expect(shipments.confirm(id, {})).rejects.toMatchObject({
      code: HubErrors.MissingForConfirmation,
      data: { fields: ['bookingReference'] },
    })
    const other = await add()
    expect((await shipments.book(other, { bookingReference: 'BK-7' })).bookingReference).toBe('BK-7')
    expect((await shipments.confirm(other, {})).status).toBe(ShipmentStatus.Confirmed)
  })

  test.for([
    ['receive-cargo', ShipmentStatus.Confirmed],
    ['depart', ShipmentStatus.Confirmed],
    ['arrive', ShipmentStatus.InTransit],
    ['clear-customs', ShipmentStatus.Arrived],
    ['deliver', ShipmentStatus.Arrived],
  ] as const)('%s takes place at most 24 hours ahead', async ([action, Status]) => {
    const id = await add({ Status })
    const at = (hours: number) => send(staff, 'POST', `${path}/${id}/${action}`, { actualTime: past(-hours) })
    expect((await at(25)).body.error.code).toBe(HubErrors.ActualTimeInFuture)
    expect((await at(23)).status).toBe(200)
  })

  test('the actual times are kept, in their order', async () => {
    const id = await add({ Status: ShipmentStatus.Confirmed })
    await shipments.receiveCargo(id, { actualTime: past(90) })
    await shipments.depart(id, { actualTime: past(80) })
    await expect(shipments.arrive(id, { actualTime: past(81) })).rejects.toMatchObject({
      code: HubErrors.ArrivalBeforeDeparture,
    })
    await shipments.arrive(id, { actualTime: past(20) })
    await expect(shipments.deliver(id, { actualTime: past(21) })).rejects.toMatchObject({
      code: HubErrors.DeliveryBeforeArrival,
    })
    const delivered = await shipments.deliver(id, {})
    const times = [
      delivered.actualPickup,
      delivered.actualDeparture,
      delivered.actualArrival,
      delivered.actualDelivery,
    ]
    expect(times.map((time) => Math.round((Date.now() - (time?.getTime() ?? 0)) / hourMs))).toEqual([
      90, 80, 20, 0,
    ])
  })

  test('what is on hold neither departs nor leaves for its receiver, until it is released', async () => {
    const [waiting, landed] = [
      await add({ Status: ShipmentStatus.Confirmed }),
      await add({ Status: ShipmentStatus.Arrived }),
    ]
    for (const [id, action] of [
      [waiting, 'depart'],
      [landed, 'dispatch-delivery'],
    ] as const) {
      const held = await shipments.setHold(id, { reason: 'Unpaid' })
      expect(held).toMatchObject({ isOnHold: true, holdReason: 'Unpaid' })
      expect((await send(staff, 'POST', `${path}/${id}/${action}`, {})).body.error.code).toBe(
        HubErrors.ShipmentOnHold,
      )
      expect(await shipments.releaseHold(id, {})).toMatchObject({ isOnHold: false, holdReason: null })
      expect((await send(staff, 'POST', `${path}/${id}/${action}`, {})).status).toBe(200)
    }
  })

  test('the estimated delivery comes with the dispatch', async () => {
    const id = await add({ Status: ShipmentStatus.Arrived })
    const due = past(-30)
    expect((await shipments.dispatchDelivery(id, { estimatedDelivery: due })).estimatedDelivery).toEqual(
      new Date(due),
    )
  })

  test('a proof of delivery is a document of the same shipment', async () => {
    const [id, other] = [await add({ Status: ShipmentStatus.Arrived }), await add()]
    const [theirs = '', ours = ''] = await addDocuments(app, [{ ShipmentId: other }, { ShipmentId: id }])
    for (const podDocumentId of [theirs, nowhere])
      await expect(shipments.deliver(id, { podDocumentId })).rejects.toMatchObject({
        code: HubErrors.PodRequired,
      })
    const settings = { rejectDuplicateDocuments: false, deletedRowsRetentionDays: 0 }
    const admin = await app.admin()
    await send(admin, 'PUT', '/api/hub/settings', { ...settings, requirePod: true })
    await expectAtNextRequest(
      async () => (await send(staff, 'POST', `${path}/${id}/deliver`, {})).body.error?.code,
      HubErrors.PodRequired,
    )
    await send(admin, 'PUT', '/api/hub/settings', { ...settings, requirePod: false })
    expect((await shipments.deliver(id, { podDocumentId: ours })).status).toBe(ShipmentStatus.Delivered)
  })

  test.for(['cancel', 'reopen', 'set-hold'] as const)(
    '%s needs a reason of 1 to 256 characters',
    async (action) => {
      const id = await add()
      for (const body of [{}, { reason: ' ' }, { reason: 'x'.repeat(257) }]) {
        const answer = await send(manager, 'POST', `${path}/${id}/${action}`, body)
        expect([answer.status, faultyMembers(answer)]).toEqual([400, ['reason']])
      }
    },
  )

  test('an unknown port of an action is a fault of the member', async () => {
    const id = await add({ Status: ShipmentStatus.InTransit })
    const answer = await send(staff, 'POST', `${path}/${id}/arrive`, { portId: nowhere })
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['portId']])
  })
})

describe('stamps', () => {
  test.for(names)('%s refuses one that is not the last', async (action) => {
    const { body, moves } = actions[action]
    const from = Object.keys(moves)[0] ?? 'Draft'
    const id = await add({ Status: ShipmentStatus[from as keyof typeof ShipmentStatus] })
    const act = (concurrencyStamp: string) =>
      send(manager, 'POST', `${path}/${id}/${action}`, { ...body, concurrencyStamp })
    expect((await act('old')).status).toBe(409)
    expect((await act('stamp')).status).toBe(200)
  })

  test('of two at the same time one is performed', async () => {
    const id = await add()
    const answers = await Promise.allSettled([shipments.book(id, {}), shipments.book(id, {})])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await historyOf(id)).toEqual([['Draft', 'Booked', null]])
  })
})

describe('history and events', () => {
  const walk = async (id: string): Promise<ShipmentDto> => {
    await shipments.book(id, {})
    await shipments.confirm(id, { bookingReference: 'BK' })
    await shipments.receiveCargo(id, { actualTime: past(30), note: 'Two pallets' })
    await shipments.depart(id, { actualTime: past(20) })
    await shipments.arrive(id, { actualTime: past(10) })
    await shipments.clearCustoms(id, {})
    await shipments.dispatchDelivery(id, {})
    await shipments.deliver(id, {})
    await shipments.complete(id, {})
    return shipments.reopen(id, { reason: 'Claim' })
  }

  test('a shipment goes from draft to completed and back, with a line and two events for each step', async () => {
    const { id, shipmentReference } = await shipments.create({
      shipmentReference: 'S-WALK',
      transportModeId: modeId('Sea'),
      containerModeId: containerId('FCL'),
      firstConsolLegDeparturePortId: portId('CNSHA'),
      lastConsolLegArrivalPortId: portId('NLRTM'),
      estimatedDeparture: past(24),
      estimatedArrival: past(-480),
      addresses: [
        { role: 0, organizationId: sender },
        { role: 1, organizationId: receiver },
      ],
    })
    expect((await walk(id)).status).toBe(ShipmentStatus.Delivered)
    expect(await historyOf(id)).toEqual([
      [null, 'Draft', null],
      ['Draft', 'Booked', null],
      ['Booked', 'Confirmed', null],
      ['Confirmed', 'CargoReceived', 'Two pallets'],
      ['CargoReceived', 'InTransit', null],
      ['InTransit', 'Arrived', null],
      ['Arrived', 'CustomsCleared', null],
      ['CustomsCleared', 'OutForDelivery', null],
      ['OutForDelivery', 'Delivered', null],
      ['Delivered', 'Completed', null],
      ['Completed', 'Delivered', 'Claim'],
    ])
    const told = await eventsOf(id)
    const steps =
      'Booked Confirmed CargoReceived Departed Arrived CustomsCleared OutForDelivery Delivered Completed Reopened'
    expect(told.map(({ name }) => name.replace('Hub.Shipment.', ''))).toEqual([
      'Created',
      ...steps.split(' ').flatMap((step) => [step, 'StatusChanged']),
    ])
    expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(told.length)
    for (const event of told)
      expect(event).toMatchObject({ entityId: id, reference: shipmentReference, userId: staff.userId })
    expect(told.at(-1)).toMatchObject({
      shipmentId: id,
      shipmentReference,
      from: ShipmentStatus.Completed,
      to: ShipmentStatus.Delivered,
      reason: 'Claim',
    })
  })

  test('a hold is told, and not twice', async () => {
    const id = await add()
    await shipments.setHold(id, { reason: 'Unpaid' })
    await shipments.setHold(id, { reason: 'Unpaid' })
    await shipments.releaseHold(id, {})
    await shipments.releaseHold(id, {})
    expect((await eventsOf(id)).map(({ name, isOnHold, reason }) => [name, isOnHold, reason])).toEqual([
      ['Hub.Shipment.HoldChanged', true, 'Unpaid'],
      ['Hub.Shipment.HoldChanged', false, null],
    ])
  })

  test('a forced status asks no guard, and the same status is refused', async () => {
    const id = await add({ EstimatedDeparture: null })
    const forced = await manager
      .service(ShipmentAppService)
      .forceStatus(id, { status: ShipmentStatus.Completed, reason: 'Old paper file' })
    expect(forced.status).toBe(ShipmentStatus.Completed)
    expect(await historyOf(id)).toEqual([['Draft', 'Completed', 'Old paper file']])
    expect((await eventsOf(id)).map(({ name }) => name)).toEqual([
      'Hub.Shipment.StatusForced',
      'Hub.Shipment.StatusChanged',
    ])
    const again = await send(manager, 'POST', `${path}/${id}/force-status`, { status: 9, reason: 'Again' })
    expect(again.body.error).toMatchObject({
      code: HubErrors.ShipmentInvalidStatusTransition,
      data: { action: 'forceStatus', from: 'Completed', to: 'Completed' },
    })
  })

  test('a change by an API key says so', async () => {
    const id = await add()
    const key = withKey(app.host, (await newKey(manager)).key)
    expect((await send(key, 'POST', `${path}/${id}/book`)).status).toBe(200)
    const { items } = await staff.service(ShipmentStatusHistoryAppService).getList({ shipmentId: id })
    expect(items.map(({ source }) => source)).toEqual([EventSource.Api])
  })

  test('customers read the history of their shipments alone, and name the shipment', async () => {
    const customer = await app.as({ permissions: [View], organizations: ['SENDER'] })
    const histories = customer.service(ShipmentStatusHistoryAppService)
    const others = await addOrganization(app, `OTHERS${Date.now() % 1_000_000}`)
    const [ours, theirs] = [await add(), await add({ parties: [{ role: 0, organizationId: others }] })]
    for (const id of [ours, theirs]) await shipments.cancel(id, { reason: 'Test' })
    const [line] = (await staff.service(ShipmentStatusHistoryAppService).getList({ shipmentId: theirs }))
      .items
    expect((await histories.getList({ shipmentId: ours })).totalCount).toBe(1)
    expect((await histories.getList({ shipmentId: theirs })).totalCount).toBe(0)
    await expect(histories.get(line?.id ?? '')).rejects.toMatchObject({ status: 404 })
    await expect(histories.getList({})).rejects.toMatchObject({ status: 400 })
    const odata = async (query: string) => (await send(customer, 'GET', `/odata/${query}`)).body.value
    expect(await odata(`ShipmentStatusHistories?$filter=ShipmentId eq ${theirs}`)).toEqual([])
    expect(await odata(`ShipmentStatusHistories?$filter=ShipmentId eq ${ours}`)).toMatchObject([
      { FromStatus: 'Draft', ToStatus: 'Cancelled', Reason: 'Test' },
    ])
    const [expanded] = await odata(`Shipments?$filter=Id eq ${ours}&$expand=StatusHistory`)
    expect(expanded.StatusHistory).toHaveLength(1)
  })

  test('the history goes with its shipment', async () => {
    const id = await add()
    await shipments.cancel(id, { reason: 'Test' })
    await manager.service(ShipmentAppService).delete(id)
    expect(await historyOf(id)).toEqual([])
    expect((await eventsOf(id)).at(-1)).toMatchObject({ name: 'Hub.Shipment.Deleted', entityId: id })
  })
})
