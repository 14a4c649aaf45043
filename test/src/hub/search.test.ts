import { namedGuid, sequentialGuid } from '@keel/framework/data'
import {
  ConsolPermissions,
  ContainerPermissions,
  OrderPermissions,
  OrganizationPermissions,
  SearchAppService,
  type SearchHitDto,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrder,
  addOrganization,
  addRows,
  addShipments,
  hubOf,
  modeId,
  type Row,
} from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

const views = [
  ShipmentPermissions.View,
  OrderPermissions.View,
  ContainerPermissions.View,
  ConsolPermissions.View,
  OrganizationPermissions.View,
]
let app: App
let staff: AppCaller
let customer: AppCaller

beforeAll(async () => {
  app = await startApp()
  const [acme, other, supplier] = [
    await addOrganization(app, 'QUAYACME', { FullName: 'Acme at the Quay', ShortName: 'Aquay' }),
    await addOrganization(app, 'QUAYOTHER'),
    await addOrganization(app, 'SUPPLIER'),
  ]
  const of = (organizationId: string) => ({ parties: [{ role: 4, organizationId }] })
  const [own, foreign] = await addShipments(app, [
    { ShipmentReference: 'Quay-own', HouseBillNumber: 'HB-quay-1', Status: 5, ...of(acme) },
    {
      ShipmentReference: 'QUAY-other',
      MasterBillNumber: 'MB-quay-2',
      BookingReference: 'BK%77',
      ...of(other),
    },
  ])
  const [deleted] = await addShipments(app, [
    { ShipmentReference: 'quay-deleted', IsDeleted: true, ...of(acme) },
  ])
  await add('HubShipmentReferenceNumbers', [
    { ShipmentId: own, ReferenceType: 1, Value: 'Ref-Pier-1' },
    { ShipmentId: foreign, ReferenceType: 1, Value: 'ref-pier-2' },
    { ShipmentId: deleted, ReferenceType: 1, Value: 'ref-pier-3' },
  ])
  await add('HubShipmentReferenceNumbers', [
    { ShipmentId: own, ReferenceType: 2, Value: 'ref-pier-4', IsDeleted: true },
  ])
  await addOrder(app, { OrderNumber: 'PO-quay-1', BuyerId: acme, SupplierId: supplier })
  await addOrder(app, { OrderNumber: 'PO-quay-2', SplitNumber: 3, BuyerId: other, SupplierId: supplier })
  const consol = { TransportModeId: modeId('Sea'), ConsolType: 1, ConcurrencyStamp: 'stamp' }
  const [ownConsol, foreignConsol] = await add('HubConsols', [
    { ConsolNumber: 'C-quay-1', MasterBillNumber: 'MEDU-own', ...consol },
    { ConsolNumber: 'C-quay-2', BookingReference: 'quay-booking', ...consol },
  ])
  await add('HubConsolShipments', [
    { ConsolId: ownConsol, ShipmentId: own, Sequence: 1 },
    { ConsolId: foreignConsol, ShipmentId: foreign, Sequence: 1 },
  ])
  const box = { ContainerTypeId: namedGuid('ContainerType:45G1') }
  const [ownBox, foreignBox] = await add('HubContainers', [
    { ContainerNumber: 'QUAY3054383', ConsolId: ownConsol, ...box },
    { ContainerNumber: null, SealNumber: 'seal-quay', ConsolId: foreignConsol, ...box },
  ])
  await add('HubShipmentContainers', [
    { ContainerId: ownBox, ShipmentId: own },
    { ContainerId: foreignBox, ShipmentId: foreign },
  ])
  staff = await app.as({ permissions: [...views, OrganizationPermissions.AccessAll] })
  customer = await app.as({ permissions: views, organizations: ['QUAYACME'] })
})
afterAll(() => app?.close())

/** Adds rows and answers their ids in order. */
async function add(table: string, rows: readonly Row[]): Promise<string[]> {
  const added = rows.map((row) => ({ Id: sequentialGuid(), CreationTime: new Date(), ...row }))
  await addRows(hubOf(app), table, added)
  return added.map(({ Id }) => Id)
}

async function hits(caller: AppCaller, filter: string, maxResultCount?: number): Promise<SearchHitDto[]> {
  return caller.service(SearchAppService).getList({ filter, ...(maxResultCount && { maxResultCount }) })
}

/** What is found, as `Kind title (field)`. */
async function found(caller: AppCaller, filter: string): Promise<string[]> {
  return (await hits(caller, filter)).map(({ kind, title, field }) => `${kind} ${title} (${field})`).sort()
}

test('one text is looked for in references, bills, numbers, codes and names, in any case', async () => {
  expect(await found(staff, 'QuAy')).toEqual([
    'Consol C-quay-1 (consolNumber)',
    'Consol C-quay-2 (bookingReference)',
    'Container QUAY3054383 (containerNumber)',
    'Container seal-quay (sealNumber)',
    'Order PO-quay-1 (orderNumber)',
    'Order PO-quay-2/3 (orderNumber)',
    'Organization Acme at the Quay (code)',
    'Organization QUAYOTHER Company (code)',
    'Shipment QUAY-other (shipmentReference)',
    'Shipment Quay-own (shipmentReference)',
  ])
  expect(await found(staff, 'hb-quay')).toEqual(['Shipment Quay-own (houseBillNumber)'])
  expect(await found(staff, 'B-QUAY-2')).toEqual(['Shipment QUAY-other (masterBillNumber)'])
  expect(await found(staff, 'ref-pier')).toEqual([
    'Shipment QUAY-other (referenceNumbers)',
    'Shipment Quay-own (referenceNumbers)',
  ])
  expect(await found(staff, 'at the q')).toEqual(['Organization Acme at the Quay (fullName)'])
  expect(await found(staff, 'aquay')).toEqual(['Organization Acme at the Quay (shortName)'])
  expect(await found(staff, 'edu-own')).toEqual(['Consol C-quay-1 (masterBillNumber)'])
  expect(await found(staff, 'quay-book')).toEqual(['Consol C-quay-2 (bookingReference)'])
})

test('a hit tells the value that has the text, and what a list shows of the thing', async () => {
  const [shipment] = await hits(customer, 'pier-1')
  expect(shipment).toMatchObject({
    kind: 'Shipment',
    field: 'referenceNumbers',
    text: 'Ref-Pier-1',
    title: 'Quay-own',
    subtitle: 'Acme at the Quay',
    state: 5,
    consolId: null,
  })
  const [box] = await hits(customer, 'quay3054')
  const [consol] = await hits(customer, 'C-quay-1')
  expect(box).toMatchObject({ kind: 'Container', state: null, consolId: consol?.id })
  expect(consol).toMatchObject({ kind: 'Consol', state: 0, subtitle: null })
})

test('a member of an organization finds what its lists show, and nothing else', async () => {
  expect(await found(customer, 'quay')).toEqual([
    'Consol C-quay-1 (consolNumber)',
    'Container QUAY3054383 (containerNumber)',
    'Order PO-quay-1 (orderNumber)',
    'Organization Acme at the Quay (code)',
    'Shipment Quay-own (shipmentReference)',
  ])
  expect(await found(customer, 'ref-pier')).toEqual(['Shipment Quay-own (referenceNumbers)'])
  for (const hidden of ['MB-quay-2', 'ref-pier-2', 'PO-quay-2', 'C-quay-2', 'seal-quay', 'QUAYOTHER'])
    expect(await found(customer, hidden)).toEqual([])
})

/** Adds shipments of an organization, each with a consol, a container, a reference number and an order that have a text and the shipment's number. */
async function addCarried(organizationId: string, text: string, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, number) => `${text}-${number}`)
  const shipments = await addShipments(
    app,
    numbers.map((number) => ({ HouseBillNumber: number, parties: [{ role: 1, organizationId }] })),
  )
  const each = (rowOf: (number: string, shipmentId: string, index: number) => Row) =>
    numbers.map((number, index) => rowOf(number, shipments[index] as string, index))
  const consol = { TransportModeId: modeId('Sea'), ConsolType: 1, ConcurrencyStamp: 'stamp' }
  const consols = await add(
    'HubConsols',
    each((ConsolNumber) => ({ ConsolNumber, ...consol })),
  )
  const boxes = await add(
    'HubContainers',
    each((SealNumber) => ({ SealNumber, ContainerTypeId: namedGuid('ContainerType:45G1') })),
  )
  await add(
    'HubConsolShipments',
    each((_, ShipmentId, index) => ({ ConsolId: consols[index], ShipmentId })),
  )
  await add(
    'HubShipmentContainers',
    each((_, ShipmentId, index) => ({ ContainerId: boxes[index], ShipmentId })),
  )
  await add(
    'HubShipmentReferenceNumbers',
    each((Value, ShipmentId) => ({ ShipmentId, ReferenceType: 1, Value })),
  )
  const code = text.replace('-', '').toUpperCase()
  const parties = {
    BuyerId: await addOrganization(app, `B${code}`),
    SupplierId: await addOrganization(app, `S${code}`),
  }
  for (const [index, OrderNumber] of numbers.entries())
    await addOrder(app, { OrderNumber, ShipmentId: shipments[index], ...parties })
  return shipments
}

test.each([
  ['few', { more: 0, foreign: 8 }],
  ['some', { more: 301, foreign: 310 }],
  ['many', { more: 5001, foreign: 8 }],
])('a member with %s shipments finds what is theirs, and no more', async (name, { more, foreign }) => {
  const [own, other] = [`OWN${name.toUpperCase()}`, `OTHER${name.toUpperCase()}`]
  const [ownId, otherId] = [await addOrganization(app, own), await addOrganization(app, other)]
  const [shipment] = await addCarried(ownId, `fjord${name}-own`, 3)
  await addCarried(otherId, `fjord${name}-other`, foreign)
  for (let left = more; left > 0; left -= 1000)
    await addShipments(app, Array(Math.min(left, 1000)).fill({ VisibleOrganizationIds: [ownId] }))
  const consol = { TransportModeId: modeId('Sea'), ConsolType: 1, ConcurrencyStamp: 'stamp' }
  const [cut] = await add('HubConsols', [{ ConsolNumber: `fjord${name}-cut`, ...consol }])
  await add('HubConsolShipments', [{ ConsolId: cut, ShipmentId: shipment, IsDeleted: true }])
  const member = await app.as({ permissions: views, organizations: [own] })
  const kinds = async (text: string) =>
    (await hits(member, text)).map(({ kind, text }) => `${kind} ${text}`).sort()
  const ofNumber = (number: number) =>
    ['Consol', 'Container', 'Order', 'Shipment'].map((kind) => `${kind} fjord${name}-own-${number}`)
  expect(await kinds(`jord${name}`)).toEqual([0, 1, 2].flatMap(ofNumber).sort())
  expect(await kinds(`jord${name}-own-1`)).toEqual(ofNumber(1))
  expect(await kinds(`fjord${name}-own-2`)).toEqual(ofNumber(2))
  expect(await kinds(`jord${name}-other-1`)).toEqual([])
  expect(await kinds(`jord${name}-cut`)).toEqual([])
  // Without three letters in a row.
  expect(await kinds('fj')).toEqual([0, 1, 2].flatMap(ofNumber).sort())
})

test('a member with many shipments finds what a look at every row finds', async () => {
  const [ownId, otherId] = [await addOrganization(app, 'EVERYOWN'), await addOrganization(app, 'EVERYOTHER')]
  const member = await app.as({ permissions: views, organizations: ['EVERYOWN'] })
  // Of ones and zeros, so that many rows have the trigrams of a text that they do not have.
  const bits = (number: number) => (number % 4096).toString(2).padStart(12, '0')
  const rows = Array.from({ length: 900 }, (_, index) => {
    const isDraft = index % 40 === 7
    return {
      ShipmentReference: `Ev${bits(index * 7)}-${index}`,
      HouseBillNumber: `hB${bits(index * 11)}`,
      MasterBillNumber: index % 3 ? null : bits(index * 13),
      BookingReference: bits(index * 17),
      VisibleOrganizationIds: isDraft ? [] : index % 5 ? [ownId] : [otherId],
      CreatorId: index % 80 === 7 ? member.userId : null,
      IsDeleted: index % 31 === 0,
    }
  })
  await addShipments(app, rows)
  const isVisible = (row: (typeof rows)[number]) =>
    !row.IsDeleted &&
    (row.VisibleOrganizationIds.includes(ownId) ||
      (!row.VisibleOrganizationIds.length && row.CreatorId !== null))
  const textsOf = ({
    ShipmentReference,
    HouseBillNumber,
    MasterBillNumber,
    BookingReference,
  }: (typeof rows)[number]) =>
    [ShipmentReference, HouseBillNumber, MasterBillNumber ?? '', BookingReference].map((text) =>
      text.toLowerCase(),
    )
  const texts = [
    '000',
    '00000',
    '0000000000',
    '0101010',
    '11111111',
    '1111111111',
    '110011001',
    '001-',
    '1-887',
  ]
  for (const text of [
    ...texts,
    'EV0000',
    'v0101',
    'hb1111',
    'B01010101',
    ...rows.slice(0, 90).map((row) => row.ShipmentReference.slice(4)),
  ]) {
    const wanted = rows.filter(
      (row) => isVisible(row) && textsOf(row).some((one) => one.includes(text.toLowerCase())),
    )
    const references = new Set(wanted.map(({ ShipmentReference }) => ShipmentReference))
    const titles = (await hits(member, text, 20)).map(({ title }) => title)
    expect([text, titles.filter((title) => !references.has(title))]).toEqual([text, []])
    expect([text, new Set(titles).size]).toEqual([text, Math.min(20, wanted.length)])
  }
})

test('a kind whose list the caller may not read is not searched', async () => {
  for (const permission of views) {
    const caller = await app.as({ permissions: [permission, OrganizationPermissions.AccessAll] })
    const kinds = new Set((await hits(caller, 'quay')).map(({ kind }) => kind))
    expect([...kinds]).toEqual([permission.replace('.View', '')])
  }
  expect(await hits(await app.as({ permissions: [] }), 'quay')).toEqual([])
  expect((await app.host.fetch('/api/hub/search?filter=quay')).status).toBe(401)
})

test('characters that mean something in patterns stand for themselves', async () => {
  expect(await found(staff, 'BK%77')).toEqual(['Shipment QUAY-other (bookingReference)'])
  for (const text of [
    'B%77',
    'Q_AY',
    'qu.y',
    'quay|own',
    '(quay',
    "quay'",
    'quay\\',
    '%quay%',
    '^quay',
    '***:quay',
  ])
    expect(await found(staff, text)).toEqual([])
})

test('a text without three letters or digits in a row is found where a field begins with it', async () => {
  expect(await found(staff, 'qu')).toEqual([
    'Consol C-quay-2 (bookingReference)',
    'Container QUAY3054383 (containerNumber)',
    'Organization Acme at the Quay (code)',
    'Organization QUAYOTHER Company (code)',
    'Shipment QUAY-other (shipmentReference)',
    'Shipment Quay-own (shipmentReference)',
  ])
  expect(await found(staff, 'ay')).toEqual([])
  expect(await found(staff, 'po-q')).toEqual([
    'Order PO-quay-1 (orderNumber)',
    'Order PO-quay-2/3 (orderNumber)',
  ])
})

test('a text of one character, one of more than 100, and one without a letter or a digit are refused', async () => {
  for (const text of ['q', ' q ', '--', '%%', 'q'.repeat(101), '']) {
    const answer = await send(staff, 'GET', `/api/hub/search?filter=${encodeURIComponent(text)}`)
    expect([text, answer.status, faultyMembers(answer)]).toEqual([text, 400, ['filter']])
  }
  expect((await send(staff, 'GET', '/api/hub/search?filter=quay&maxResultCount=21')).status).toBe(400)
})

test('of each kind the exact text comes first, then what begins with it, and no more than was asked for', async () => {
  const many = Array.from({ length: 400 }, (_, index) => ({ ShipmentReference: `9Berth7-${index}` }))
  const old = { CreationTime: new Date(0) }
  await addShipments(app, [
    { ShipmentReference: 'berth7', ...old },
    { ShipmentReference: 'BERTH77', ...old },
    ...many,
  ])
  const all = (await hits(staff, 'Berth7', 20)).map(({ title }) => title)
  expect(all).toHaveLength(20)
  expect(all[0]).toBe('berth7')
  expect((await hits(staff, 'berth7-1', 3)).map(({ title }) => title)).toHaveLength(3)
})

test.each([
  ['Shipments', 'hb-quay', 'ShipmentReference', ['Quay-own']],
  ['ShipmentReferenceNumbers', 'pier-2', 'Value', ['ref-pier-2']],
  ['Orders', 'PO-QUAY-1', 'OrderNumber', ['PO-quay-1']],
  ['Containers', 'seal-q', 'SealNumber', ['seal-quay']],
  ['Consols', 'medu-', 'ConsolNumber', ['C-quay-1']],
  ['Organizations', 'aquay', 'Code', ['QUAYACME']],
])('$search of %s finds %s', async (set, text, member, wanted) => {
  const { body } = await send(staff, 'GET', `/odata/${set}?$search="${text}"&$select=${member}`)
  expect(body.value.map((row: Record<string, unknown>) => row[member])).toEqual(wanted)
})
