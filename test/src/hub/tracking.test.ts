import { namedGuid } from '@keel/framework/data'
import {
  ConsolAppService,
  ConsolType,
  ContainerAppService,
  EventCategory,
  EventClassifier,
  EventSource,
  HubErrors,
  LegType,
  MilestoneCode,
  Severity,
  ShipmentAppService,
  ShipmentContainerAppService,
  ShipmentExceptionAppService,
  ShipmentMilestoneAppService,
  ShipmentStatus,
  TrackingEventAppService,
} from '@keel/hub/contracts'
import { DefaultCustomer, OperationsManager, Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { randomNumbers } from '../odata/hidden-values.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrganization,
  addShipments,
  containerId,
  modeId,
  portId,
  type ShipmentRow,
} from '../support/hub-rows.js'
import { sizeOf } from '../support/size.js'
import { send } from '../support/wire.js'
import { type Act, type Happening, ModelShipment, type Report } from './journey-model.js'

const hourMs = 3_600_000
const start = Math.floor(Date.now() / 1000) * 1000
const at = (hours: number): Date => new Date(start + hours * hourMs)
const { Actual, Estimated } = EventClassifier
type NewEvent = Parameters<TrackingEventAppService['create']>[0]

let app: App
let staff: AppCaller
let stranger: AppCaller
let events: TrackingEventAppService
let shipments: ShipmentAppService
let acme: string
let carrierId: string
let number = 0

beforeAll(async () => {
  app = await startApp(undefined, {
    'App:SendExceptionDetails': 'false',
    'Events:IsDeliveryEnabled': 'false',
  })
  acme = await addOrganization(app, 'ACME')
  await addOrganization(app, 'OTHER')
  carrierId = await addOrganization(app, 'CARRIER')
  staff = await app.as({ roles: [OperationsManager] })
  stranger = await app.as({
    permissions: ['TrackingEvent.View', 'TrackingEvent.Create'],
    organizations: ['OTHER'],
  })
  events = staff.service(TrackingEventAppService)
  shipments = staff.service(ShipmentAppService)
})
afterAll(() => app?.close())

async function shipment(row: ShipmentRow = {}): Promise<{ id: string; shipmentReference: string }> {
  const shipmentReference = `T-${++number}`
  const values = {
    ShipmentReference: shipmentReference,
    Status: ShipmentStatus.Confirmed,
    TransportModeId: modeId('Sea'),
    ContainerModeId: containerId('FCL'),
    FirstConsolLegDeparturePortId: portId('CNNGB'),
    LastConsolLegArrivalPortId: portId('DEHAM'),
    EstimatedDeparture: at(-200),
    EstimatedArrival: at(100),
    parties: [0, 1, 4].map((role) => ({ role, organizationId: acme })),
  }
  const [id = ''] = await addShipments(app, [{ ...values, ...row }])
  return { id, shipmentReference }
}

function event(type: 'DEPA' | 'ARRI', hours: number, more: Partial<NewEvent> = {}) {
  return {
    eventCategory: EventCategory.Transport,
    eventTypeCode: type,
    classifier: Actual,
    eventTime: at(hours),
    unLocode: type === 'DEPA' ? 'CNNGB' : 'DEHAM',
    source: EventSource.Carrier,
    ...more,
  }
}
const customs = (type: string, hours: number, more: Partial<NewEvent> = {}) => ({
  ...event('DEPA', hours),
  eventCategory: EventCategory.Shipment,
  eventTypeCode: type,
  documentTypeCode: 'CUS' as const,
  unLocode: null,
  ...more,
})
const delivery = (hours: number, more: Partial<NewEvent> = {}) => ({
  ...event('DEPA', hours),
  eventCategory: EventCategory.Equipment,
  eventTypeCode: 'DROP',
  facilityTypeCode: 'CLOC' as const,
  unLocode: null,
  ...more,
})
const milestonesOf = async (shipmentId: string) =>
  Object.fromEntries(
    (await staff.service(ShipmentMilestoneAppService).getList({ shipmentId, maxResultCount: 50 })).items.map(
      (one) => [MilestoneCode[one.code], one.actualTime ?? one.estimatedTime],
    ),
  )
const exceptionsOf = async (shipmentId: string) =>
  (await staff.service(ShipmentExceptionAppService).getList({ shipmentId, maxResultCount: 50 })).items

test('events take a shipment from its departure to its delivery, with milestones and actual times', async () => {
  const { id, shipmentReference } = await shipment()
  await events.create(event('DEPA', -150, { shipmentReference }))
  expect(await shipments.get(id)).toMatchObject({
    status: ShipmentStatus.InTransit,
    actualDeparture: at(-150),
  })
  await events.create(event('ARRI', -50, { shipmentReference }))
  await events.create(customs('RELS', -40, { shipmentReference }))
  const taken = await events.create(delivery(-10, { shipmentReference }))
  expect(taken).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
  expect(await shipments.get(id)).toMatchObject({
    status: ShipmentStatus.Delivered,
    actualArrival: at(-50),
    actualDelivery: at(-10),
  })
  expect(await milestonesOf(id)).toMatchObject({ DEP: at(-150), ARV: at(-50), CCI: at(-40), DLV: at(-10) })
  await events.create(event('ARRI', -48, { shipmentReference, eventCreatedTime: at(1) }))
  expect((await shipments.get(id)).actualArrival).toEqual(at(-48))
})

test('the order in which events come does not matter', async () => {
  const all = [
    event('DEPA', -150),
    event('ARRI', -50),
    customs('RELS', -40),
    event('DEPA', -155, { eventCreatedTime: at(-500) }),
  ]
  const outcomes = await Promise.all(
    [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 3, 0, 2],
      [2, 0, 3, 1],
    ].map(async (order) => {
      const { id, shipmentReference } = await shipment()
      for (const index of order)
        await events.create({ ...(all[index] as NewEvent), shipmentReference } as never)
      const { status, actualDeparture, actualArrival } = await shipments.get(id)
      return { status, actualDeparture, actualArrival, milestones: await milestonesOf(id) }
    }),
  )
  const expected = {
    status: ShipmentStatus.CustomsCleared,
    actualDeparture: at(-150),
    actualArrival: at(-50),
    milestones: { DEP: at(-150), ARV: at(-50), CCI: at(-40) },
  }
  expect(outcomes).toEqual([expected, expected, expected, expected])
})

test('an event that came before is not taken again, also not by calls at the same time', async () => {
  const { id, shipmentReference } = await shipment()
  const one = event('DEPA', -150, { shipmentReference, externalEventId: 'E-1' })
  const calls = await Promise.all([1, 2, 3].map(() => events.createMany({ events: [one, one] })))
  expect(calls.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(1)
  expect(calls.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(5)
  expect((await events.getList({ shipmentId: id })).totalCount).toBe(1)
})

test('of 500 events those are taken that can be, and the answer names the others; 501 are refused', async () => {
  const { id, shipmentReference } = await shipment()
  const many = Array.from({ length: 497 }, (_, index) => ({
    ...event('DEPA', -150, { shipmentReference, externalEventId: `M-${index}` }),
    classifier: Estimated,
  }))
  const faulty = [
    event('DEPA', 1, { shipmentReference: 'nowhere' }),
    { ...event('DEPA', 1, { shipmentReference }), eventTypeCode: 'LOAD' },
    event('DEPA', 1, { shipmentReference, unLocode: 'QQQQQ' }),
  ]
  const taken = await events.createMany({ events: [...faulty, ...many] })
  expect(taken).toMatchObject({
    accepted: 497,
    duplicates: 0,
    rejected: [
      { index: 0, code: HubErrors.UnknownReference },
      { index: 1, code: HubErrors.UnknownEventType, message: expect.stringContaining('LOAD') },
      { index: 2, code: HubErrors.UnknownPlace, message: expect.stringContaining('QQQQQ') },
    ],
  })
  expect((await events.getList({ shipmentId: id })).totalCount).toBe(497)
  const tooMany = [...faulty, ...many, ...faulty]
  expect((await send(staff, 'POST', '/api/hub/tracking-event/many', { events: tooMany })).status).toBe(400)
})

describe('what a state refuses', () => {
  test('is kept, and told by one exception', async () => {
    const { id, shipmentReference } = await shipment({ IsOnHold: true, HoldReason: 'Unpaid' })
    await events.create(event('DEPA', -150, { shipmentReference }))
    await events.create(event('DEPA', -149, { shipmentReference }))
    expect((await shipments.get(id)).status).toBe(ShipmentStatus.Confirmed)
    expect(await exceptionsOf(id)).toMatchObject([{ severity: Severity.Info }])
    await shipments.releaseHold(id, {})
    await events.create(event('ARRI', -20, { shipmentReference }))
    expect((await shipments.get(id)).status).toBe(ShipmentStatus.Arrived)
  })

  test('events that are entered by hand move milestones and nothing else', async () => {
    const { id, shipmentReference } = await shipment()
    await events.create(event('DEPA', -150, { shipmentReference, source: null }))
    expect((await shipments.get(id)).status).toBe(ShipmentStatus.Confirmed)
    expect(await milestonesOf(id)).toEqual({ DEP: at(-150) })
  })
})

test('customs hold a shipment by a critical exception, which their release resolves', async () => {
  const { id, shipmentReference } = await shipment({ Status: ShipmentStatus.Arrived })
  await events.create(customs('HOLD', -30, { shipmentReference }))
  expect(await exceptionsOf(id)).toMatchObject([{ severity: Severity.Critical, resolvedTime: null }])
  await events.create(customs('RELS', -20, { shipmentReference }))
  expect(await exceptionsOf(id)).toMatchObject([{ resolvedTime: expect.any(Date) }])
})

test('an estimate by container or master bill moves legs and every shipment on them, with a delay', async () => {
  const [one, two] = [
    await shipment({ EstimatedArrival: at(700) }),
    await shipment({ EstimatedArrival: at(700) }),
  ]
  const consols = staff.service(ConsolAppService)
  const { id: consol } = await consols.create({
    transportModeId: modeId('Sea'),
    consolType: ConsolType.Agent,
    carrierId: namedGuid('Carrier:MAEU'),
    masterBillNumber: 'MAEU987654321',
  })
  for (const { id } of [one, two]) await consols.addShipment(consol, { shipmentId: id })
  const leg = (from: string, to: string, departs: number, arrives: number) => ({
    legType: LegType.Main,
    transportModeId: modeId('Sea'),
    departurePortId: portId(from),
    arrivalPortId: portId(to),
    estimatedDeparture: at(departs),
    estimatedArrival: at(arrives),
  })
  await consols.setLegs(consol, { legs: [leg('CNNGB', 'SGSIN', -10, 90), leg('SGSIN', 'DEHAM', 110, 700)] })
  const containers = staff.service(ContainerAppService)
  const { id: box } = await containers.create({
    containerNumber: 'CSQU3054383',
    consolId: consol,
    containerTypeId: namedGuid('ContainerType:45G1'),
  })
  await staff.service(ShipmentContainerAppService).create({ shipmentId: one.id, containerId: box })
  await events.create({
    ...event('ARRI', 800, { containerNumber: 'csqu3054383' }),
    classifier: Estimated,
  })
  for (const { id } of [one, two]) expect((await shipments.get(id)).estimatedArrival).toEqual(at(800))
  expect(await exceptionsOf(two.id)).toMatchObject([{ delayHours: 100 }])
  await events.create(
    event('ARRI', 95, { masterBillNumber: 'MAEU987654321', unLocode: 'SGSIN', classifier: Estimated }),
  )
  expect((await consols.getLegs(consol))[0]?.estimatedArrival).toEqual(at(95))
  expect(await milestonesOf(two.id)).toMatchObject({ TSA: at(95) })
  await events.create({
    ...event('DEPA', -5, { containerNumber: 'CSQU3054383' }),
    eventCategory: EventCategory.Equipment,
    eventTypeCode: 'LOAD',
  })
  expect((await containers.get(box)).loadedTime).toEqual(at(-5))
})

test('beside a shipment a container is the one that carries it, not one of others that has its number', async () => {
  const carrier = await app.as({
    permissions: ['TrackingEvent.View', 'TrackingEvent.Create'],
    organizations: ['CARRIER'],
  })
  const [theirs, ours] = [
    await shipment(),
    await shipment({ parties: [{ role: 0, organizationId: carrierId }] }),
  ]
  const containers = staff.service(ContainerAppService)
  const containerTypeId = namedGuid('ContainerType:45G1')
  const use = async (shipmentId: string) => {
    const { id } = await containers.create({ containerNumber: 'MSKU0000006', containerTypeId })
    await staff.service(ShipmentContainerAppService).create({ shipmentId, containerId: id })
    return id
  }
  const reports = carrier.service(TrackingEventAppService)
  const gate = (more: Partial<NewEvent>) => ({
    ...event('DEPA', -5, { shipmentId: ours.id, containerNumber: 'MSKU0000006', ...more }),
    eventCategory: EventCategory.Equipment,
    eventTypeCode: 'GTOT',
    unLocode: null,
  })
  const latest = await use(theirs.id)
  await reports.create(gate({}))
  expect((await reports.getList({ shipmentId: ours.id })).items).toMatchObject([{ containerId: null }])
  // Whoever sees all brings everything up to date that the shipment has reports of.
  await events.create(event('DEPA', -4, { shipmentId: ours.id }))
  expect((await containers.get(latest)).gateOutTime).toBeNull()
  const own = await use(ours.id)
  await use(theirs.id)
  await reports.create(gate({ eventTime: at(-3) }))
  expect((await containers.get(own)).gateOutTime).toEqual(at(-3))
  expect(
    (await reports.getList({ shipmentId: ours.id })).items.map(({ containerId }) => containerId),
  ).toContain(own)
})

test('a key of an operator reports events; a stranger neither reports nor sees any of others', async () => {
  const { id, shipmentReference } = await shipment()
  const refused = stranger.service(TrackingEventAppService)
  await expect(refused.create(event('DEPA', -1, { shipmentReference }))).rejects.toMatchObject({
    code: HubErrors.UnknownReference,
  })
  await expect(refused.create(event('DEPA', -1, { shipmentId: id }))).rejects.toMatchObject({
    code: HubErrors.UnknownReference,
  })
  const reporter = await app.as({ roles: [OperationsManager], permissions: ['ApiKeys', 'ApiKeys.Create'] })
  const { key } = await newKey(reporter)
  const { source: _, ...reported } = event('DEPA', -1, { shipmentReference })
  const answer = await send(withKey(app.host, key), 'POST', '/api/hub/tracking-event', reported)
  expect(answer).toMatchObject({ status: 200, body: { accepted: 1 } })
  expect((await events.getList({ shipmentId: id })).items).toMatchObject([{ source: EventSource.Api }])
  expect((await shipments.get(id)).status).toBe(ShipmentStatus.InTransit)
  expect((await refused.getList({ shipmentId: id })).totalCount).toBe(0)
  expect((await send(stranger, 'GET', '/odata/TrackingEvents?$count=true')).body['@odata.count']).toBe(0)
  const viewer = await app.as({ roles: [DefaultCustomer], organizations: ['ACME'] })
  expect((await viewer.service(TrackingEventAppService).getList({ shipmentId: id })).totalCount).toBe(1)
  await expect(
    viewer.service(TrackingEventAppService).create(event('DEPA', -1, { shipmentReference })),
  ).rejects.toMatchObject({ status: 403 })
})

describe('generated journeys', () => {
  const actions: readonly Act['action'][] = [
    ...(['book', 'confirm', 'receiveCargo', 'depart', 'arrive', 'clearCustoms', 'dispatchDelivery'] as const),
    ...(['deliver', 'complete', 'cancel', 'reopen', 'setHold', 'releaseHold'] as const),
  ]
  const reportable: readonly Happening[] = ['departed', 'arrived', 'released', 'delivered']
  const bodyOf: Readonly<Record<Act['action'], (time: Date) => object>> = {
    book: () => ({}),
    confirm: () => ({ bookingReference: 'BK-1' }),
    ...{ receiveCargo: timed, depart: timed, arrive: timed, clearCustoms: timed, deliver: timed },
    ...{ dispatchDelivery: () => ({}), complete: () => ({}), releaseHold: () => ({}) },
    ...{ cancel: withReason, reopen: withReason, setHold: withReason },
  }
  function timed(actualTime: Date) {
    return { actualTime }
  }
  function withReason() {
    return { reason: 'Generated' }
  }
  const eventOf = ({ what, time, isActual, written, id }: Report): NewEvent => {
    const said = {
      externalEventId: id,
      eventCreatedTime: written,
      ...(!isActual && { classifier: Estimated }),
    }
    const hours = (time.getTime() - start) / hourMs
    if (what === 'departed') return event('DEPA', hours, said)
    if (what === 'arrived') return event('ARRI', hours, said)
    return what === 'released' ? customs('RELS', hours, said) : delivery(hours, said)
  }

  /** The action, and the report, that lead on from each status. */
  const forward: readonly (readonly [Act['action'], Happening])[] = [
    ['book', 'departed'],
    ['confirm', 'departed'],
    ['receiveCargo', 'departed'],
    ['depart', 'departed'],
    ['arrive', 'arrived'],
    ['clearCustoms', 'released'],
    ['dispatchDelivery', 'delivered'],
    ['deliver', 'delivered'],
    ['complete', 'delivered'],
    ['reopen', 'arrived'],
    ['reopen', 'departed'],
  ]

  /** A step that mostly leads on, else any: reports that come too early, too late or twice, and actions that the status does not allow. */
  function stepOf(
    random: () => number,
    index: number,
    status: ShipmentStatus,
    reports: readonly Report[],
  ): Report | Act {
    const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
    const [nextAction, nextReport] = forward[status] as (typeof forward)[number]
    const time = at(-200 + 15 * index + Math.floor(random() * 30) + (random() < 0.05 ? 400 : 0))
    if (random() < 0.5) return { kind: 'act', action: random() < 0.8 ? nextAction : one(actions), time }
    if (reports.length && random() < 0.12) return one(reports)
    const what = random() < 0.7 ? nextReport : one(reportable)
    // An estimate of the arrival would move dates, and one of the departure must not lie behind the arrival.
    const isActual = what !== 'departed' || random() < 0.85
    const written = at(-300 + Math.floor(random() * 1_000_000) / 10_000)
    return { kind: 'report', what, isActual, time: isActual ? time : at(-210), written, id: `${random()}` }
  }

  test(`${sizeOf(24, 400)} sequences of reports and actions leave shipments in the states that a model of the text says`, async () => {
    // Without the right to cancel what is under way.
    const operator = (await app.as({ roles: [Operator] })).service(ShipmentAppService)
    const reached = new Set<ShipmentStatus>()
    const counts = { refused: 0, taken: 0 }
    const follow = async (seed: number): Promise<void> => {
      const random = randomNumbers(seed)
      const from = random() < 0.3 ? ShipmentStatus.Draft : ShipmentStatus.Confirmed
      const { id, shipmentReference } = await shipment({ Status: from })
      const model = new ModelShipment(from, new Date(start))
      const reports: Report[] = []
      for (let index = 0; index < 12; index++) {
        const step = stepOf(random, index, model.status, reports)
        if (step.kind === 'report') reports.push(step)
        const expected = model.take(step)
        const acts = step.kind === 'act' && (step.action === 'reopen' ? shipments : operator)
        const answer =
          acts && step.kind === 'act'
            ? acts[step.action](id, bodyOf[step.action](step.time) as never)
            : events.create({ ...eventOf(step as Report), shipmentReference })
        const refusal = await answer.then(
          () => undefined,
          (error: { status?: number; code?: string }) =>
            error.status === 403 ? error.code : Promise.reject(error),
        )
        counts[refusal ? 'refused' : 'taken'] += 1
        const told = { seed, index, step, refusal }
        expect(told).toEqual({ ...told, refusal: expected ? undefined : expect.any(String) })
      }
      const { status, isOnHold, actualDeparture, actualArrival } = await shipments.get(id)
      reached.add(status)
      expect({ seed, status, isOnHold }).toEqual({ seed, status: model.status, isOnHold: model.isOnHold })
      if (status >= ShipmentStatus.InTransit && status !== ShipmentStatus.Cancelled)
        expect([seed, actualDeparture, status >= ShipmentStatus.Arrived ? actualArrival : undefined]).toEqual(
          [seed, model.departure, status >= ShipmentStatus.Arrived ? model.arrival : undefined],
        )
    }
    const seeds = Array.from({ length: sizeOf(24, 400) }, (_, index) => index + 1)
    const next = async (): Promise<void> => {
      for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await follow(seed)
    }
    await Promise.all([next(), next(), next(), next()])
    // Otherwise the sequences would say little.
    expect(reached.size).toBeGreaterThan(5)
    expect(Math.min(counts.refused, counts.taken)).toBeGreaterThan(20)
  }, 600_000)
})
