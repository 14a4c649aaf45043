import { readFileSync } from 'node:fs'
import { type Constructor, system, withAmbient } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import { mostDeletedRows, mostLookupRows } from '@keel/framework/contracts'
import {
  type AggregateRoot,
  Databases,
  DataFilters,
  type EntityClass,
  Models,
  RowRules,
  SoftDelete,
  Store,
  sql,
} from '@keel/framework/data'
import { readSpreadsheet } from '@keel/framework/spreadsheets'
import {
  CodeEntityAppService,
  HubErrors,
  OrganizationAppService,
  OrganizationPermissions,
  PortAppService,
} from '@keel/hub/contracts'
import { OperationsManager, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addOrganization,
  addShipments,
  codeId,
  countRows,
  hubOf,
  portId,
  type Row,
  setColumn,
  storedRow,
} from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

let app: App
let staff: AppCaller
/** Signed in, without any permission. */
let nobody: AppCaller
beforeAll(async () => {
  app = await startApp(undefined, { 'Settings:Hub.DeletedRows.RetentionDays': '30' })
  staff = await app.as({ roles: [SuperUser, OperationsManager] })
  nobody = await app.as({})
})
afterAll(() => app?.close())

const lookupOfPorts = (caller: AppCaller, query = '') => send(caller, 'GET', `/api/hub/port/lookup${query}`)

async function json(caller: AppCaller, path: string, language: string): Promise<Record<string, string>[]> {
  const answer = await caller.fetch(path, { headers: { 'accept-language': language } })
  return (await answer.json()) as Record<string, string>[]
}

describe('a lookup', () => {
  test('gives id, code and name to everybody who is signed in, and is not taken for an id', async () => {
    const { status, body } = await lookupOfPorts(nobody, '?filter=NLRTM')
    expect([status, body]).toEqual([200, [{ id: portId('NLRTM'), code: 'NLRTM', name: 'Rotterdam' }]])
    expect((await send(nobody, 'GET', '/api/hub/port/LOOKUP?filter=NLRTM')).body).toEqual(body)
    expect((await send(staff, 'GET', '/api/hub/port/look')).status).toBe(400)
  })

  test('is refused to strangers', async () => {
    const { status } = await send(app.host, 'GET', '/api/hub/port/lookup')
    expect(status).toBe(401)
  })

  test('puts rows first that begin with the text: by code, then by name', async () => {
    const owner = staff.service(PortAppService)
    const port = { isSeaport: true, isAirport: false }
    await owner.create({ ...port, unLocode: 'NLAAA', name: 'Nord Qorlo' })
    await owner.create({ ...port, unLocode: 'NLBBB', name: 'Qorlohaven' })
    await owner.create({ ...port, unLocode: 'DEQOR', name: 'Somewhere' })
    const found = await nobody.service(PortAppService).getLookup({ filter: 'qor' })
    expect(found.map(({ code }) => code)).toEqual(['NLBBB', 'DEQOR', 'NLAAA'])
    const first = await nobody.service(PortAppService).getLookup({ filter: 'qorlo', maxResultCount: 1 })
    expect(first.map(({ code }) => code)).toEqual(['NLBBB'])
  })

  test('takes signs of patterns literally', async () => {
    expect((await lookupOfPorts(nobody, '?filter=%25')).body).toEqual([])
    expect((await lookupOfPorts(nobody, '?filter=N.R')).body).toEqual([])
    expect((await lookupOfPorts(nobody, "?filter=')")).body).toEqual([])
  })

  test('never gives more rows than fifty', async () => {
    expect((await lookupOfPorts(nobody)).body).toHaveLength(mostLookupRows)
    const answer = await lookupOfPorts(nobody, '?maxResultCount=51')
    expect([answer.status, faultyMembers(answer)]).toEqual([400, ['maxResultCount']])
  })

  test('leaves inactive rows out', async () => {
    const ports = staff.service(PortAppService)
    const { id } = await ports.create({ unLocode: 'NLZZZ', name: 'Gone', isSeaport: true, isAirport: false })
    await ports.delete(id)
    expect((await lookupOfPorts(nobody, '?filter=NLZZZ')).body).toEqual([])
  })

  test('of code entities is of one list', async () => {
    const entities = nobody.service(CodeEntityAppService)
    const found = await entities.getLookup({ type: 'transportmode', filter: 'sea' })
    expect(found).toEqual([{ id: codeId('TransportMode', 'Sea'), code: 'Sea', name: expect.any(String) }])
  })

  test.each([
    ['en', 'Sea', 'sea'],
    ['de', 'See', 'see'],
    ['es', 'Marítimo', 'MARÍ'],
    ['fr', 'Mer', 'mer'],
    ['tr', 'Deniz', 'den'],
    ['zh-Hans', '海运', '海'],
  ])('of code entities names and finds them in %s: %s', async (language, name, filter) => {
    const path = `/api/hub/code-entity/lookup?type=TransportMode&filter=${encodeURIComponent(filter)}`
    const [first] = await json(nobody, path, language)
    expect(first).toEqual({ id: codeId('TransportMode', 'Sea'), code: 'Sea', name })
  })

  test('of code entities finds their codes and stored names too, and shows a name that staff gave as it is', async () => {
    const lookup = async (filter: string) => {
      const path = `/api/hub/code-entity/lookup?type=ServiceLevel&filter=${filter}`
      return (await json(nobody, path, 'de')).map(({ code, name }) => [code, name])
    }
    expect(await lookup('aufgesch')).toEqual([['DEF', 'Aufgeschoben']])
    expect(await lookup('deferred')).toEqual([['DEF', 'Aufgeschoben']])
    expect(await lookup('DEF')).toEqual([['DEF', 'Aufgeschoben']])
    const entities = staff.service(CodeEntityAppService)
    const id = codeId('ServiceLevel', 'DEF')
    const { type, code, name } = await entities.get(id)
    const row = { type, code, name }
    await entities.update(id, { ...row, name: 'Slow boat' })
    expect(await lookup('DEF')).toEqual([['DEF', 'Slow boat']])
    expect(await lookup('aufgesch')).toEqual([])
    await entities.update(id, row)
    expect(await lookup('aufgesch')).toEqual([['DEF', 'Aufgeschoben']])
  })

  test('of organizations has those of the caller, and carriers and forwarders of everybody', async () => {
    await addOrganization(app, 'LKOURS')
    await addOrganization(app, 'LKTHEIRS')
    await addOrganization(app, 'LKCARRIER', { IsCarrier: true })
    await addOrganization(app, 'LKFORWARDER', { IsForwarder: true })
    await addOrganization(app, 'LKGONE', { IsCarrier: true, IsDeleted: true })
    await addOrganization(app, 'LKIDLE', { IsCarrier: true, IsActive: false })
    const customer = await app.as({ permissions: [OrganizationPermissions.View], organizations: ['LKOURS'] })
    const organizations = customer.service(OrganizationAppService)
    expect((await organizations.getLookup({ filter: 'LK' })).map(({ code }) => code)).toEqual([
      'LKCARRIER',
      'LKFORWARDER',
      'LKOURS',
    ])
    expect((await organizations.getList({ filter: 'LK' })).items.map(({ code }) => code)).toEqual(['LKOURS'])
    const all = await staff.service(OrganizationAppService).getLookup({ filter: 'lk' })
    expect(all.map(({ code }) => code)).toEqual(['LKCARRIER', 'LKFORWARDER', 'LKOURS', 'LKTHEIRS'])
  })
})

describe('deleting many rows', () => {
  const many = '/api/hub/organization/many'
  const alive = (prefix: string) =>
    countRows(app, sql`"HubOrganizations" where starts_with("Code", ${prefix}) and not "IsDeleted"`)

  test('deletes all that are named, each once', async () => {
    const ids = [await addOrganization(app, 'DMA1'), await addOrganization(app, 'DMA2')]
    await addOrganization(app, 'DMA3')
    await staff.service(OrganizationAppService).deleteMany([...ids, ids[0] as string])
    expect(await alive('DMA')).toBe(1)
  })

  test('takes the ids as the body, and answers nothing', async () => {
    const { status, text } = await send(staff, 'DELETE', many, [await addOrganization(app, 'DMB1')])
    expect([status, text, await alive('DMB')]).toEqual([204, '', 0])
  })

  test('deletes none when one can not be deleted', async () => {
    const free = await addOrganization(app, 'DMC1')
    const used = await addOrganization(app, 'DMC2')
    await addShipments(app, [{ parties: [{ role: 4, organizationId: used }] }])
    const organizations = staff.service(OrganizationAppService)
    await expect(organizations.deleteMany([free, used])).rejects.toMatchObject({
      code: HubErrors.OrganizationInUse,
    })
    expect(await alive('DMC')).toBe(2)
  })

  test('deletes none when the caller does not see one of them', async () => {
    const own = await addOrganization(app, 'DMDOWN')
    const others = await addOrganization(app, 'DMDOTHERS')
    const customer = await app.as({
      permissions: [OrganizationPermissions.View, OrganizationPermissions.Delete],
      organizations: ['DMDOWN'],
    })
    expect((await send(customer, 'DELETE', many, [own, others])).status).toBe(404)
    expect(await alive('DMD')).toBe(2)
  })

  test('is refused without the permission to delete, and for none, too many or other things than ids', async () => {
    const id = await addOrganization(app, 'DME1')
    const reader = await app.as({ permissions: [OrganizationPermissions.View] })
    expect((await send(reader, 'DELETE', many, [id])).status).toBe(403)
    for (const ids of [[], new Array(mostDeletedRows + 1).fill(id), ['x'], { ids: [id] }])
      expect((await send(staff, 'DELETE', many, ids)).status).toBe(400)
    expect((await send(staff, 'DELETE', many)).status).toBe(400)
    expect(await alive('DME')).toBe(1)
  })
})

describe('a list as a file', () => {
  const csv = async (caller: AppCaller, path: string, headers: Record<string, string> = {}) => {
    const answer = await caller.fetch(path, { headers })
    expect(answer.status).toBe(200)
    const [head = '', ...lines] = (await answer.text()).replace('\uFEFF', '').trim().split('\r\n')
    return { head: head.split(','), lines }
  }
  const setZone = (caller: AppCaller, zone: string) =>
    app.host
      .get(Databases)
      .named('Default')
      .execute(sql`insert into "AbpSettings" ("Id", "Name", "Value", "ProviderName", "ProviderKey")
        values (gen_random_uuid(), 'Abp.Timing.TimeZone', ${zone}, 'U', ${caller.userId})`)

  test('has the members of the DTO as columns, without ids and stamps, and references by code', async () => {
    await addOrganization(app, 'EXA', { ClosestPortId: portId('NLRTM'), CreditStatus: 2 })
    const { head, lines } = await csv(staff, '/api/hub/organization/as-csv-file?filter=EXA')
    expect(head.slice(0, 3)).toEqual(['Code', 'Name', 'Short name'])
    expect(head.filter((header) => /\b(id|stamp)\b/i.test(header))).toEqual(['External id'])
    expect(new Set(head).size).toBe(head.length)
    expect(lines).toEqual([expect.stringMatching(/^EXA,EXA Company,.*,Cash only,/)])
    const ports = await csv(staff, '/api/hub/port/as-csv-file?filter=NLRTM')
    expect([ports.head[0], ports.lines.length]).toEqual(['UN/LOCODE', 1])
  })

  test('is headed, and its enumerations are named, in the language of the caller', async () => {
    await addOrganization(app, 'EXB', { CreditStatus: 2 })
    const path = '/api/hub/organization/as-csv-file?filter=EXB'
    const { head, lines } = await csv(staff, path, { 'accept-language': 'de' })
    expect(head).toContain('Kreditstatus')
    expect(lines[0]).toContain('Nur Vorkasse')
  })

  test('is headed by what its own members are called, and says yes and no, in every language', async () => {
    const texts = (resource: string, language: string): Record<string, string> =>
      JSON.parse(readFileSync(new URL(`../../../${resource}/${language}.json`, import.meta.url), 'utf8'))
    await addOrganization(app, 'EXF', { IsCarrier: true, IsBroker: false })
    for (const language of ['en', 'de', 'es', 'fr', 'tr', 'zh-Hans']) {
      const of = { 'accept-language': language }
      const shared = texts('framework/localization/AbpUi', language)
      const hub = texts('modules/hub/localization', language)
      for (const [set, entity] of [
        ['port', 'Port'],
        ['code-entity', 'CodeEntity'],
        ['organization', 'Organization'],
        ['shipment', 'Shipment'],
      ]) {
        const { head } = await csv(staff, `/api/hub/${set}/as-csv-file?filter=none-of-them`, of)
        const own = Object.entries({ ...shared, ...hub })
          .filter(([key]) => new RegExp(`^DisplayName:(${entity}:)?\\w+$`).test(key))
          .map(([, text]) => text)
        expect([set, language, head.filter((header) => !own.includes(header))]).toEqual([set, language, []])
      }
      const { head, lines } = await csv(staff, '/api/hub/organization/as-csv-file?filter=EXF', of)
      const cells = lines[0]?.split(',') ?? []
      const cell = (member: string) => cells[head.indexOf(hub[`DisplayName:Organization:${member}`] ?? '')]
      expect([cell('IsCarrier'), cell('IsBroker')]).toEqual([shared['Yes'], shared['No']])
    }
  })

  test('of code entities has their names in the language of the caller', async () => {
    const path = '/api/hub/code-entity/as-csv-file?type=ReleaseType'
    const { lines } = await csv(staff, path, { 'accept-language': 'fr' })
    expect(lines.map((line) => line.split(',').slice(1, 3))).toContainEqual(['OBL', 'Connaissement original'])
  })

  test('shows points in time by the clock of the caller', async () => {
    await addOrganization(app, 'EXC', { CreationTime: '2026-07-01T22:30:00Z' })
    const caller = await app.as({ roles: [SuperUser] })
    const path = '/api/hub/organization/as-csv-file?filter=EXC'
    expect((await csv(caller, path)).lines[0]).toContain('2026-07-01T22:30:00.000Z')
    const berliner = await app.as({ roles: [SuperUser] })
    await setZone(berliner, 'Europe/Berlin')
    expect((await csv(berliner, path)).lines[0]).toContain('2026-07-02T00:30:00.000+02:00')
    const workbook = await berliner.service(OrganizationAppService).getListAsExcelFile({ filter: 'EXC' })
    const since = { since: { header: 'Created at', kind: 'instant' } } as const
    const file = new File([await new Response(workbook.stream()).blob()], workbook.name)
    // The reader takes what the clock shows for UTC.
    for await (const { values } of readSpreadsheet(since, file))
      expect(values.since).toEqual(new Date('2026-07-02T00:30:00Z'))
  })

  test('has all rows of the filter in the order that is asked for, not one page', async () => {
    const { lines } = await csv(
      staff,
      '/api/hub/code-entity/as-csv-file?type=TransportMode&sorting=code%20DESC',
    )
    const codes = lines.map((line) => line.split(',')[1])
    const { items } = await staff
      .service(CodeEntityAppService)
      .getList({ type: 'TransportMode', sorting: 'code DESC' })
    expect(codes).toEqual(items.map(({ code }) => code))
    expect((await csv(staff, '/api/hub/port/as-csv-file')).lines.length).toBeGreaterThan(mostLookupRows)
  })

  test('leaves out what the caller does not see, and is refused to who may not read the list', async () => {
    await addOrganization(app, 'EXDOURS')
    await addOrganization(app, 'EXDTHEIRS', { IsCarrier: true })
    const customer = await app.as({ permissions: [OrganizationPermissions.View], organizations: ['EXDOURS'] })
    const { lines } = await csv(customer, '/api/hub/organization/as-csv-file?filter=EXD')
    expect(lines.map((line) => line.split(',')[0])).toEqual(['EXDOURS'])
    for (const set of ['organization', 'port', 'code-entity', 'shipment'])
      for (const kind of ['csv', 'excel'])
        expect((await send(nobody, 'GET', `/api/hub/${set}/as-${kind}-file`)).status).toBe(403)
  })

  test('guards texts that a spreadsheet would compute', async () => {
    await addOrganization(app, 'EXE', { FullName: '=HYPERLINK("http://evil.example")' })
    const { lines } = await csv(staff, '/api/hub/organization/as-csv-file?filter=EXE')
    expect(lines[0]).toContain(`"'=HYPERLINK(`)
  })
})

describe('a deleted row', () => {
  const path = '/api/hub/organization'
  const deleted = async (code: string, row: Row = {}): Promise<string> => {
    const id = await addOrganization(app, code, row)
    await staff.service(OrganizationAppService).delete(id)
    return id
  }

  test('is listed with who deleted it and when, the last one first', async () => {
    const [first, second] = [await deleted('DRA1'), await deleted('DRA2')]
    await addOrganization(app, 'DRA3')
    const { items, totalCount } = await staff.service(OrganizationAppService).getDeleted({ filter: 'DRA' })
    expect(totalCount).toBe(2)
    expect(items.map(({ id }) => id)).toEqual([second, first])
    expect(items[0]).toMatchObject({
      code: 'DRA2',
      deleterId: staff.userId,
      deletionTime: expect.any(Date),
    })
    const later = { filter: 'DRA', deletedAfter: items[1]?.deletionTime }
    const since = await staff.service(OrganizationAppService).getDeleted(later)
    expect(since.items.map(({ id }) => id)).toEqual([second])
  })

  test('comes back as it was, and is audited', async () => {
    const id = await deleted('DRB', { TaxNumber: 'NL1' })
    const { status, body } = await send(staff, 'POST', `${path}/${id}/restore`)
    expect([status, body.id, body.code, body.taxNumber]).toEqual([200, id, 'DRB', 'NL1'])
    expect(await storedRow(app, 'HubOrganizations', id)).toMatchObject({
      IsDeleted: false,
      DeletionTime: null,
      DeleterId: null,
      LastModifierId: staff.userId,
    })
    expect((await staff.service(OrganizationAppService).getLookup({ filter: 'DRB' })).length).toBe(1)
    expect((await send(staff, 'GET', `/odata/Organizations(${id})`)).status).toBe(200)
    expect((await send(staff, 'POST', `${path}/${id}/restore`)).status).toBe(404)
  })

  test('does not come back while another row has its code, or while its parent is deleted', async () => {
    const id = await deleted('DRC')
    await addOrganization(app, 'DRC', { HierarchyPath: '/DRCNEW/' })
    const taken = await send(staff, 'POST', `${path}/${id}/restore`)
    expect(taken.body.error.code).toBe(HubErrors.OrganizationCodeAlreadyExists)
    const parent = await addOrganization(app, 'DRD')
    const child = await deleted('DRE', { ParentOrganizationId: parent, HierarchyPath: '/DRD/DRE/' })
    await staff.service(OrganizationAppService).delete(parent)
    const orphan = await send(staff, 'POST', `${path}/${child}/restore`)
    expect([orphan.status, faultyMembers(orphan)]).toEqual([400, ['parentOrganizationId']])
    await staff.service(OrganizationAppService).restore(parent)
    await staff.service(OrganizationAppService).update(parent, { code: 'DRDNEW' })
    const { hierarchyPath } = await staff.service(OrganizationAppService).restore(child)
    expect(hierarchyPath).toBe('/DRDNEW/DRE/')
  })

  test('is neither listed nor brought back without the permission, or by who never saw it', async () => {
    const id = await deleted('DRF')
    const permissions = [OrganizationPermissions.View, OrganizationPermissions.Delete]
    const deleter = await app.as({ permissions })
    expect((await send(deleter, 'GET', `${path}/deleted`)).status).toBe(403)
    expect((await send(deleter, 'POST', `${path}/${id}/restore`)).status).toBe(403)
    const other = await app.as({ permissions: [...permissions, OrganizationPermissions.Restore] })
    expect((await send(other, 'GET', `${path}/deleted`)).body).toEqual({ totalCount: 0, items: [] })
    expect((await send(other, 'POST', `${path}/${id}/restore`)).status).toBe(404)
  })

  test('is hidden from everything else, also while somebody reads deleted ones', async () => {
    const id = await deleted('DRG')
    const organizations = staff.service(OrganizationAppService)
    const [gone, list, lookup, deletedOnes] = await Promise.all([
      send(staff, 'GET', `${path}/${id}`),
      organizations.getList({ filter: 'DRG' }),
      organizations.getLookup({ filter: 'DRG' }),
      organizations.getDeleted({ filter: 'DRG' }),
    ])
    expect([gone.status, list.totalCount, lookup.length, deletedOnes.totalCount]).toEqual([404, 0, 0, 1])
  })
})

test('rows go for good when they were deleted longer ago than the setting says and nothing refers to them', async () => {
  const days = (count: number) => new Date(Date.now() - count * 86_400_000)
  const old = { IsDeleted: true, DeletionTime: days(31) }
  const young = await addOrganization(app, 'PUA', { IsDeleted: true, DeletionTime: days(29) })
  const alive = await addOrganization(app, 'PUB')
  const parent = await addOrganization(app, 'PUC', old)
  await addOrganization(app, 'PUD', { ...old, ParentOrganizationId: parent })
  const used = await addOrganization(app, 'PUE', { DeletionTime: old.DeletionTime })
  const customer = { parties: [{ role: 4, organizationId: used }] }
  const [open] = await addShipments(app, [customer])
  await setColumn(app, 'HubOrganizations', used, 'IsDeleted', true)
  const [gone] = await addShipments(app, [{ ...old, parties: [{ role: 4, organizationId: alive }] }])
  const blobs = app.host.get(BlobStore)
  await blobs.save('hub/documents/purged', new Blob(['x']).stream())
  await addDocuments(app, [{ ...old, ShipmentId: gone, BlobName: 'hub/documents/purged' }])
  await purge()
  const left = await hubOf(app).query<{ id: string }>(
    sql`select "Id" as id from "HubOrganizations" where starts_with("Code", 'PU') order by "Code"`,
  )
  expect(left.map(({ id }) => id)).toEqual([young, alive, used])
  expect(await countRows(app, sql`"HubShipments" where "Id" in (${open}, ${gone})`)).toBe(1)
  expect(await countRows(app, sql`"HubShipmentAddresses" where "ShipmentId" = ${gone}`)).toBe(0)
  expect(await countRows(app, sql`"HubDocuments" where "BlobName" = 'hub/documents/purged'`)).toBe(0)
  expect(await blobs.find('hub/documents/purged')).toBeUndefined()
})

/** Runs the nightly job. */
async function purge(): Promise<void> {
  const found = app.host.application.services.find(({ service }) => service.name === 'DeletedRowsPurge')
  await app.host.get(found?.service as Constructor<{ purge(): Promise<void> }>).purge()
}

test('code switches a filter off for the work at hand alone, and on again inside', async () => {
  const id = await addOrganization(app, 'DFA', { IsDeleted: true })
  const databases = app.host.get(Databases)
  const entity = databases
    .named('Hub')
    .entities.find(({ name }) => name === 'Organization') as EntityClass<AggregateRoot>
  const store = new Store(entity, databases, app.host.get(RowRules))
  const count = () => app.host.get(Models).of(entity).count({ where: { id } })
  const found = async () => [(await store.find(id))?.get('code'), await count()]
  await withAmbient({ correlationId: 'filters', principal: system, culture: 'en' }, async () => {
    expect(await found()).toEqual([undefined, 0])
    expect(await DataFilters.disable(SoftDelete, found)).toEqual(['DFA', 1])
    const inside = () => DataFilters.enable(SoftDelete, found)
    expect(await DataFilters.disable(SoftDelete, inside)).toEqual([undefined, 0])
    expect(await found()).toEqual([undefined, 0])
  })
})

test('the operations of macros are documented', async () => {
  const { paths } = (await send(app.host, 'GET', '/swagger/v1/swagger.json')).body
  expect(paths['/api/hub/port/lookup'].get.summary).toContain('active rows')
  const { delete: many } = paths['/api/hub/organization/many']
  expect(many.requestBody.content['application/json'].schema).toMatchObject({
    type: 'array',
    minItems: 1,
    maxItems: mostDeletedRows,
  })
  const definition = (await send(app.host, 'GET', '/api/abp/api-definition')).body
  const [{ actions }] = Object.values(definition.modules.hub.controllers).filter((controller) =>
    /^Organization(?!Member|Address|Contact|Invitation)/.test(
      (controller as { controllerName: string }).controllerName,
    ),
  ) as [{ actions: Record<string, { parameters: object[] }> }]
  const action = Object.entries(actions).find(([name]) => /deleteMany/i.test(name))?.[1]
  expect(action?.parameters).toMatchObject([{ name: 'ids', bindingSourceId: 'Body' }])
})
