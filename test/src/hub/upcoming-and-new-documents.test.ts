import {
  DocumentPermissions,
  OrganizationPermissions,
  ShipmentAppService,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addShipments,
  codeId,
  containerId,
  modeId,
  portId,
  type Row,
} from '../support/hub-rows.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

const shipment = '/api/hub/shipment'
const dayMs = 86_400_000
const { View } = ShipmentPermissions

let app: App
let staff: AppCaller
let shipments: ShipmentAppService

beforeAll(async () => {
  app = await startApp()
  const { AccessAll } = OrganizationPermissions
  staff = await app.as({
    permissions: [View, ShipmentPermissions.Delete, DocumentPermissions.View, AccessAll],
  })
  shipments = staff.service(ShipmentAppService)
})
afterAll(() => app.close())

const inDays = (days: number): Date => new Date(Date.now() + days * dayMs)
const startOfToday = (): Date => new Date(Math.floor(Date.now() / dayMs) * dayMs)

describe('an upcoming shipment', () => {
  /** A shipment that is upcoming in every respect. */
  const upcoming = (): Row => ({
    EstimatedDeparture: inDays(3),
    EstimatedArrival: inDays(30),
    FirstConsolLegDeparturePortId: portId('NLRTM'),
    LastConsolLegArrivalPortId: portId('USLAX'),
    TransportModeId: modeId('Sea'),
    ContainerModeId: containerId('FCL'),
    Status: 2,
  })

  /** Whether a shipment with these columns is listed as upcoming. */
  async function isListed(changed: Row, query: object = {}): Promise<boolean> {
    const [id = ''] = await addShipments(app, [{ ...upcoming(), ...changed }])
    const { items } = await shipments.getUpcomingShipments({ maxResultCount: 1000, ...query })
    return items.some((item) => item.id === id)
  }

  test.for([
    ['by sea in a full container', {}],
    ['by sea in a shared container', { ContainerModeId: containerId('LCL') }],
    ['by air, loose', { TransportModeId: modeId('Air'), ContainerModeId: containerId('LSE') }],
    ['by air in a unit load device', { TransportModeId: modeId('Air'), ContainerModeId: containerId('ULD') }],
    ['still a draft', { Status: 0 }],
    ['completed', { Status: 9 }],
    ['on hold', { IsOnHold: true }],
    ['arriving before it departs', { EstimatedArrival: inDays(-30) }],
    ['departing at the start of today, UTC', { EstimatedDeparture: startOfToday() }],
    ['departing a minute before 14 days from now', { EstimatedDeparture: inDays(14 - 1 / 1440) }],
  ] as const)('may be one that goes %s', async ([, changed]) => {
    expect(await isListed(changed)).toBe(true)
  })

  test.for([
    ['without an estimated departure', { EstimatedDeparture: null }],
    ['without an estimated arrival', { EstimatedArrival: null }],
    ['without a departure port', { FirstConsolLegDeparturePortId: null }],
    ['without an arrival port', { LastConsolLegArrivalPortId: null }],
    ['without a transport mode', { TransportModeId: null }],
    ['without a container mode', { ContainerModeId: null }],
    ['by air without a container mode', { TransportModeId: modeId('Air'), ContainerModeId: null }],
    ['by road', { TransportModeId: modeId('Road'), ContainerModeId: containerId('FTL') }],
    ['by rail in a full container', { TransportModeId: modeId('Rail') }],
    ['by sea as bulk', { ContainerModeId: containerId('BLK') }],
    ['by sea on wheels', { ContainerModeId: containerId('ROR') }],
    ['nowhere: cancelled', { Status: 10 }],
    ['nowhere: deleted', { IsDeleted: true }],
    ['a moment before today began, UTC', { EstimatedDeparture: new Date(startOfToday().getTime() - 1) }],
    ['in more than 14 days', { EstimatedDeparture: inDays(14 + 1 / 1440) }],
    ['with only its actual departure known', { EstimatedDeparture: null, ActualDeparture: inDays(3) }],
  ] as const)('is none that goes %s', async ([, changed]) => {
    expect(await isListed(changed)).toBe(false)
  })

  const [start, end] = ['2030-05-01T00:00:00Z', '2030-05-31T12:00:00Z']

  test.for([
    ['2030-04-30T23:59:59.999Z', false],
    [start, true],
    ['2030-05-15T00:00:00Z', true],
    [end, true],
    ['2030-05-31T12:00:00.001Z', false],
  ] as const)(
    'that departs at %s lies within May until noon of the 31st: %s',
    async ([departure, within]) => {
      const query = { startDate: start, endDate: end }
      expect(await isListed({ EstimatedDeparture: new Date(departure) }, query)).toBe(within)
    },
  )

  test('may be one of a single instant', async () => {
    const query = { startDate: start, endDate: start }
    expect(await isListed({ EstimatedDeparture: new Date(start) }, query)).toBe(true)
  })

  test('may lie in the past when the start is given', async () => {
    const query = { startDate: inDays(-100) }
    expect(await isListed({ EstimatedDeparture: inDays(-90) }, query)).toBe(true)
  })
})

describe('the list of upcoming shipments', () => {
  const path = `${shipment}/upcoming-shipments`
  const inJune = 'startDate=2031-06-01&endDate=2031-06-30'

  beforeAll(async () => {
    const day = (number: number) => new Date(Date.UTC(2031, 5, number))
    const columns = {
      EstimatedArrival: day(30),
      FirstConsolLegDeparturePortId: portId('NLRTM'),
      LastConsolLegArrivalPortId: portId('USLAX'),
    }
    const sea = { ...columns, TransportModeId: modeId('Sea'), ContainerModeId: containerId('FCL') }
    const air = { ...columns, TransportModeId: modeId('Air'), ContainerModeId: containerId('LSE') }
    await addShipments(app, [
      { ...sea, ShipmentReference: 'U-2', EstimatedDeparture: day(12) },
      { ...air, ShipmentReference: 'U-3', EstimatedDeparture: day(13) },
      { ...sea, ShipmentReference: 'U-1', EstimatedDeparture: day(11) },
      { ...sea, ShipmentReference: 'U-cancelled', EstimatedDeparture: day(11), Status: 10 },
    ])
  })

  async function references(query = ''): Promise<string[]> {
    const { body } = await send(staff, 'GET', `${path}?${inJune}&${query}`)
    return body.items.map((item: { shipmentReference: string }) => item.shipmentReference)
  }

  test.for(['endDate=2031-06-01&startDate=2031-06-02', `endDate=${inDays(-5).toISOString()}`])(
    'refuses an end before the start: %s',
    async (query) => {
      const answer = await send(staff, 'GET', `${path}?${query}`)
      expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
        status: 400,
        members: ['endDate'],
      })
    },
  )

  test.for(['startDate', 'endDate'])('refuses a %s that is no date', async (member) => {
    const answer = await send(staff, 'GET', `${path}?${member}=monday`)
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: [member],
    })
  })

  test('shows the next departure first', async () => {
    expect(await references()).toEqual(['U-1', 'U-2', 'U-3'])
  })

  test('is sorted otherwise when the caller says so', async () => {
    expect(await references('Sorting=shipmentReference%20DESC')).toEqual(['U-3', 'U-2', 'U-1'])
  })

  test('comes in pages', async () => {
    expect(await references('SkipCount=1&MaxResultCount=1')).toEqual(['U-2'])
  })

  test('can be filtered', async () => {
    expect(await references('Filters.TransportMode=Air')).toEqual(['U-3'])
  })

  test('counts in its facets only shipments that are upcoming', async () => {
    const { body } = await send(
      staff,
      'GET',
      `${path}?${inJune}&IncludeFacets=true&Filters.TransportMode=Air`,
    )
    expect(body.totalCount).toBe(1)
    expect(body.facets.slice(0, 2)).toEqual([
      {
        field: 'TransportMode',
        values: [
          { value: 'Sea', count: 2 },
          { value: 'Air', count: 1 },
        ],
      },
      { field: 'ContainerMode', values: [{ value: 'LSE', count: 1 }] },
    ])
  })

  test('shows ports and modes of every shipment', async () => {
    const { items } = await shipments.getUpcomingShipments({ startDate: '2031-06-01', endDate: '2031-06-30' })
    expect(items[0]).toMatchObject({
      firstConsolLegDeparturePort: { unLocode: 'NLRTM' },
      lastConsolLegArrivalPort: { unLocode: 'USLAX' },
      transportMode: { code: 'Sea' },
      containerMode: { code: 'FCL' },
    })
  })
})

describe('new documents', () => {
  let shipmentId: string

  beforeAll(async () => {
    ;[shipmentId = ''] = await addShipments(app, [{ ShipmentReference: 'D-shipment' }])
    await addDocuments(app, [
      { ShipmentId: shipmentId, FileName: 'b.pdf', Title: 'Second', FileSize: 20, CreationTime: inDays(-2) },
      { ShipmentId: shipmentId, FileName: 'a.pdf', Title: 'First', FileSize: 30, CreationTime: inDays(-1) },
      {
        ShipmentId: shipmentId,
        FileName: 'c.pdf',
        Title: 'Third',
        FileSize: 10,
        CreationTime: inDays(-27.9),
      },
    ])
  })

  const newDocuments = (query = '', who = staff): Promise<Answer> =>
    send(who, 'GET', `${shipment}/new-documents?${query}`)
  const fileNames = ({ body }: Answer): string[] =>
    body.items.map(({ fileName }: { fileName: string }) => fileName)

  test('come newest first, with their shipments', async () => {
    const [id = ''] = await addShipments(app, [{ ShipmentReference: 'D-first' }])
    const columns = {
      FileName: 'packing.pdf',
      Title: null,
      FileSize: 5,
      DocumentTypeId: codeId('DocumentType', 'PKL'),
    }
    const times = { FileDate: new Date('2026-11-01T10:00:00Z'), CreationTime: inDays(0) }
    const [documentId] = await addDocuments(app, [{ ShipmentId: id, ...columns, ...times }])
    const [first] = (await shipments.getNewDocuments({})).items
    await shipments.delete(id)
    expect(first).toEqual({
      documentId,
      shipmentId: id,
      shipmentReference: 'D-first',
      fileName: 'packing.pdf',
      fileDate: times.FileDate,
      title: null,
      documentType: expect.objectContaining({ code: 'PKL', name: 'Packing list' }),
      fileSize: 5,
      creationTime: times.CreationTime,
    })
  })

  test('are those of the last 28 days', async () => {
    await addDocuments(app, [{ ShipmentId: shipmentId, FileName: 'old.pdf', CreationTime: inDays(-28.01) }])
    expect(fileNames(await newDocuments())).toEqual(['a.pdf', 'b.pdf', 'c.pdf'])
  })

  test.for([
    [0, 'pending'],
    [2, 'superseded'],
    [3, 'archived'],
    [4, 'quarantined'],
  ] as const)('are none that are in status %i, %s', async ([Status, name]) => {
    await addDocuments(app, [{ ShipmentId: shipmentId, FileName: `${name}.pdf`, Status }])
    expect(fileNames(await newDocuments())).not.toContain(`${name}.pdf`)
  })

  test('are none that are deleted', async () => {
    await addDocuments(app, [{ ShipmentId: shipmentId, FileName: 'deleted.pdf', IsDeleted: true }])
    expect(fileNames(await newDocuments())).not.toContain('deleted.pdf')
  })

  test('are none of deleted shipments', async () => {
    const [id = ''] = await addShipments(app, [{ IsDeleted: true }])
    await addDocuments(app, [{ ShipmentId: id, FileName: 'gone.pdf' }])
    expect(fileNames(await newDocuments())).not.toContain('gone.pdf')
  })

  test('are an empty page for whoever may not see documents', async () => {
    const caller = await app.as({ permissions: [View, OrganizationPermissions.AccessAll] })
    const { status, body } = await newDocuments('', caller)
    expect({ status, body }).toEqual({ status: 200, body: { totalCount: 0, items: [] } })
  })

  test('are refused to whoever may not see shipments', async () => {
    const caller = await app.as({
      permissions: [DocumentPermissions.View, OrganizationPermissions.AccessAll],
    })
    expect((await newDocuments('', caller)).status).toBe(403)
  })

  test.for([
    ['fileName', ['a.pdf', 'b.pdf', 'c.pdf']],
    ['FILENAME desc', ['c.pdf', 'b.pdf', 'a.pdf']],
    ['title ASC', ['a.pdf', 'b.pdf', 'c.pdf']],
    ['fileSize ASC', ['c.pdf', 'b.pdf', 'a.pdf']],
    ['creationTime ASC', ['c.pdf', 'b.pdf', 'a.pdf']],
    ['shipmentReference ASC, fileName DESC', ['c.pdf', 'b.pdf', 'a.pdf']],
  ] as const)('are sorted by %s', async ([sorting, names]) => {
    expect(fileNames(await newDocuments(`Sorting=${encodeURIComponent(sorting)}`))).toEqual(names)
  })

  test.for(['blobName ASC', 'fileName sideways', 'fileName;'])('refuse the sorting %j', async (sorting) => {
    const answer = await newDocuments(`Sorting=${encodeURIComponent(sorting)}`)
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({
      status: 400,
      code: 'App:Sorting:UnknownField',
    })
  })

  test('come in pages with the number of all', async () => {
    const answer = await newDocuments('SkipCount=1&MaxResultCount=1')
    expect({ total: answer.body.totalCount, names: fileNames(answer) }).toEqual({
      total: 3,
      names: ['b.pdf'],
    })
  })

  test('past the end are an empty page with the number of all', async () => {
    expect((await newDocuments('SkipCount=1000')).body).toEqual({ totalCount: 3, items: [] })
  })
})
