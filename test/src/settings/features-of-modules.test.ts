import { AuditLoggingFeatures, AuditLoggingPermissions } from '@keel/audit-logging/contracts'
import { FeatureManagementPermissions } from '@keel/feature-management/contracts'
import { type ErrorEnvelope, ExportsFeature } from '@keel/framework/contracts'
import { namedGuid } from '@keel/framework/data'
import {
  ContainerAppService,
  DocumentAppService,
  DocumentPermissions,
  EmissionPermissions,
  EventCategory,
  EventClassifier,
  EventSource,
  HubErrors,
  HubFeatures,
  HubSettingPermissions,
  OrganizationPermissions,
  PortPermissions,
  Severity,
  ShipmentAppService,
  ShipmentContainerAppService,
  ShipmentExceptionAppService,
  ShipmentPermissions,
  ShipmentStatus,
  TrackingEventAppService,
  VgmMethod,
} from '@keel/hub/contracts'
import { Admin, OperationsManager, SuperUser } from '@keel/identity/contracts'
import { PricingFeatures, QuotePermissions, RateCardPermissions } from '@keel/pricing/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrganization,
  addShipments,
  codeId,
  containerId,
  modeId,
  portId,
  type ShipmentRow,
} from '../support/hub-rows.js'
import { send } from '../support/wire.js'

const features = '/api/feature-management/features?providerName=T'
const settings = '/api/hub/settings'
const auditSets = ['AuditLogs', 'AuditLogActions', 'EntityChanges', 'EntityPropertyChanges']

let app: App
let admin: AppCaller
let reader: AppCaller
let staff: AppCaller
let owner: AppCaller
let acme: string

beforeAll(async () => {
  app = await startApp(undefined, { 'OwnFields:Modules:Hub:Port:Dock:Type': 'text' })
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
      QuotePermissions.View,
      QuotePermissions.Create,
      RateCardPermissions.View,
      EmissionPermissions.View,
      EmissionPermissions.Recalculate,
    ],
  })
  staff = await app.as({ roles: [OperationsManager] })
  owner = await app.as({ roles: [SuperUser] })
  acme = await addOrganization(app, 'ACME')
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

test('without the feature of exports no list of the product is a file, and no export is scheduled', async () => {
  const document = (await send(owner, 'GET', '/swagger/v1/swagger.json')).body as { paths: object }
  const users = ['/api/identity/users/export-as-csv', '/api/identity/users/export-as-excel']
  const files = Object.keys(document.paths).filter(
    (path) => /as-(csv|excel)-file$/.test(path) || users.includes(path),
  )
  for (const list of ['hub/port', 'hub/shipment', 'pricing/quote', 'pricing/exchange-rate'])
    expect(files).toContain(`/api/${list}/as-csv-file`)
  const refusals = async () =>
    (await Promise.all(files.map((file) => send(owner, 'GET', file)))).map(({ body }) => body?.error?.code)
  expect(await statusOf('/api/hub/port/as-csv-file')).toBe(200)
  expect((await send(owner, 'GET', '/api/app/export-schedule')).status).toBe(200)

  await turn(ExportsFeature, 'false')
  expect([...new Set(await refusals())]).toEqual(['Volo.Feature:010001'])
  expect(await statusOf('/api/hub/port?maxResultCount=1')).toBe(200)
  expect(await send(owner, 'GET', '/api/app/export-schedule')).toMatchObject({
    status: 403,
    body: { error: { code: 'Volo.Authorization:010002' } },
  })
  await turn(ExportsFeature, 'true')
  expect(await statusOf('/api/hub/port/as-csv-file')).toBe(200)
  expect((await send(owner, 'GET', '/api/app/export-schedule')).status).toBe(200)
})

/** The granted policies that begin like this; menus of clients depend on them. */
async function policiesOf(who: AppCaller, prefix: string): Promise<string[]> {
  const { body } = await send(who, 'GET', '/api/abp/application-configuration')
  return Object.keys(body.auth.grantedPolicies).filter((name) => name.startsWith(prefix))
}

test('without the feature of quotes there are neither their operations, files, entity sets nor policies, and rates stay', async () => {
  const sets = ['Quotes', 'QuoteCargoLines', 'QuoteOptions', 'QuoteCharges']
  const statuses = () =>
    Promise.all([
      statusOf('/api/pricing/quote'),
      statusOf('/api/pricing/quote/as-csv-file'),
      send(reader, 'POST', '/api/pricing/quote', {}).then(({ status }) => status),
      ...sets.map((set) => statusOf(`/odata/${set}?$top=1`)),
      statusOf('/api/pricing/rate-card'),
      statusOf('/odata/RateCards?$top=1'),
    ])
  expect(await statuses()).toEqual([200, 200, 400, 200, 200, 200, 200, 200, 200])
  expect(await policiesOf(reader, 'Quote.')).toEqual([QuotePermissions.View, QuotePermissions.Create])

  await turn(PricingFeatures.Quotes, 'false')
  expect(await statuses()).toEqual([403, 403, 403, 404, 404, 404, 404, 200, 200])
  expect(await policiesOf(reader, 'Quote.')).toEqual([])
  const metadata = await (await reader.fetch('/odata/$metadata')).text()
  expect(sets.filter((set) => metadata.includes(`"${set}"`))).toEqual([])
  expect(await statusOf('/odata/Ports?$select=Dock&$top=1')).toBe(200)
  expect(await send(owner, 'GET', '/api/pricing/quote')).toMatchObject({
    status: 403,
    body: { error: { code: 'Volo.Authorization:010002', data: { PolicyName: QuotePermissions.View } } },
  })

  await turn(PricingFeatures.Quotes, 'true')
  expect(await statuses()).toEqual([200, 200, 400, 200, 200, 200, 200, 200, 200])
})

async function hubShipment(row: ShipmentRow = {}): Promise<string> {
  const values = {
    Status: ShipmentStatus.InTransit,
    TransportModeId: modeId('Sea'),
    ContainerModeId: containerId('FCL'),
    FirstConsolLegDeparturePortId: portId('CNSGH'),
    LastConsolLegArrivalPortId: portId('DEHAM'),
    TotalGrossWeight: 10_000,
    parties: [{ role: 4, organizationId: acme }],
  }
  return (await addShipments(app, [{ ...values, ...row }]))[0] as string
}

test('without the feature of emissions none are read, and an arrival computes none', async () => {
  const shipments = staff.service(ShipmentAppService)
  const [counted, uncounted] = [await hubShipment(), await hubShipment()]
  const statuses = () =>
    Promise.all([
      statusOf(`/api/hub/shipment-emission?shipmentId=${counted}`),
      send(reader, 'POST', `/api/hub/shipment-emission/${counted}/recalculate`).then(({ status }) => status),
      statusOf('/api/hub/emission-factor'),
      statusOf('/odata/ShipmentEmissions?$top=1'),
      statusOf('/odata/EmissionFactors?$top=1'),
      statusOf('/odata/Shipments?$top=1&$expand=Emissions'),
      statusOf('/odata/Shipments?$top=1'),
    ])
  await shipments.arrive(counted, {})
  expect((await shipments.get(counted)).co2Emissions).toBeGreaterThan(3900)
  expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200, 200])

  await turn(HubFeatures.Emissions, 'false')
  expect(await statuses()).toEqual([403, 403, 403, 404, 404, 400, 200])
  expect(await policiesOf(reader, 'Emission.')).toEqual([])
  await shipments.arrive(uncounted, {})
  expect((await shipments.get(uncounted)).co2Emissions).toBe(null)

  await turn(HubFeatures.Emissions, 'true')
  expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200, 200])
  expect((await shipments.get(uncounted)).co2Emissions).toBe(null)
})

test('long flights count radiative forcing while the setting says so', async () => {
  const id = await hubShipment({
    TransportModeId: modeId('Air'),
    ContainerModeId: containerId('LSE'),
    LastConsolLegArrivalPortId: portId('DEFRA'),
  })
  const factor = async () =>
    (await send(staff, 'POST', `/api/hub/shipment-emission/${id}/recalculate`)).body[0].emissionFactor.code
  const stays = { rejectDuplicateDocuments: false, deletedRowsRetentionDays: 0 }
  expect(await factor()).toBe('AIR-LONG')
  await send(admin, 'PUT', settings, { ...stays, useRadiativeForcing: true })
  expect((await send(admin, 'GET', settings)).body).toMatchObject({ ...stays, useRadiativeForcing: true })
  expect(await factor()).toBe('AIR-LONG-RF')
  await send(admin, 'PUT', settings, { ...stays, useRadiativeForcing: false })
  expect(await factor()).toBe('AIR-LONG')
})

describe('full containers by sea without number, seal or verified gross mass', () => {
  const stays = { rejectDuplicateDocuments: false, deletedRowsRetentionDays: 0 }
  const requireVgm = async (isOn: boolean) =>
    expect(await send(admin, 'PUT', settings, { ...stays, requireVgm: isOn })).toMatchObject({ status: 204 })
  const depart = async (id: string, language = 'en') => {
    const response = await staff.fetch(`/api/hub/shipment/${id}/depart`, {
      method: 'POST',
      headers: { 'accept-language': language, 'content-type': 'application/json' },
      body: '{}',
    })
    const { error } = (await response.json().catch(() => ({}))) as Partial<ErrorEnvelope>
    const { status, headers } = response
    return { status, code: error?.code, message: error?.message, warning: headers.get('x-keel-warning') }
  }
  const statusOfShipment = async (id: string) => (await staff.service(ShipmentAppService).get(id)).status
  const box = { containerTypeId: namedGuid('ContainerType:45G1') }
  const ready = {
    ...box,
    containerNumber: 'CSQU3054383',
    vgmWeightKg: 12_500,
    vgmMethod: VgmMethod.Method1,
  }
  async function loaded(container: object, row: ShipmentRow = {}, link: object = {}) {
    const shipmentId = await hubShipment({ Status: ShipmentStatus.Confirmed, ...row })
    const { id } = await staff.service(ContainerAppService).create({ ...box, ...container })
    await staff.service(ShipmentContainerAppService).create({ shipmentId, containerId: id, ...link })
    return { shipmentId, id }
  }

  test('depart with a warning, and not at all while the setting says so', async () => {
    const { shipmentId, id } = await loaded({})
    const warned = await loaded({ containerNumber: 'CSQU3054383', sealNumber: 'S1' })
    const departed = await depart(warned.shipmentId, 'de')
    expect([departed.status, departed.warning?.split(';')[0]]).toEqual([200, HubErrors.ContainersNotReady])
    expect(decodeURIComponent(departed.warning ?? '')).toContain('bestätigte Bruttomasse: CSQU3054383')

    await requireVgm(true)
    expect(await depart(shipmentId)).toMatchObject({
      status: 403,
      code: HubErrors.ContainersNotReady,
      message: expect.stringContaining(id),
    })
    expect(await statusOfShipment(shipmentId)).toBe(ShipmentStatus.Confirmed)
    await staff.service(ContainerAppService).update(id, { ...ready, sealNumber: 'S2' })
    expect(await depart(shipmentId)).toMatchObject({ status: 200, warning: null })
    await requireVgm(false)
  })

  test('are a matter of full containers by sea; a seal of the shipment’s own counts', async () => {
    await requireVgm(true)
    const sealed = await loaded(ready, {}, { sealNumber: 'S3' })
    const shared = await loaded({}, { ContainerModeId: containerId('LCL') })
    const unloaded = await hubShipment({ Status: ShipmentStatus.Confirmed })
    for (const id of [sealed.shipmentId, shared.shipmentId, unloaded])
      expect(await depart(id)).toMatchObject({ status: 200, warning: null })
    await requireVgm(false)
  })

  test('hold back a departure that a carrier reports: the event is kept, and told by an exception', async () => {
    await requireVgm(true)
    const { shipmentId, id } = await loaded({})
    const report = (hoursAgo: number) =>
      staff.service(TrackingEventAppService).create({
        shipmentId,
        eventCategory: EventCategory.Transport,
        eventTypeCode: 'DEPA',
        classifier: EventClassifier.Actual,
        eventTime: new Date(Date.now() - hoursAgo * 3_600_000),
        unLocode: 'CNSGH',
        source: EventSource.Carrier,
      })
    await report(30)
    expect(await statusOfShipment(shipmentId)).toBe(ShipmentStatus.Confirmed)
    const { items } = await staff.service(ShipmentExceptionAppService).getList({ shipmentId })
    expect(items).toMatchObject([{ severity: Severity.Info }])
    await staff.service(ContainerAppService).update(id, { ...ready, sealNumber: 'S4' })
    await report(29)
    expect(await statusOfShipment(shipmentId)).toBe(ShipmentStatus.InTransit)
    await requireVgm(false)
  })
})

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
