import type { DemoRow } from './demo-table.js'
import { type Region, regions } from './lanes.js'
import { Choice, Draws, demoId, Stream } from './random.js'
import { portIdOf, portOf } from './reference-ids.js'

/** The relation of a company to us. Partners are the other end of a customer's trade. */
export type OrganizationKind = 'Customer' | 'Partner' | 'Forwarder' | 'Broker' | 'Carrier'

export interface DemoOrganization {
  id: string
  ordinal: number
  kind: OrganizationKind
  code: string
  name: string
  parent: DemoOrganization | null
  hierarchyPath: string
  unLocode: string
  region: Region
}

/** Every company, customers first and the biggest customer in front. */
export type DemoOrganizations = readonly DemoOrganization[]

/** 120 companies up to 2,000 shipments, 8,000 at a million. */
export function organizationCount(shipments: number): number {
  const growth = Math.log(8_000 / 120) / Math.log(1_000_000 / 2_000)
  return Math.max(120, Math.round(120 * (shipments / 2_000) ** growth))
}

const kindShares = new Choice<OrganizationKind>([
  [60, 'Customer'],
  [25, 'Partner'],
  [8, 'Forwarder'],
  [4, 'Broker'],
  [3, 'Carrier'],
])

const customerRegions = new Choice<Region>([
  [48, 'Europe'],
  [30, 'NorthAmerica'],
  [14, 'Asia'],
  [4, 'SouthAsia'],
  [2, 'LatinAmerica'],
  [2, 'Africa'],
])

const partnerRegions = new Choice<Region>([
  [40, 'Asia'],
  [22, 'Europe'],
  [14, 'NorthAmerica'],
  [10, 'SouthAsia'],
  [8, 'LatinAmerica'],
  [6, 'Africa'],
])

/** All companies for this many shipments. Parents come before their children. */
export function makeOrganizations(seed: number, shipments: number): DemoOrganizations {
  const count = organizationCount(shipments)
  const made: DemoOrganization[] = []
  for (let ordinal = 0; ordinal < count; ordinal++) made.push(makeOrganization(seed, ordinal, count, made))
  return made
}

function makeOrganization(
  seed: number,
  ordinal: number,
  count: number,
  earlier: DemoOrganizations,
): DemoOrganization {
  const draws = new Draws(seed, Stream.Organization, ordinal)
  const kind = kindShares.at((ordinal + 0.5) / count)
  const region = regionFor(kind, ordinal, count, draws)
  const unLocode = draws.pick(regions[region])
  const parent = earlier[parentOrdinal(ordinal, count) ?? count] ?? null
  const countryCode = unLocode.slice(0, 2)
  const family = parent ? familyName(parent) : freshName(ordinal)
  const code =
    family.replaceAll(' ', '').slice(0, 6).toUpperCase() + countryCode + String(ordinal).padStart(4, '0')
  return {
    id: demoId(Stream.Organization, seed, ordinal),
    ordinal,
    kind,
    code,
    name: `${family} ${parent ? `${cityOf(unLocode)} ` : kindSuffixes[kind]}${legalForms[countryCode] ?? 'Ltd'}`,
    parent,
    hierarchyPath: `${parent?.hierarchyPath ?? '/'}${code}/`,
    unLocode,
    region,
  }
}

/**
 * One company in ten heads a group of four. The heads come first, then the daughters, three for each: two
 * under the head, and the third under the head or, in every other group, under the first daughter.
 */
function parentOrdinal(ordinal: number, count: number): number | null {
  const groups = Math.floor(count / 10)
  if (ordinal < groups || ordinal >= 4 * groups) return null
  const daughter = ordinal - groups
  const group = Math.floor(daughter / 3)
  const isThird = daughter % 3 === 2
  return isThird && group % 2 === 0 ? groups + 3 * group : group
}

function regionFor(kind: OrganizationKind, ordinal: number, count: number, draws: Draws): Region {
  // Partners are spread evenly instead of drawn: also a small set has some in every region.
  if (kind === 'Partner') return partnerRegions.at((ordinal / count - 0.6) / 0.25)
  if (kind === 'Customer') return customerRegions.draw(draws)
  return draws.pick(Object.keys(regions) as Region[])
}

const nameStarts = (
  'Nor Vel Kas Mar Tor Bel Har Lin San Ost Ker Dal Ven Alt Mon Ser Wes Bran Cal Dor ' +
  'Ever Fal Gran Hel Ist Jun Kor Lun Mer Nov Oril Pal Quin Ros Sol Tam Ul Var Win Zel'
).split(' ')

const nameEnds = (
  'dara tex mont stad via line wick berg nova land mar tron field pan ria ' +
  'gard sen zia port ton dis lex ora vik ley core ano mere holm star'
).split(' ')

const trades = (
  'Textiles Foods Electronics Machinery Furniture Chemicals Automotive Home Sports Tools ' +
  'Lighting Paper Ceramics Medical Toys Footwear Plastics Steel Appliances Garden'
).split(' ')

const kindSuffixes: Readonly<Record<OrganizationKind, string>> = {
  Customer: '',
  Partner: '',
  Forwarder: 'Forwarding ',
  Broker: 'Customs Brokers ',
  Carrier: 'Lines ',
}

const legalForms: Readonly<Record<string, string>> = {
  BE: 'NV',
  BR: 'Ltda.',
  CA: 'Inc.',
  CN: 'Co., Ltd.',
  DE: 'GmbH',
  EC: 'S.A.',
  ES: 'S.L.',
  FR: 'SAS',
  IN: 'Pvt. Ltd.',
  IT: 'S.p.A.',
  JP: 'K.K.',
  KR: 'Co., Ltd.',
  MX: 'S.A. de C.V.',
  NL: 'B.V.',
  PL: 'Sp. z o.o.',
  SG: 'Pte. Ltd.',
  TH: 'Co., Ltd.',
  TR: 'A.S.',
  TW: 'Co., Ltd.',
  US: 'Inc.',
  VN: 'Co., Ltd.',
  ZA: '(Pty) Ltd',
}

/** A made-up name; the stride visits every combination once before any repeats. */
function freshName(ordinal: number): string {
  const place = (ordinal * 7_919) % (nameStarts.length * nameEnds.length * trades.length)
  const start = nameStarts[place % nameStarts.length]
  const end = nameEnds[Math.floor(place / nameStarts.length) % nameEnds.length]
  const trade = trades[Math.floor(place / (nameStarts.length * nameEnds.length))]
  return `${start}${end} ${trade}`
}

function familyName(organization: DemoOrganization): string {
  return organization.parent ? familyName(organization.parent) : freshName(organization.ordinal)
}

/** The city of a port, as people write it in an address. */
export function cityOf(unLocode: string): string {
  return portOf(unLocode).name.replace(/ Pt$/, '')
}

const currencyByRegion: Readonly<Record<Region, string>> = {
  Asia: 'USD',
  Europe: 'EUR',
  NorthAmerica: 'USD',
  SouthAsia: 'USD',
  LatinAmerica: 'USD',
  Africa: 'USD',
}

/** Rows of HubOrganizations. */
export function* organizationRows(
  seed: number,
  now: Date,
  organizations: DemoOrganizations,
): Iterable<DemoRow> {
  for (const organization of organizations) {
    const draws = new Draws(seed, Stream.OrganizationDetails, organization.ordinal)
    const trades = organization.kind === 'Customer' || organization.kind === 'Partner'
    yield {
      Id: organization.id,
      Code: organization.code,
      FullName: organization.name,
      ShortName: familyName(organization).slice(0, 50),
      ParentOrganizationId: organization.parent?.id ?? null,
      HierarchyPath: organization.hierarchyPath,
      IsConsignor: trades,
      IsConsignee: trades,
      IsControllingCustomer: organization.kind === 'Customer',
      IsForwarder: organization.kind === 'Forwarder',
      IsCarrier: organization.kind === 'Carrier',
      IsBroker: organization.kind === 'Broker',
      CountryCode: organization.unLocode.slice(0, 2),
      ClosestPortId: portIdOf(organization.unLocode),
      DefaultCurrencyCode: currencyByRegion[organization.region],
      Language: 'en',
      WebSite: `https://${organization.code.toLowerCase()}.example`,
      ExternalId: draws.optional(`D${100_000 + organization.ordinal}`),
      CreationTime: new Date(now.getTime() - (600 + draws.below(900)) * 86_400_000),
      ConcurrencyStamp: draws.hex(4),
    }
  }
}

/**
 * A user and the companies through which they see shipments: ordinals count from 0, the biggest customer. The
 * first one is the default.
 */
export interface DemoUser {
  userId: string
  userName: string
  organizationOrdinals: readonly number[]
  /** True for people of the first forwarder. */
  isStaff?: boolean
}

/** The memberships of a user. */
export function membershipCount({ organizationOrdinals, isStaff = false }: DemoUser): number {
  return organizationOrdinals.length + (isStaff ? 1 : 0)
}

/** Rows of HubOrganizationMembers. */
export function* memberRows(
  seed: number,
  now: Date,
  organizations: DemoOrganizations,
  users: readonly DemoUser[],
): Iterable<DemoRow> {
  const forwarder = organizations.findIndex(({ kind }) => kind === 'Forwarder')
  for (const [userOrdinal, { userId, userName, organizationOrdinals, isStaff }] of users.entries()) {
    const ordinals = isStaff ? [...organizationOrdinals, forwarder] : organizationOrdinals
    for (const [index, organizationOrdinal] of ordinals.entries()) {
      const organization = organizations[organizationOrdinal]
      if (!organization) throw new Error(`${userName}: there is no demo organization ${organizationOrdinal}`)
      yield {
        Id: demoId(Stream.Member, seed, userOrdinal, index),
        OrganizationId: organization.id,
        UserId: userId,
        UserName: userName,
        IsDefault: index === 0,
        CreationTime: now,
      }
    }
  }
}
