import { ApiHost } from '@keel/api-host'
import { Configuration, createApplication, KeelModule, Module } from '@keel/framework'
import {
  AppService,
  crud,
  Dto,
  EntityDto,
  ImportStatus,
  ownField,
  PermissionGroup,
  remoteService,
  z,
} from '@keel/framework/contracts'
import {
  AggregateRoot,
  applyOwnFieldIndexes,
  Column,
  CrudService,
  Databases,
  DataType,
  Entity,
  entitySet,
  findDrift,
  modelSnapshot,
  sql,
} from '@keel/framework/data'
import { EntityModel } from '@keel/framework/odata'
import {
  DocumentAppService,
  DocumentPermissions,
  OrderPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { DefaultCustomer, IdentityRolePermissions, IdentityUserPermissions } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, provePerson, startApp } from '../support/app.js'
import { addShipments, codeId, hubOf, portId } from '../support/hub-rows.js'
import { csvOf, imported } from '../support/imports.js'
import { send as request, type Sender } from '../support/wire.js'

@PermissionGroup('Freight')
class FreightPermissions {
  static readonly ViewMargin = 'Freight.ViewMargin'
  static readonly SetRisk = 'Freight.SetRisk'
}

const shipment = 'Hub.Shipment'

/** A module of another team, which adds fields to Hub's entities and touches nothing of Hub. */
@Module({
  name: 'Freight',
  permissions: [FreightPermissions],
  ownFields: [
    ownField(shipment, 'CostCentre', {
      type: 'text',
      maxLength: 10,
      indexed: true,
      label: { en: 'Cost centre', de: 'Kostenstelle' },
    }),
    ownField(shipment, 'Priority', {
      type: 'enumeration',
      values: { Normal: 0, Urgent: 2 },
      valueLabels: { Urgent: { de: 'Dringend' } },
    }),
    ownField(shipment, 'Insured', { type: 'boolean', default: false }),
    ownField(shipment, 'Crates', { type: 'integer', min: 0, max: 99, indexed: true }),
    ownField(shipment, 'Margin', { type: 'decimal', scale: 2, permission: FreightPermissions.ViewMargin }),
    ownField(shipment, 'Risk', { type: 'text', writePermission: FreightPermissions.SetRisk }),
    ownField(shipment, 'Contract', { type: 'guid' }),
    ownField(shipment, 'ValidFrom', { type: 'date' }),
    ownField(shipment, 'ClosedAt', { type: 'instant', indexed: true }),
    ownField('Hub.Document', 'Pages', { type: 'integer', min: 1, required: true }),
    ownField('Hub.Document', 'Original', { type: 'boolean', default: true }),
    ownField('Hub.Port', 'Terminal', { type: 'text' }),
    ownField('Hub.Port', 'Fee', { type: 'decimal', permission: FreightPermissions.ViewMargin }),
    ownField('Identity.User', 'CostCentre', {
      type: 'text',
      maxLength: 10,
      indexed: true,
      label: { en: 'Cost centre', de: 'Kostenstelle' },
    }),
    ownField('Identity.User', 'Shift', { type: 'enumeration', values: { Early: 0, Late: 1 } }),
    ownField('Identity.User', 'Rating', { type: 'integer', permission: FreightPermissions.ViewMargin }),
    ownField('Identity.Role', 'Level', { type: 'integer', min: 1, max: 9 }),
    ownField('Identity.Role', 'Budget', { type: 'decimal', permission: FreightPermissions.ViewMargin }),
  ],
})
class FreightModule extends KeelModule {}

@Module({ dependsOn: [ApiHost, FreightModule] })
class FreightHost extends KeelModule {}

const rates = 'OwnFields:Modules:Pricing:ExchangeRate'

let app: App
let insider: AppCaller
let outsider: AppCaller

beforeAll(async () => {
  app = await startApp(FreightHost, {
    'Jobs:PollMs': '100',
    'Settings:Abp.Account.IsSelfRegistrationEnabled': 'true',
    [`${rates}:Desk:Type`]: 'text',
    [`${rates}:Desk:Required`]: 'true',
    [`${rates}:Desk:Label:en`]: 'Trading desk',
  })
  const permissions = [
    ...[ShipmentPermissions.View, ShipmentPermissions.Create, ShipmentPermissions.Edit],
    ...[OrderPermissions.View, 'Organization.AccessAll'],
    ...[DocumentPermissions.View, DocumentPermissions.Create, DocumentPermissions.Edit],
    ...['ExchangeRate.View', 'ExchangeRate.Create', 'ExchangeRate.Edit'],
    ...Object.values(IdentityUserPermissions),
    ...Object.values(IdentityRolePermissions),
  ]
  outsider = await app.as({ permissions: [...permissions, 'AuditLogging.AuditLogs'] })
  insider = await app.as({
    permissions: [...permissions, FreightPermissions.ViewMargin, FreightPermissions.SetRisk],
  })
})
afterAll(() => app?.close())

const send = (who: Sender, method: string, path: string, body?: unknown) =>
  request(who, method, encodeURI(path), body)

let references = 0
async function newShipment(extraProperties: object, who = insider): Promise<string> {
  const shipmentReference = `OWN-${++references}`
  const { status, body } = await send(who, 'POST', '/api/hub/shipment', {
    shipmentReference,
    extraProperties,
  })
  expect([status, body.error]).toEqual([200, undefined])
  return body.id
}

const everything = {
  CostCentre: 'KST 1',
  Priority: 2,
  Insured: true,
  Crates: 7,
  Margin: 12.5,
  Risk: 'low',
  Contract: '0f8fad5b-d9cb-469f-a165-70867728950e',
  ValidFrom: '2026-11-01',
  ClosedAt: '2026-11-21T14:00:00.000Z',
}

describe('own fields in REST', () => {
  test('are written, read, listed, changed one by one and cleared', async () => {
    const id = await newShipment({
      ...everything,
      Priority: 'urgent',
      ClosedAt: '2026-11-21T15:00+01:00',
      Other: 1,
    })
    const path = `/api/hub/shipment/${id}`
    const { body } = await send(insider, 'GET', path)
    expect(body.extraProperties).toEqual(everything)
    const list = await send(insider, 'GET', '/api/hub/shipment?Sorting=creationTime DESC&MaxResultCount=1')
    expect(list.body.items[0].extraProperties).toEqual(everything)
    const changed = await send(insider, 'PUT', path, { extraProperties: { Crates: 8, Risk: null } })
    const { Risk: _, ...others } = everything
    expect(changed.body.extraProperties).toEqual({ ...others, Crates: 8 })
    // The whole row as a client holds it.
    const again = await send(insider, 'PUT', path, { ...changed.body, cargoDescription: 'Books' })
    expect([again.status, again.body.extraProperties]).toEqual([200, { ...others, Crates: 8 }])
    expect((await send(insider, 'PUT', path, { extraProperties: null })).body.extraProperties).toEqual(
      again.body.extraProperties,
    )
  })

  test('a new row has the defaults', async () => {
    const id = await newShipment({})
    expect((await send(insider, 'GET', `/api/hub/shipment/${id}`)).body.extraProperties).toEqual({
      Insured: false,
    })
  })

  test('a fault names its member, in the language of the caller', async () => {
    const faults = {
      CostCentre: 'longer than ten',
      Priority: 'Sometimes',
      Insured: 'perhaps',
      Crates: 100,
      Margin: 1.234,
      Contract: 'no',
      ValidFrom: '2026-02-30',
      ClosedAt: 'now',
    }
    const { status, body } = await send(insider, 'POST', '/api/hub/shipment', {
      shipmentReference: 'FAULTS',
      extraProperties: faults,
    })
    const told = body.error.validationErrors as { members: string[]; message: string }[]
    expect([status, told.map(({ members }) => members[0]).sort()]).toEqual([
      400,
      Object.keys(faults)
        .map((name) => `extraProperties.${name}`)
        .sort(),
    ])
    expect(told.find(({ members }) => members[0] === 'extraProperties.Priority')?.message).toContain(
      '0 (Normal), 2 (Urgent)',
    )
    const german = await insider.fetch('/api/hub/shipment', {
      method: 'POST',
      headers: { 'accept-language': 'de', 'content-type': 'application/json' },
      body: JSON.stringify({ shipmentReference: 'FAULTS', extraProperties: { ValidFrom: 'x' } }),
    })
    expect(await german.text()).toContain('der Wert muss ein Datum sein')
  })

  test('a required field cannot be left out of a new row, or cleared', async () => {
    const rate = {
      ...{ fromCurrencyCode: 'EUR', toCurrencyCode: 'USD', rateDate: '2026-11-20', rate: 1.1, source: 'ECB' },
    }
    const path = '/api/pricing/exchange-rate'
    const missing = await send(insider, 'POST', path, rate)
    expect([missing.status, missing.body.error.validationErrors]).toEqual([
      400,
      [{ message: 'extraProperties.Desk: a value is required', members: ['extraProperties.Desk'] }],
    ])
    const { body } = await send(insider, 'POST', path, { ...rate, extraProperties: { Desk: 'Spot' } })
    expect(body.extraProperties).toEqual({ Desk: 'Spot' })
    const cleared = await send(insider, 'PUT', `${path}/${body.id}`, {
      ...rate,
      extraProperties: { Desk: null },
    })
    expect([cleared.status, cleared.body.error.validationErrors[0].members]).toEqual([
      400,
      ['extraProperties.Desk'],
    ])
    expect((await send(insider, 'PUT', `${path}/${body.id}`, rate)).body.extraProperties).toEqual({
      Desk: 'Spot',
    })
  })

  test('an upload needs the required fields of its document, and its next version keeps them', async () => {
    const documents = insider.service(DocumentAppService)
    const shipmentId = await newShipment({})
    const upload = (extraProperties?: Record<string, unknown>) =>
      documents.upload({
        ...{ file: new File(['a'], 'a.csv'), shipmentId, documentTypeId: codeId('DocumentType', 'CIV') },
        ...(extraProperties && { extraProperties }),
      })
    for (const refused of [undefined, { Pages: 0 }])
      await expect(upload(refused)).rejects.toMatchObject({
        validationErrors: [{ members: ['extraProperties.Pages'] }],
      })
    const { id, extraProperties } = await upload({ Pages: 3 })
    expect(extraProperties).toEqual({ Pages: 3, Original: true })
    await documents.update(id, { extraProperties: { Original: false } })
    const next = await documents.uploadNewVersion(id, { file: new File(['b'], 'b.csv') })
    expect(next.extraProperties).toEqual({ Pages: 3, Original: false })
  })

  test('a stale stamp is refused, and the fields stay', async () => {
    const id = await newShipment({ CostCentre: 'A' })
    const path = `/api/hub/shipment/${id}`
    const { concurrencyStamp } = (await send(insider, 'GET', path)).body
    const change = (CostCentre: string) =>
      send(insider, 'PUT', path, { concurrencyStamp, extraProperties: { CostCentre } })
    expect([(await change('B')).status, (await change('C')).status]).toEqual([200, 409])
    expect((await send(insider, 'GET', path)).body.extraProperties.CostCentre).toBe('B')
  })

  test('rows are counted and filtered by enumerations and booleans', async () => {
    await newShipment({ Priority: 2, Insured: true })
    const facetsOf = async (query: string) => {
      const { body } = await send(
        insider,
        'GET',
        `/api/hub/shipment?IncludeFacets=true&MaxResultCount=1${query}`,
      )
      const { facets, totalCount } = body as {
        facets: { field: string; values: object[] }[]
        totalCount: number
      }
      return { totalCount, of: (name: string) => facets.find(({ field }) => field === name)?.values }
    }
    const all = await facetsOf('')
    const urgent = await facetsOf('&Filters[Priority]=urgent&Filters[Insured]=true')
    expect(all.of('Insured')).toEqual([
      { value: 'false', count: expect.any(Number) },
      { value: 'true', count: expect.any(Number) },
    ])
    expect(urgent.of('Priority')).toEqual([{ value: 'Urgent', count: urgent.totalCount }])
    expect(urgent.totalCount).toBeGreaterThan(0)
    expect(urgent.totalCount).toBeLessThan(all.totalCount)
  })
})

test('rows that others refer to show their own fields, from memory and joined', async () => {
  const editor = await app.as({
    permissions: ['Port.View', 'Port.Edit', FreightPermissions.ViewMargin],
  })
  const path = `/api/hub/port/${portId('NLRTM')}`
  const { body } = await send(editor, 'GET', path)
  const fields = { Terminal: 'ECT', Fee: 12.5 }
  const changed = await send(editor, 'PUT', path, { ...body, extraProperties: fields })
  expect([changed.status, changed.body.extraProperties]).toEqual([200, fields])
  const input = { shipmentReference: 'PORTS', firstConsolLegDeparturePortId: portId('NLRTM') }
  const { id } = (await send(insider, 'POST', '/api/hub/shipment', input)).body
  const portSeenBy = async (who: AppCaller) =>
    (await send(who, 'GET', `/api/hub/shipment/${id}`)).body.firstConsolLegDeparturePort.extraProperties
  expect([await portSeenBy(insider), await portSeenBy(outsider)]).toEqual([fields, { Terminal: 'ECT' }])
  const found = await send(editor, 'GET', "/odata/Ports?$select=UnLocode,Fee&$filter=Terminal eq 'ECT'")
  expect(found.body.value).toMatchObject([{ UnLocode: 'NLRTM', Fee: 12.5 }])
})

describe('the permission of an own field', () => {
  const refusal =
    'You are not allowed to see or to set the field Margin: it needs the permission Freight.ViewMargin.'

  test('hides it in answers, and refuses its name everywhere in the same words', async () => {
    const id = await newShipment({ Margin: 99.5, CostCentre: 'SHOWN' })
    const path = `/api/hub/shipment/${id}`
    const { body } = await send(outsider, 'GET', path)
    expect(body.extraProperties).toEqual({ CostCentre: 'SHOWN', Insured: false })
    const row = await send(outsider, 'GET', `/odata/Shipments(${id})`)
    expect([row.body.CostCentre, 'Margin' in row.body]).toEqual(['SHOWN', false])
    const refused = [
      ['POST', '/api/hub/shipment', { shipmentReference: 'X', extraProperties: { margin: 1 } }],
      ['PUT', path, { extraProperties: { Margin: null } }],
      ['GET', '/api/hub/shipment?Filters[Margin]=1'],
      ['GET', '/odata/Shipments?$select=Margin'],
      ['GET', '/odata/Shipments?$filter=margin gt 1'],
      ['GET', '/odata/Shipments?$orderby=Margin'],
      ['GET', '/odata/Shipments?$apply=groupby((Margin))'],
      ['GET', `/odata/Shipments(${id})/Margin`],
      ['GET', '/odata/Orders?$filter=Shipment/Margin gt 1'],
      ['GET', '/api/hub/shipment?Sorting=Margin'],
      ['GET', '/api/hub/shipment?Sorting=vesselName,extraProperties.margin DESC'],
      ['GET', '/api/hub/shipment/as-csv-file?Sorting=Margin'],
    ] as const
    for (const [method, url, input] of refused) {
      const answer = await send(outsider, method, url, input)
      expect([url, answer.status, answer.body.error?.message]).toEqual([url, 403, refusal])
    }
    const changed = await send(outsider, 'PUT', path, { ...body, cargoDescription: 'Books' })
    expect([changed.status, (await send(insider, 'GET', path)).body.extraProperties.Margin]).toEqual([
      200, 99.5,
    ])
  })

  test('can be for setting alone', async () => {
    const id = await newShipment({ Risk: 'high' })
    const path = `/api/hub/shipment/${id}`
    expect((await send(outsider, 'GET', path)).body.extraProperties.Risk).toBe('high')
    expect((await send(outsider, 'PUT', path, { extraProperties: { Risk: 'low' } })).status).toBe(403)
  })
})

describe('own fields in OData', () => {
  test('are properties with their types', async () => {
    const { body } = await send(insider, 'GET', '/odata/$metadata?$format=json')
    const { Shipment } = body.Core
    const typeOf = (name: string) => Shipment[name]?.$Type ?? 'Edm.String'
    expect(Object.keys(everything).map((name) => [name, typeOf(name), Shipment[name]?.$Nullable])).toEqual([
      ['CostCentre', 'Edm.String', true],
      ['Priority', 'Core.ShipmentPriority', true],
      ['Insured', 'Edm.Boolean', true],
      ['Crates', 'Edm.Int32', true],
      ['Margin', 'Edm.Decimal', true],
      ['Risk', 'Edm.String', true],
      ['Contract', 'Edm.Guid', true],
      ['ValidFrom', 'Edm.Date', true],
      ['ClosedAt', 'Edm.DateTimeOffset', true],
    ])
    expect([
      Shipment.CostCentre.$MaxLength,
      Shipment.CostCentre['@com.sap.vocabularies.Common.v1.Label'],
    ]).toEqual([10, 'Cost centre'])
    expect('ExtraProperties' in Shipment).toBe(false)
  })

  test('are selected, filtered, sorted and grouped by their types', async () => {
    const id = await newShipment({ ...everything, CostCentre: 'ODATA', Crates: 10 })
    await newShipment({ CostCentre: 'ODATA', Crates: 9, ValidFrom: '2025-01-31', Margin: 1 })
    const names = Object.keys(everything).join(',')
    const { body } = await send(insider, 'GET', `/odata/Shipments(${id})?$select=${names}`)
    expect(body).toMatchObject({
      ...everything,
      CostCentre: 'ODATA',
      Crates: 10,
      Priority: 'Urgent',
      ClosedAt: '2026-11-21T14:00:00Z',
    })
    const conditions = [
      "CostCentre eq 'ODATA' and Crates gt 9",
      "CostCentre eq 'ODATA' and Priority eq 'Urgent'",
      "startswith(CostCentre,'ODA') and Insured",
      "CostCentre eq 'ODATA' and Margin in (12.5,13)",
      "CostCentre eq 'ODATA' and year(ValidFrom) eq 2026",
      "CostCentre eq 'ODATA' and ClosedAt gt 2026-11-21T13:59:59Z",
      "CostCentre eq 'ODATA' and Contract eq 0f8fad5b-d9cb-469f-a165-70867728950e",
      "CostCentre eq 'ODATA' and not (Crates eq 9)",
    ]
    for (const condition of conditions) {
      const found = await send(insider, 'GET', `/odata/Shipments?$select=Id&$filter=${condition}`)
      expect([condition, found.body.value?.map((row: { Id: string }) => row.Id)]).toEqual([condition, [id]])
    }
    const sorted = await send(
      insider,
      'GET',
      "/odata/Shipments?$select=Crates&$filter=CostCentre eq 'ODATA'&$orderby=Crates",
    )
    expect(sorted.body.value.map((row: { Crates: number }) => row.Crates)).toEqual([9, 10])
    const grouped = await send(
      insider,
      'GET',
      "/odata/Shipments?$apply=filter(CostCentre eq 'ODATA')/groupby((CostCentre),aggregate(Crates with sum as N,Margin with max as M))",
    )
    expect(grouped.body.value).toMatchObject([{ CostCentre: 'ODATA', N: 19, M: 12.5 }])
    const counted = await insider.fetch('/odata/Shipments?$top=0', {
      headers: { prefer: 'odata.include-annotations="core.facets"' },
    })
    expect(await counted.text()).toContain('"Field":"Priority"')
  })

  test('names that nobody declared are 400', async () => {
    for (const query of [
      '$filter=Colour eq 1',
      '$select=Colour',
      '$orderby=ExtraProperties',
      '$apply=groupby((Colour))',
    ])
      expect([query, (await send(insider, 'GET', `/odata/Shipments?${query}`)).status]).toEqual([query, 400])
  })

  test('a value of another type, which a field had before, counts as null', async () => {
    const id = await newShipment({})
    const odd = {
      CostCentre: 5,
      Priority: 'x',
      Insured: 'x',
      Crates: 1e12,
      Margin: [],
      ValidFrom: '2026-02-3',
      ClosedAt: '2026',
    }
    await hubOf(app).execute({
      text: `update "HubShipments" set "ExtraProperties" = $2 where "Id" = $1`,
      values: [id, JSON.stringify({ ...odd, Contract: 'x' })],
    })
    const names = [...Object.keys(odd), 'Contract']
    const { body } = await send(insider, 'GET', `/odata/Shipments(${id})?$select=${names}`)
    expect(names.map((name) => body[name])).toEqual(names.map(() => null))
  })
})

describe('the index of an own field', () => {
  const build = (options = {}) => applyOwnFieldIndexes(app.host.application, hubOf(app), options)
  const names = async () => {
    const rows = await hubOf(app).query<{ name: string; valid: boolean }>(
      sql`select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname like 'OWN%'`,
    )
    return rows.map(({ name }) => name).sort()
  }

  test('is built once, again when its build was broken off, and dropped with its field', async () => {
    const fields = ['ClosedAt', 'CostCentre', 'Crates']
    const { built } = await build()
    const own = built.map((name) => name.slice(0, -9)).sort()
    expect(own).toEqual(fields.map((name) => `OWN_HubShipments_${name}`))
    expect([await build(), await names()]).toEqual([{ built: [], dropped: [] }, [...built].sort()])
    const [first = ''] = built
    await hubOf(app).execute({
      text: 'update pg_index set indisvalid = false where indexrelid = $1::regclass',
      values: [`"${first}"`],
    })
    expect(await build()).toEqual({ built: [first], dropped: [first] })
    await hubOf(app).execute({
      text: 'create index "OWN_HubShipments_Gone_12345678" on "HubShipments" ("Id")',
      values: [],
    })
    expect([await build(), await build({ drop: true })]).toEqual([
      { built: [], dropped: [] },
      { built: [], dropped: ['OWN_HubShipments_Gone_12345678'] },
    ])
  })

  test('is nothing that the schema scripts miss', async () => {
    await build()
    const model = modelSnapshot(hubOf(app).entities)
    const { told } = await hubOf(app).withConnection((session) => findDrift(session, model))
    expect(told).toEqual([])
  })

  test('serves filters and orders of OData', async () => {
    await build()
    await addShipments(
      app,
      Array.from({ length: 4000 }, (_, index) => ({
        ExtraProperties: { CostCentre: `C${index}`, Crates: index },
      })),
    )
    await hubOf(app).execute({ text: 'analyze "HubShipments"', values: [] })
    const plan = await hubOf(app).query<{ 'QUERY PLAN': string }>(
      sql`explain select "Id" from "HubShipments" t where "IsDeleted" = false
        and (case when jsonb_typeof((t."ExtraProperties" -> 'CostCentre')) = 'string' then (t."ExtraProperties" ->> 'CostCentre') end) = 'C17'`,
    )
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('OWN_HubShipments_CostCentre')
    const paths = [
      ["/odata/Shipments?$select=Id&$filter=CostCentre eq 'C17'", 'OWN_HubShipments_CostCentre%'],
      ['/odata/Shipments?$select=Id&$top=3&$orderby=Crates desc', 'OWN_HubShipments_Crates%'],
    ] as const
    for (const [path, index] of paths) {
      const scans = async () => {
        const [found] = await hubOf(app).query<{ n: number }>(
          sql`select idx_scan::int as n from pg_stat_user_indexes where indexrelname like ${index}`,
        )
        return found?.n ?? 0
      }
      const before = await scans()
      // PostgreSQL counts what a connection did up to a second later.
      await expect
        .poll(
          async () => {
            expect((await send(insider, 'GET', path)).body.value.length).toBeGreaterThan(0)
            return scans()
          },
          { timeout: 20_000, interval: 200 },
        )
        .toBeGreaterThan(before)
    }
  })
})

test('files have a column for each field that the caller sees, headed by its label', async () => {
  const fileOf = async (who: AppCaller) => {
    const answer = await who.fetch('/api/hub/shipment/as-csv-file?Sorting=creationTime%20DESC', {
      headers: { 'accept-language': 'de' },
    })
    return (await answer.text()).split('\n')
  }
  await newShipment({ ...everything, CostCentre: 'FILE' })
  const [seen, hidden] = [await fileOf(insider), await fileOf(outsider)]
  expect(seen[0]).toContain('Kostenstelle,Priority,Insured,Crates,Margin,Risk,Contract,ValidFrom,ClosedAt')
  expect(seen[1]).toMatch(/FILE,Dringend,.*,7,12\.5,low,0f8fad5b-d9cb-469f-a165-70867728950e,2026-11-01,/)
  expect(hidden[0]).toContain('Kostenstelle,Priority,Insured,Crates,Risk')
})

describe('lists in the order of an own field', () => {
  beforeAll(async () => {
    const fields = [
      { CostCentre: 'b', Crates: 10 },
      { CostCentre: 'ä', Crates: 9 },
      { CostCentre: 'A' },
      { CostCentre: 'z', Crates: 2 },
    ]
    for (const [index, extraProperties] of fields.entries()) {
      const input = { shipmentReference: `SORTED-${index}`, extraProperties }
      expect((await send(insider, 'POST', '/api/hub/shipment', input)).status).toBe(200)
    }
  })

  const sorted = async (sorting: string) => {
    const { body } = await send(insider, 'GET', `/api/hub/shipment?Filter=SORTED-&Sorting=${sorting}`)
    const rows = body.items as { extraProperties: { CostCentre: string; Crates?: number } }[]
    return rows.map(({ extraProperties: { CostCentre, Crates = null } }) => [CostCentre, Crates])
  }

  test('by its type, rows without a value first, as OData has it', async () => {
    const byCrates = [
      ['A', null],
      ['z', 2],
      ['ä', 9],
      ['b', 10],
    ]
    expect(await sorted('extraProperties.Crates')).toEqual(byCrates)
    expect(await sorted('crates DESC')).toEqual(byCrates.toReversed())
    const byText = ['A', 'ä', 'b', 'z']
    expect((await sorted('ExtraProperties.CostCentre ASC, creationTime')).map(([text]) => text)).toEqual(
      byText,
    )
    const query = "$select=CostCentre,Crates&$filter=startswith(ShipmentReference,'SORTED-')&$orderby=Crates"
    const { body } = await send(insider, 'GET', `/odata/Shipments?${query}`)
    expect(body.value.map((row: Record<string, unknown>) => [row.CostCentre, row.Crates])).toEqual(byCrates)
  })

  test.each([
    'extraProperties',
    'extraProperties.Colour',
    'extraProperties.vesselName',
    'Colour',
    'CostCentre.x',
  ])('%s is 400, and the answer names the fields that the caller may sort by', async (sorting) => {
    const { status, body } = await send(outsider, 'GET', `/api/hub/shipment?Sorting=${sorting}`)
    expect([status, body.error.code]).toEqual([400, 'App:Sorting:UnknownField'])
    expect(body.error.validationErrors[0].message).toMatch(/CostCentre, Priority, .*Crates, Risk/)
  })
})

describe('own fields of users and roles', () => {
  let people = 0
  const person = (extraProperties: object) => {
    const userName = `own${++people}`
    return {
      userName,
      email: `${userName}@example.com`,
      password: 'Abc-Crane5',
      roleNames: [],
      extraProperties,
    }
  }
  const users = '/api/identity/users'
  const added = async (extraProperties: object, who = insider) => {
    const { status, body } = await send(who, 'POST', users, person(extraProperties))
    expect([status, body.error]).toEqual([200, undefined])
    return body
  }

  test('stand beside properties that nobody declared: written, read, listed, sorted, changed and cleared', async () => {
    const first = await added({ CostCentre: 'KST 2', Shift: 'late', Rating: 7, Title: 'Dr.' })
    const second = await added({ CostCentre: 'KST 1' })
    const stored = { CostCentre: 'KST 2', Shift: 1, Rating: 7, Title: 'Dr.' }
    const path = `${users}/${first.id}`
    expect([first.extraProperties, (await send(insider, 'GET', path)).body.extraProperties]).toEqual([
      stored,
      stored,
    ])
    const list = `${users}?Filter=own&Sorting=extraProperties.CostCentre DESC&MaxResultCount=2`
    const { body } = await send(insider, 'GET', list)
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id])
    const changed = await send(insider, 'PUT', path, {
      ...first,
      extraProperties: { CostCentre: null, Shift: 0, Other: { a: 1 } },
    })
    expect(changed.body.extraProperties).toEqual({ Shift: 0, Rating: 7, Title: 'Dr.', Other: { a: 1 } })
  })

  test('are refused with their faults', async () => {
    const { status, body } = await send(
      insider,
      'POST',
      users,
      person({ CostCentre: 'longer than ten', Shift: 'Night', Rating: 'x' }),
    )
    expect([
      status,
      body.error.validationErrors.flatMap(({ members }: { members: string[] }) => members),
    ]).toEqual([400, ['extraProperties.CostCentre', 'extraProperties.Shift', 'extraProperties.Rating']])
  })

  test('with a permission are hidden from other callers in every answer, and refused when they are named', async () => {
    const { id, userName } = await added({ CostCentre: 'SHOWN', Rating: 9, Title: 'Dr.' })
    const shown = { CostCentre: 'SHOWN', Title: 'Dr.' }
    const path = `${users}/${id}`
    const seen = await send(outsider, 'GET', path)
    expect(seen.body.extraProperties).toEqual(shown)
    for (const url of [
      `${users}?Filter=${userName}`,
      `${users}/by-username/${userName}`,
      `/odata/Users?$filter=UserName eq '${userName}'&$expand=*`,
      `${users}/export-as-csv?Filter=${userName}`,
    ]) {
      const { status, text } = await send(outsider, 'GET', url)
      expect([url, status, text.includes('SHOWN'), text.includes('Rating')]).toEqual([url, 200, true, false])
    }
    const refusal =
      'You are not allowed to see or to set the field Rating: it needs the permission Freight.ViewMargin.'
    for (const [method, url, input] of [
      ['POST', users, person({ rating: 1 })],
      ['PUT', path, { ...seen.body, extraProperties: { Rating: null } }],
      ['GET', `${users}?Sorting=Rating`],
      ['GET', '/odata/Users?$filter=Rating gt 1'],
      ['GET', '/odata/Users?$orderby=rating'],
    ] as const) {
      const { status, body } = await send(outsider, method, url, input)
      expect([url, status, body.error?.message]).toEqual([url, 403, refusal])
    }
    // Clients may look users up, and users may not.
    const directory = { providerName: 'C', providerKey: 'Directory' } as const
    await app.host.get(PermissionGrants).grant([{ ...directory, permission: 'AbpIdentity.UserLookup' }])
    const client = { ...(await app.host.as({ subject: 'Directory', clientId: 'Directory' })), userId: '' }
    const lookup = `${users}/lookup`
    const { items } = (await send(client, 'GET', `${lookup}/search?Filter=${userName}`)).body
    expect([
      items[0].extraProperties,
      (await send(client, 'GET', `${lookup}/${id}`)).body.extraProperties,
    ]).toEqual([shown, shown])
    expect(
      (await send(client, 'GET', `${lookup}/search?Sorting=extraProperties.Rating DESC`)).body.error.message,
    ).toBe(refusal)
    // Whoever changes the user without them keeps them.
    await send(outsider, 'PUT', path, { ...seen.body, surname: 'Changed' })
    expect((await send(insider, 'GET', path)).body.extraProperties).toEqual({ ...shown, Rating: 9 })
  })

  test('are in the profile of their user, by his rights', async () => {
    const { id } = await added({ CostCentre: 'MINE', Rating: 3, Title: 'Dr.' })
    await provePerson(app.host, id)
    const owner = { ...(await app.host.as({ subject: id })), userId: id }
    const profile = '/api/account/my-profile'
    const { body } = await send(owner, 'GET', profile)
    expect(body.extraProperties).toEqual({ CostCentre: 'MINE', Title: 'Dr.' })
    const rated = await send(owner, 'PUT', profile, { ...body, extraProperties: { Rating: 9 } })
    expect([rated.status, rated.body.error.code]).toEqual([403, 'Volo.Authorization:010002'])
    const moved = await send(owner, 'PUT', profile, { ...body, extraProperties: { CostCentre: 'NEXT' } })
    expect(moved.body.extraProperties).toEqual({ CostCentre: 'NEXT', Title: 'Dr.' })
    expect((await send(insider, 'GET', `${users}/${id}`)).body.extraProperties.Rating).toBe(3)
    const registration = (extraProperties: object) => {
      const { userName, email: emailAddress, password } = person({})
      return { userName, emailAddress, password, appName: 'Angular', extraProperties }
    }
    const register = '/api/account/register'
    const anyone = await send(app.host, 'POST', register, registration({ CostCentre: 'WEB', Source: 'x' }))
    expect([anyone.body.error, anyone.body.extraProperties]).toEqual([
      undefined,
      { CostCentre: 'WEB', Source: 'x' },
    ])
    expect((await send(app.host, 'POST', register, registration({ Rating: 9 }))).status).toBe(401)
  })

  test('are properties in OData, with filters, orders and counts', async () => {
    await added({ CostCentre: 'OD 1', Shift: 0, Rating: 1 })
    await added({ CostCentre: 'OD 2', Shift: 1, Rating: 2 })
    const query =
      "$select=CostCentre,Shift,Rating&$filter=startswith(CostCentre,'OD') and Rating gt 0&$orderby=Rating desc"
    expect((await send(insider, 'GET', `/odata/Users?${query}`)).body.value).toMatchObject([
      { CostCentre: 'OD 2', Shift: 'Late', Rating: 2 },
      { CostCentre: 'OD 1', Shift: 'Early', Rating: 1 },
    ])
    const { User, Role } = (await send(insider, 'GET', '/odata/$metadata?$format=json')).body.Core
    expect([User.CostCentre.$MaxLength, User.Shift.$Type, Role.Level.$Type]).toEqual([
      10,
      'Core.UserShift',
      'Edm.Int32',
    ])
    const { built } = await applyOwnFieldIndexes(
      app.host.application,
      app.host.get(Databases).named('Default'),
    )
    expect(built.map((name) => name.slice(0, -9))).toEqual(['OWN_AbpUsers_CostCentre'])
  })

  test('are the last columns of a file of users, also for a token, which has the rights of its user', async () => {
    const { userName } = await added({ CostCentre: '=1+1', Shift: 1, Rating: 5 })
    const path = `${users}/export-as-csv?Filter=${userName}`
    const fileOf = async (who: AppCaller) => {
      const { token } = (await send(who, 'GET', `${users}/download-token`)).body
      const byToken = await app.host.fetch(`${path}&token=${token}`)
      const own = await who.fetch(path)
      const [file, same] = [await byToken.text(), await own.text()]
      expect(same).toBe(file)
      return file
        .trim()
        .split('\r\n')
        .map((line) => line.split(',').slice(13))
    }
    expect(await fileOf(insider)).toEqual([
      ['Cost centre', 'Shift', 'Rating'],
      ["'=1+1", 'Late', '5'],
    ])
    expect(await fileOf(outsider)).toEqual([
      ['Cost centre', 'Shift'],
      ["'=1+1", 'Late'],
    ])
  })

  test('are columns of files of users to be, by label or name; refused rows come back with their cells', async () => {
    const upload = async (who: AppCaller, rows: string) => {
      const body = new FormData()
      body.append(
        'file',
        new File(
          [`UserName,EmailAddress,Password,Cost centre,shift,extraProperties.Rating\n${rows}`],
          'users.csv',
        ),
      )
      const response = await who.fetch(`${users}/import-users-from-file?fileType=2`, { method: 'POST', body })
      return (await response.json()) as { succeededCount: number; invalidUsersDownloadToken: string }
    }
    const permissions = Object.values(IdentityUserPermissions)
    const roles = [DefaultCustomer]
    const boss = await app.as({ permissions: [...permissions, FreightPermissions.ViewMargin], roles })
    const clerk = await app.as({ permissions, roles })
    const answer = await upload(
      boss,
      'own-file1,own-file1@x.org,Abc-Crane5,KST 1,late,4\nown-file2,own-file2@x.org,Abc-Crane5,,,\nown-file3,own-file3@x.org,Abc-Crane5,far too long a text,Noon,\nown-file4,own-file4@x.org,Abc-Crane5,KST 2,0,many\n',
    )
    expect(answer).toMatchObject({ succeededCount: 2, failedCount: 2 })
    const made = (await send(insider, 'GET', `${users}?Filter=own-file&Sorting=userName`)).body.items
    expect(made.map((user: { extraProperties: object }) => user.extraProperties)).toEqual([
      { CostCentre: 'KST 1', Shift: 1, Rating: 4 },
      {},
    ])
    const token = answer.invalidUsersDownloadToken
    const file = await (
      await app.host.fetch(`${users}/download-import-invalid-users-file?token=${token}`)
    ).text()
    const [header, ...refused] = file.trim().split('\r\n')
    expect(header).toBe(
      'UserName,Name,Surname,EmailAddress,PhoneNumber,Password,AssignedRoleNames,Cost centre,Shift,ErrorReason',
    )
    expect(refused[0]).toMatch(/^own-file3,,,own-file3@x.org,,,,far too long a text,Noon,.*CostCentre.*Shift/)
    expect(refused[1]).toMatch(/^own-file4,,,own-file4@x.org,,,,KST 2,0,.*Rating/)

    const outside = await upload(
      clerk,
      'own-file5,own-file5@x.org,Abc-Crane5,KST 1,,5\nown-file6,own-file6@x.org,Abc-Crane5,KST 1,,\n',
    )
    expect(outside.succeededCount).toBe(1)
    const sampleOf = async (who: AppCaller) =>
      (await (await who.fetch(`${users}/import-users-sample-file?fileType=2`)).text())
        .split('\r\n')[0]
        ?.split(',')
        .slice(7)
    expect([await sampleOf(boss), await sampleOf(clerk)]).toEqual([
      ['Cost centre', 'Shift', 'Rating'],
      ['Cost centre', 'Shift'],
    ])
  })

  test('of roles are as those of users', async () => {
    const input = { name: 'own-role', isDefault: false, isPublic: true }
    const roles = '/api/identity/roles'
    const refused = await send(insider, 'POST', roles, { ...input, extraProperties: { Level: 10 } })
    expect([refused.status, refused.body.error.validationErrors[0].members]).toEqual([
      400,
      ['extraProperties.Level'],
    ])
    const extraProperties = { Level: 3, Budget: 12.5, Colour: 'red' }
    const { body } = await send(insider, 'POST', roles, { ...input, extraProperties })
    expect(body.extraProperties).toEqual(extraProperties)
    const path = `${roles}/${body.id}`
    const { Budget: _, ...shown } = extraProperties
    expect((await send(outsider, 'GET', path)).body.extraProperties).toEqual(shown)
    expect((await send(outsider, 'GET', `${roles}?Sorting=Budget`)).status).toBe(403)
    const changed = await send(insider, 'PUT', path, { ...body, extraProperties: { Level: null } })
    expect(changed.body.extraProperties).toEqual({ Budget: 12.5, Colour: 'red' })
    const found = await send(insider, 'GET', '/odata/Roles?$select=Name,Budget&$filter=Budget eq 12.5')
    expect(found.body.value).toMatchObject([{ Name: 'own-role', Budget: 12.5 }])
  })

  test('are told to forms as fields of Identity', async () => {
    const told = async (who: AppCaller) => {
      const { body } = await send(
        who,
        'GET',
        '/api/abp/application-configuration?includeLocalizationResources=false',
      )
      const { User, Role } = body.objectExtensions.modules.Identity.entities
      return [Object.keys(User.properties), Object.keys(Role.properties)]
    }
    expect(await told(insider)).toEqual([
      ['CostCentre', 'Shift', 'Rating'],
      ['Level', 'Budget'],
    ])
    expect(await told(outsider)).toEqual([['CostCentre', 'Shift'], ['Level']])
  })
})

describe('a file of shipments', () => {
  const importFile = (who: AppCaller, lines: readonly string[], culture = 'en') =>
    imported(who, 'shipment', csvOf(...lines), { culture })
  const fieldsOf = async (reference: string) => {
    const path = `/api/hub/shipment/by-reference?reference=${reference}`
    return (await send(insider, 'GET', path)).body.extraProperties
  }

  test('has columns of own fields by label or name; a row without a cell keeps what it has', async () => {
    const report = await importFile(
      insider,
      [
        'shipmentReference,Kostenstelle,Priority,insured,extraProperties.Crates,Margin,ValidFrom,ClosedAt',
        'OWNIMP-1,A1,Dringend,Ja,7,12.50,2026-11-01,2026-11-21T14:00:00Z',
        'OWNIMP-2,,Normal,,,,,',
      ],
      'de',
    )
    expect([report.status, report.faults]).toEqual([ImportStatus.Completed, []])
    expect(await fieldsOf('OWNIMP-1')).toEqual({
      ...{ CostCentre: 'A1', Priority: 2, Insured: true, Crates: 7, Margin: 12.5, ValidFrom: '2026-11-01' },
      ClosedAt: '2026-11-21T14:00:00.000Z',
    })
    expect(await fieldsOf('OWNIMP-2')).toEqual({ Priority: 0, Insured: false })
    const again = ['shipmentReference,Cost centre,Crates', 'OWNIMP-1,,8', 'OWNIMP-2,,']
    const changed = await importFile(insider, again)
    expect([changed.status, changed.insertedCount, changed.updatedCount]).toEqual([
      ImportStatus.Completed,
      0,
      1,
    ])
    const { CostCentre: _, ...others } = { CostCentre: 'A1', ...(await fieldsOf('OWNIMP-1')) }
    expect(others).toMatchObject({ Crates: 8, Priority: 2, Margin: 12.5 })
    expect('CostCentre' in (await fieldsOf('OWNIMP-1'))).toBe(false)
    expect((await importFile(insider, again)).updatedCount).toBe(0)
  })

  test('is refused with the faults of cells, and for a column that the caller may not set', async () => {
    const report = await importFile(outsider, [
      'shipmentReference,Cost centre,Priority,Crates,Contract',
      'OWNIMP-3,longer than ten,Sometimes,100,no',
    ])
    expect([report.status, report.faults.map(({ row, column, code }) => [row, column, code])]).toEqual([
      ImportStatus.Refused,
      [
        [2, 'Priority', 'Validation:Option'],
        [2, 'Cost centre', 'Validation:MaximumLength'],
        [2, 'Crates', expect.any(String)],
        [2, 'Contract', expect.any(String)],
      ],
    ])
    const hidden = await importFile(outsider, ['shipmentReference,Margin,Risk,Margn', 'OWNIMP-4,1,x,'])
    expect(hidden.faults.map(({ column, code, message }) => [column, code, message])).toEqual([
      ['Margin', 'FieldPermissionRequired', expect.stringContaining('the field Margin: it needs')],
      ['Risk', 'FieldPermissionRequired', expect.stringContaining('Freight.SetRisk')],
      ['Margn', expect.any(String), expect.not.stringContaining('Margin')],
    ])
  })

  test('has a template with the fields that the caller may set', async () => {
    const template = async (who: AppCaller) =>
      (await (await who.fetch('/api/hub/shipment/import-template?format=csv')).text()).trim()
    expect(await template(insider)).toMatch(
      /,Cost centre,Priority,Insured,Crates,Margin,Risk,Contract,ValidFrom,ClosedAt$/,
    )
    expect(await template(outsider)).toMatch(
      /,Cost centre,Priority,Insured,Crates,Contract,ValidFrom,ClosedAt$/,
    )
  })
})

test('clients are told the fields of the caller as ABP tells them', async () => {
  const { body } = await send(
    insider,
    'GET',
    '/api/abp/application-configuration?includeLocalizationResources=false',
  )
  const { properties } = body.objectExtensions.modules.Hub.entities.Shipment
  expect(properties.CostCentre).toMatchObject({
    type: 'System.String',
    typeSimple: 'string',
    displayName: { name: 'Cost centre', resource: '_' },
    ui: { onTable: { isVisible: true }, onCreateForm: { isVisible: true }, onEditForm: { isVisible: true } },
    attributes: [{ typeSimple: 'stringLength', config: { maximumLength: 10 } }],
  })
  expect(body.objectExtensions.enums['Hub.ShipmentPriority'].fields).toEqual([
    { name: 'Normal', value: 0, displayName: 'Normal' },
    { name: 'Urgent', value: 2, displayName: 'Urgent' },
  ])
  const others = await send(outsider, 'GET', '/api/abp/application-configuration')
  const shown = others.body.objectExtensions.modules.Hub.entities.Shipment.properties
  expect(['Margin' in shown, shown.Risk.ui.onEditForm.isVisible]).toEqual([false, false])
})

test('the audit log names the field that was changed', async () => {
  const id = await newShipment({ CostCentre: 'OLD', Crates: 1 })
  await send(insider, 'PUT', `/api/hub/shipment/${id}`, {
    extraProperties: { CostCentre: 'NEW', Crates: null },
  })
  const path = `/api/audit-logging/audit-logs/entity-changes?EntityId=${id}&Sorting=changeTime DESC`
  let changes: { propertyName: string }[] = []
  for (let attempt = 0; attempt < 50 && changes.length === 0; attempt++) {
    const { body } = await send(outsider, 'GET', path)
    changes = body.items?.length === 2 ? body.items[0].propertyChanges : []
    if (!changes.length) await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const byName = changes.sort((a, b) => (a.propertyName < b.propertyName ? -1 : 1))
  expect(byName).toMatchObject([
    { propertyName: 'ExtraProperties.CostCentre', originalValue: '"OLD"', newValue: '"NEW"' },
    { propertyName: 'ExtraProperties.Crates', originalValue: '1', newValue: null },
  ])
})

describe('a host does not start with a field that cannot be', () => {
  const shipments = 'OwnFields:Modules:Hub:Shipment'
  test.each([
    [
      'an entity that is not there',
      { 'OwnFields:Modules:Hub:Shipmnt:A:Type': 'text' },
      'Did you mean Hub.Shipment?',
    ],
    ['a type that is none', { [`${shipments}:A:Type`]: 'string' }, 'type: Invalid option'],
    [
      'an option that is none',
      { [`${shipments}:A:Type`]: 'text', [`${shipments}:A:Requird`]: '1' },
      'Did you mean required?',
    ],
    [
      'the name of a member',
      { [`${shipments}:VesselName:Type`]: 'text' },
      'has the name of a member of Hub.Shipment: vesselName',
    ],
    ['a name that is none', { [`${shipments}:a-b:Type`]: 'text' }, 'a name has up to 40 letters and digits'],
    [
      'a name that is taken',
      { [`${shipments}:costCentre:Type`]: 'text' },
      'begins with an upper-case letter',
    ],
    ['a field twice', { [`${shipments}:CostCentre:Type`]: 'text' }, 'is declared twice'],
    [
      'a permission that is none',
      { [`${shipments}:A:Type`]: 'text', [`${shipments}:A:Permission`]: 'Shipment.Veiw' },
      'Did you mean Shipment.View?',
    ],
    [
      'a default of another type',
      { [`${shipments}:A:Type`]: 'integer', [`${shipments}:A:Default`]: 'x' },
      "can't have its own default",
    ],
    [
      'an enumeration without values',
      { [`${shipments}:A:Type`]: 'enumeration' },
      'an enumeration needs values',
    ],
  ])('%s', async (_, settings, message) => {
    const configuration = new Configuration('Development')
      .add({ ConnectionStrings: { Default: 'Host=localhost;Database=none' } }, 'test')
      .add(settings, 'test')
    await expect((async () => createApplication(FreightHost, configuration).compose())()).rejects.toThrow(
      message,
    )
  })
})

test('an entity that can have own fields, and a DTO that shows none, stop the start', () => {
  @Entity('TestTrucks')
  class Truck extends AggregateRoot {
    @Column(DataType.STRING(20)) declare name: string
  }
  class TruckDto extends EntityDto({ name: z.string() }) {}
  class TruckInput extends Dto({ name: z.string() }) {}
  abstract class TruckAppService extends AppService(
    remoteService('Fleet', 'fleet'),
    'TruckAppService',
    crud(TruckDto, TruckInput),
  ) {}
  const told =
    "Truck has a column extraProperties, but TruckDto does not show own fields: add extraProperties: ownFields('<Module>.Truck')"
  expect(() => CrudService(TruckAppService, Truck)).toThrow(`TruckAppService: ${told}`)
  const odata = [entitySet('Trucks', Truck, 'Truck.View', { dto: TruckDto })]
  expect(() => new EntityModel([{ name: 'Fleet', options: { odata } }])).toThrow(
    `The entity set Trucks: ${told}`,
  )
})
