import { mostDeletedRows, mostLookupRows } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
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
import { addOrganization, addShipments, codeId, countRows, portId } from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

let app: App
let staff: AppCaller
/** Signed in, without any permission. */
let nobody: AppCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.as({ roles: [SuperUser, OperationsManager] })
  nobody = await app.as({})
})
afterAll(() => app?.close())

const lookupOfPorts = (caller: AppCaller, query = '') => send(caller, 'GET', `/api/hub/port/lookup${query}`)

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
    (controller as { controllerName: string }).controllerName.startsWith('Organization'),
  ) as [{ actions: Record<string, { parameters: object[] }> }]
  const action = Object.entries(actions).find(([name]) => /deleteMany/i.test(name))?.[1]
  expect(action?.parameters).toMatchObject([{ name: 'ids', bindingSourceId: 'Body' }])
})
