import { DocumentSource, DocumentStatus, ShipmentStatus } from '../../contracts/enumerations.js'
import type { DemoRow } from './demo-table.js'
import { Choice, type Draws, demoId, Stream } from './random.js'
import { codeIdOf } from './reference-ids.js'
import { type Route, routeOf } from './route.js'
import { shipmentId, shipmentReference } from './shipments.js'
import { isCancelled, type Phase, phaseOf, type Timeline, timelineOf } from './timeline.js'
import { type DemoWorld, dayMs, drawsFor } from './world.js'

/** How many documents a shipment has gathered: 3.1 on average over all phases. */
const counts: Readonly<Record<Phase, Choice<number>>> = {
  Past: new Choice([
    [4, 1],
    [12, 2],
    [25, 3],
    [28, 4],
    [19, 5],
    [12, 6],
  ]),
  InTransit: new Choice([
    [10, 1],
    [20, 2],
    [30, 3],
    [25, 4],
    [15, 5],
  ]),
  Ahead: new Choice([
    [10, 0],
    [25, 1],
    [30, 2],
    [25, 3],
    [10, 4],
  ]),
  Draft: new Choice([
    [60, 0],
    [40, 1],
  ]),
}

export function documentCount(world: DemoWorld, ordinal: number): number {
  const draws = drawsFor(world, Stream.DocumentCount, ordinal)
  const count = counts[phaseOf(world, ordinal)].draw(draws)
  return isCancelled(world, ordinal) ? Math.min(count, 1) : count
}

/** Rows of HubDocuments of one shipment. */
export function* documentRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const count = documentCount(world, ordinal)
  if (count === 0) return
  const route = routeOf(world, ordinal)
  const timeline = timelineOf(world, ordinal, route)
  for (const plan of planDocuments(world, ordinal, count, route, timeline))
    yield documentRow(world, ordinal, plan)
}

interface DocumentPlan {
  index: number
  typeCode: string
  time: number
  version: number
  isSuperseded: boolean
}

/** Some of the documents that may exist by now, in order; one in twenty is a second version. */
function planDocuments(
  world: DemoWorld,
  ordinal: number,
  count: number,
  route: Route,
  timeline: Timeline,
): DocumentPlan[] {
  const draws = drawsFor(world, Stream.Document, ordinal)
  const possible = possibleDocuments(route, timeline, world.now)
  const plans: DocumentPlan[] = []
  let next = 0
  for (let index = 0; index < count; index++) {
    const previous = plans.at(-1)
    const isNewVersion =
      draws.chance(0.05) && previous !== undefined && !previous.isSuperseded && previous.version === 1
    const left = count - index
    // Skipping must leave enough for the rest.
    const skippable = Math.max(possible.length - next - left, 0)
    if (!isNewVersion) next += draws.below(Math.min(skippable, 2) + 1)
    const document = isNewVersion ? undefined : possible[next++]
    if (document) {
      plans.push({
        index,
        ...document,
        time: timely(world, timeline, document.time, draws),
        version: 1,
        isSuperseded: false,
      })
    } else if (previous) {
      previous.isSuperseded = true
      const time = timely(world, timeline, previous.time + draws.between(0.2, 2) * dayMs, draws)
      plans.push({ ...previous, index, time, version: previous.version + 1, isSuperseded: false })
    }
  }
  return plans
}

/** Nothing before the shipment, nothing after now or the fifth day after arrival. */
function timely(world: DemoWorld, timeline: Timeline, time: number, draws: Draws): number {
  const earliest = Math.max(timeline.created, (timeline.estimatedDeparture ?? 0) - 60 * dayMs)
  const latest = Math.min(world.now, (timeline.actualArrival ?? world.now) + 5 * dayMs)
  const jittered = time + draws.between(-0.3, 0.3) * dayMs
  return Math.floor(Math.min(Math.max(jittered, earliest), latest) / 60_000) * 60_000
}

/** In the order in which they come about. */
function possibleDocuments(
  route: Route,
  timeline: Timeline,
  now: number,
): { typeCode: string; time: number }[] {
  const { created, estimatedDeparture, actualDeparture, estimatedArrival, actualArrival, actualDelivery } =
    timeline
  const found: { typeCode: string; time: number }[] = []
  const add = (typeCode: string, anchor: number | null, days: number) => {
    if (anchor !== null) found.push({ typeCode, time: anchor + days * dayMs })
  }
  const isSea = route.mode === 'Sea'
  add('PUO', created, 0.1)
  if (timeline.status !== ShipmentStatus.Draft) add('BKC', created, 0.5)
  if (isSea) add('SHI', estimatedDeparture, -5)
  add('CIV', estimatedDeparture ?? created, estimatedDeparture === null ? 0.5 : -4)
  add('PKL', estimatedDeparture ?? created, estimatedDeparture === null ? 0.5 : -4)
  add('COO', estimatedDeparture, -3)
  if (route.containerMode === 'FCL') add('VGM', estimatedDeparture, -2)
  if (route.mode === 'Air') add('HAWB', actualDeparture, 0.1)
  if (route.mode === 'Air') add('MAWB', actualDeparture, 0.2)
  if (isSea) add('HBL', actualDeparture, 0.8)
  if (isSea) add('MBL', actualDeparture, 1)
  add('INS', actualDeparture, 1)
  add('ARN', actualDeparture === null ? null : estimatedArrival, isSea ? -3 : -0.2)
  if (timeline.status >= ShipmentStatus.CustomsCleared) add('CUS', actualArrival, 0.5)
  if (timeline.status >= ShipmentStatus.OutForDelivery) add('DLO', actualArrival, 1)
  add('POD', actualDelivery, 0.1)
  add('FIN', actualArrival, 2)
  const past = found.filter(({ time }) => time <= now)
  // Ahead of departure the papers that accompany the goods are often there long before they are due.
  return past.length >= 4 ? past : found.slice(0, 6)
}

const statuses = new Choice<DocumentStatus>([
  [96, DocumentStatus.Published],
  [2.5, DocumentStatus.Archived],
  [1, DocumentStatus.Pending],
  [0.5, DocumentStatus.Quarantined],
])

const sources = new Choice<DocumentSource>([
  [45, DocumentSource.Upload],
  [30, DocumentSource.Generated],
  [15, DocumentSource.Email],
  [10, DocumentSource.Edi],
])

const titles: Readonly<Record<string, string>> = {
  PUO: 'Purchase order',
  BKC: 'Booking confirmation',
  SHI: 'Shipping instruction',
  CIV: 'Commercial invoice',
  PKL: 'Packing list',
  COO: 'Certificate of origin',
  VGM: 'Verified gross mass',
  HAWB: 'House air waybill',
  MAWB: 'Master air waybill',
  HBL: 'House bill of lading',
  MBL: 'Master bill of lading',
  INS: 'Insurance certificate',
  ARN: 'Arrival notice',
  CUS: 'Customs entry',
  DLO: 'Delivery order',
  POD: 'Proof of delivery',
  FIN: 'Freight invoice',
}

function documentRow(world: DemoWorld, ordinal: number, plan: DocumentPlan): DemoRow {
  const { index, typeCode, time, version } = plan
  const draws = drawsFor(world, Stream.Document, world.shipments + ordinal * 8 + index)
  const status = statuses.draw(draws)
  const size = Math.round(draws.logNormal(180_000, 0.9))
  return {
    Id: demoId(Stream.Document, world.seed, ordinal, index),
    ShipmentId: shipmentId(world, ordinal),
    DocumentTypeId: codeIdOf('DocumentType', typeCode),
    Title: titles[typeCode] ?? null,
    FileName: `${typeCode}-${shipmentReference(ordinal)}${version > 1 ? `-v${version}` : ''}.pdf`,
    ContentType: 'application/pdf',
    FileSize: Math.min(Math.max(size, 8_000), 20_000_000),
    FileDate: new Date(time),
    // All documents of a type share one file.
    BlobName: `demo/${typeCode}.pdf`,
    Sha256: draws.hex(8),
    Version: version,
    ReplacesDocumentId: version > 1 ? demoId(Stream.Document, world.seed, ordinal, index - 1) : null,
    Status: plan.isSuperseded ? DocumentStatus.Superseded : status,
    IsCustomerVisible: draws.chance(0.9),
    Source: sources.draw(draws),
    CreationTime: new Date(time),
    ConcurrencyStamp: draws.hex(4),
  }
}
