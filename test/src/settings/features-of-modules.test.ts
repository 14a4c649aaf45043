import { AuditLoggingFeatures, AuditLoggingPermissions } from '@keel/audit-logging/contracts'
import { FeatureManagementPermissions } from '@keel/feature-management/contracts'
import {
  DocumentAppService,
  DocumentPermissions,
  HubErrors,
  HubFeatures,
  HubSettingPermissions,
  OrganizationPermissions,
  PortPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { Admin } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addShipments, codeId } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

const features = '/api/feature-management/features?providerName=T'
const settings = '/api/hub/settings'
const auditSets = ['AuditLogs', 'AuditLogActions', 'EntityChanges', 'EntityPropertyChanges']

let app: App
let admin: AppCaller
let reader: AppCaller

beforeAll(async () => {
  app = await startApp()
  admin = await app.as({
    permissions: [FeatureManagementPermissions.ManageHostFeatures, HubSettingPermissions.SettingManagement],
    roles: [Admin],
  })
  reader = await app.as({
    permissions: [
      AuditLoggingPermissions.AuditLogs,
      PortPermissions.View,
      ShipmentPermissions.View,
      DocumentPermissions.Create,
      DocumentPermissions.View,
      DocumentPermissions.Edit,
      DocumentPermissions.Delete,
      OrganizationPermissions.AccessAll,
    ],
  })
})
afterAll(() => app?.close())

async function turn({ name }: { readonly name: string }, value: 'true' | 'false'): Promise<void> {
  expect(await send(admin, 'PUT', features, { features: [{ name, value }] })).toMatchObject({ status: 204 })
}

const statusOf = async (path: string): Promise<number> => (await reader.fetch(path)).status

async function batchStatuses(...urls: readonly string[]): Promise<number[]> {
  const requests = urls.map((url, index) => ({ id: `${index}`, method: 'get', url }))
  const { body } = await send(reader, 'POST', '/odata/$batch', { requests })
  return body.responses.map(({ status }: { status: number }) => status)
}

async function publishedSets(): Promise<{ service: string[]; metadata: string[] }> {
  const { body } = await send(reader, 'GET', '/odata')
  const metadata = await (await reader.fetch('/odata/$metadata')).text()
  return {
    service: body.value
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => auditSets.includes(name)),
    metadata: auditSets.filter((name) => metadata.includes(`<EntitySet Name="${name}"`)),
  }
}

test('entity sets of a feature that is off are not there: 404 by name and in a batch, and in neither service document nor $metadata', async () => {
  expect(await statusOf('/odata/AuditLogs?$top=1')).toBe(200)
  expect(await publishedSets()).toEqual({ service: auditSets, metadata: auditSets })

  await turn(AuditLoggingFeatures.Enable, 'false')
  expect(await statusOf('/odata/AuditLogs?$top=1')).toBe(404)
  expect(await statusOf('/odata/EntityChanges/$count')).toBe(404)
  expect(await batchStatuses('AuditLogs?$top=1', 'Ports?$top=1')).toEqual([404, 200])
  expect(await publishedSets()).toEqual({ service: [], metadata: [] })
  const { error } = (await (await reader.fetch('/odata/AuditLogs?$top=1')).json()) as {
    error: { message: string }
  }
  const { error: unknown } = (await (await reader.fetch('/odata/Nothings')).json()) as {
    error: { message: string }
  }
  expect(error.message).toBe(unknown.message.replace('Nothings', 'AuditLogs'))

  await turn(AuditLoggingFeatures.Enable, 'true')
  expect(await statusOf('/odata/AuditLogs?$top=1')).toBe(200)
  expect(await publishedSets()).toEqual({ service: auditSets, metadata: auditSets })
})

test('operations of a feature that is off answer 403, and the dialog of permissions lacks those of the feature', async () => {
  const listed = async (): Promise<boolean> => {
    const path = `/api/permission-management/permissions?providerName=U&providerKey=${reader.userId}`
    return JSON.stringify((await send(admin, 'GET', path)).body).includes(AuditLoggingPermissions.AuditLogs)
  }
  expect([await statusOf('/api/audit-logging/audit-logs'), await listed()]).toEqual([200, true])
  await turn(AuditLoggingFeatures.Enable, 'false')
  expect(await send(reader, 'GET', '/api/audit-logging/audit-logs')).toMatchObject({
    status: 403,
    body: {
      error: { code: 'Volo.Authorization:010002', data: { PolicyName: AuditLoggingPermissions.AuditLogs } },
    },
  })
  expect(await listed()).toBe(false)
  await turn(AuditLoggingFeatures.Enable, 'true')
  expect([await statusOf('/api/audit-logging/audit-logs'), await listed()]).toEqual([200, true])
})

test.each(['/api/hub/port', '/api/hub/shipment'])(
  'without the feature of exports %s is a list and no file',
  async (list) => {
    expect(await statusOf(`${list}/as-csv-file`)).toBe(200)
    await turn(HubFeatures.Exports, 'false')
    for (const file of ['as-csv-file', 'as-excel-file'])
      expect(await send(reader, 'GET', `${list}/${file}`)).toMatchObject({
        status: 403,
        body: { error: { code: 'Volo.Feature:010001', data: { FeatureName: 'App.Exports' } } },
      })
    expect(await statusOf(`${list}?maxResultCount=1`)).toBe(200)
    await turn(HubFeatures.Exports, 'true')
    expect(await statusOf(`${list}/as-csv-file`)).toBe(200)
  },
)

test('Hub’s settings are read and changed by callers with the permission, within their limits', async () => {
  expect(await send(reader, 'GET', settings)).toMatchObject({ status: 403 })
  expect(await send(reader, 'PUT', settings, {})).toMatchObject({ status: 403 })
  expect((await send(admin, 'GET', settings)).body).toMatchObject({
    rejectDuplicateDocuments: false,
    deletedRowsRetentionDays: 0,
  })
  expect(
    await send(admin, 'PUT', settings, { rejectDuplicateDocuments: true, deletedRowsRetentionDays: -1 }),
  ).toMatchObject({ status: 400 })
  const changed = { rejectDuplicateDocuments: false, deletedRowsRetentionDays: 90 }
  expect(await send(admin, 'PUT', settings, changed)).toMatchObject({ status: 204 })
  expect((await send(admin, 'GET', settings)).body).toMatchObject(changed)
  await send(admin, 'PUT', settings, { ...changed, deletedRowsRetentionDays: 0 })
})

test('a file that a shipment has already is kept with a warning in the language of the caller, and without one of another type', async () => {
  const [shipmentId = ''] = await addShipments(app, [{}])
  const upload = async (type: string, name = 'Liste März.csv') => {
    const form = new FormData()
    form.set('file', new File(['a;b\n1;2\n'], name, { type: 'text/csv' }))
    form.set('shipmentId', shipmentId)
    form.set('documentTypeId', codeId('DocumentType', type))
    const { status, headers } = await reader.fetch('/api/hub/document/upload', {
      method: 'POST',
      headers: { 'accept-language': 'de' },
      body: form,
    })
    const [code, text = ''] = (headers.get('x-keel-warning') ?? '').split("; message*=UTF-8''")
    return { status, code, text: decodeURIComponent(text) }
  }
  const silent = { status: 200, code: '', text: '' }
  expect(await upload('CIV')).toEqual(silent)
  expect(await upload('PKL')).toEqual(silent)
  expect(await upload('CIV', 'again.csv')).toEqual({
    status: 200,
    code: HubErrors.DocumentDuplicateContent,
    text: 'Diese Datei ist schon als „Liste März.csv“ mit derselben Dokumentart vorhanden.',
  })
})

test('a file that a shipment has already is refused when the setting says so, and taken with another type or in place of its document', async () => {
  const [shipmentId = ''] = await addShipments(app, [{}])
  const invoice = codeId('DocumentType', 'CIV')
  const documents = reader.service(DocumentAppService)
  const file = () => new File(['a;b\n1;2\n'], 'list.csv', { type: 'text/csv' })
  const upload = (documentTypeId = invoice) => documents.upload({ file: file(), shipmentId, documentTypeId })
  const first = await upload()
  await documents.delete((await upload()).id)

  await send(admin, 'PUT', settings, { rejectDuplicateDocuments: true, deletedRowsRetentionDays: 0 })
  await expect(upload()).rejects.toMatchObject({
    status: 403,
    code: HubErrors.DocumentDuplicateContent,
    data: { fileName: 'list.csv' },
  })
  await upload(codeId('DocumentType', 'PKL'))
  const second = await documents.uploadNewVersion(first.id, { file: file() })
  await documents.delete(second.id)
  const settled = await Promise.allSettled([upload(), upload(), upload()])
  expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])

  await send(admin, 'PUT', settings, { rejectDuplicateDocuments: false, deletedRowsRetentionDays: 0 })
  await upload()
})
