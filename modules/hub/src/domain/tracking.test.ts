import { describe, expect, test } from 'vitest'
import {
  EmptyIndicator,
  EventCategory,
  EventClassifier,
  EventSource,
  MilestoneCode,
  ShipmentStatus,
} from '../contracts/enumerations.js'
import {
  containerTimesOf,
  followingOf,
  isHeldByCustoms,
  milestoneOf,
  type TrackedEvent,
  trackedMilestones,
} from './tracking.js'

const journey = ['origin', 'hub', 'destination']
const now = new Date('2027-01-10T00:00:00Z')
const hourMs = 3_600_000
const { Actual, Estimated, Planned } = EventClassifier
const { InTransit, Arrived, CustomsCleared, OutForDelivery, Delivered, Confirmed, CargoReceived } =
  ShipmentStatus

const plain: TrackedEvent = {
  id: '1',
  eventCategory: EventCategory.Equipment,
  eventTypeCode: 'LOAD',
  classifier: Actual,
  eventTime: now,
  eventCreatedTime: now,
  portId: null,
  facilityTypeCode: null,
  documentTypeCode: null,
  emptyIndicator: null,
  source: EventSource.Carrier,
}
const shipment = (type: string, document: string) => ({
  eventCategory: EventCategory.Shipment,
  eventTypeCode: type,
  documentTypeCode: document,
})
const transport = (type: string, portId: string | null) => ({
  eventCategory: EventCategory.Transport,
  eventTypeCode: type,
  portId,
})
const equipment = (type: string, more: Partial<TrackedEvent> = {}) => ({ eventTypeCode: type, ...more })

// domain model, section 2.7
const table: readonly (readonly [meaning: string | undefined, event: Partial<TrackedEvent>])[] = [
  ['BKD', shipment('REQS', 'BKG')],
  ['BKC', shipment('CONF', 'BKG')],
  ['CCI', shipment('RELS', 'CUS')],
  [undefined, shipment('RELS', 'TRD')],
  ['PUP', equipment('PICK')],
  ['PUP', equipment('GTOT', { facilityTypeCode: 'CLOC' })],
  ['GIN', equipment('GTIN', { facilityTypeCode: 'POTE', portId: 'origin' })],
  ['GIN', equipment('GTIN', { facilityTypeCode: 'DEPO' })],
  [undefined, equipment('GTIN', { facilityTypeCode: 'POTE', portId: 'destination' })],
  ['LOD', equipment('LOAD', { portId: 'origin' })],
  [undefined, equipment('LOAD', { portId: 'hub' })],
  ['DEP', transport('DEPA', 'origin')],
  ['TSA hub', transport('ARRI', 'hub')],
  ['TSD hub', transport('DEPA', 'hub')],
  ['ARV', transport('ARRI', 'destination')],
  [undefined, transport('ARRI', 'origin')],
  [undefined, transport('DEPA', 'destination')],
  [undefined, transport('DEPA', 'elsewhere')],
  [undefined, transport('DEPA', null)],
  ['DIS', equipment('DISC', { portId: 'destination' })],
  ['GOU', equipment('GTOT', { facilityTypeCode: 'POTE', portId: 'destination' })],
  ['DLV', equipment('DROP', { facilityTypeCode: 'CLOC' })],
  ['DLV', equipment('STRP', { facilityTypeCode: 'CLOC' })],
  [undefined, equipment('STRP', { facilityTypeCode: 'COFS' })],
  ['EMR', equipment('GTIN', { facilityTypeCode: 'DEPO', emptyIndicator: EmptyIndicator.Empty })],
  [undefined, equipment('INSP')],
]

describe('an event is about the milestone that the domain model names', () => {
  test.each(table)('%s: %j', (meaning, event) => {
    const found = milestoneOf({ ...plain, ...event }, journey)
    expect(found && [MilestoneCode[found.code], found.portId].filter(Boolean).join(' ')).toBe(meaning)
  })

  test('a journey of one leg needs no port', () => {
    const event = { ...plain, ...transport('ARRI', null) }
    expect(milestoneOf(event, ['origin', 'destination'])?.code).toBe(MilestoneCode.ARV)
  })
})

test('customs hold a shipment until they release it', () => {
  const at = (hours: number, type: string) => ({
    ...plain,
    ...shipment(type, 'CUS'),
    eventTime: new Date(now.getTime() + hours * hourMs),
  })
  expect(isHeldByCustoms([])).toBe(undefined)
  expect(isHeldByCustoms([at(2, 'RELS'), at(1, 'HOLD')])).toBe(false)
  expect(isHeldByCustoms([at(3, 'HOLD'), at(2, 'RELS')])).toBe(true)
  expect(isHeldByCustoms([{ ...at(3, 'HOLD'), classifier: Estimated }])).toBe(undefined)
})

test('containers have the times that were written last', () => {
  const early = { ...plain, eventTime: new Date(0), eventCreatedTime: new Date(1) }
  const gate = { ...plain, eventTypeCode: 'GTIN', emptyIndicator: EmptyIndicator.Empty }
  expect(containerTimesOf([plain, early, gate])).toEqual({ loadedTime: now, emptyReturnTime: now })
})

/** Numbers from 0 to 1 that are the same on each run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** An event with the meaning that its generator gave it, which the model goes by. */
interface Meant {
  readonly meaning: string | undefined
  readonly event: TrackedEvent
}

interface State {
  status: ShipmentStatus
  isOnHold: boolean
  actualDeparture: Date | null
  actualArrival: Date | null
}

function generate(seed: number): { readonly start: State; readonly sequence: readonly Meant[] } {
  const random = randomNumbers(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const statuses = [...Array(11).keys()] as ShipmentStatus[]
  const status = random() < 0.6 ? Confirmed : (statuses[below(11)] as ShipmentStatus)
  const start = {
    status,
    isOnHold: random() < 0.1,
    actualDeparture: status >= InTransit && random() < 0.8 ? new Date(now.getTime() - 60 * hourMs) : null,
    actualArrival: status >= Arrived && random() < 0.8 ? new Date(now.getTime() - 30 * hourMs) : null,
  }
  const sequence = Array.from({ length: 1 + below(14) }, (_, index) => {
    const [meaning, values] = table[below(table.length)] as (typeof table)[number]
    const event = {
      ...plain,
      ...values,
      id: String(below(1_000_000) * 100 + index),
      classifier: [Actual, Actual, Actual, Estimated, Planned, EventClassifier.Requested][
        below(6)
      ] as EventClassifier,
      // Few distinct times, so that some are equal; some lie too far ahead.
      eventTime: new Date(now.getTime() + (below(24) - 20) * 8 * hourMs),
      eventCreatedTime: new Date(now.getTime() - below(6) * hourMs),
      source: random() < 0.15 ? EventSource.Manual : EventSource.Carrier,
    }
    return { meaning, event }
  })
  return { start, sequence }
}

/** The event of a meaning and a classifier that counts, by sorting all of them. */
function counting(
  seen: readonly Meant[],
  meaning: string,
  classifier: EventClassifier,
): TrackedEvent | undefined {
  const rank = ({ event }: Meant) =>
    `${event.eventCreatedTime.toISOString()} ${event.eventTime.toISOString()} ${event.id}`
  const candidates = seen.filter((one) => one.meaning === meaning && one.event.classifier === classifier)
  return candidates.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).at(-1)?.event
}

/** The state behind one more event, by rules that know nothing of milestones or transitions. */
function modelled(before: State, seen: readonly Meant[]): State {
  const state = { ...before }
  const reported = (meaning: string): Date | undefined => {
    const event = counting(seen, meaning, Actual)
    return event && event.source !== EventSource.Manual ? event.eventTime : undefined
  }
  const latest = new Date(now.getTime() + 24 * hourMs)
  const [departed, arrived, released, delivered] = ['DEP', 'ARV', 'CCI', 'DLV'].map(reported)
  if (
    departed &&
    departed <= latest &&
    !state.isOnHold &&
    [Confirmed, CargoReceived].includes(state.status)
  ) {
    state.status = InTransit
    state.actualDeparture = departed
  }
  if (
    arrived &&
    arrived <= latest &&
    state.status === InTransit &&
    !(state.actualDeparture && arrived < state.actualDeparture)
  ) {
    state.status = Arrived
    state.actualArrival = arrived
  }
  if (released && released <= latest && state.status === Arrived) state.status = CustomsCleared
  const isThere = [Arrived, CustomsCleared, OutForDelivery].includes(state.status)
  if (
    delivered &&
    delivered <= latest &&
    isThere &&
    !(state.actualArrival && delivered < state.actualArrival)
  )
    state.status = Delivered
  return state
}

const sequences = process.env.KEEL_TEST_LONG === '1' ? 10_000 : 500

test(`${sequences} generated sequences leave a shipment in the state that an independent model says`, () => {
  const reached = new Set<ShipmentStatus>()
  for (let seed = 1; seed <= sequences; seed++) {
    const { start, sequence } = generate(seed)
    const state = { ...start }
    let expected = { ...start }
    const seen: Meant[] = []
    for (const one of sequence) {
      seen.push(one)
      const milestones = trackedMilestones(
        seen.map(({ event }) => event),
        journey,
      )
      const { actions } = followingOf(state, milestones, {
        now,
        lacksProofOfDelivery: false,
        containersNotReady: [],
      })
      for (const { action, time } of actions) {
        state.status = {
          depart: InTransit,
          arrive: Arrived,
          clearCustoms: CustomsCleared,
          deliver: Delivered,
        }[action]
        if (action === 'depart') state.actualDeparture = time
        if (action === 'arrive') state.actualArrival = time
      }
      expected = modelled(expected, seen)
      expect(state, `sequence ${seed}`).toEqual(expected)
    }
    if (state.status !== start.status) reached.add(state.status)
  }
  expect([...reached].sort()).toEqual([InTransit, Arrived, CustomsCleared, Delivered])
})

test('milestones are the same in whatever order events come, and have the times that the model says', () => {
  for (let seed = 1; seed <= sequences; seed++) {
    const { sequence } = generate(seed)
    const sorted = (events: readonly Meant[]) =>
      trackedMilestones(
        events.map(({ event }) => event),
        journey,
      ).sort((a, b) => a.code - b.code)
    const milestones = sorted(sequence)
    expect(sorted([...sequence].reverse()), `sequence ${seed}`).toEqual(milestones)
    for (const { code, portId, plannedTime, estimatedTime, actualTime } of milestones) {
      const meaning = [MilestoneCode[code], portId].filter(Boolean).join(' ')
      const times = [Planned, Estimated, Actual].map(
        (classifier) => counting(sequence, meaning, classifier)?.eventTime,
      )
      expect([plannedTime, estimatedTime, actualTime], `sequence ${seed}: ${meaning}`).toEqual(times)
    }
  }
})
