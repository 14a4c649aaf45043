import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { AuditLoggingPermissions, AuditLogsAppService } from '@keel/audit-logging/contracts'
import { BackgroundWorkPermissions } from '@keel/background-work/contracts'
import { BlobStore } from '@keel/framework/blobs'
import { type ImportDto, ImportErrors, ImportStatus } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { ImportSweep } from '@keel/framework/imports'
import { readLines, type SheetLine, writeCsv } from '@keel/framework/spreadsheets'
import {
  CreditStatus,
  OrganizationAppService,
  OrganizationPermissions,
  PortAppService,
  PortPermissions,
} from '@keel/hub/contracts'
import { OperationsManager, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logsOf, newCorrelationId } from '../auditing/audit-logs.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, hubOf } from '../support/hub-rows.js'
import { csvOf, dryRun, holdingImports, imported, release, reportOf, upload } from '../support/imports.js'
import { watchMemory } from '../support/watch-memory.js'
import { send } from '../support/wire.js'

let app: App
let staff: AppCaller
beforeAll(async () => {
  app = await startApp(undefined, {
    'Jobs:FirstRetryMs': '1',
    'Jobs:PollMs': '100',
    'Imports:MaxRows': '5000',
    'Imports:MaxUnfinished': '2',
  })
  staff = await app.as({ roles: [SuperUser, OperationsManager] })
})
afterAll(() => app?.close())

const portHeader = 'unLocode,name,isSeaport,isAirport'
const portsLike = (filter: string) => staff.service(PortAppService).getList({ filter, sorting: 'unLocode' })
const namesLike = async (filter: string) =>
  (await portsLike(filter)).items.map(({ unLocode, name }) => [unLocode, name])
const keysOf = ({ faults }: Pick<ImportDto, 'faults'>) =>
  (faults ?? []).map(({ row, column, code }) => [row, column, code])

describe('an import', () => {
  test('adds and changes rows by their key', async () => {
    const first = await imported(
      staff,
      'port',
      csvOf(portHeader, 'NLQQA,Alpha,true,false', 'NLQQB,Beta,yes,0'),
    )
    expect(first).toMatchObject({
      status: ImportStatus.Completed,
      progress: 100,
      rowCount: 2,
      insertedCount: 2,
      updatedCount: 0,
      faults: [],
    })
    const rows = csvOf(portHeader.replaceAll(',', ';'), 'NLQQA;Alpha;true;false', 'NLQQB;Gamma;true;false')
    expect(await imported(staff, 'port', rows)).toMatchObject({ insertedCount: 0, updatedCount: 1 })
    expect((await portsLike('NLQQ')).items).toMatchObject([
      { unLocode: 'NLQQA', name: 'Alpha', countryCode: 'NL' },
      { unLocode: 'NLQQB', name: 'Gamma', countryCode: 'NL' },
    ])
  })

  test('writes nothing in a dry run, and counts what it would write', async () => {
    const report = await imported(staff, 'port', csvOf(portHeader, 'NLQQC,Dry,true,false'), dryRun)
    expect(report).toMatchObject({ isDryRun: true, status: ImportStatus.Completed, insertedCount: 1 })
    expect(await namesLike('NLQQC')).toEqual([])
  })

  test('is all or nothing, and names every fault with its row, column, value and reason', async () => {
    const file = csvOf(
      'UN/LOCODE,Name,isSeaport,isAirport,latitude',
      'NLQQD,Good,true,false,1.5',
      `NLQQE,${'x'.repeat(101)},perhaps,false,91`,
      'XXQQF,No such country,true,false,',
      ',No code,true,false,',
      'NLQQD,Twice,true,false,"1,5"',
      'NLQQG,"=HYPERLINK(""http://evil"")",true,false,-1',
    )
    const report = await imported(staff, 'port', file, dryRun)
    expect(report).toMatchObject({
      status: ImportStatus.Refused,
      rowCount: 6,
      insertedCount: 0,
      faultCount: 6,
    })
    expect(keysOf(report)).toEqual([
      [3, 'isSeaport', 'Validation:Boolean'],
      [3, 'Name', 'Validation:MaximumLength'],
      [3, 'latitude', 'Validation:Maximum'],
      [4, 'UN/LOCODE', 'Hub:Validation:NoSuchCountry'],
      [5, 'UN/LOCODE', 'Validation:Required'],
      [6, 'latitude', 'Validation:Number'],
    ])
    expect(report.faults.map(({ value }) => value?.slice(0, 15))).toEqual([
      'perhaps',
      'xxxxxxxxxxxxxxx',
      '91',
      'XXQQF',
      undefined,
      '1,5',
    ])
    expect(report.faults[1]?.value).toHaveLength(60)
    expect(await namesLike('NLQQD')).toEqual([])

    const response = await staff.fetch(`/api/hub/port/import/${report.id}/faults`, {
      headers: { 'accept-language': 'de' },
    })
    const lines = (await response.text()).split('\r\n')
    expect(lines[0]).toBe('Zeile,Spalte,Wert,Meldung,Code')
    expect(lines).toHaveLength(8)
    const german = await reportOf(staff, 'port', report.id, 'de')
    expect(german.faults[4]?.message).not.toBe(report.faults[4]?.message)
  })

  test('names a row that stands twice in the file', async () => {
    const file = csvOf(portHeader, 'NLQQH,One,true,false', 'NLQQI,Other,true,false', 'NLQQH,Two,true,false')
    const report = await imported(staff, 'port', file)
    expect(report.faults).toMatchObject([
      {
        row: 4,
        column: 'unLocode',
        value: 'NLQQH',
        code: 'Import:RowTwice',
        message: expect.stringContaining('2'),
      },
    ])
    expect(await namesLike('NLQQI')).toEqual([])
  })

  test('counts all faults and lists the first thousand', async () => {
    const rows = Array.from({ length: 1500 }, (_, index) => `${index},Name,true,false`)
    const report = await imported(staff, 'port', csvOf(portHeader, ...rows))
    expect([report.faultCount, report.faults.length]).toEqual([1500, 1000])
  })

  test('names columns that are unknown, given twice or missing', async () => {
    const report = await imported(staff, 'port', csvOf('unLocod,name,NAME,isSeaport,isAirport,zzzzzz', 'x'))
    expect(keysOf(report)).toEqual([
      [null, 'unLocod', 'Import:UnknownColumnNear'],
      [null, 'NAME', 'Spreadsheet:ColumnTwice'],
      [null, 'zzzzzz', 'Import:UnknownColumn'],
      [null, null, 'Spreadsheet:ColumnsMissing'],
    ])
    expect(report.faults[0]?.message).toContain('unLocode')
  })

  test('has one entry with a count in the audit log, in the name of the caller', async () => {
    const rows = Array.from({ length: 4500 }, (_, index) => `AUDIT${index},Company ${index},NL`)
    const correlationId = newCorrelationId()
    const file = csvOf('code,fullName,countryCode', ...rows)
    const { body } = await upload(staff, 'organization', file, {
      headers: { 'x-correlation-id': correlationId },
    })
    expect(await reportOf(staff, 'organization', body.id)).toMatchObject({ insertedCount: 4500 })
    const reader = await app.as({ permissions: [AuditLoggingPermissions.AuditLogs] })
    const logs = await logsOf(reader, correlationId, 2)
    const ofJob = logs.find(({ httpMethod }) => httpMethod === null)
    expect(await reader.service(AuditLogsAppService).get(ofJob?.id ?? '')).toMatchObject({
      userId: staff.userId,
      extraProperties: { RanBy: 'job Import.Hub.Organization' },
      entityChanges: [{ entityId: '*', propertyChanges: [{ propertyName: 'Count', newValue: '4500' }] }],
    })
  })

  test('goes through the typed client, also the upload and the files', async () => {
    const ports = staff.service(PortAppService)
    const { id } = await ports.import({ file: csvOf(portHeader, 'NLQQJ,Typed,true,false') })
    await reportOf(staff, 'port', id)
    expect(await ports.getImport(id)).toMatchObject({
      status: ImportStatus.Completed,
      insertedCount: 1,
      completionTime: expect.any(Date),
    })
    const { items } = await ports.getImports({ maxResultCount: 1 })
    expect(items).toMatchObject([{ id, fileName: 'rows.csv', faults: null }])
    const template = await ports.getImportTemplate({ format: 'csv' })
    expect(template.name).toBe('ports-template.csv')
    expect(await new Response(template.stream()).text()).toBe(
      'UN/LOCODE,Name,IATA code,Subdivision,Latitude,Longitude,Time zone,Seaport,Airport,Active\r\n',
    )
    const workbook = await ports.getImportTemplate({})
    const whole = new File([await new Response(workbook.stream()).blob()], workbook.name)
    const report = await imported(staff, 'port', whole)
    expect(report).toMatchObject({ status: ImportStatus.Completed, rowCount: 0 })
  })
})

describe('an exported list that was edited', () => {
  test.each(['as-csv-file', 'as-excel-file'])('is imported again (%s)', async (format) => {
    const code = format === 'as-csv-file' ? 'RTC' : 'RTX'
    const organizations = staff.service(OrganizationAppService)
    for (const number of [1, 2, 3])
      await organizations.create({
        code: `${code}${number}`,
        fullName: `=Formula ${number}`,
        countryCode: 'NL',
        creditStatus: CreditStatus.OnHold,
        taxNumber: '007',
        isCarrier: number === 1,
      })
    const culture = 'de'
    const response = await staff.fetch(`/api/hub/organization/${format}?filter=${code}`, {
      headers: { 'accept-language': culture },
    })
    const content = new File([await response.blob()], 'export')
    const unchanged = await imported(staff, 'organization', content, { culture })
    expect(unchanged).toMatchObject({
      status: ImportStatus.Completed,
      rowCount: 3,
      insertedCount: 0,
      updatedCount: 0,
      ignoredColumns: expect.arrayContaining(['Pfad']),
    })

    const edited = await editedSheet(content, (row) =>
      row.Code === `${code}2`
        ? { ...row, Name: 'Umbenannt', Kreditstatus: 'CashOnly', Steuernummer: '' }
        : row,
    )
    expect(await imported(staff, 'organization', edited, { culture })).toMatchObject({
      status: ImportStatus.Completed,
      updatedCount: 1,
    })
    const { items } = await organizations.getList({ filter: code, sorting: 'code' })
    expect(items).toMatchObject([
      { fullName: '=Formula 1', creditStatus: CreditStatus.OnHold, taxNumber: '007', isCarrier: true },
      { fullName: 'Umbenannt', creditStatus: CreditStatus.CashOnly, taxNumber: null },
      { fullName: '=Formula 3' },
    ])
  })
})

describe('organizations', () => {
  test('refer to ports and to each other by code, also to rows above in the same file', async () => {
    const report = await imported(
      staff,
      'organization',
      csvOf(
        'code,fullName,countryCode,parentOrganization,closestPort,creditStatus',
        'TREE1,Top,NL,,nlrtm,2',
        'TREE2,Middle,NL,TREE1,,Open',
        'TREE3,Leaf,NL,TREE2,DEHAM,on hold',
      ),
    )
    expect(report).toMatchObject({ status: ImportStatus.Completed, insertedCount: 3, faults: [] })
    const { items } = await staff.service(OrganizationAppService).getList({ filter: 'TREE', sorting: 'code' })
    expect(items.map(({ hierarchyPath, creditStatus }) => [hierarchyPath, creditStatus])).toEqual([
      ['/TREE1/', CreditStatus.CashOnly],
      ['/TREE1/TREE2/', CreditStatus.Open],
      ['/TREE1/TREE2/TREE3/', CreditStatus.OnHold],
    ])
    const moved = await imported(
      staff,
      'organization',
      csvOf(
        'code,fullName,countryCode,parentOrganization,closestPort',
        'TREE3,Leaf,NL,TREE1,',
        'TREE4,New,NL,GONE,XXXXX',
      ),
    )
    expect(keysOf(moved)).toEqual([
      [2, 'parentOrganization', 'Hub:Validation:ParentNotImported'],
      [3, 'parentOrganization', 'Hub:Validation:NoSuchOrganization'],
      [3, 'closestPort', 'Hub:Validation:NoSuchPort'],
    ])
  })

  test('a customer changes the own companies alone, with the rights of the moment of the run', async () => {
    await addOrganization(app, 'IMOURS')
    await addOrganization(app, 'IMTHEIRS')
    const rights = [
      OrganizationPermissions.View,
      OrganizationPermissions.Create,
      OrganizationPermissions.Edit,
    ]
    const customer = await app.as({ permissions: rights, organizations: ['IMOURS'] })
    const rename = (code: string, name = 'Renamed') =>
      csvOf('code,fullName,countryCode', `${code},${name},NL`)
    expect(await imported(customer, 'organization', rename('IMOURS'))).toMatchObject({ updatedCount: 1 })
    const theirs = await imported(customer, 'organization', rename('IMTHEIRS'))
    expect(theirs).toMatchObject({ status: ImportStatus.Refused, updatedCount: 0 })
    expect(keysOf(theirs)).toEqual([[null, null, 'Volo.Authorization:010001']])

    const id = await holdingImports(
      app,
      async () => (await upload(customer, 'organization', rename('IMOURS', 'Late'))).body.id,
    )
    expect((await send(customer, 'GET', `/api/hub/organization/import/${id}`)).body.status).toBe(
      ImportStatus.Waiting,
    )
    await hubOf(app).execute(sql`
      update "HubOrganizationMembers" set "OrganizationId" = (select "Id" from "HubOrganizations" where "Code" = 'IMTHEIRS')
      where "UserId" = ${customer.userId}`)
    hubOf(app).feed.changed('HubOrganizationMembers')
    await release(app, id)
    expect(await reportOf(customer, 'organization', id)).toMatchObject({ status: ImportStatus.Refused })
    const names = await staff.service(OrganizationAppService).getList({ filter: 'IM', sorting: 'code' })
    expect(
      names.items.filter(({ code }) => /^IM(OURS|THEIRS)$/.test(code)).map(({ fullName }) => fullName),
    ).toEqual(['Renamed', 'IMTHEIRS Company'])
  })
})

describe('rights', () => {
  const file = () => csvOf(portHeader, 'NLQQK,Rights,true,false')
  const all = [PortPermissions.View, PortPermissions.Create, PortPermissions.Edit]

  test('Create and Edit are needed, when the import is begun and when it runs', async () => {
    for (const missing of [PortPermissions.Create, PortPermissions.Edit]) {
      const caller = await app.as({ permissions: all.filter((permission) => permission !== missing) })
      expect((await upload(caller, 'port', file())).status).toBe(403)
    }
    expect((await upload({ ...staff, fetch: app.host.fetch } as AppCaller, 'port', file())).status).toBe(401)
    const caller = await app.as({ permissions: all })
    const id = await holdingImports(app, async () => (await upload(caller, 'port', file())).body.id)
    const identity = app.host.get(Databases).named('Default')
    await identity.execute(sql`
      delete from "AbpPermissionGrants" where "ProviderKey" = ${caller.userId} and "Name" = ${PortPermissions.Edit}`)
    identity.feed.changed('AbpPermissionGrants')
    await release(app, id)
    const report = await reportOf(caller, 'port', id)
    expect(report).toMatchObject({ status: ImportStatus.Refused, faultCount: 1 })
    expect(report.faults[0]?.message).toContain(PortPermissions.Edit)
    expect(await namesLike('NLQQK')).toEqual([])
  })

  test('imports are shown to their user and to those who manage jobs', async () => {
    const [owner, other, manager] = await Promise.all([
      app.as({ permissions: all }),
      app.as({ permissions: all }),
      app.as({ permissions: [PortPermissions.View, BackgroundWorkPermissions.ManageJobs] }),
    ])
    const { id } = await imported(owner, 'port', file(), dryRun)
    for (const path of ['', '/faults']) {
      const status = async (who: AppCaller) =>
        (await send(who, 'GET', `/api/hub/port/import/${id}${path}`)).status
      expect([await status(owner), await status(other), await status(manager)]).toEqual([200, 404, 200])
    }
    expect((await send(other, 'POST', `/api/hub/port/import/${id}/cancel`)).status).toBe(404)
    expect((await send(owner, 'GET', `/api/hub/organization/import/${id}`)).status).toBe(403)
    expect((await other.service(PortAppService).getImports({})).totalCount).toBe(0)
    expect((await manager.service(PortAppService).getImports({})).totalCount).toBeGreaterThan(1)
  })

  test('a user has few unfinished imports, and can cancel them', async () => {
    const caller = await app.as({ permissions: all })
    await holdingImports(app, async () => {
      const started = await Promise.all(Array.from({ length: 5 }, () => upload(caller, 'port', file())))
      expect(started.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403, 403])
      expect(started.find(({ status }) => status === 403)?.body.error.code).toBe(
        ImportErrors.TooManyUnfinished,
      )
      const { id } = started.find(({ status }) => status === 200)?.body ?? {}
      expect((await send(caller, 'POST', `/api/hub/port/import/${id}/cancel`)).status).toBe(204)
      expect(await reportOf(caller, 'port', id)).toMatchObject({ status: ImportStatus.Cancelled })
      const again = await send(caller, 'POST', `/api/hub/port/import/${id}/cancel`)
      expect(again.body.error.code).toBe(ImportErrors.IsOver)
      expect((await upload(caller, 'port', file())).status).toBe(200)
    })
    expect(await namesLike('NLQQK')).toEqual([])
  })
})

describe('a hostile file', () => {
  const refusal = async (file: File, fields = {}) => {
    const report = await imported(staff, 'port', file, { fields: { ...dryRun.fields, ...fields } })
    expect(report.status).toBe(ImportStatus.Refused)
    return report.faults[0]?.code
  }

  test('is refused with its reason when it is no table', async () => {
    expect(await refusal(csvOf(''))).toBe('Spreadsheet:NoHeader')
    expect(await refusal(csvOf(portHeader, 'x'.repeat(300_000)))).toBe('Spreadsheet:RowTooLong')
    expect(await refusal(csvOf(portHeader, `"${'x,'.repeat(300_000)}`))).toBe('Spreadsheet:RowTooLong')
    expect(await refusal(csvOf('x,'.repeat(300)))).toBe('Import:TooManyColumns')
    expect(await refusal(csvOf(portHeader, ...Array(5001).fill('NLRTM,Rotterdam,true,false')))).toBe(
      'Spreadsheet:TooManyRows',
    )
    expect(await refusal(csvOf(portHeader, ...Array(20_000).fill(',,'))), 'empty rows').toBe(
      'Spreadsheet:TooManyRows',
    )
    expect(await refusal(csvOf(portHeader, `NLQQL,${'x'.repeat(9000)},true,false`))).toBe(
      'Import:CellTooLong',
    )
    expect(await refusal(new File(['PK\u0003\u0004 broken'], 'rows.xlsx'))).toBe('Spreadsheet:NoWorkbook')
    expect(await refusal(new File([crypto.getRandomValues(new Uint8Array(5000))], 'noise.csv'))).toBeDefined()
  })

  test('cannot fill the memory as a zip bomb, whatever it says of its size', async () => {
    const sheet = Buffer.alloc(32 * 1024 * 1024, ' ')
    expect(workbookOf(sheet).size).toBeLessThan(64 * 1024)
    expect(await refusal(workbookOf(sheet, 300 * 1024 * 1024))).toBe('Spreadsheet:TooBig')
    expect(await refusal(workbookOf(sheet, 1000))).toBe('Spreadsheet:NoWorkbook')
  })

  test('has few of its rows in memory at once, however long they are', async () => {
    const made = () => {
      const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
      const head = portHeader.split(',').map(cell).join('')
      // Beside the columns: nobody looks at these cells. Partly random, because a file that packs too well is refused.
      const long = () => randomBytes(1125).toString('base64').padEnd(30_000, 'x')
      const row = `<row>${['NLRTM', 'Rotterdam', 'true', 'false', long(), long(), long(), long()].map(cell).join('')}</row>`
      const rows = `<worksheet><sheetData><row>${head}</row>${row.repeat(1000)}</sheetData></worksheet>`
      return workbookOf(Buffer.from(rows))
    }
    const file = made()
    // What the file was made of is memory of before: it has to be gone.
    watchMemory().end()
    await new Promise((resolve) => setTimeout(resolve, 100))
    const memory = watchMemory()
    expect(await refusal(file)).toBe('Import:RowTwice')
    // All of them are 120 MB.
    expect(memory.end()).toBeLessThan(60)
  })

  test('has an end, also where a reader of published lists leaves its rows out', async () => {
    const header = 'change,country,location,name,namewodiacritics,subdivision'
    const countries = Array<string>(25_000).fill(',NL,,.NETHERLANDS,.NETHERLANDS,')
    const report = await imported(staff, 'un-locode', csvOf(header, ...countries), dryRun)
    expect(report.faults).toMatchObject([{ code: 'Spreadsheet:TooManyRows' }])
  })

  test('is read in its encoding, or refused', async () => {
    const text = `${portHeader}\nNLQQM,Zürich,true,false`
    const bytes = {
      utf16le: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
      utf8: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
      latin: Buffer.from(text, 'latin1'),
    }
    const ofBytes = (part: Buffer) => new File([part], 'rows.csv')
    for (const part of [bytes.utf16le, bytes.utf8])
      expect(await imported(staff, 'port', ofBytes(part), dryRun)).toMatchObject({ insertedCount: 1 })
    expect(await refusal(ofBytes(bytes.latin))).toBe('Spreadsheet:Encoding')
    const told = { fields: { encoding: 'windows-1252' } }
    expect(await imported(staff, 'port', ofBytes(bytes.latin), told)).toMatchObject({ insertedCount: 1 })
    expect(await namesLike('NLQQM')).toEqual([['NLQQM', 'Zürich']])
    expect(
      (await upload(staff, 'port', ofBytes(bytes.latin), { fields: { encoding: 'ebcdic' } })).status,
    ).toBe(400)
  })
})

test('files and reports are swept after some days', async () => {
  const { id } = await imported(staff, 'port', csvOf(portHeader, 'NLQQN,Swept,true,false'))
  const stored = async () => (await app.host.get(BlobStore).find(`imports/hub/${id}`)) !== undefined
  await app.host.get(ImportSweep).sweep()
  expect(await stored()).toBe(true)
  await hubOf(app).execute(
    sql`update "KeelImports" set "CreationTime" = now() - interval '8 days' where "Id" = ${id}`,
  )
  await app.host.get(ImportSweep).sweep()
  expect(await stored()).toBe(false)
  expect((await send(staff, 'GET', `/api/hub/port/import/${id}`)).status).toBe(404)
})

/** The same file with changed rows: columns without a kind of their own are texts. */
async function editedSheet(
  file: File,
  edit: (row: Record<string, string | null>) => Record<string, string | null>,
): Promise<File> {
  const lines = readLines(file)
  const head = (await lines.next()).value as SheetLine | undefined
  const headers = (head?.cells ?? []).map(String)
  const rows: Record<string, string | null>[] = []
  for await (const line of lines)
    rows.push(
      edit(
        Object.fromEntries(
          headers.map((header, place) => [
            header,
            (line.read('text', line.cells[place] ?? '') as string) ?? null,
          ]),
        ),
      ),
    )
  const columns = Object.fromEntries(headers.map((header) => [header, { header, kind: 'text' } as const]))
  return new File([await new Response(writeCsv(columns, rows)).blob()], 'edited.csv')
}

/** A workbook with this sheet, whose zip directory tells a size of it. */
function workbookOf(sheet: Buffer, toldSize = sheet.length): File {
  const parts: [string, Buffer, number?][] = [
    [
      'xl/workbook.xml',
      Buffer.from('<workbook xmlns:r="r"><sheets><sheet r:id="rId1"/></sheets></workbook>'),
    ],
    [
      'xl/_rels/workbook.xml.rels',
      Buffer.from(
        '<Relationships><Relationship Id="rId1" Type="a/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      ),
    ],
    ['xl/worksheets/sheet1.xml', sheet, toldSize],
  ]
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content, size = content.length] of parts) {
    const packed = deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, tail, Buffer.from(name)]))
    files.push(file)
    offset += file.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return new File([Buffer.concat([...files, listed, end])], 'workbook.xlsx')
}
