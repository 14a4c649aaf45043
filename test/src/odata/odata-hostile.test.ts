import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addShipments } from '../support/hub-rows.js'
import { sizeOf } from '../support/size.js'

type Answer = { readonly status: number; readonly text: string }

const rounds = sizeOf(500, 20_000)
/** `KEEL_ODATA_SEED` for other requests. */
const seed = Number(process.env['KEEL_ODATA_SEED'] ?? 1)

let app: App
let caller: AppCaller
beforeAll(async () => {
  app = await startApp()
  caller = await app.as({ roles: [SuperUser] })
  await addShipments(app, [{ ShipmentReference: 'X-1', TotalPackages: 1 }])
})
afterAll(() => app.close())

/** What an answer never tells: words of SQL as the engine writes them, tables, places in the code. */
const leaks = [
  /"Hub[A-Z]\w+"/,
  /\bselect .* from\b/i,
  /\bsyntax error at or near\b/i,
  /::(uuid|text|int|numeric|timestamptz)\b/,
  /node_modules|\/src\/|\.ts:\d+/,
  /pg_(catalog|stat)|relation "|column "/i,
  /STACK TRACE/,
]
/** Marks that would be found in a statement if one of them got into its text. */
const canary = 'zzcanaryzz'

const literals = [
  "'",
  "''",
  "'''",
  `'${canary}'`,
  `'${canary}''; drop table "HubShipments"; --'`,
  `'${canary}\\'`,
  "'%_\\'",
  "'\u0000'",
  "'\u2028\u202e😀\ud83d'",
  "'\ufeff'",
  '$1',
  '$$',
  '1; select pg_sleep(9)',
  '1/**/or/**/1',
  '9'.repeat(400),
  `-${'9'.repeat(30)}`,
  '1e400',
  '1e-400',
  `1.${'3'.repeat(300)}`,
  'INF',
  'NaN',
  '-INF',
  '2147483648',
  '9223372036854775808',
  '-9223372036854775809',
  '2024-02-30',
  '0000-01-01',
  '99999-12-31',
  '-0001-01-01',
  '9999-12-31T23:59:59.999999999999Z',
  '0001-01-01T00:00:00%2B14:00',
  '24:00:00',
  "duration'P99999999999D'",
  "duration'PT1.99999999999S'",
  "duration'P1Y'",
  "binary'!!!!'",
  "binary'AA'",
  '00000000-0000-0000-0000-000000000000',
  "Core.ShipmentStatus'Booked'",
  "Core.ShipmentStatus'99'",
  "Core.ShipmentStatus'%27--'",
  "Core.NoSuch'x'",
  'null',
  'true',
  '@p',
  '@undefined',
  '[1,"x",null]',
  '{"a":1}',
  '[[[[1]]]]',
  '$it',
  '$this',
  '$root/Ports',
]
const paths = [
  'ShipmentReference',
  'Status',
  'TotalPackages',
  'GoodsValue',
  'TotalVolume',
  'EstimatedArrival',
  'IsOnHold',
  'Id',
  'OriginPort',
  'OriginPort/Name',
  'OriginPort/Latitude',
  'TransportMode/Code',
  'Documents',
  'Documents/$count',
  'Documents/Title',
  'Documents/FileSize',
  '$root/Ports/UnLocode',
  '$root/Ports/$count',
  '$root/Ports(00000000-0000-0000-0000-000000000000)/Name',
  "$root/Ports('x')/Name",
  'Orders/OrderDate',
  'NoSuch',
  'Id/Id',
  canary,
  '__proto__',
  'constructor',
  'toString',
]
const operators = 'eq ne gt ge lt le add sub mul div divby mod and or has in EQ like'.split(' ')
const functions =
  `contains startswith endswith length indexof substring tolower toupper trim concat matchespattern year month day hour minute second
  fractionalseconds date time totaloffsetminutes totalseconds now mindatetime maxdatetime round floor ceiling cast isof case hassubset
  geo.distance nosuch __proto__`.split(/\s+/)
const transformations = [
  'filter',
  'groupby',
  'aggregate',
  'compute',
  'topcount',
  'toppercent',
  'concat',
  'orderby',
  'top',
  'skip',
  'identity',
  'search',
  'join',
]
const broken = [
  '%',
  '%zz',
  '%C3%28',
  '%ED%A0%80',
  '%FF',
  '%00',
  '+',
  '%2B',
  '#',
  '\t',
  '(',
  ')',
  "'",
  '"',
  '&',
  '=',
  ';',
  '/',
  '\\',
]

class Generator {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.state / 2 ** 32) * limit)
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  value(depth = 0): string {
    const kind = this.below(depth > 3 ? 2 : 6)
    if (kind === 0) return this.of(literals)
    if (kind === 1) return this.of(paths)
    if (kind === 2) return `${this.value(depth + 1)} ${this.of(operators)} ${this.value(depth + 1)}`
    if (kind === 3) {
      const args = Array.from({ length: this.below(4) }, () => this.value(depth + 1))
      return `${this.of(functions)}(${args.join(',')})`
    }
    if (kind === 4) return `${this.of(['not ', '-', '('])}${this.value(depth + 1)}${this.of(['', ')'])}`
    return `${this.of(['Documents', 'Orders', 'Addresses', 'Id'])}/${this.of(['any', 'all'])}(d:${this.of(['d/', ''])}${this.value(depth + 1)})`
  }

  options(depth = 0): string[] {
    const options = [
      () => `$filter=${this.value()}`,
      () => `$orderby=${this.value()}${this.of(['', ' desc', ' asc', ' up'])}`,
      () => `$select=${this.of(paths)}${this.of(['', ',*', `,${this.of(literals)}`])}`,
      () => `$compute=${this.value()} as ${this.of(['X', canary, 'Id', "a'b"])}`,
      () => `$search=${this.of(['a', '"x y"', `NOT ${canary}`, '(((', 'AND', this.of(literals)])}`,
      () => `$top=${this.of(['0', '1', '1001', '-1', '9'.repeat(30), 'x', 'null'])}`,
      () => `$skip=${this.of(['0', '5', '100001', '-1', '1e9'])}`,
      () => `$count=${this.of(['true', 'false', 'x'])}`,
      () =>
        `$expand=${this.of(['Documents', 'OriginPort', 'Orders', '*', 'NoSuch', 'Documents/$ref', 'Orders/$count'])}${
          depth > 3 ? '' : `(${this.options(depth + 1).join(';')})`
        }`,
      () => `$levels=${this.of(['1', 'max', '99', '-1'])}`,
    ]
    return Array.from({ length: 1 + this.below(3) }, () => this.of(options)())
  }

  apply(): string {
    const step = (): string => {
      const name = this.of(transformations)
      if (name === 'groupby')
        return `groupby((${this.of(paths)},${this.of(paths)}),aggregate(${this.value(3)} with ${this.of(['sum', 'max', 'average', 'countdistinct', 'x'])} as ${this.of(['T', canary])}))`
      if (name === 'aggregate') return `aggregate($count as ${this.of(['N', canary, "N'"])})`
      if (name === 'compute') return `compute(${this.value(2)} as C)`
      return `${name}(${this.value(2)}${this.of(['', `,${this.value(3)}`])})`
    }
    return `$apply=${Array.from({ length: 1 + this.below(3) }, step).join('/')}`
  }

  request(): string {
    const path = this.of([
      '/Shipments',
      '/Shipments',
      '/Shipments',
      `/Shipments(${this.of(literals)})`,
      `/Shipments(Id=${this.of(literals)},${canary}=1)`,
      `/Shipments/${this.of(literals)}`,
      `/Shipments/$filter(${this.value(2)})/$count`,
      '/Shipments/$count',
      '/Users',
      '/AuditLogs',
      `/${this.of(paths)}`,
      `/$entity?$id=${this.of(literals)}`,
      `/$crossjoin(Shipments,${this.of(paths)})`,
    ])
    const options = this.below(5) === 0 ? [this.apply()] : this.options()
    if (this.below(4) === 0) options.push(`@p=${this.of([this.value(2), '@p', '@q'])}`)
    const query = options
      .map((option) => (this.below(12) === 0 ? option + this.of(broken) : encoded(option)))
      .join('&')
    return `${encodedPath(path)}${path.includes('?') ? '&' : '?'}${query}`
  }
}

function encoded(option: string): string {
  const equals = option.indexOf('=')
  return `${option.slice(0, equals)}=${encode(option.slice(equals + 1))}`
}

const encodedPath = (path: string): string =>
  path
    .split('/')
    .map((part) => (part.includes('?') ? part : encode(part)))
    .join('/')

/** As a client would, but for half symbols, which no client could. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '?')).replaceAll('%252B', '%2B')
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await caller.fetch(`/odata${path}`, { headers })
  return { status: response.status, text: await response.text() }
}

/** A few at a time: more of one caller wait, and too many of them are refused. */
async function calmly(wanted: readonly string[]): Promise<void> {
  for (let from = 0; from < wanted.length; from += 8)
    await Promise.all(wanted.slice(from, from + 8).map(async (path) => expectCalm(path, await ask(path))))
}

function expectCalm(path: string, answer: Answer): void {
  expect(faultOf(path, answer)).toBeUndefined()
}

/** What is wrong with an answer: a failure of ours, words that nobody outside is to see, an error without a message. */
function faultOf(path: string, { status, text }: Answer): string | undefined {
  const isCalm = (status >= 200 && status < 500) || status === 501
  const isLeak = status >= 400 && leaks.some((leak) => leak.test(text.replaceAll(/'[^']*'/g, '')))
  // What Node itself refuses for its length has no body.
  const isTold = status < 400 || status === 431 || JSON.parse(text).error.message
  return isCalm && !isLeak && isTold ? undefined : `${status} for ${path}: ${text.slice(0, 300)}`
}

test(`${rounds} generated requests are answered or refused, and tell nothing of the database`, {
  timeout: 30_000 + rounds * 100,
}, async () => {
  const generator = new Generator(seed)
  const faults: string[] = []
  let answered = 0
  for (let round = 0; round < rounds; round += 4) {
    const requests = Array.from({ length: 4 }, () => generator.request()).filter(
      (path) => path.length < 12_000,
    )
    await Promise.all(
      requests.map(async (path) => {
        const answer = await ask(path)
        const fault = faultOf(path, answer)
        if (fault) faults.push(fault)
        if (answer.status < 300) answered++
      }),
    )
  }
  expect(faults).toEqual([])
  // Otherwise the generator tests the parser alone.
  expect(answered).toBeGreaterThan(rounds / 50)
})

test('every literal is harmless in every position', async () => {
  for (const literal of literals) {
    const encodedLiteral = encode(literal)
    await calmly([
      ...paths.slice(0, 9).map((path) => `/Shipments?$top=1&$filter=${path}%20eq%20${encodedLiteral}`),
      `/Shipments?$filter=ShipmentReference%20in%20(${encodedLiteral})`,
      `/Shipments?$filter=contains(ShipmentReference,${encodedLiteral})`,
      `/Shipments?$filter=matchespattern(ShipmentReference,${encodedLiteral})`,
      `/Shipments?$orderby=${encodedLiteral}`,
      `/Shipments?$compute=${encodedLiteral}%20as%20X&$top=1`,
      `/Shipments?$search=${encodedLiteral}`,
      `/Shipments?$skiptoken=${encodedLiteral}`,
      `/Shipments?$top=${encodedLiteral}`,
      `/Shipments?$format=${encodedLiteral}`,
      `/Shipments(${encodedLiteral})`,
      `/Shipments/${encodedLiteral}`,
      `/Shipments?$filter=Id%20eq%20@p&@p=${encodedLiteral}`,
      `/Shipments?$apply=filter(TotalPackages%20eq%20${encodedLiteral})`,
      `/Shipments?$expand=Documents($filter=Title%20eq%20${encodedLiteral})&$top=1`,
    ])
  }
})

test('bombs of depth and width are refused at a limit', async () => {
  const bombs = [
    `$filter=${'('.repeat(3000)}`,
    `$filter=${'not%20'.repeat(1000)}IsOnHold`,
    `$filter=${'length('.repeat(1000)}`,
    `$filter=${'Documents/any(d:'.repeat(300)}`,
    `$filter=${Array.from({ length: 1000 }, () => 'IsOnHold').join('%20or%20')}`,
    `$filter=Id%20in%20(${Array.from({ length: 2000 }, () => '1').join(',')})`,
    `$filter=ShipmentReference%20eq%20'${'x'.repeat(8000)}'`,
    `$filter=matchespattern(ShipmentReference,'(a%2B)%2B$')`,
    `$filter=matchespattern(ShipmentReference,'${'(a*)*'.repeat(40)}b')`,
    `$expand=${'Documents($expand='.repeat(200)}`,
    `$expand=${Array.from({ length: 100 }, () => 'Documents').join(',')}`,
    `$select=${Array.from({ length: 1500 }, () => 'Id').join(',')}`,
    `$orderby=${Array.from({ length: 100 }, () => 'Id').join(',')}`,
    `$search=${'('.repeat(3000)}`,
    `$search=${'a%20'.repeat(1000)}`,
    `$apply=${'concat('.repeat(500)}`,
    `$apply=${Array.from({ length: 100 }, () => 'identity').join('/')}`,
    `@a=@b&@b=@a&$filter=Id%20eq%20@a`,
    Array.from({ length: 1000 }, (_, index) => `x${index}=1`).join('&'),
  ]
  for (const bomb of bombs) expectCalm(bomb, await ask(`/Shipments?${bomb}`))
})

test('headers of any form do no harm', async () => {
  const values = [
    '',
    '*',
    ',,,',
    ';;;',
    '"',
    '"\\',
    'a'.repeat(3000),
    'application/json;q=x',
    `${'a/b,'.repeat(500)}`,
    'odata.maxpagesize=99999999999',
    'include-annotations=',
    "'",
    'é',
  ]
  for (const name of [
    'accept',
    'prefer',
    'odata-maxversion',
    'odata-version',
    'if-none-match',
    'accept-language',
  ])
    for (const value of values) expectCalm(`${name}: ${value}`, await ask('/Ports?$top=1', { [name]: value }))
})
