import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Constructor } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import { sql } from '@keel/framework/data'
import {
  DocumentAppService,
  type DocumentDto,
  DocumentPermissions,
  OrganizationPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Clamd, eicar, startClamd } from '../support/clamd.js'
import { addOrganization, addShipments, codeId, hubOf, setColumn, storedRow } from '../support/hub-rows.js'
import { endlessPdf, pdfPage, swellingPdf } from '../support/preview-files.js'

const { View, Create, Edit, Delete } = DocumentPermissions
const everything = [View, Create, Edit, Delete]
const streamMaxLength = 200_000

let clamd: Clamd
let app: App
let staff: AppCaller
let customer: AppCaller
let colleague: AppCaller
let ours: string
let shipmentId: string

beforeAll(async () => {
  clamd = await startClamd(streamMaxLength)
  app = await startApp(undefined, {
    'FileScanner:Host': '127.0.0.1',
    'FileScanner:Port': String(clamd.port),
    'DocumentPreviews:TimeoutMs': '3000',
    'Jobs:PollMs': '100',
    'Jobs:FirstRetryMs': '200',
    'Events:IsDeliveryEnabled': 'false',
  })
  ours = await addOrganization(app, 'OURS')
  staff = await app.as({ permissions: [...everything, OrganizationPermissions.AccessAll] })
  customer = await app.as({ permissions: everything, organizations: ['OURS'] })
  colleague = await app.as({ permissions: everything, organizations: ['OURS'] })
})
afterAll(async () => {
  await app?.close()
  await clamd?.close()
})
beforeEach(async () => {
  clamd.mood = 'scans'
  const [added = ''] = await addShipments(app, [{ parties: [{ role: 1, organizationId: ours }] }])
  shipmentId = added
})

const of = (caller: AppCaller) => caller.service(DocumentAppService)
const csv = (content = 'a;b\n1;2\n') => new File([content], 'list.csv')
const upload = (file = csv(), by = customer): Promise<DocumentDto> =>
  of(by).upload({ file, shipmentId, documentTypeId: codeId('DocumentType', 'CIV') })
const statusOf = async (id: string) => Number((await storedRow(app, 'HubDocuments', id))['Status'])
const becomes = (id: string, status: number) =>
  expect.poll(() => statusOf(id), { timeout: 20_000, interval: 50 }).toBe(status)
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ status, code }: { status: number; code?: string }) => code ?? status,
  )
const eventsOf = async (id: string): Promise<unknown[]> => {
  const events = await hubOf(app).query<{ name: string }>(sql`
    select "EventName" as name from "AbpEventOutbox" where "ExtraProperties"::jsonb ->> 'Key' = ${id} order by "CreationTime", "Id"`)
  return events.map(({ name }) => name)
}

test('a file that is not scanned yet is for nobody, and a clean one is published', async () => {
  clamd.mood = 'hangs'
  const { id, status, scanTime } = await upload()
  expect([status, scanTime ?? null]).toEqual([0, null])
  expect([
    await refusalOf(of(customer).getContent(id)),
    await refusalOf(of(staff).getContent(id)),
    await refusalOf(of(staff).getZip({ ids: [id] })),
    await refusalOf(of(colleague).getContent(id)),
    (await of(colleague).getList({ shipmentId })).totalCount,
    (await of(customer).getList({ shipmentId })).totalCount,
  ]).toEqual(['Hub:Document:NotScanned', 'Hub:Document:NotScanned', 'Hub:Document:NotScanned', 404, 0, 1])
  await expect.poll(() => clamd.open).toBeGreaterThan(0)
  clamd.mood = 'scans'
  const other = await upload(csv('other;one\n'))
  await becomes(other.id, 1)
  expect(await new Response((await of(colleague).getContent(other.id)).stream()).text()).toBe('other;one\n')
  expect((await of(colleague).get(other.id)).scanTime).toBeInstanceOf(Date)
  expect(await eventsOf(other.id)).toEqual(['Hub.Document.Published'])
  expect(await statusOf(id)).toBe(0)
})

test('a file in which something is found goes into quarantine with its reason, and is deleted with its document', async () => {
  const { id } = await upload(csv(`${'x'.repeat(100_000)}${eicar}`))
  await becomes(id, 4)
  const reason = { status: 4, quarantineReason: 'Win.Test.EICAR_HDB-1' }
  expect([await of(staff).get(id), await of(customer).get(id)]).toMatchObject([reason, reason])
  const quarantined = 'Hub:Document:Quarantined'
  const refused = 'Hub:Document:InvalidStatusTransition'
  expect([
    await refusalOf(of(staff).getContent(id)),
    await refusalOf(of(staff).update(id, { title: 'x' })),
    await refusalOf(of(staff).uploadNewVersion(id, { file: csv() })),
    await refusalOf(of(staff).archive(id, {})),
    await refusalOf(of(staff).restore(id, {})),
    await refusalOf(of(colleague).get(id)),
  ]).toEqual([quarantined, quarantined, refused, refused, refused, 404])
  expect(await eventsOf(id)).toEqual(['Hub.Document.Quarantined'])
  const { BlobName } = await storedRow(app, 'HubDocuments', id)
  const blobs = app.host.get(BlobStore)
  expect(await blobs.find(String(BlobName))).toBeDefined()
  await of(staff).delete(id)
  await expect.poll(() => blobs.find(String(BlobName))).toBeUndefined()
})

test('a file beyond what the scanner takes goes into quarantine', async () => {
  const { id } = await upload(csv('x'.repeat(streamMaxLength * 4)))
  await becomes(id, 4)
  expect((await of(staff).get(id)).quarantineReason).toBe('INSTREAM size limit exceeded')
})

test('a new version takes the place of a document when it is clean, one at a time', async () => {
  const first = await upload()
  await becomes(first.id, 1)
  const harmful = await of(customer).uploadNewVersion(first.id, { file: csv(eicar) })
  await becomes(harmful.id, 4)
  expect(await statusOf(first.id)).toBe(1)
  clamd.mood = 'fails'
  const second = await of(customer).uploadNewVersion(first.id, { file: csv('new;er\n') })
  expect([
    await refusalOf(of(staff).uploadNewVersion(first.id, { file: csv('late;r\n') })),
    await statusOf(first.id),
  ]).toEqual(['Hub:Document:VersionPending', 1])
  clamd.mood = 'scans'
  await becomes(second.id, 1)
  expect([await statusOf(first.id), (await of(staff).get(second.id)).version]).toEqual([2, 2])
})

test('files wait while the scanner fails, and are scanned once it is back', async () => {
  clamd.mood = 'fails'
  const { id } = await upload()
  // As if it had waited longer than its own job tried.
  await setColumn(app, 'HubDocuments', id, 'CreationTime', new Date(Date.now() - 3_600_000))
  await scanOverdue()
  expect(await statusOf(id)).toBe(0)
  clamd.mood = 'scans'
  await scanOverdue()
  await becomes(id, 1)
})

test('previews that take too much time or memory end, while the host goes on, and are not tried again', async () => {
  const previewOf = (id: string) => refusalOf(of(customer).getPreview(id))
  const [endless, swelling] = await Promise.all([
    upload(new File([endlessPdf()], 'endless.pdf')),
    upload(new File([swellingPdf()], 'swelling.pdf')),
  ])
  for (const { id } of [endless, swelling]) await becomes(id, 1)
  const pause = monitorEventLoopDelay({ resolution: 10 })
  pause.enable()
  const none = 'Hub:Document:NoPreview'
  expect(await Promise.all([previewOf(endless.id), previewOf(swelling.id)])).toEqual([none, none])
  pause.disable()
  // The thread of the endless one had 3 s: no pause of ours is anywhere near.
  expect(pause.max / 1e6).toBeLessThan(1500)
  const began = performance.now()
  expect(await previewOf(endless.id)).toBe(none)
  expect(performance.now() - began).toBeLessThan(2000)
})

test('previews of one caller that take long keep no other caller waiting', async () => {
  const endless = await Promise.all(
    Array.from({ length: 4 }, (_, number) => upload(new File([endlessPdf()], `endless-${number}.pdf`))),
  )
  const page = await upload(new File([pdfPage('1 0 0 rg 9 9 99 99 re f')], 'page.pdf'), colleague)
  for (const { id } of [...endless, page]) await becomes(id, 1)
  const slow = Promise.all(endless.map(({ id }) => refusalOf(of(customer).getPreview(id))))
  await new Promise((resolve) => setTimeout(resolve, 500))
  const began = performance.now()
  expect(await refusalOf(of(colleague).getPreview(page.id))).toBe('done')
  // Two at a time, each of which had 3 s, would have kept it waiting until the sixth second.
  expect(performance.now() - began).toBeLessThan(5000)
  expect(await slow).toEqual(Array(4).fill('Hub:Document:NoPreview'))
})

test('a preview that another caller has behind slow ones is made for whoever has none before it', async () => {
  const endless = await Promise.all(
    Array.from({ length: 3 }, (_, number) => upload(new File([endlessPdf()], `slow-${number}.pdf`))),
  )
  const page = await upload(new File([pdfPage('1 0 0 rg 9 9 99 99 re f')], 'shared.pdf'))
  for (const { id } of [...endless, page]) await becomes(id, 1)
  const slow = Promise.all(endless.map(({ id }) => refusalOf(of(customer).getPreview(id))))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const last = refusalOf(of(customer).getPreview(page.id))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const began = performance.now()
  expect(await refusalOf(of(colleague).getPreview(page.id))).toBe('done')
  // The three before it in the line of the other caller take 3 s each.
  expect(performance.now() - began).toBeLessThan(5000)
  expect([await slow, await last]).toEqual([Array(3).fill('Hub:Document:NoPreview'), 'done'])
})

test('the health of the host tells when the scanner is away', async () => {
  const stateOf = async () => {
    const health = (await (await fetch(`${app.host.url}/health-status`)).json()) as {
      entries: Record<string, { status: string }>
    }
    return health.entries['FileScanner']?.status
  }
  expect(await stateOf()).toBe('Healthy')
  await clamd.close()
  await expect.poll(stateOf, { timeout: 10_000 }).toBe('Degraded')
})

async function scanOverdue(): Promise<void> {
  const found = app.host.application.services.find(({ service }) => service.name === 'DocumentScans')
  const scans = app.host.get(found?.service as Constructor<{ scanOverdue(job: object): Promise<void> }>)
  await scans.scanOverdue({ signal: new AbortController().signal })
}
