import { filterFieldsOf } from '@keel/framework/contracts'
import { and, type Sql, sql } from '@keel/framework/data'
import {
  HubErrors,
  OrganizationPermissions,
  ShipmentAppService,
  ShipmentListInput,
  ShipmentPermissions,
  ShipmentStatus,
} from '@keel/hub/contracts'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrganization,
  addShipments,
  codeId,
  containerId,
  hubOf,
  modeId,
  portId,
  type Row,
} from '../support/hub-rows.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

const shipment = '/api/hub/shipment'

let app: App
let staff: AppCaller
let shipments: ShipmentAppService
let organizations: Readonly<Record<string, string>>

beforeAll(async () => {
  app = await startApp()
  const { View, Create, Edit, Delete } = ShipmentPermissions
  staff = await app.as({ permissions: [View, Create, Edit, Delete, OrganizationPermissions.AccessAll] })
  shipments = staff.service(ShipmentAppService)
  organizations = { ACME: await addOrganization(app, 'ACME'), GLOBEX: await addOrganization(app, 'GLOBEX') }
  await addShipments(app, manyShipments(400))
})
afterAll(() => app.close())

const transportModes = ['Sea', 'Air', 'Road', null]
const containerModes = ['FCL', 'LCL', 'LSE', null]
const ports = ['NLRTM', 'CNSHA', 'DEHAM', 'USLAX', null]

/** Shipments in which every combination of values is about as frequent as chance makes it; the same each time. */
function manyShipments(count: number): Row[] {
  let seed = 7
  const one = <T>(values: readonly T[]): T => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return values[Math.floor((seed / 2147483648) * values.length)] as T
  }
  const idOf = (value: string | null, id: (code: string) => string) => value && id(value)
  return Array.from({ length: count }, (_, index) => ({
    ShipmentReference: `M-${index}`,
    TransportModeId: idOf(one(transportModes), modeId),
    ContainerModeId: idOf(one(containerModes), containerId),
    FirstConsolLegDeparturePortId: idOf(one(ports), portId),
    LastConsolLegArrivalPortId: idOf(one(ports), portId),
    Status: one([0, 0, 1, 1, 4, 8, 10]),
    ControllingCustomerId: idOf(one(['ACME', 'GLOBEX', null]), (code) => organizations[code] as string),
  }))
}

const list = (query: string): Promise<Answer> => send(staff, 'GET', `${shipment}?${query}`)

/** What plain SQL knows of the shipments: the value that each facet shows. */
const facetSql = sql`(
  select s."Id", tm."Code" as "TransportMode", cm."Code" as "ContainerMode", dp."UnLocode"::text as "DeparturePort",
    ap."UnLocode"::text as "ArrivalPort", o."Code" as "Organization",
    (array['Draft', 'Booked', 'Confirmed', 'CargoReceived', 'InTransit', 'Arrived', 'CustomsCleared', 'OutForDelivery',
      'Delivered', 'Completed', 'Cancelled'])[s."Status" + 1] as "Status"
  from "HubShipments" s
  left join "HubCodeEntities" tm on tm."Id" = s."TransportModeId"
  left join "HubCodeEntities" cm on cm."Id" = s."ContainerModeId"
  left join "HubPorts" dp on dp."Id" = s."FirstConsolLegDeparturePortId"
  left join "HubPorts" ap on ap."Id" = s."LastConsolLegArrivalPortId"
  left join "HubOrganizations" o on o."Id" = s."ControllingCustomerId"
  where not s."IsDeleted") x`

/** The facet fields in the order of an answer. */
const fields = {
  TransportMode: sql`x."TransportMode"`,
  ContainerMode: sql`x."ContainerMode"`,
  DeparturePort: sql`x."DeparturePort"`,
  ArrivalPort: sql`x."ArrivalPort"`,
  Status: sql`x."Status"`,
  Organization: sql`x."Organization"`,
} as const
type Field = keyof typeof fields
const fieldNames = Object.keys(fields) as Field[]

/** Filters as codes: within a field any, across fields all. */
type Filters = Partial<Record<Field, readonly string[]>>

function matching(filters: Filters): Sql {
  return and(
    Object.entries(filters).map(([field, codes]) => sql`${fields[field as Field]} = any(${codes}::text[])`),
  )
}

async function countBySql(filters: Filters): Promise<number> {
  const [row] = await hubOf(app).query<{ n: number }>(
    sql`select count(*)::int as n from ${facetSql} where ${matching(filters)}`,
  )
  return row?.n ?? -1
}

/** The facets by plain SQL: every field over the rows that match all filters but its own. */
function facetsBySql(filters: Filters): Promise<object[]> {
  return Promise.all(
    fieldNames.map(async (field) => {
      const { [field]: _own, ...others } = filters
      const column = fields[field]
      const values = await hubOf(app).query(sql`
        select ${column} as value, count(*)::int as count from ${facetSql}
        where ${column} is not null and ${matching(others)}
        group by ${column} order by count(*) desc, ${column} collate "C"`)
      return { field, values }
    }),
  )
}

describe('filters', () => {
  test.for([
    'Filters[TransportMode]=Air&Filters[TransportMode]=Sea',
    'Filters%5BTransportMode%5D=Air&Filters%5BTransportMode%5D=Sea',
    'Filters.TransportMode=Air&Filters.TransportMode=Sea',
    'filters[transportMode][0]=Air&filters[transportMode][1]=Sea',
    'filters[transportMode][1]=Sea&filters[transportMode][0]=Air',
    'Filters[TransportMode][]=Air&Filters[TransportMode][]=Sea',
    'Filters.TransportMode[0]=Air&Filters.TransportMode[1]=Sea',
    'Filters[TransportMode]=Air&FILTERS.transportmode=Sea',
    `Filters=${encodeURIComponent('{"TransportMode":["Air","Sea"]}')}`,
    `filters=${encodeURIComponent('{"transportMode":["Air","Sea"]}')}`,
    'TransportMode=Air&transportMode=Sea',
  ])('are understood as %s', async (query) => {
    const { body } = await list(query)
    expect({ total: body.totalCount, applied: body.appliedFilters }).toEqual({
      total: await countBySql({ TransportMode: ['Air', 'Sea'] }),
      applied: [{ field: 'TransportMode', values: ['Air', 'Sea'] }],
    })
  })

  test.for([
    'Filters[TransportMode]=Air',
    'Filters.TransportMode=Air',
    `Filters=${encodeURIComponent('{"TransportMode":"Air"}')}`,
  ])('may have one value, as in %s', async (query) => {
    expect((await list(query)).body).toMatchObject({
      totalCount: await countBySql({ TransportMode: ['Air'] }),
      appliedFilters: [{ field: 'TransportMode', values: ['Air'] }],
    })
  })

  test('are what a typed caller passes', async () => {
    const page = await shipments.getList({ filters: { TransportMode: ['Air'], Status: ['Draft', 'Booked'] } })
    expect(page).toMatchObject({
      totalCount: await countBySql({ TransportMode: ['Air'], Status: ['Draft', 'Booked'] }),
      appliedFilters: [
        { field: 'TransportMode', values: ['Air'] },
        { field: 'Status', values: ['Draft', 'Booked'] },
      ],
    })
  })

  test.for([
    ['TransportMode', 'air', { TransportMode: ['Air'] }],
    ['transportmode', modeId('Air'), { TransportMode: ['Air'] }],
    ['TransportMode', modeId('Air').toUpperCase(), { TransportMode: ['Air'] }],
    ['ContainerMode', 'fcl', { ContainerMode: ['FCL'] }],
    ['DeparturePort', 'nlrtm', { DeparturePort: ['NLRTM'] }],
    ['FirstConsolLegDeparturePort', portId('NLRTM'), { DeparturePort: ['NLRTM'] }],
    ['ArrivalPort', 'CNSHA', { ArrivalPort: ['CNSHA'] }],
    ['lastConsolLegArrivalPort', 'cnsha', { ArrivalPort: ['CNSHA'] }],
    ['Status', 'Booked', { Status: ['Booked'] }],
    ['status', 'bOOKED', { Status: ['Booked'] }],
    ['Status', '1', { Status: ['Booked'] }],
    ['Organization', 'acme', { Organization: ['ACME'] }],
    ['ControllingCustomer', 'ACME', { Organization: ['ACME'] }],
  ] as const)('by %s take the value %s', async ([field, value, meant]) => {
    const count = await countBySql(meant)
    expect({ total: (await list(`Filters[${field}]=${value}`)).body.totalCount, found: count > 0 }).toEqual({
      total: count,
      found: true,
    })
  })

  test('take the id of an organization', async () => {
    const { body } = await list(`Filters.Organization=${organizations.GLOBEX}`)
    expect(body.totalCount).toBe(await countBySql({ Organization: ['GLOBEX'] }))
  })

  test.for([
    ['TransportMode', 'Rocket'],
    ['TransportMode', 'FCL'],
    ['TransportMode', portId('NLRTM')],
    ['Status', 'Lost'],
    ['Status', '99'],
    ['Status', '-1'],
    ['Status', '99999999999'],
    ['DeparturePort', "x' or 1=1 --"],
    ['Organization', '%'],
  ])('by %s with the value %s, which stands for nothing, find nothing', async ([field = '', value = '']) => {
    const { status, body } = await list(`Filters[${field}]=${encodeURIComponent(value)}`)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { totalCount: 0, items: [], appliedFilters: [{ field, values: [value] }] },
    })
  })

  test('with a value that stands for nothing beside one that does find the latter', async () => {
    const { body } = await list('Filters[TransportMode]=Rocket&Filters[TransportMode]=Air')
    expect(body.totalCount).toBe(await countBySql({ TransportMode: ['Air'] }))
  })

  test('under two names of one field count as one filter', async () => {
    const { body } = await list('Filters[DeparturePort]=NLRTM&Filters[FirstConsolLegDeparturePort]=DEHAM')
    expect(body).toMatchObject({
      totalCount: await countBySql({ DeparturePort: ['NLRTM', 'DEHAM'] }),
      appliedFilters: [{ field: 'DeparturePort', values: ['NLRTM', 'DEHAM'] }],
    })
  })

  test.for([
    '',
    'Filters=',
    'Filters[TransportMode]=',
    'Filters={}',
    `Filters=${encodeURIComponent('{"Status":[]}')}`,
  ])('that are empty (%j) filter nothing', async (query) => {
    const { body } = await list(query)
    expect({ total: body.totalCount, applied: body.appliedFilters }).toEqual({
      total: await countBySql({}),
      applied: [],
    })
  })

  test.for(filterFieldsOf(ShipmentListInput.shape.filters))(
    'by %s may stand for themselves',
    async (field) => {
      const answers = await Promise.all([list(`${field}=x`), list(`Filters[${field}]=x`)])
      const [applied, expected] = answers.map(({ body }) => body.appliedFilters)
      expect([applied, applied.length]).toEqual([expected, 1])
    },
  )

  test('that stand for themselves by a field that there is none of are ignored, as every unknown parameter', async () => {
    const { status, body } = await list('Colour=x&Filters[Status]=Draft')
    expect([status, body.appliedFilters]).toEqual([200, [{ field: 'Status', values: ['Draft'] }]])
  })

  test.for(['Colour', 'ShipmentReference', 'VisibleOrganizationIds', 'constructor'])(
    'by %s are refused with a code',
    async (field) => {
      const answer = await list(`Filters[${field}]=x`)
      expect({ status: answer.status, error: answer.body.error }).toMatchObject({
        status: 400,
        error: {
          code: HubErrors.UnknownFilterField,
          data: { field },
          validationErrors: [{ message: expect.stringContaining('TransportMode'), members: ['filters'] }],
        },
      })
    },
  )

  test.for([
    'Filters=Air',
    'Filters=%7Bbroken',
    'Filters[TransportMode][Deep]=Air',
    'Filters[0]=Air',
    'Filters=[]',
  ])('that are no map of lists (%s) answer 400', async (query) => {
    const answer = await list(query)
    expect({
      status: answer.status,
      isAboutFilters: faultyMembers(answer)[0]?.toLowerCase().startsWith('filters'),
    }).toEqual({ status: 400, isAboutFilters: true })
  })

  test('select the rows, not only their number', async () => {
    const { items } = await shipments.getList({ filters: { Status: ['Cancelled'] }, maxResultCount: 1000 })
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set([ShipmentStatus.Cancelled]))
  })
})

describe('facets', () => {
  test('are null unless they are asked for', async () => {
    expect((await list('')).body.facets).toBeNull()
  })

  test('come for every field, the most frequent value first', async () => {
    expect((await list('IncludeFacets=true')).body.facets).toEqual(await facetsBySql({}))
  })

  test('of a field leave out the filter by that field, and heed all others', async () => {
    const filters = { TransportMode: ['Air'], Status: ['Draft', 'Booked'] }
    const page = await shipments.getList({ filters, includeFacets: true })
    expect(page.facets).toEqual(await facetsBySql(filters))
  })

  test('leave out rows that have no value', async () => {
    const { facets } = (await list('IncludeFacets=true')).body
    const counted = facets[0].values.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
    expect(counted).toBe(await countBySql({ TransportMode: ['Sea', 'Air', 'Road'] }))
  })

  test('of a filter that finds nothing still count their own field', async () => {
    const filters = { TransportMode: ['Rocket'] }
    const page = await shipments.getList({ filters, includeFacets: true })
    expect(page).toMatchObject({ totalCount: 0, facets: await facetsBySql(filters) })
  })

  test('sort values of one count by their names', async () => {
    const row = { FirstConsolLegDeparturePortId: portId('SGSIN') }
    const ids = await addShipments(app, [
      { ...row, TransportModeId: modeId('Rail') },
      { ...row, TransportModeId: modeId('Courier') },
      { ...row, TransportModeId: modeId('InlandWater') },
    ])
    const page = await shipments.getList({ filters: { DeparturePort: ['SGSIN'] }, includeFacets: true })
    await hubOf(app).execute(sql`delete from "HubShipments" where "Id" = any(${ids}::uuid[])`)
    expect(page.facets?.[0]?.values.map(({ value }) => value)).toEqual(['Courier', 'InlandWater', 'Rail'])
  })

  test('of the legacy list are the same', async () => {
    const query = 'IncludeFacets=true&Filters.Status=Booked'
    expect((await send(staff, 'GET', `/api/app/shipment?${query}`)).body.facets).toEqual(
      (await list(query)).body.facets,
    )
  })

  test('and total equal what plain SQL counts, whatever the filters and however they are written', async () => {
    const codes: Record<Field, readonly string[]> = {
      TransportMode: ['Sea', 'Air', 'Road', 'Rail'],
      ContainerMode: ['FCL', 'LCL', 'LSE', 'ULD'],
      DeparturePort: ['NLRTM', 'CNSHA', 'DEHAM', 'USLAX', 'SGSIN'],
      ArrivalPort: ['NLRTM', 'CNSHA', 'DEHAM', 'USLAX'],
      Status: ['Draft', 'Booked', 'InTransit', 'Delivered', 'Cancelled', 'Arrived'],
      Organization: ['ACME', 'GLOBEX'],
    }
    const idOf: Record<Field, (code: string) => string> = {
      TransportMode: modeId,
      ContainerMode: containerId,
      DeparturePort: portId,
      ArrivalPort: portId,
      Status: (name) => String(ShipmentStatus[name as keyof typeof ShipmentStatus]),
      Organization: (code) => organizations[code] as string,
    }
    const values = (field: Field) =>
      fc.uniqueArray(fc.tuple(fc.constantFrom(...codes[field]), fc.constantFrom('code', 'lower', 'id')), {
        maxLength: 3,
        selector: ([code]) => code,
      })
    const anyFilters = fc.record(
      Object.fromEntries(fieldNames.map((field) => [field, values(field)])) as Record<
        Field,
        ReturnType<typeof values>
      >,
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(anyFilters, async (chosen) => {
        const given = Object.entries(chosen).filter(([, some]) => some.length)
        const meant = Object.fromEntries(given.map(([field, some]) => [field, some.map(([code]) => code)]))
        const written = given.map(([field, some]) => [
          field,
          some.map(([code, form]) =>
            form === 'id' ? idOf[field as Field](code) : form === 'lower' ? code.toLowerCase() : code,
          ),
        ])
        const filters = Object.fromEntries(written) as Record<string, string[]>
        const page = await shipments.getList({ filters, includeFacets: true, maxResultCount: 1 })
        const { totalCount, facets } = page
        expect({ totalCount, facets }).toEqual({
          totalCount: await countBySql(meant),
          facets: await facetsBySql(meant),
        })
      }),
      { numRuns: 50 },
    )
  })
})

describe('a total', () => {
  /** Another program that writes into Hub's database. */
  let other: pg.Client

  beforeAll(async () => {
    other = new pg.Client(app.host.databaseUrl('Hub'))
    await other.connect()
  })
  afterAll(() => other.end())

  /** Rows of one made-up port, so that tests do not count each other's. */
  async function totalAt(port: string): Promise<number> {
    return (await shipments.getList({ filters: { DeparturePort: [port] }, includeFacets: true })).totalCount
  }

  test('is right at once after a write through the API', async () => {
    const before = await totalAt('JPTYO')
    const created = await shipments.create({
      shipmentReference: 'T-1',
      firstConsolLegDeparturePortId: portId('JPTYO'),
    })
    const afterCreate = await totalAt('JPTYO')
    await shipments.update(created.id, { firstConsolLegDeparturePortId: null })
    const afterUpdate = await totalAt('JPTYO')
    await shipments.update(created.id, { firstConsolLegDeparturePortId: portId('JPTYO') })
    await shipments.delete(created.id)
    expect([before, afterCreate, afterUpdate, await totalAt('JPTYO')]).toEqual([0, 1, 0, 0])
  })

  test.for([
    [
      'insert',
      `insert into "HubShipments" ("Id", "ShipmentReference", "FirstConsolLegDeparturePortId", "CreationTime", "ConcurrencyStamp")
       values (gen_random_uuid(), gen_random_uuid(), $1, now(), 'stamp')`,
    ],
    [
      'update',
      `update "HubShipments" set "FirstConsolLegDeparturePortId" = $1
       where "Id" = (select "Id" from "HubShipments" where "FirstConsolLegDeparturePortId" is null limit 1)`,
    ],
    [
      'delete',
      `delete from "HubShipments" where "Id" = (select "Id" from "HubShipments" where "FirstConsolLegDeparturePortId" = $1 limit 1)`,
    ],
  ])('heeds an %s of another program within a second', async ([kind, statement = '']) => {
    const before = await totalAt('CNNGB')
    await other.query(statement, [portId('CNNGB')])
    const expected = before + (kind === 'delete' ? -1 : 1)
    await expect.poll(() => totalAt('CNNGB'), { timeout: 1000, interval: 20 }).toBe(expected)
  })

  test('does not heed what another program rolls back', async () => {
    const before = await totalAt('BEANR')
    await other.query('begin')
    await other.query(`update "HubShipments" set "FirstConsolLegDeparturePortId" = $1`, [portId('BEANR')])
    await other.query('rollback')
    expect([before, await totalAt('BEANR')]).toEqual([0, 0])
  })

  test('comes with the new name of a port within a second after another program changed it', async () => {
    await shipments.create({ shipmentReference: 'T-name', firstConsolLegDeparturePortId: portId('ESVLC') })
    const name = async () => {
      const { items } = await shipments.getList({ filters: { DeparturePort: ['ESVLC'] } })
      return items[0]?.firstConsolLegDeparturePort?.name
    }
    expect(await name()).toBe('Valencia')
    await other.query(`update "HubPorts" set "Name" = 'València' where "UnLocode" = 'ESVLC'`)
    await expect.poll(name, { timeout: 1000, interval: 20 }).toBe('València')
  })

  test('is right on a page past the end, which is empty', async () => {
    const total = await countBySql({ Status: ['Booked'] })
    const page = () => list('Filters.Status=Booked&SkipCount=100000&IncludeFacets=true')
    const [first, second] = [await page(), await page()]
    expect([first.body, second.body]).toMatchObject([
      { totalCount: total, items: [] },
      { totalCount: total, items: [] },
    ])
    expect(second.body.facets).toEqual(first.body.facets)
  })

  test('is right for an empty page of nothing', async () => {
    expect((await list(`Filters.TransportMode=${codeId('Incoterm', 'FOB')}&SkipCount=5`)).body).toEqual({
      totalCount: 0,
      items: [],
      appliedFilters: [{ field: 'TransportMode', values: [codeId('Incoterm', 'FOB')] }],
      facets: null,
    })
  })
})
