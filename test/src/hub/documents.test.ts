import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import type { Constructor } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import { sql } from '@keel/framework/data'
import {
  DocumentAppService,
  DocumentPermissions,
  OrganizationPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addOrder,
  addOrganization,
  addShipments,
  codeId,
  countRows,
  hubOf,
  setColumn,
  storedRow,
} from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'
import { testOfOwnHost } from '../support/own-host.js'
import { greenJpeg, lookAt, pdfPage, pngImage } from '../support/preview-files.js'
import { isRemote } from '../support/relays.js'
import { unzip } from '../support/zip.js'

const address = '/api/hub/document'
const nowhere = '00000000-0000-4000-8000-000000000001'
const documentTypeId = codeId('DocumentType', 'CIV')
const { View, Create, Edit, Delete } = DocumentPermissions
const everything = [View, Create, Edit, Delete]
const text = 'a;b\n1;2\n'
const maxFileBytes = 100_000
/** For what one process of the host of documents knows. */
const oneOwnHost = isRemote ? testOfOwnHost : testOfOneProcess

let app: App
let staff: AppCaller
let customer: AppCaller
let stranger: AppCaller
let documents: DocumentAppService
let ours: string
let shipmentId: string

beforeAll(async () => {
  // Events stay in the outbox, where they are seen.
  app = await startApp(undefined, {
    'App:MaxFileBytes': String(maxFileBytes),
    'Events:IsDeliveryEnabled': 'false',
  })
  ours = await addOrganization(app, 'OURS')
  await addOrganization(app, 'THEIRS')
  staff = await app.as({ permissions: [...everything, OrganizationPermissions.AccessAll] })
  customer = await app.as({ permissions: everything, organizations: ['OURS'] })
  stranger = await app.as({ permissions: everything, organizations: ['THEIRS'] })
  documents = customer.service(DocumentAppService)
})
afterAll(() => app?.close())
beforeEach(async () => {
  const [added = ''] = await addShipments(app, [{ parties: [{ role: 1, organizationId: ours }] }])
  shipmentId = added
})

const csv = (content: string | Uint8Array<ArrayBuffer> = text, name = 'Liste “1”.csv'): File =>
  new File([content], name, { type: 'text/html' })
const upload = (changed: object = {}, by: AppCaller = customer) =>
  by.service(DocumentAppService).upload({ file: csv(), shipmentId, documentTypeId, ...changed })
const textOf = async (id: string, by: AppCaller = customer): Promise<string> =>
  new Response((await by.service(DocumentAppService).getContent(id)).stream()).text()
const documentsOf = (id: string): Promise<number> =>
  countRows(app, sql`"HubDocuments" where "ShipmentId" = ${id}`)
const eventsOf = async (id: string): Promise<unknown[]> => {
  const events = await hubOf(app).query<{ name: string }>(sql`
    select "EventName" as name from "AbpEventOutbox" where "ExtraProperties"::jsonb ->> 'Key' = ${id} order by "CreationTime", "Id"`)
  return events.map(({ name }) => name)
}
/** How many files the host keeps. */
const keptFiles = (): number => {
  const folder = app.host.application.configuration.get('Blobs:Folder') ?? ''
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
}

describe('a document that is uploaded', () => {
  test('is published at once with what was learnt of its file', async () => {
    const document = await upload({ title: 'Invoice' })
    expect(document).toMatchObject({
      shipmentId,
      documentType: { code: 'CIV' },
      title: 'Invoice',
      fileName: 'Liste “1”.csv',
      contentType: 'text/csv',
      fileSize: text.length,
      version: 1,
      status: 1,
      isCustomerVisible: true,
      source: 0,
    })
    expect(await storedRow(app, 'HubDocuments', document.id)).toMatchObject({
      Sha256: createHash('sha256').update(text).digest('hex'),
      BlobName: `hub/documents/${new Date().toISOString().slice(0, 7)}/${document.id}`,
      CreatorId: customer.userId,
    })
  })

  test('comes back as it was', async () => {
    const { id } = await upload()
    const found = await documents.getContent(id)
    expect([found.name, found.type, found.size, await new Response(found.stream()).text()]).toEqual([
      'Liste “1”.csv',
      'text/csv',
      text.length,
      text,
    ])
  })

  testOfOwnHost('may be fetched in part, and not twice', async () => {
    const { id } = await upload()
    const part = await customer.fetch(`${address}/${id}/content`, { headers: { range: 'bytes=-4' } })
    const etag = part.headers.get('etag') ?? ''
    const again = await customer.fetch(`${address}/${id}/content`, { headers: { 'if-none-match': etag } })
    expect([part.status, await part.text(), etag, again.status]).toEqual([
      206,
      '1;2\n',
      `"${createHash('sha256').update(text).digest('hex')}"`,
      304,
    ])
  })

  test('is listed with its shipment, and nowhere else', async () => {
    const { id } = await upload()
    const [other = ''] = await addShipments(app, [{ parties: [{ role: 1, organizationId: ours }] }])
    const idsOf = async (input: object) => (await documents.getList(input)).items.map((one) => one.id)
    expect([
      await idsOf({ shipmentId }),
      await idsOf({ shipmentId, filter: 'liste' }),
      await idsOf({ shipmentId, documentTypeId }),
      await idsOf({ shipmentId: other }),
      await idsOf({ shipmentId, filter: 'nothing' }),
      await idsOf({ shipmentId, documentTypeId: codeId('DocumentType', 'POD') }),
    ]).toEqual([[id], [id], [id], [], [], []])
  })

  test('is among the documents of its shipment', async () => {
    const { id } = await upload()
    const reader = await app.as({
      permissions: [ShipmentPermissions.View, DocumentPermissions.View],
      organizations: ['OURS'],
    })
    const shipment = await (await reader.fetch(`/api/hub/shipment/${shipmentId}`)).json()
    expect(shipment).toMatchObject({ documents: [{ id, fileName: 'Liste “1”.csv' }] })
  })

  test('may belong to an order or an organization', async () => {
    const supplier = await addOrganization(app, 'SUPPLIER')
    const orderId = await addOrder(app, { BuyerId: ours, SupplierId: supplier })
    const ofOrder = await upload({ shipmentId: undefined, orderId })
    const ofUs = await upload({ shipmentId: null, organizationId: ours })
    const lists = await Promise.all([
      documents.getList({ orderId }),
      documents.getList({ organizationId: ours }),
    ])
    expect(lists.map(({ items }) => items.map(({ id }) => id))).toEqual([[ofOrder.id], [ofUs.id]])
  })
})

describe('an upload is refused', () => {
  const refusals: [what: string, changed: () => object, status: number, code: unknown][] = [
    ['without a parent', () => ({ shipmentId: undefined }), 403, 'Hub:Document:ParentRequired'],
    ['for a shipment that does not exist', () => ({ shipmentId: nowhere }), 400, 'shipmentId'],
    ['for an order that does not exist', () => ({ orderId: nowhere }), 400, 'orderId'],
    ['for an unknown document type', () => ({ documentTypeId: nowhere }), 400, 'documentTypeId'],
    [
      'for a code that is no document type',
      () => ({ documentTypeId: codeId('TransportMode', 'Sea') }),
      403,
      'Hub:CodeEntity:WrongType',
    ],
    ['when a customer hides it', () => ({ isCustomerVisible: false }), 400, 'isCustomerVisible'],
    ['of an empty file', () => ({ file: csv('') }), 403, 'Hub:Document:Empty'],
    ['of a program', () => ({ file: csv('MZ', 'a.exe') }), 403, 'Hub:Document:TypeNotAllowed'],
    ['of a file without extension', () => ({ file: csv(text, 'csv') }), 403, 'Hub:Document:TypeNotAllowed'],
    [
      'of a file that is not what its name says',
      () => ({ file: csv(text, 'a.pdf') }),
      403,
      'Hub:Document:TypeNotAllowed',
    ],
    ['of a file with a long title', () => ({ title: 'x'.repeat(201) }), 400, 'title'],
  ]
  test.each(refusals)('%s, and nothing is kept', async (_what, changed, status, code) => {
    const before = keptFiles()
    const error = await upload(changed()).then(
      () => undefined,
      (thrown) => thrown,
    )
    expect([error?.status, error?.code ?? error?.validationErrors?.[0]?.members[0]]).toEqual([status, code])
    expect([await documentsOf(shipmentId), keptFiles()]).toEqual([0, before])
  })

  test('of a file that is too large', async () => {
    await expect(upload({ file: csv(new Uint8Array(maxFileBytes + 1)) })).rejects.toMatchObject({
      status: 413,
    })
    expect(await documentsOf(shipmentId)).toBe(0)
  })

  test('that is no form', async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await customer.fetch(`${address}/upload`, { method: 'POST', body: '{}', headers })
    expect([response.status, await response.json()]).toMatchObject([
      415,
      { error: { message: 'The body must be multipart/form-data, not application/json.' } },
    ])
  })

  test('to another’s shipment, as to none', async () => {
    await expect(upload({}, stranger)).rejects.toMatchObject({
      status: 400,
      validationErrors: [{ message: 'shipmentId: there is no shipment with this id' }],
    })
  })

  testOfOwnHost('without the permission before its body has come', async () => {
    const reader = await app.as({ permissions: [DocumentPermissions.View], organizations: ['OURS'] })
    const headers = {
      authorization: `Bearer ${reader.token}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '90000',
    }
    const request = http.request(`${app.host.url}${address}/upload`, { method: 'POST', headers })
    const status = await new Promise((resolve, reject) => {
      request.on('response', (response) => resolve(response.statusCode))
      request.on('error', reject)
      // A beginning, and no end.
      request.write('--b\r\n')
    })
    request.destroy()
    expect(status).toBe(403)
  })

  test('by hanging up, and leaves neither row nor file', async () => {
    const before = keptFiles()
    const form = new FormData()
    for (const [name, value] of Object.entries({ shipmentId, documentTypeId })) form.append(name, value)
    form.append('file', csv('x'.repeat(90_000)))
    const { body, headers: typed } = new Response(form)
    const whole = new Uint8Array(await new Response(body).arrayBuffer())
    await new Promise<void>((resolve) => {
      const headers = {
        authorization: `Bearer ${customer.token}`,
        'content-type': typed.get('content-type') ?? '',
        'content-length': whole.length,
      }
      const request = http.request(`${app.host.url}${address}/upload`, { method: 'POST', headers })
      request.on('error', () => undefined)
      request.on('close', () => resolve())
      request.write(whole.subarray(0, 80_000), () => setTimeout(() => request.destroy(), 50))
    })
    const spooled = () => readdirSync(tmpdir()).filter((name) => name.startsWith('keel-upload-'))
    await expect
      .poll(async () => [await documentsOf(shipmentId), keptFiles(), spooled()])
      .toEqual([0, before, []])
  })
})

describe('a document', () => {
  test('of another’s shipment does not exist, whatever is asked of it', async () => {
    const { id } = await upload()
    const theirs = stranger.service(DocumentAppService)
    const asked = [
      theirs.get(id),
      theirs.getContent(id),
      theirs.update(id, { title: 'x' }),
      theirs.delete(id),
      theirs.uploadNewVersion(id, { file: csv() }),
      theirs.archive(id, {}),
      theirs.restore(id, {}),
      theirs.getZip({ ids: [id] }),
      theirs.getPreview(id),
    ]
    const statuses = await Promise.all(
      asked.map((one) =>
        one.then(
          () => 200,
          ({ status }) => status,
        ),
      ),
    )
    expect([statuses, (await theirs.getList({ shipmentId })).totalCount]).toEqual([Array(9).fill(404), 0])
  })

  test('that staff hid is for staff alone', async () => {
    const { id } = await upload({ isCustomerVisible: false }, staff)
    await expect(documents.getContent(id)).rejects.toMatchObject({ status: 404 })
    expect(await textOf(id, staff)).toBe(text)
  })

  test('without a file, as those of demo data, answers 404 that says so', async () => {
    const [id = ''] = await addDocuments(app, [{ ShipmentId: shipmentId, BlobName: 'demo/CIV.pdf' }])
    await expect(documents.getContent(id)).rejects.toMatchObject({
      status: 404,
      code: 'Hub:Document:ContentMissing',
      message: 'The file "invoice.pdf" is not kept here.',
    })
  })

  test('in quarantine is not handed out', async () => {
    const { id } = await upload()
    await setColumn(app, 'HubDocuments', id, 'Status', 4)
    await expect(textOf(id, staff)).rejects.toMatchObject({ status: 403, code: 'Hub:Document:Quarantined' })
  })

  test('that is changed keeps its file', async () => {
    const { id, concurrencyStamp } = await upload({ title: 'Old' })
    const changed = await documents.update(id, { title: null, expiryDate: '2027-01-31', concurrencyStamp })
    expect([changed.title, changed.expiryDate, await textOf(id)]).toEqual([null, '2027-01-31', text])
    await expect(documents.update(id, { title: 'x', concurrencyStamp })).rejects.toMatchObject({
      status: 409,
    })
  })

  test('is followed by its new version', async () => {
    const first = await upload({ title: 'Invoice' })
    const second = await documents.uploadNewVersion(first.id, { file: csv('new;er\n', 'new.csv') })
    expect(second).toMatchObject({ shipmentId, title: 'Invoice', fileName: 'new.csv', version: 2, status: 1 })
    expect(await textOf(second.id)).toBe('new;er\n')
    const ofStaff = staff.service(DocumentAppService)
    expect((await ofStaff.get(first.id)).status).toBe(2)
    expect((await storedRow(app, 'HubDocuments', second.id)).ReplacesDocumentId).toBe(first.id)
    await expect(ofStaff.uploadNewVersion(first.id, { file: csv() })).rejects.toMatchObject({
      status: 403,
      code: 'Hub:Document:InvalidStatusTransition',
    })
  })

  test('stays as it is when its new version is refused', async () => {
    const { id } = await upload()
    const before = keptFiles()
    await expect(documents.uploadNewVersion(id, { file: csv('x', 'x.pdf') })).rejects.toMatchObject({
      status: 403,
    })
    expect([(await documents.get(id)).status, keptFiles()]).toEqual([1, before])
  })

  test('that is deleted is gone, and its row is marked', async () => {
    const { id } = await upload()
    await documents.delete(id)
    await expect(documents.getContent(id)).rejects.toMatchObject({ status: 404 })
    expect(await storedRow(app, 'HubDocuments', id)).toMatchObject({
      IsDeleted: true,
      DeleterId: customer.userId,
    })
  })
})

describe('a document that is archived', () => {
  const archived = async () => {
    const { id } = await upload()
    return staff.service(DocumentAppService).archive(id, {})
  }

  test('is for staff alone, until it is restored', async () => {
    const ofStaff = staff.service(DocumentAppService)
    const { id, status } = await archived()
    await expect(documents.get(id)).rejects.toMatchObject({ status: 404 })
    expect([status, await textOf(id, staff)]).toEqual([3, text])
    expect((await ofStaff.getList({ shipmentId, status: 3 })).items.map((one) => one.id)).toEqual([id])
    expect((await ofStaff.getList({ shipmentId, status: 1 })).totalCount).toBe(0)
    expect((await ofStaff.restore(id, {})).status).toBe(1)
    expect((await documents.get(id)).status).toBe(1)
    expect(await eventsOf(id)).toEqual([
      'Hub.Document.Published',
      'Hub.Document.Archived',
      'Hub.Document.Published',
    ])
  })

  test('is superseded again when another version took its place', async () => {
    const ofStaff = staff.service(DocumentAppService)
    const { id } = await upload()
    await documents.uploadNewVersion(id, { file: csv('new;er\n') })
    await ofStaff.archive(id, {})
    expect((await ofStaff.restore(id, {})).status).toBe(2)
  })

  test('is neither archived again, nor followed by a version, and no other is restored', async () => {
    const ofStaff = staff.service(DocumentAppService)
    const { id } = await archived()
    const published = await upload()
    const refusals = await Promise.allSettled([
      ofStaff.archive(id, {}),
      ofStaff.uploadNewVersion(id, { file: csv() }),
      ofStaff.restore(published.id, {}),
    ])
    const refused = { status: 403, code: 'Hub:Document:InvalidStatusTransition' }
    expect(refusals).toMatchObject(Array(3).fill({ reason: refused }))
  })

  test('is not archived by customers, nor after another change', async () => {
    const { id, concurrencyStamp } = await upload()
    await expect(documents.archive(id, {})).rejects.toMatchObject({ code: 'Hub:Document:OnlyStaffArchive' })
    await documents.update(id, { title: 'Changed' })
    const late = staff.service(DocumentAppService).archive(id, { concurrencyStamp })
    await expect(late).rejects.toMatchObject({ status: 409 })
  })
})

describe('a zip file', () => {
  test('has the files of the chosen documents, under names of their own', async () => {
    const chosen = [
      await upload(),
      await upload({ file: csv('c;d\n', 'liste “1”.csv') }),
      await upload({ file: csv('e;f\n', 'CON.csv') }),
    ]
    // As another system could have delivered it.
    await setColumn(app, 'HubDocuments', String(chosen[0]?.id), 'FileName', '../../liste “1”.csv')
    const ids = chosen.map(({ id }) => id)
    const zip = await documents.getZip({ ids: [...ids, ...ids] })
    expect([zip.name, zip.type]).toEqual(['documents.zip', 'application/zip'])
    expect(await unzip(zip)).toEqual({
      '__.._liste “1”.csv': text,
      'liste “1”.csv': 'c;d\n',
      '_CON.csv': 'e;f\n',
    })
  })

  test('is refused as a whole for one document that the caller may not have', async () => {
    const ours = await upload()
    const hidden = await upload({ isCustomerVisible: false }, staff)
    const quarantined = await upload({ file: csv('x;y\n') })
    const [missing = ''] = await addDocuments(app, [{ ShipmentId: shipmentId, BlobName: 'demo/CIV.pdf' }])
    await setColumn(app, 'HubDocuments', quarantined.id, 'Status', 4)
    const zipOf = (by: AppCaller, ...ids: string[]) =>
      by
        .service(DocumentAppService)
        .getZip({ ids: [ours.id, ...ids] })
        .then(
          () => 200,
          ({ status, code }) => [status, code],
        )
    expect([
      await zipOf(customer, hidden.id),
      await zipOf(customer, nowhere),
      await zipOf(staff, quarantined.id),
      await zipOf(staff, missing),
      await zipOf(staff, hidden.id),
    ]).toEqual([
      [404, undefined],
      [404, undefined],
      [403, 'Hub:Document:Quarantined'],
      [404, 'Hub:Document:ContentMissing'],
      200,
    ])
  })

  oneOwnHost('is read by a caller one after the other, which keeps no other caller waiting', async () => {
    const [id = ''] = await addDocuments(app, [{ ShipmentId: shipmentId, BlobName: 'hub/documents/large' }])
    // More than sockets hold for a client that does not read.
    const piece = randomBytes(1024 * 1024)
    await app.host.get(BlobStore).save('hub/documents/large', new Blob(Array(40).fill(piece)).stream())
    const open = (by: AppCaller) =>
      new Promise<http.IncomingMessage>((resolve, reject) => {
        const options = { headers: { authorization: `Bearer ${by.token}` }, agent: false }
        http.get(`${app.host.url}${address}/zip?ids=${id}`, options, resolve).on('error', reject)
      })
    const unread = await open(customer)
    const statuses: unknown[] = []
    // In one instant: each is asked for before another one waits.
    const more = Array.from({ length: 30 }, async () => {
      const answer = await open(customer)
      statuses.push(answer.statusCode)
      answer.destroy()
    })
    const refused = Array(25).fill(503)
    await expect.poll(() => statuses, { timeout: 10_000 }).toEqual(refused)
    const others = await open(staff)
    others.destroy()
    expect([others.statusCode, statuses]).toEqual([200, refused])
    unread.destroy()
    await Promise.all(more)
    expect(statuses).toEqual([...refused, 200, 200, 200, 200, 200])
  })

  test('has at most 50 documents and 500 MiB', async () => {
    const many = Array.from({ length: 51 }, (_, index) => nowhere.replace(/..$/, String(index + 10)))
    await expect(documents.getZip({ ids: many })).rejects.toMatchObject({ status: 400 })
    await expect(documents.getZip({ ids: [] })).rejects.toMatchObject({ status: 400 })
    const large = Array.from({ length: 6 }, () => ({ ShipmentId: shipmentId, FileSize: 100 * 1024 * 1024 }))
    await expect(documents.getZip({ ids: await addDocuments(app, large) })).rejects.toMatchObject({
      status: 403,
      code: 'Hub:Document:ZipTooLarge',
    })
  })
})

describe('a preview', () => {
  const documentOf = (content: Uint8Array<ArrayBuffer>, name: string) =>
    upload({ file: new File([content], name) })
  const previewOf = async ({ id }: { id: string }) => lookAt(await documents.getPreview(id))
  const refusalOf = ({ id }: { id: string }) =>
    documents.getPreview(id).catch(({ status, code }) => [status, code])
  const none = [404, 'Hub:Document:NoPreview']

  test('shows the first page of a PDF, and images, made once and kept until the document changes', async () => {
    const page = await documentOf(pdfPage('1 0 0 rg 100 50 100 100 re f'), 'page.pdf')
    const transparent = await documentOf(pngImage(30, 20), 'blue.png')
    const green = await documentOf(new Uint8Array(greenJpeg), 'green.jpg')
    expect([await previewOf(page), await previewOf(transparent), await previewOf(green)]).toEqual([
      { width: 1000, height: 667, middle: [255, 0, 0] },
      { width: 30, height: 20, middle: [0, 0, 255] },
      {
        width: 8,
        height: 8,
        middle: [expect.closeTo(0, -1), expect.closeTo(255, -1), expect.closeTo(0, -1)],
      },
    ])
    const address = `/api/hub/document/${page.id}/preview`
    const again = await customer.fetch(address)
    const etag = again.headers.get('etag') ?? ''
    const known = await customer.fetch(address, { headers: { 'if-none-match': etag } })
    expect([again.status, again.headers.get('content-type'), known.status]).toEqual([200, 'image/png', 304])
    await expect(stranger.service(DocumentAppService).getPreview(page.id)).rejects.toMatchObject({
      status: 404,
    })
  })

  test('is not there for other files, and for those that can not be shown or want too much', async () => {
    const bomb = pngImage(100, 100, Buffer.alloc(90_000_000))
    const large = pngImage(20_000, 20_000, Buffer.alloc(100))
    const documents = await Promise.all([
      upload(),
      documentOf(new Uint8Array(Buffer.from('%PDF-1.4 and nothing else')), 'broken.pdf'),
      documentOf(bomb, 'bomb.png'),
      documentOf(large, 'large.png'),
    ])
    for (const document of documents) expect(await refusalOf(document)).toEqual(none)
  })
})

test('the file of a deleted document is deleted for good after 30 days, and its row stays', async () => {
  const [recent, old] = [await upload(), await upload({ file: csv('old;er\n') })]
  for (const { id } of [recent, old]) await documents.delete(id)
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  await setColumn(app, 'HubDocuments', recent.id, 'DeletionTime', daysAgo(29))
  await setColumn(app, 'HubDocuments', old.id, 'DeletionTime', daysAgo(31))
  const found = app.host.application.services.find(({ service }) => service.name === 'DocumentUpkeep')
  const upkeep = app.host.get(found?.service as Constructor<{ deleteFiles(job: object): Promise<void> }>)
  await upkeep.deleteFiles({ signal: new AbortController().signal })
  const blobOf = async (id: string) => {
    const { BlobName } = await storedRow(app, 'HubDocuments', id)
    return app.host.get(BlobStore).find(String(BlobName))
  }
  expect([await blobOf(old.id), (await blobOf(recent.id))?.size]).toEqual([undefined, text.length])
  const times = await Promise.all([old, recent].map(({ id }) => storedRow(app, 'HubDocuments', id)))
  expect(times.map(({ FileDeletionTime }) => FileDeletionTime)).toEqual([expect.any(Date), null])
})

test('a customer names what the listed documents belong to, staff need not', async () => {
  await upload()
  await expect(documents.getList({})).rejects.toMatchObject({ status: 400 })
  expect((await staff.service(DocumentAppService).getList({})).totalCount).toBeGreaterThan(0)
})
