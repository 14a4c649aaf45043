import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiHost } from '@keel/api-host'
import { NotificationAppService } from '@keel/core/contracts'
import { type Application, Configuration, createApplication } from '@keel/framework'
import { createClient } from '@keel/framework/client'
import type { z } from '@keel/framework/contracts'
import { changeNotice, sql } from '@keel/framework/data'
import { HttpHost } from '@keel/framework/http'
import {
  AddressRole,
  type CreateWebhookDto,
  DocumentAppService,
  HubErrors,
  OrderAppService,
  ShipmentAppService,
  ShipmentPermissions,
  WebhookAppService,
  WebhookDeliveryAppService,
  type WebhookDeliveryDto,
  WebhookDeliveryStatus,
  WebhookFailure,
  WebhookPermissions,
  WebhookStatus,
} from '@keel/hub/contracts'
import { CustomerAdmin, DefaultCustomer, OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addMember, addOrganization, addShipments, codeId, hubOf } from '../support/hub-rows.js'

const patience = { timeout: 40_000, interval: 30 }
/** For tests with many requests, of a machine that is busy with other test files. */
const busyMs = 90_000
const { Delivered, Failed, Pending, Skipped } = WebhookDeliveryStatus

/** A request that the receiver got. */
interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all events
  readonly body: any
}

/** Takes the requests. */
let app: App
/** Sends to webhooks, as in production: to no address inside the network but the receiver's. */
let sender: Application
let acme: string
let below: string
let other: string
/** Key user of ACME, member of it and of what is below. */
let ann: AppCaller
let manager: AppCaller
let receiver: Server
/** The status that the receiver answers, by path; 204 for others. */
const answers = new Map<string, number>()
/** Where the receiver redirects to. */
let location = '/elsewhere'
/** How long the receiver takes, and how many requests it had at once. */
let receiverMs = 0
let [open, mostOpen] = [0, 0]
let received: Received[] = []
let number = 0

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    open += 1
    mostOpen = Math.max(mostOpen, open)
    const text = Buffer.concat(await request.toArray()).toString()
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, text, body: JSON.parse(text) })
    if (receiverMs) await new Promise((resolve) => setTimeout(resolve, receiverMs))
    open -= 1
    response.writeHead(answers.get(path) ?? 204, { location }).end()
  }).listen(0)
  await once(receiver, 'listening')
  app = await startApp(undefined, { 'Jobs:IsWorkerEnabled': 'false' })
  sender = await startSender('Production', { 'App:AllowedInternalAddresses': new URL(urlOf('/')).host })
  acme = await addOrganization(app, 'ACME')
  below = await addOrganization(app, 'BELOW', { HierarchyPath: '/ACME/BELOW/', ParentOrganizationId: acme })
  other = await addOrganization(app, 'OTHER')
  ann = await customer(acme)
  manager = await app.as({ roles: [OperationsManager] })
})
beforeEach(() => {
  received = []
})
afterAll(async () => {
  receiver?.close()
  await sender?.stop()
  await app?.close()
})

const hooks = (who: AppCaller) => who.service(WebhookAppService)
const logOf = (who: AppCaller) => who.service(WebhookDeliveryAppService)
const shipments = (who: AppCaller) => who.service(ShipmentAppService)
const urlOf = (path: string) => `http://localhost:${(receiver.address() as AddressInfo).port}${path}`

/** Another host on the databases of the first, which works on jobs. */
function startSender(environment: string, settings: Record<string, string> = {}): Promise<Application> {
  const connections = ['Default', 'Hub', 'Pricing'].map((name) => [
    `ConnectionStrings:${name}`,
    app.host.databaseUrl(name),
  ])
  const configuration = new Configuration(environment).add(
    {
      PORT: '0',
      'App:SelfUrl': 'https://api.example.com',
      'AuthServer:Authority': app.host.issuer.address,
      'AuthServer:RequireHttpsMetadata': 'false',
      'Blobs:Folder': app.host.application.configuration.get('Blobs:Folder') ?? '',
      'Log:Level': 'error',
      ...Object.fromEntries(connections),
      ...settings,
    },
    'test',
  )
  return createApplication(ApiHost, configuration).start()
}

async function customer(organizationId: string): Promise<AppCaller> {
  const one = await app.as({ roles: [CustomerAdmin] })
  await addMember(app, one.userId, organizationId, { AccessScope: 1 })
  return one
}

/** A new webhook with a path of its own at the receiver. */
async function hook(who: AppCaller, input: Partial<z.input<typeof CreateWebhookDto.schema>> = {}) {
  const path = `/${++number}`
  const made = await hooks(who).create({
    name: `Hook ${number}`,
    organizationId: acme,
    url: urlOf(path),
    eventTypes: ['Hub.Shipment.HoldChanged'],
    ...input,
  })
  return { ...made, path, got: () => received.filter((one) => one.path === path) }
}

async function shipmentOf(organizationId: string): Promise<string> {
  const [id = ''] = await addShipments(app, [
    { parties: [{ role: AddressRole.ControllingCustomer, organizationId }] },
  ])
  return id
}

const hold = (id: string) => shipments(manager).setHold(id, { reason: 'Payment' })
const deliveriesOf = async (who: AppCaller, webhookId: string): Promise<WebhookDeliveryDto[]> =>
  (await logOf(who).getList({ webhookId, maxResultCount: 100 })).items
const statusesOf = async (who: AppCaller, webhookId: string) =>
  (await deliveriesOf(who, webhookId)).map(({ status }) => status)

/** Makes what waits for its next attempt due. */
async function makeDue(webhookId: string): Promise<void> {
  const hub = hubOf(app)
  await hub.execute(
    sql`update "HubWebhookDeliveries" set "NextAttemptTime" = now() where "WebhookId" = ${webhookId} and "Status" = 0 and "LockedUntil" is null`,
  )
  await hub.execute(sql`select ${changeNotice('HubWebhookDeliveries')}`)
}

function signaturesOf({ headers, text }: Received, secrets: readonly string[]): string {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    })
    .join(' ')
}

test('an event of a shipment of the organization, or of one below it, is posted once, signed, with the shipment as the owner reads it', async () => {
  const { id, secret, got } = await hook(ann)
  const [own, child, foreign] = [await shipmentOf(acme), await shipmentOf(below), await shipmentOf(other)]
  for (const shipment of [own, child, foreign]) await hold(shipment)
  await expect.poll(() => statusesOf(ann, id), patience).toEqual([Delivered, Delivered])
  expect(got().map(({ body }) => body.data.entityId)).toEqual([own, child])
  const [first] = got() as [Received]
  const [, delivery] = await deliveriesOf(ann, id)
  expect(first.headers).toMatchObject({
    'webhook-id': delivery?.id,
    'webhook-signature': signaturesOf(first, [secret]),
    'content-type': 'application/json',
  })
  expect(Math.abs(Number(first.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
  expect(first.body).toMatchObject({
    type: 'Hub.Shipment.HoldChanged',
    timestamp: delivery?.eventTime.toISOString(),
    data: {
      eventId: delivery?.eventId,
      isOnHold: true,
      reason: 'Payment',
      shipment: { id: own, isOnHold: true },
    },
  })
  expect(first.body.data).not.toHaveProperty('userId')
  expect(first.body.data.shipment).toEqual(await (await ann.fetch(`/api/hub/shipment/${own}`)).json())
  expect(delivery).toMatchObject({ attempt: 1, responseStatus: 204, failure: null, nextAttemptTime: null })
})

test('an event that is rolled back with its change is not sent, and one of a type that nobody wants is not kept', async () => {
  const { id } = await hook(ann)
  const shipment = await shipmentOf(acme)
  await expect(
    shipments(manager).setHold(shipment, { reason: 'Payment', concurrencyStamp: 'stale' }),
  ).rejects.toMatchObject({ status: 409 })
  await shipments(manager).update(shipment, { cargoDescription: 'Chairs' })
  expect(await deliveriesOf(ann, id)).toEqual([])
})

test('fields that the owner may not read are absent, and their names too', async () => {
  const { View, Create } = WebhookPermissions
  const poor = await app.as({
    permissions: [View, Create, ShipmentPermissions.View],
    organizations: ['ACME'],
  })
  const eventTypes = ['Hub.Shipment.Updated']
  const [rich, bare] = [await hook(ann, { eventTypes }), await hook(poor, { eventTypes })]
  const shipment = await shipmentOf(acme)
  await shipments(manager).update(shipment, {
    ...{ cargoDescription: 'Chairs', goodsValue: '12345678901234.56', goodsCurrencyCode: 'EUR' },
  })
  await expect.poll(() => [rich.got().length, bare.got().length], patience).toEqual([1, 1])
  const [told] = rich.got() as [Received]
  expect(told.body.data.changedFields.sort()).toEqual(['cargoDescription', 'goodsCurrencyCode', 'goodsValue'])
  // All digits of decimals are there.
  expect(told.text).toContain('"goodsValue":12345678901234.56')
  const [hidden] = bare.got() as [Received]
  expect(hidden.body.data.changedFields).toEqual(['cargoDescription'])
  expect(hidden.text).not.toContain('goodsValue')
})

test('what the owner does not see when it is sent is not sent', async () => {
  const bob = await customer(acme)
  const { id, path, got } = await hook(bob, {
    eventTypes: ['Hub.Shipment.HoldChanged', 'Hub.Shipment.Deleted'],
  })
  answers.set(path, 500)
  const [held, gone] = [await shipmentOf(acme), await shipmentOf(acme)]
  await hold(held)
  await expect.poll(() => deliveriesOf(ann, id), patience).toMatchObject([{ responseStatus: 500 }])
  answers.delete(path)
  await hubOf(app).execute(sql`delete from "HubOrganizationMembers" where "UserId" = ${bob.userId}`)
  hubOf(app).feed.changed('HubOrganizationMembers')
  await shipments(manager).delete(gone)
  await makeDue(id)
  await expect.poll(() => statusesOf(ann, id), patience).toEqual([Skipped, Skipped])
  expect((await deliveriesOf(ann, id)).map(({ failure }) => failure)).toEqual([
    WebhookFailure.NotVisible,
    WebhookFailure.NotVisible,
  ])
  expect(got().length).toBe(1)
})

test('the deletion of a shipment is told to those who saw it, without the shipment', async () => {
  const { id, got } = await hook(ann, { eventTypes: ['Hub.Shipment.Deleted'] })
  const shipment = await shipmentOf(acme)
  await shipments(manager).delete(shipment)
  await expect.poll(() => statusesOf(ann, id), patience).toEqual([Delivered])
  expect(got()[0]?.body.data).toMatchObject({ entityId: shipment })
  expect(got()[0]?.body.data).not.toHaveProperty('shipment')
})

test('orders go to webhooks of buyer and supplier, and those of staff without an organization get all', async () => {
  const eventTypes = ['Hub.Order.Created']
  const [buying, all, elsewhere] = [
    await hook(ann, { eventTypes }),
    await hook(manager, { eventTypes, organizationId: null }),
    await hook(manager, { eventTypes, organizationId: below }),
  ]
  const order = await manager.service(OrderAppService).create({
    ...{
      orderNumber: 'PO-1',
      buyerId: acme,
      supplierId: other,
      orderDate: '2026-11-01',
      currencyCode: 'EUR',
    },
  })
  await expect.poll(() => [buying.got().length, all.got().length], patience).toEqual([1, 1])
  expect(buying.got()[0]?.body.data).toMatchObject({ reference: 'PO-1', order: { id: order.id } })
  expect(await deliveriesOf(manager, elsewhere.id)).toEqual([])
  // Nobody but staff sees the webhook of staff for all.
  await expect(hooks(ann).get(all.id)).rejects.toMatchObject({ status: 404 })
  expect(await deliveriesOf(ann, all.id)).toEqual([])
})

test('what waits for webhooks of one owner does not keep the events of others waiting', async () => {
  const crowd = await customer(acme)
  const theirs = await Promise.all(Array.from({ length: 8 }, () => hook(crowd)))
  receiverMs = 1000
  try {
    for (let count = 0; count < 10; count += 1) await hold(await shipmentOf(acme))
    const mine = await hook(ann)
    await hold(await shipmentOf(acme))
    await expect.poll(() => mine.got().length, patience).toBe(1)
    const [waiting] = await hubOf(app).query<{ count: number }>(sql`
      select count(*)::int as count from "HubWebhookDeliveries"
      where "WebhookId" = any(${theirs.map(({ id }) => id)}::uuid[]) and "Status" = ${Pending}`)
    expect(waiting?.count).toBeGreaterThan(20)
  } finally {
    receiverMs = 0
    for (const { id } of theirs) await hooks(crowd).delete(id)
  }
})

test('what the receiver does not take is sent again later with the same id, and no redirect is followed', async () => {
  const { id, path, got } = await hook(ann)
  answers.set(path, 302)
  await hold(await shipmentOf(acme))
  await expect.poll(() => deliveriesOf(ann, id), patience).toMatchObject([{ responseStatus: 302 }])
  const [waiting] = await deliveriesOf(ann, id)
  expect(waiting).toMatchObject({ status: Pending, attempt: 1, failure: WebhookFailure.Refused })
  expect(waiting?.nextAttemptTime && waiting.nextAttemptTime > (waiting.lastAttemptTime ?? 0)).toBe(true)
  expect((await hooks(ann).get(id)).failingSince).toBeInstanceOf(Date)
  answers.delete(path)
  await makeDue(id)
  await expect.poll(() => statusesOf(ann, id), patience).toEqual([Delivered])
  expect(got().map(({ headers }) => headers['webhook-id'])).toEqual([waiting?.id, waiting?.id])
  expect(received.filter((one) => one.path === '/elsewhere')).toEqual([])
  expect((await hooks(ann).get(id)).failingSince).toBeNull()
})

test('a delivery is given up after the last attempt, and is sent again when its owner wants', async () => {
  const { id, path, got } = await hook(ann)
  answers.set(path, 503)
  await hold(await shipmentOf(acme))
  await expect.poll(() => deliveriesOf(ann, id), patience).toMatchObject([{ responseStatus: 503 }])
  await hubOf(app).execute(sql`update "HubWebhookDeliveries" set "Attempt" = 7 where "WebhookId" = ${id}`)
  await makeDue(id)
  await expect.poll(() => statusesOf(ann, id), patience).toEqual([Failed])
  answers.delete(path)
  const [failed] = await deliveriesOf(ann, id)
  expect(await logOf(ann).replay(failed?.id ?? '')).toMatchObject({ status: Pending, attempt: 0 })
  await expect.poll(() => statusesOf(ann, id), patience).toEqual([Delivered])
  const since = new Date(Date.now() - 60_000).toISOString()
  expect(await logOf(ann).replayMany({ webhookId: id, since })).toEqual({ count: 0 })
  expect(await logOf(ann).replayMany({ webhookId: id, since, includeDelivered: true })).toEqual({ count: 1 })
  await expect.poll(() => got().length, patience).toBe(4)
  expect(new Set(got().map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('a webhook is stopped when its address is gone or fails for days, and its owner is notified', async () => {
  const titles = async () =>
    (await ann.service(NotificationAppService).getList({})).items.map((one) => one.title)
  const [gone, failing] = [await hook(ann, { name: 'Gone' }), await hook(ann, { name: 'Failing' })]
  answers.set(gone.path, 410).set(failing.path, 500)
  await hold(await shipmentOf(acme))
  await expect.poll(async () => (await hooks(ann).get(gone.id)).status, patience).toBe(WebhookStatus.Stopped)
  expect(await statusesOf(ann, gone.id)).toEqual([Failed])
  await expect.poll(async () => (await hooks(ann).get(failing.id)).failingSince, patience).not.toBeNull()
  expect((await hooks(ann).get(failing.id)).status).toBe(WebhookStatus.Active)
  await hubOf(app).execute(
    sql`update "HubWebhooks" set "FailingSince" = now() - interval '6 days' where "Id" = ${failing.id}`,
  )
  await makeDue(failing.id)
  await expect
    .poll(async () => (await hooks(ann).get(failing.id)).status, patience)
    .toBe(WebhookStatus.Stopped)
  await expect
    .poll(async () => (await titles()).filter((title) => /was stopped/.test(title)).length, patience)
    .toBe(2)
  // What happens meanwhile is not kept; what waited is sent when it is enabled again.
  await hold(await shipmentOf(acme))
  answers.delete(failing.path)
  expect(await hooks(ann).enable(failing.id)).toMatchObject({
    status: WebhookStatus.Active,
    failingSince: null,
  })
  await makeDue(failing.id)
  await expect.poll(() => statusesOf(ann, failing.id), patience).toEqual([Delivered])
})

test('the secret is shown once and encrypted, and for a time after a rotation both secrets sign', async () => {
  const { id, secret, got } = await hook(ann)
  expect(JSON.stringify([await hooks(ann).get(id), await hooks(ann).getList({})])).not.toContain('whsec_')
  const [stored] = await hubOf(app).query<{ text: string }>(
    sql`select row_to_json(w)::text as text from "HubWebhooks" w where "Id" = ${id}`,
  )
  expect(stored?.text).not.toContain(secret.slice(6))
  const { secret: next } = await hooks(ann).rotateSecret(id, {})
  expect(next).not.toBe(secret)
  await hooks(ann).ping(id)
  await expect.poll(() => got().length, patience).toBe(1)
  const [ping] = got() as [Received]
  expect(ping.body).toMatchObject({ type: 'Hub.Webhook.Ping', data: { webhookId: id } })
  expect(ping.headers['webhook-signature']).toBe(signaturesOf(ping, [next, secret]))
  const { secret: last } = await hooks(ann).rotateSecret(id, { overlapHours: 0 })
  await hooks(ann).ping(id)
  await expect.poll(() => got().length, patience).toBe(2)
  const [, second] = got() as [Received, Received]
  expect(second.headers['webhook-signature']).toBe(signaturesOf(second, [last]))
})

test('colleagues see a webhook and stop it, its owner alone changes it, and others do not see it', async () => {
  const { id } = await hook(ann)
  const [colleague, stranger] = [await customer(acme), await customer(other)]
  expect((await hooks(colleague).get(id)).ownerId).toBe(ann.userId)
  const notOwner = { code: HubErrors.WebhookNotOwner }
  const since = new Date().toISOString()
  await expect(hooks(colleague).update(id, { url: urlOf('/mine') })).rejects.toMatchObject(notOwner)
  await expect(hooks(colleague).rotateSecret(id, {})).rejects.toMatchObject(notOwner)
  await expect(hooks(colleague).ping(id)).rejects.toMatchObject(notOwner)
  await expect(logOf(colleague).replayMany({ webhookId: id, since })).rejects.toMatchObject(notOwner)
  for (const call of [
    () => hooks(stranger).get(id),
    () => hooks(stranger).disable(id),
    () => hooks(stranger).delete(id),
    () => logOf(stranger).replayMany({ webhookId: id, since }),
  ])
    await expect(call()).rejects.toMatchObject({ status: 404 })
  expect((await hooks(stranger).getList({})).totalCount).toBe(0)
  expect(await deliveriesOf(stranger, id)).toEqual([])
  expect(await hooks(colleague).disable(id)).toMatchObject({ status: WebhookStatus.Disabled })
  await expect(hooks(colleague).enable(id)).rejects.toMatchObject(notOwner)
  await expect(hooks(ann).ping(id)).rejects.toMatchObject({ code: HubErrors.WebhookNotActive })
  await hold(await shipmentOf(acme))
  expect(await deliveriesOf(ann, id)).toEqual([])
  await hooks(colleague).delete(id)
  await expect(hooks(ann).get(id)).rejects.toMatchObject({ status: 404 })
  const plain = await app.as({ roles: [DefaultCustomer], organizations: ['ACME'] })
  await expect(hook(plain)).rejects.toMatchObject({ status: 403 })
})

test('organizations that the caller does not see, addresses without TLS or with a password, and unknown events are refused', async () => {
  await expect(hook(ann, { organizationId: other })).rejects.toMatchObject({ status: 400 })
  await expect(hook(ann, { organizationId: null })).rejects.toMatchObject({ status: 400 })
  await expect(hook(ann, { eventTypes: ['Hub.Nothing.Happened'] })).rejects.toMatchObject({ status: 400 })
  for (const url of [
    'http://hooks.example.com/',
    'https://ann:secret@hooks.example.com/',
    'ftp://localhost/',
  ])
    await expect(hook(ann, { url })).rejects.toMatchObject({ code: HubErrors.WebhookAddressInvalid })
})

test(
  'many events at once reach a webhook one by one, each exactly once',
  async () => {
    const { id, got } = await hook(ann)
    const ids = await Promise.all(Array.from({ length: 15 }, () => shipmentOf(acme)))
    await Promise.all(ids.map(hold))
    await expect.poll(() => got().length, patience).toBe(15)
    expect(
      got()
        .map(({ body }) => body.data.entityId)
        .sort(),
    ).toEqual([...ids].sort())
    await expect
      .poll(async () => (await statusesOf(ann, id)).every((status) => status === Delivered), patience)
      .toBe(true)
  },
  busyMs,
)

test('documents are told of to those who see them: with the document, and never one that staff keep to themselves', async () => {
  const eventTypes = ['Hub.Document.Published', 'Hub.Document.Archived']
  const [own, all] = [
    await hook(ann, { eventTypes }),
    await hook(manager, { eventTypes, organizationId: null }),
  ]
  const shipmentId = await shipmentOf(below)
  const upload = (isCustomerVisible: boolean) =>
    manager.service(DocumentAppService).upload({
      file: new File([`a,b\n1,${isCustomerVisible}`], 'packing.csv', { type: 'text/csv' }),
      documentTypeId: codeId('DocumentType', 'PKL'),
      shipmentId,
      isCustomerVisible,
    })
  const [shown, hidden] = [await upload(true), await upload(false)]
  await expect.poll(() => [own.got().length, all.got().length], patience).toEqual([1, 2])
  expect(own.got()[0]?.body).toMatchObject({
    type: 'Hub.Document.Published',
    data: { entityId: shown.id, shipmentId, document: { id: shown.id, fileName: 'packing.csv' } },
  })
  expect(JSON.stringify(await deliveriesOf(ann, own.id))).not.toContain(hidden.id)
  // Archived documents are for staff: customers get nothing of them any more.
  await manager.service(DocumentAppService).archive(shown.id, {})
  await expect.poll(() => all.got().length, patience).toBe(3)
  await expect.poll(() => statusesOf(ann, own.id), patience).toEqual([Skipped, Delivered])
})

test(
  'two processes that send at once send no delivery twice',
  async () => {
    const second = await startSender('Development')
    try {
      ;[receiverMs, mostOpen] = [60, 0]
      const made = await Promise.all(Array.from({ length: 6 }, () => hook(ann)))
      const ids = await Promise.all(Array.from({ length: 3 }, () => shipmentOf(acme)))
      await Promise.all(ids.map(hold))
      const got = () => made.flatMap((one) => one.got())
      await expect.poll(() => got().length, patience).toBe(18)
      const statuses = async () => (await Promise.all(made.map(({ id }) => statusesOf(ann, id)))).flat()
      await expect.poll(async () => new Set(await statuses()), patience).toEqual(new Set([Delivered]))
      expect(new Set(got().map(({ headers }) => headers['webhook-id'])).size).toBe(18)
      expect(got().length).toBe(18)
      // One process has four requests under way at the most.
      expect(mostOpen).toBeGreaterThan(4)
      for (const { id } of made) await hooks(ann).delete(id)
    } finally {
      receiverMs = 0
      await second.stop()
    }
  },
  busyMs,
)

test('no request reaches an address inside the network, given or by a redirect', async () => {
  const secrets: string[] = []
  const inside = createServer((request, response) => {
    secrets.push(request.url ?? '')
    response.end('secret')
  }).listen(0)
  await once(inside, 'listening')
  try {
    const { port } = inside.address() as AddressInfo
    const direct = await hook(ann, { url: `http://localhost:${port}/given` })
    const redirected = await hook(ann)
    location = `http://localhost:${port}/redirected`
    answers.set(redirected.path, 307)
    await hold(await shipmentOf(acme))
    await expect
      .poll(() => deliveriesOf(ann, direct.id), patience)
      .toMatchObject([{ attempt: 1, failure: WebhookFailure.NotReached, responseStatus: null }])
    await expect
      .poll(() => deliveriesOf(ann, redirected.id), patience)
      .toMatchObject([{ attempt: 1, failure: WebhookFailure.Refused, responseStatus: 307 }])
    expect(secrets).toEqual([])
    const guarded = createClient(WebhookAppService, {
      baseUrl: sender.get(HttpHost).address,
      accessToken: () => ann.token,
      retry: false,
    })
    const eventTypes = ['Hub.Shipment.HoldChanged']
    for (const address of ['127.0.0.1', '[::1]', '169.254.169.254', '2130706433', `localhost:${port}`])
      await expect(
        guarded.create({ name: 'Inside', organizationId: acme, url: `https://${address}/`, eventTypes }),
      ).rejects.toMatchObject({ code: HubErrors.WebhookAddressInvalid })
  } finally {
    location = '/elsewhere'
    inside.close()
  }
})
