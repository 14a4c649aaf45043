import {
  DocumentPermissions,
  OrderPermissions,
  OrganizationPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import type { App, AppCaller } from '../support/app.js'
import { addDocuments, addOrder, addOrganization, addShipments, hubOf } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

/** The two values that a hidden column may have; the attack finds out which. */
type Secret = readonly [string, string]

/** The columns of a table that the attack is after, by what OData makes of them, and how literals are written. */
type Secrets = Readonly<Record<string, Readonly<Record<string, Secret>>>>
const secrets: Secrets = {
  HubShipments: {
    TotalPackages: ['2653', '2654'],
    GoodsValue: ['4711.25', '4711.5'],
    VesselName: ["'Hidden Gate'", "'hidden gala '"],
    EstimatedDeparture: ['2026-03-04T05:06:07Z', '2027-05-06T08:09:10.5Z'],
    IsOnHold: ['true', 'false'],
  },
  HubDocuments: {
    Title: ["'Secret invoice'", "'secret letter'"],
    FileName: ["'secret-1.pdf'", "'secret-22.xml'"],
    FileSize: ['987654', '987655'],
    ExpiryDate: ['2026-01-02', '2028-11-12'],
  },
  HubOrders: {
    Description: ["'Arms'", "'legs '"],
    TotalAmount: ['77.7', '77.8'],
    SplitNumber: ['31', '32'],
    OrderDate: ['2026-05-05', '2025-06-07'],
  },
  HubShipmentAddresses: { CompanyName: ["'Bank of Hidden'", "'bank of Nobody'"] },
  HubOrganizations: { FullName: ["'Theirs Inc'", "'their company'"], ShortName: ["'TI'", "'tcmp'"] },
}

/** The columns that callers without `Shipment.ViewGoodsValue` do not see, of rows that they do see. */
const restrictedSecrets: Secrets = {
  HubShipments: { GoodsValue: ['4711.25', '4711.5'], GoodsCurrencyCode: ["'EUR'", "'usd'"] },
}

/** Own fields of shipments, as `own-field-rights.test.ts` declares them, which callers without their permission do not see. */
const ownSecrets: Secrets = {
  HubShipments: {
    Margin: ['4711.25', '4711.5'],
    Broker: ["'Hidden Gate'", "'hidden gala'"],
    Grade: ['17', '18'],
    Doubtful: ['true', 'false'],
    Due: ['2026-01-02', '2028-11-12'],
    SettledAt: ['2026-03-04T05:06:07Z', '2027-05-06T08:09:10.5Z'],
  },
}

/** Where a request meets hidden rows: in a set, behind a path to one row, or in a collection of each row. */
interface Place {
  readonly set: string
  readonly table: string
  /** With its slash. */
  readonly path?: string
  readonly collection?: string
}

const places: readonly Place[] = [
  { set: 'Shipments', table: 'HubShipments' },
  { set: 'Documents', table: 'HubDocuments' },
  { set: 'Orders', table: 'HubOrders' },
  { set: 'ShipmentAddresses', table: 'HubShipmentAddresses' },
  { set: 'Organizations', table: 'HubOrganizations' },
  { set: 'Shipments', table: 'HubOrganizations', path: 'ControllingCustomer/' },
  { set: 'ShipmentAddresses', table: 'HubOrganizations', path: 'Organization/' },
  { set: 'Orders', table: 'HubShipments', path: 'Shipment/' },
  { set: 'Shipments', table: 'HubDocuments', collection: 'Documents' },
  { set: 'Shipments', table: 'HubOrders', collection: 'Orders' },
]

/** What an attack is after, and where it meets it. */
export interface Target {
  readonly secrets: Secrets
  readonly places: readonly Place[]
}

/** Columns of rows that the row rules hide. */
const hiddenRows: Target = { secrets, places }

/** Restricted fields of rows that the caller sees. */
export const restrictedFields: Target = {
  secrets: restrictedSecrets,
  places: [
    { set: 'Shipments', table: 'HubShipments' },
    { set: 'Orders', table: 'HubShipments', path: 'Shipment/' },
    { set: 'Documents', table: 'HubShipments', path: 'Shipment/' },
    { set: 'ShipmentAddresses', table: 'HubShipments', path: 'Shipment/' },
  ],
}

/** Restricted own fields of rows that the caller sees. */
export const restrictedOwnFields: Target = { secrets: ownSecrets, places: restrictedFields.places }

/** What the service says that it can do, as its metadata lists it. */
export interface Abilities {
  readonly functions: readonly string[]
  readonly transformations: readonly string[]
}

/** A request that would tell a hidden value if it were answered differently. */
export interface Attack {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Of the metadata's abilities: what it uses. */
  readonly uses: readonly string[]
}

type Kind = 'text' | 'number' | 'instant' | 'date' | 'boolean'

/** What kind of value a literal is. */
function kindOf(literal: string): Kind {
  if (literal.startsWith("'")) return 'text'
  if (literal === 'true' || literal === 'false') return 'boolean'
  return /^\d+-/.test(literal) ? (literal.includes('T') ? 'instant' : 'date') : 'number'
}

const literals: Readonly<Record<Kind, readonly string[]>> = {
  text: ["'a'", "'e'", "' '", "'H'", "'secret'", "'1'"],
  number: ['1', '0', '2.5', '-3', '1000000'],
  instant: ['2026-01-01T00:00:00Z', 'now()', 'mindatetime()', 'maxdatetime()'],
  date: ['2026-01-01'],
  boolean: ['true', 'false'],
}

/** How something is written around an operand, and of which kinds that may be. */
interface Use {
  readonly name: string
  readonly kinds: readonly Kind[]
  readonly write: (x: string, one: <T>(of: readonly T[]) => T) => string
}

const words = (text: string): readonly string[] => text.split(' ')
const everyKind = Object.keys(literals) as readonly Kind[]
const ofTwo = (kinds: readonly Kind[], other: Kind) => (name: string) => ({
  name,
  kinds,
  write: (x: string, one: <T>(of: readonly T[]) => T) => `${name}(${x},${one(literals[other])})`,
})
const ofOne = (kinds: readonly Kind[]) => (name: string) => ({
  name,
  kinds,
  write: (x: string) => `${name}(${x})`,
})

/** Functions that take certain arguments; others get any. */
const known: readonly Use[] = [
  ...words('contains startswith endswith indexof concat matchespattern').map(ofTwo(['text'], 'text')),
  ...words('length tolower toupper trim').map(ofOne(['text'])),
  ...words('year month day').map(ofOne(['instant', 'date'])),
  ...words('hour minute second fractionalseconds date time totaloffsetminutes').map(ofOne(['instant'])),
  ...words('round floor ceiling').map(ofOne(['number'])),
  {
    name: 'totalseconds',
    kinds: ['instant'],
    write: (x) => `totalseconds(${x} sub 2026-01-01T00:00:00Z)`,
  },
  {
    name: 'substring',
    kinds: ['text'],
    write: (x, one) => `substring(${x},${one(['0', '1', '-2', '1,2', '-3,1'])})`,
  },
  ...words('now mindatetime maxdatetime').map((name) => ({
    name,
    kinds: ['instant' as const],
    write: (x: string) => `${x} lt ${name}()`,
  })),
  { name: 'case', kinds: everyKind, write: (x) => `case(${x} ne null:${x})` },
  { name: 'cast', kinds: everyKind, write: (x) => `cast(${x},Edm.String)` },
  {
    name: 'cast',
    kinds: ['number'],
    write: (x, one) => `cast(${x},Edm.${one(words('Int16 Int32 Int64 Decimal Double Single'))})`,
  },
  {
    name: 'cast',
    kinds: ['text'],
    write: (x, one) =>
      `cast(${x},Edm.${one(words('Int32 Decimal Double Boolean Guid Date DateTimeOffset TimeOfDay Duration Binary'))})`,
  },
  { name: 'cast', kinds: ['instant'], write: (x, one) => `cast(${x},Edm.${one(words('Date TimeOfDay'))})` },
]

const operators: readonly Use[] = [
  ...words('eq ne lt le gt ge').map((name) => ({
    name,
    kinds: everyKind,
    write: (x: string, one: <T>(of: readonly T[]) => T) => `${x} ${name} ${one(literals[kindOfColumn(x)])}`,
  })),
  ...words('add sub mul div divby mod').map((name) => ({
    name,
    kinds: ['number' as const],
    write: (x: string, one: <T>(of: readonly T[]) => T) =>
      one([true, false])
        ? `${x} ${name} ${one(['1', '7', '2.5', '-3'])}`
        : `${one(['100000', '2.5'])} ${name} ${x}`,
  })),
  ...words('add sub').map((name) => ({
    name,
    kinds: ['instant' as const, 'date' as const],
    write: (x: string) => `${x} ${name} duration'P1D'`,
  })),
  { name: 'in', kinds: everyKind, write: (x, one) => `${x} in (${one(literals[kindOfColumn(x)])},null)` },
  { name: 'and', kinds: ['boolean'], write: (x) => `(${x} and true)` },
  { name: 'or', kinds: ['boolean'], write: (x) => `(${x} or false)` },
  { name: 'not', kinds: ['boolean'], write: (x) => `not ${x}` },
  { name: 'neg', kinds: ['number'], write: (x) => `-(${x})` },
]

/** Of a literal or the path to a column. */
function kindOfColumn(text: string): Kind {
  const name = text.split('/').at(-1) ?? ''
  const all = [secrets, restrictedSecrets, ownSecrets].flatMap((some) => Object.values(some))
  const columns = Object.assign({}, ...all) as Record<string, Secret>
  return kindOf(columns[name]?.[0] ?? text)
}

/** Some of all attacks, chosen by a random number from 0 to 1; the same ones for the same numbers. */
export class Attacker {
  /** Functions and operators that no column of the target is an operand of. */
  readonly skipped = new Set<string>()
  private turn = 0
  private step = 0

  constructor(
    private readonly abilities: Abilities,
    private readonly random: () => number,
    private readonly target: Target = hiddenRows,
  ) {}

  next(): Attack {
    let use = this.use()
    let fitting = this.fitting(use)
    while (!fitting.length) {
      this.skipped.add(use.name)
      use = this.use()
      fitting = this.fitting(use)
    }
    const { place, column, secret } = this.one(fitting)
    // The same numbers are drawn for both.
    const drawn = this.random()
    const of = (x: string) => use.write(x, (some) => some[Math.floor(drawn * some.length)] as never)
    const variable = place.collection ? 'x/' : (place.path ?? '')
    const value = (prefix: string) => of(prefix + column)
    // True of the first secret and false of the other, as a rule: one of them divides by nothing.
    const bomb = (prefix: string) => `1 div case((${value(prefix)}) eq (${of(secret)}):0,true:1) ge 0`
    const condition = this.random() < 0.8 ? bomb : this.plainCondition(of, column, secret)
    const [option, url] = place.collection
      ? this.inCollection(place.collection, variable, condition, value)
      : this.inSet(variable, condition, value, column)
    const headers = this.one<Readonly<Record<string, string>>>([
      {},
      {},
      { prefer: 'odata.maxpagesize=1' },
      { prefer: 'odata.include-annotations="*"' },
    ])
    const [resource = '', query = ''] = url.split('?')
    const encoded = query.split('&').map((pair) => {
      const at = pair.indexOf('=')
      return `${pair.slice(0, at)}=${encodeURIComponent(pair.slice(at + 1))}`
    })
    const path = `/odata/${place.set}${encodeURI(resource)}`
    return { url: query ? `${path}?${encoded.join('&')}` : path, headers, uses: [use.name, option] }
  }

  /** The columns of the target that something can be written around, with their places. */
  private fitting({ kinds }: Use) {
    const { places, secrets } = this.target
    return places.flatMap((place) =>
      Object.entries(secrets[place.table] ?? {})
        .filter(([, [secret]]) => kinds.includes(kindOf(secret)))
        .map(([column, [secret]]) => ({ place, column, secret })),
    )
  }

  private one<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T
  }

  /** A function or an operator. */
  private use(): Use {
    if (this.random() < 0.3) return this.one(operators)
    const { functions } = this.abilities
    // Each in its turn, so that none is left out.
    const name = functions[this.turn++ % functions.length] ?? ''
    const uses = known.filter((use) => use.name === name)
    if (uses.length) return this.one(uses)
    // Nobody told us about this one: any number of arguments, of any kind.
    const others = Array.from({ length: this.one([0, 1, 2]) }, () => this.one(literals[this.one(everyKind)]))
    return { name, kinds: everyKind, write: (x) => `${name}(${[x, ...others].join(',')})` }
  }

  /** Conditions that fail by themselves on some values, or tell by the time that they take. */
  private plainCondition(of: (x: string) => string, column: string, secret: string) {
    const shape = this.one<(x: string) => string>([
      (x) => `(${of(x)}) eq (${of(secret)})`,
      (x) => `1 div (${x} sub ${secret}) eq 7`,
      (x) => `${x} mul 2000000000 mul 2000000000 gt 0`,
      // The greatest number of 32 bits for one secret, and one beyond it for the other.
      (x) => `${x} add ${2_147_483_647 - (Number.parseInt(secret, 10) || 0)} gt 0`,
      (x) => `substring('abc',0,${x} sub ${secret}) eq 'a'`,
      (x) => `${x} add duration'P9999999D' gt 2020-01-01T00:00:00Z`,
      (x) => `matchesPattern(${x},'^(.*a)*(.*b)*$')`,
      (x) => `${x} in $root/Organizations/FullName`,
      (x) => `contains(concat(${x},${x}),${secret})`,
    ])
    return (prefix: string) => shape(prefix + column)
  }

  private inSet(
    prefix: string,
    condition: (prefix: string) => string,
    value: (prefix: string) => string,
    column: string,
  ): readonly [string, string] {
    const e = condition(prefix)
    const v = value(prefix)
    const { transformations } = this.abilities
    const transformation = transformations[this.step % transformations.length] ?? ''
    const applied: Readonly<Record<string, readonly string[]>> = {
      filter: [`filter(${e})`, `filter(${e})/aggregate($count as N)`],
      compute: [
        `compute(${v} as V)/groupby((V),aggregate($count as N))`,
        `compute(${v} as V)/filter(V ne null)`,
      ],
      groupby: [
        `groupby((${prefix}${column}),aggregate($count as N))/filter(${e})`,
        `groupby((${prefix}${column}))/compute(${v} as V)/filter(V ne null)`,
        `groupby((Id),filter(${e})/aggregate($count as N))`,
        `groupby((${prefix}${column}),top(1))/filter(${e})`,
      ],
      aggregate: ['sum', 'min', 'max', 'average', 'countdistinct'].map(
        (method) => `aggregate(${v} with ${method} as V)`,
      ),
      concat: [`concat(filter(${e}),identity)`, `concat(identity,top(1))/filter(${e})`],
      orderby: [`orderby(${v})/top(1)`],
      top: [`top(100)/filter(${e})`],
      skip: [`skip(0)/filter(${e})`, `skip(1)/compute(${v} as V)`],
      search: [`search(hidden)/filter(${e})`],
      identity: [`identity/filter(${e})`],
    }
    const apply = this.one(
      applied[transformation] ?? [`${transformation}(1,${v})`, `${transformation}(99,${v})/filter(${e})`],
    )
    if (this.random() < 0.4) {
      this.step++
      return [transformation, `?$apply=${apply}`]
    }
    return this.one<readonly [string, string]>([
      ['$filter', `?$filter=${e}`],
      ['$filter', `?$filter=Id ne null and ${e}&$count=true`],
      ['$filter', `?$filter=not (${e})&$top=1&$count=true`],
      ['$count', `/$count?$filter=${e}`],
      ['$path', `/$filter(${e})/$count?`.slice(0, -1)],
      ['$orderby', `?$orderby=${v}`],
      ['$orderby', `?$orderby=${e} desc&$top=1`],
      ['$compute', `?$compute=${v} as V&$select=V`],
      ['$compute', `?$compute=${v} as V&$filter=V ne null&$orderby=V`],
      ['$search', `?$search=hidden&$filter=${e}`],
    ])
  }

  private inCollection(
    name: string,
    prefix: string,
    condition: (prefix: string) => string,
    value: (prefix: string) => string,
  ): readonly [string, string] {
    const e = condition(prefix)
    const own = condition('')
    const v = value('')
    return this.one<readonly [string, string]>([
      ['any', `?$filter=${name}/any(x:${e})`],
      ['any', `?$filter=not ${name}/any(x:${e})&$count=true`],
      ['any', `?$orderby=${name}/any(x:${e})`],
      ['any', `?$compute=${name}/any(x:${e}) as V&$select=V`],
      ['all', `?$filter=${name}/all(x:${e})`],
      ['$count', `?$filter=${name}/$count($filter=${own}) gt 0`],
      ['$count', `?$orderby=${name}/$count($filter=${own})`],
      ['$filter', `?$filter=${name}/$filter(${own})/$count gt 0`],
      ['$expand', `?$expand=${name}($filter=${own};$count=true)`],
      ['$expand', `?$expand=${name}($orderby=${v};$top=1)`],
      ['$expand', `?$expand=${name}($compute=${v} as V;$select=V)`],
      ['$expand', `?$expand=${name}/$count($filter=${own})`],
      ['$expand', `?$expand=${name}($apply=filter(${own})/aggregate($count as N))`],
      ['$expand', `?$expand=${name}($apply=compute(${v} as V)/groupby((V),aggregate($count as N)))`],
      ['aggregate', `?$apply=aggregate(${name}/$count as N)`],
      ['aggregate', `?$apply=filter(${name}/any(x:${e}))/groupby((Status),aggregate($count as N))`],
    ])
  }
}

/** The rows of the attack, and who attacks. */
export interface HiddenWorld {
  readonly attacker: AppCaller
  /** Gives all hidden columns the first or the second of their values. */
  be(which: 0 | 1): Promise<void>
}

/** Rows that a member of OURS sees, and beside and behind them others that the rules hide: foreign, unpublished and deleted ones. */
export async function makeHiddenWorld(app: App): Promise<HiddenWorld> {
  const ours = await addOrganization(app, 'OURS')
  const theirs = await addOrganization(app, 'THEIRS')
  const others = await addOrganization(app, 'OTHERS')
  const party = { role: 0, organizationId: ours }
  const customer = { role: 4, organizationId: theirs }
  const seen = {
    VesselName: 'Open',
    TotalPackages: 3,
    GoodsValue: 5,
    GoodsCurrencyCode: 'EUR',
    IsDeleted: false,
  }
  const dated = { ...seen, EstimatedDeparture: '2026-02-02T02:02:02Z' }
  const [own = '', other = '', foreign = '', gone = ''] = await addShipments(app, [
    { ...dated, ShipmentReference: 'OWN', parties: [party, customer] },
    { ...dated, ShipmentReference: 'OTHER', VesselName: 'Clear', parties: [party] },
    { ...dated, ShipmentReference: 'FOREIGN', parties: [customer] },
    { ...dated, ShipmentReference: 'GONE', IsDeleted: true, parties: [party] },
  ])
  const file = { Title: 'Open', ExpiryDate: '2026-06-06', IsCustomerVisible: true, IsDeleted: false }
  const [, , internal = '', deleted = '', foreignFile = ''] = await addDocuments(app, [
    { ...file, ShipmentId: own },
    { ...file, ShipmentId: other, Title: 'Clear' },
    { ...file, ShipmentId: own, IsCustomerVisible: false },
    { ...file, ShipmentId: own, IsDeleted: true },
    { ...file, ShipmentId: foreign },
  ])
  const order = { Description: 'Books', SupplierId: others, IsDeleted: false }
  await addOrder(app, { ...order, BuyerId: ours, ShipmentId: own })
  // Its shipment is hidden, and that of another one deleted.
  await addOrder(app, { ...order, BuyerId: ours, ShipmentId: foreign })
  await addOrder(app, { ...order, BuyerId: ours, ShipmentId: gone })
  const foreignOrder = await addOrder(app, { ...order, BuyerId: theirs })
  const deletedOrder = await addOrder(app, { ...order, BuyerId: ours, ShipmentId: own, IsDeleted: true })
  const hidden: Readonly<Record<string, readonly string[]>> = {
    HubShipments: [foreign, gone],
    HubDocuments: [internal, deleted, foreignFile],
    HubOrders: [foreignOrder, deletedOrder],
    HubOrganizations: [theirs, others],
  }
  const hub = hubOf(app)
  const be = async (which: 0 | 1): Promise<void> => {
    for (const [table, columns] of Object.entries(secrets)) {
      const values = Object.values(columns).map((secret) => secret[which].replace(/^'|'$/g, ''))
      const set = Object.keys(columns).map((name, index) => `"${name}" = $${index + 2}`)
      const ids = hidden[table]
      const rows = ids ? '"Id" = any($1::uuid[])' : '"ShipmentId" = any($1::uuid[])'
      await hub.execute({
        text: `update "${table}" set ${set.join(', ')} where ${rows}`,
        values: [ids ?? [foreign], ...values],
      })
    }
  }
  await be(0)
  await hub.execute({ text: 'analyze', values: [] })
  const permissions = [
    ShipmentPermissions.View,
    ShipmentPermissions.ViewGoodsValue,
    DocumentPermissions.View,
    OrderPermissions.View,
    OrganizationPermissions.View,
  ]
  return { attacker: await app.as({ permissions, organizations: ['OURS'] }), be }
}

/** What the metadata says that the service can do. */
export async function abilitiesOf(caller: AppCaller): Promise<Abilities> {
  const { body } = await send(caller, 'GET', '/odata/$metadata?$format=json')
  const [namespace] = (body.$EntityContainer as string).split('.')
  const annotations = body[namespace ?? ''].Container
  return {
    functions: annotations['@Org.OData.Capabilities.V1.FilterFunctions'],
    transformations: annotations['@Org.OData.Aggregation.V1.ApplySupportedDefaults'].Transformations,
  }
}

/** Numbers from 0 to 1 that look like random ones; the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Status and body of the answer to each attack. */
export async function answersTo(
  caller: AppCaller,
  attacks: readonly Pick<Attack, 'url' | 'headers'>[],
): Promise<readonly string[]> {
  const found: string[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < attacks.length; index = next++) {
      const { url, headers = {} } = attacks[index] as Attack
      const answer = await caller.fetch(url, { headers })
      found[index] = `${answer.status} ${await answer.text()}`
    }
  }
  await Promise.all([work(), work()])
  return found
}
