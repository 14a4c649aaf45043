import { AddressRole, Direction } from '../../contracts/enumerations.js'
import type { DemoRow } from './demo-table.js'
import { regionOf } from './lanes.js'
import { cityOf, type DemoOrganization } from './organizations.js'
import { Choice, type Draws, demoId, Stream } from './random.js'
import { type Route, routeOf } from './route.js'
import { timelineOf } from './timeline.js'
import { type DemoWorld, drawCustomer, drawsFor } from './world.js'

/** A company in a role on a shipment, with its site there. A one-off party is known by name, not by id. */
export interface Party {
  role: AddressRole
  company: DemoOrganization
  organizationId: string | null
  unLocode: string
}

export interface Parties {
  direction: Direction
  consignor: DemoOrganization
  consignee: DemoOrganization
  customer: DemoOrganization
  all: readonly Party[]
}

type ExtraRole = 'notify' | 'agent' | 'broker' | 'haulage'

const extraRoles: readonly (readonly [ExtraRole, probability: number])[] = [
  ['notify', 0.68],
  ['agent', 0.55],
  ['broker', 0.26],
  ['haulage', 0.31],
]

export function partyCount(world: DemoWorld, ordinal: number): number {
  return 3 + drawExtraRoles(world, ordinal).length
}

function drawExtraRoles(world: DemoWorld, ordinal: number): ExtraRole[] {
  const draws = drawsFor(world, Stream.PartyCount, ordinal)
  return extraRoles.filter(([, probability]) => draws.chance(probability)).map(([role]) => role)
}

const trades = new Choice<'Import' | 'Export' | 'CrossTrade'>([
  [65, 'Import'],
  [29, 'Export'],
  [6, 'CrossTrade'],
])

export function partiesOf(world: DemoWorld, ordinal: number, route: Route): Parties {
  const draws = drawsFor(world, Stream.Parties, ordinal)
  const trade = trades.draw(draws)
  const customer = drawCustomer(world, draws)
  const consignor = trade === 'Export' ? customer : drawPartner(world, route.from, draws)
  const consignee = trade === 'Import' ? customer : drawPartner(world, route.to, draws, consignor)
  const isOneOff = draws.chance(0.04)
  const all = [
    party(AddressRole.Consignor, consignor, route.from, isOneOff && consignor !== customer),
    party(AddressRole.Consignee, consignee, route.to, isOneOff && consignee !== customer),
    party(AddressRole.ControllingCustomer, customer, customer.unLocode),
  ]
  for (const extra of drawExtraRoles(world, ordinal)) {
    all.push(extraParties[extra](world, route, { consignor, consignee }, draws))
  }
  const isDomestic = route.from.slice(0, 2) === route.to.slice(0, 2)
  return {
    direction: isDomestic ? Direction.Domestic : Direction[trade],
    consignor,
    consignee,
    customer,
    all,
  }
}

function drawPartner(
  world: DemoWorld,
  unLocode: string,
  draws: Draws,
  other?: DemoOrganization,
): DemoOrganization {
  const partners = world.partnersByRegion[regionOf(unLocode)]
  const index = draws.below(partners.length)
  const partner = partners[index] as DemoOrganization
  // Nobody ships to himself: the next one, or any other where a region has a single partner.
  if (partner !== other) return partner
  const others = partners.length > 1 ? partners : world.organizationsByKind.Partner
  return others[(others.indexOf(partner) + 1) % others.length] as DemoOrganization
}

type DrawParty = (world: DemoWorld, route: Route, ends: TradeEnds, draws: Draws) => Party

interface TradeEnds {
  consignor: DemoOrganization
  consignee: DemoOrganization
}

const extraParties: Readonly<Record<ExtraRole, DrawParty>> = {
  notify(world, route, { consignee }, draws) {
    if (draws.chance(0.6)) return party(AddressRole.NotifyParty, consignee, route.to)
    const broker = draws.pick(world.organizationsByKind.Broker)
    return party(AddressRole.NotifyParty, broker, route.to, draws.chance(0.3))
  },
  agent(world, route, _, draws) {
    const forwarder = draws.pick(world.organizationsByKind.Forwarder)
    return draws.chance(0.5)
      ? party(AddressRole.SendingAgent, forwarder, route.from)
      : party(AddressRole.ReceivingAgent, forwarder, route.to)
  },
  broker(world, route, _, draws) {
    const broker = draws.pick(world.organizationsByKind.Broker)
    return draws.chance(0.25)
      ? party(AddressRole.ExportBroker, broker, route.from)
      : party(AddressRole.ImportBroker, broker, route.to)
  },
  haulage(world, route, { consignor, consignee }, draws) {
    if (draws.chance(0.1)) {
      return party(AddressRole.Carrier, draws.pick(world.organizationsByKind.Carrier), route.from)
    }
    // One place in four belongs to a third company.
    const third = draws.chance(0.25) ? draws.pick(world.organizationsByKind.Partner) : null
    return draws.chance(0.5)
      ? party(AddressRole.PickupFrom, third ?? consignor, route.from)
      : party(AddressRole.DeliverTo, third ?? consignee, route.to)
  },
}

function party(role: AddressRole, company: DemoOrganization, unLocode: string, isOneOff = false): Party {
  return { role, company, organizationId: isOneOff ? null : company.id, unLocode }
}

const streets =
  'Harbour Road|Dock Street|Industrial Park|Station Avenue|Quay|Market Street|Canal Street|Airport Road'.split(
    '|',
  )
const firstNames =
  'Anna Wei Jonas Maria Arjun Sofia Kenji Emma Luca Fatima Minh Clara Diego Ingrid Paul Thandi'.split(' ')
const lastNames =
  'Berg Chen Silva Novak Patel Meyer Rossi Kim Nguyen Garcia Smith Jansen Sato Dubois Kowalski Dlamini'.split(
    ' ',
  )

/** Rows of HubShipmentAddresses of one shipment. */
export function* addressRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const route = routeOf(world, ordinal)
  const { created } = timelineOf(world, ordinal, route)
  const shipmentId = demoId(Stream.Shipment, world.seed, ordinal)
  const draws = drawsFor(world, Stream.OrganizationDetails, world.organizations.length + ordinal)
  const parties = partiesOf(world, ordinal, route).all
  for (const [index, { role, company, organizationId, unLocode }] of parties.entries()) {
    const firstName = draws.pick(firstNames)
    const lastName = draws.pick(lastNames)
    yield {
      Id: demoId(Stream.Parties, world.seed, ordinal, index),
      ShipmentId: shipmentId,
      Role: role,
      OrganizationId: organizationId,
      CompanyName: company.name,
      AddressLine1: `${draws.pick(streets)} ${1 + draws.below(250)}`,
      City: cityOf(unLocode),
      PostalCode: draws.optional(String(10_000 + draws.below(90_000))),
      CountryCode: unLocode.slice(0, 2),
      ContactName: draws.optional(`${firstName} ${lastName}`),
      Phone: draws.optional(`+${10 + draws.below(80)} ${draws.digits(3)} ${draws.digits(6)}`),
      Email: draws.optional(`${firstName}.${lastName}@${company.code}.example`.toLowerCase()),
      IsOverridden: organizationId === null,
      CreationTime: new Date(created),
    }
  }
}
