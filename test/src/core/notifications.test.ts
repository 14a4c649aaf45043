import {
  NotificationAppService,
  NotificationErrors,
  NotificationMail,
  NotificationPermissions,
  NotificationPreferencesAppService,
  NotificationSeverity,
} from '@keel/core/contracts'
import type { Constructor } from '@keel/framework'
import { Databases, sql } from '@keel/framework/data'
import { BackgroundJobs } from '@keel/framework/jobs'
import {
  OrderAppService,
  Severity,
  ShipmentAppService,
  ShipmentExceptionAppService,
} from '@keel/hub/contracts'
import { CustomerAdmin, DefaultCustomer, OperationsManager, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMailFolder, type MailFolder } from '../account/mails.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addMember,
  addOrganization,
  addShipments,
  codeId,
  containerId,
  modeId,
  portId,
  setColumn,
} from '../support/hub-rows.js'
import { send } from '../support/wire.js'

const patience = { timeout: 20_000, interval: 100 }
const hourMs = 3_600_000

let app: App
let mails: MailFolder
let staff: AppCaller
let acme: string
let other: string
let number = 0

beforeAll(async () => {
  mails = await createMailFolder()
  app = await startApp(undefined, { 'Mail:Folder': mails.path })
  staff = await app.as({ roles: [OperationsManager] })
  acme = await addOrganization(app, 'ACME')
  other = await addOrganization(app, 'OTHER')
})
afterAll(async () => {
  await app?.close()
  await mails?.remove()
})

const database = () => app.host.get(Databases).named('Default')
const inbox = (who: AppCaller) => who.service(NotificationAppService)
const preferences = (who: AppCaller) => who.service(NotificationPreferencesAppService)
const titlesOf = async (who: AppCaller) => (await inbox(who).getList({})).items.map(({ title }) => title)
const emailOf = ({ userId }: AppCaller) =>
  database()
    .query<{ email: string }>(sql`select "Email" as email from "AbpUsers" where "Id" = ${userId}`)
    .then(([row]) => row?.email ?? '')

interface Wishes {
  readonly isMember?: boolean
  readonly culture?: string
  readonly quietFrom?: string
  readonly quietUntil?: string
}

/** A person who is subscribed to bookings, of ACME unless told otherwise. */
async function subscriber(
  mail = NotificationMail.None,
  { isMember = true, culture, ...times }: Wishes = {},
): Promise<AppCaller> {
  const one = await app.as({ roles: [DefaultCustomer] })
  if (isMember) await addMember(app, one.userId, acme)
  await database().execute(sql`update "AbpUsers" set "EmailConfirmed" = true where "Id" = ${one.userId}`)
  if (culture)
    await database().execute(sql`
      insert into "AbpSettings" ("Id", "Name", "Value", "ProviderName", "ProviderKey")
      values (gen_random_uuid(), 'Abp.Localization.DefaultLanguage', ${culture}, 'U', ${one.userId})`)
  await preferences(one).update({ subscriptions: [{ kind: 'ShipmentBooked', mail }], ...times })
  return one
}

/** Books a shipment that an organization ships; answers its reference. */
async function book(sender: string, by: AppCaller = staff): Promise<string> {
  const ShipmentReference = `NOTED-${++number}`
  const [id = ''] = await addShipments(app, [
    {
      ShipmentReference,
      TransportModeId: modeId('Sea'),
      ContainerModeId: containerId('FCL'),
      FirstConsolLegDeparturePortId: portId('CNSHA'),
      LastConsolLegArrivalPortId: portId('NLRTM'),
      EstimatedDeparture: new Date(Date.now() + 48 * hourMs),
      EstimatedArrival: new Date(Date.now() + 480 * hourMs),
      parties: [
        { role: 0, organizationId: sender },
        { role: 1, organizationId: other },
      ],
    },
  ])
  await by.service(ShipmentAppService).book(id, {})
  return ShipmentReference
}

/** Runs the recurring job that mails what is due. */
async function mailDue(): Promise<void> {
  const [job] = await database().query<{ id: string }>(sql`
    select "Id" as id from "AbpBackgroundJobs"
    where "RecurringName" like '%NotificationMails.sendDue' and "CompletionTime" is null and not "IsAbandoned"`)
  expect(job).toBeDefined()
  await app.host.get(BackgroundJobs).retry(job?.id ?? '')
}

const makeDue = ({ userId }: AppCaller) =>
  database().execute(sql`
    update "AppNotifications" set "MailDueTime" = now() - interval '1 second'
    where "UserId" = ${userId} and "MailDueTime" is not null`)

const waitingMails = ({ userId }: AppCaller) =>
  database().query<{ due: Date }>(sql`
    select "MailDueTime" as due from "AppNotifications" where "UserId" = ${userId} and "MailDueTime" is not null`)

test('a booking is told to subscribers who see the shipment, in their language, and to nobody else', async () => {
  const german = await subscriber(NotificationMail.None, { culture: 'de' })
  const english = await subscriber()
  const stranger = await subscriber(NotificationMail.None, { isMember: false })
  const silent = await app.as({ roles: [DefaultCustomer] })
  await addMember(app, silent.userId, acme)
  const reference = await book(acme)
  await expect.poll(() => titlesOf(english), patience).toEqual([`Shipment ${reference} was booked.`])
  await expect.poll(() => titlesOf(german), patience).toEqual([`Die Sendung ${reference} wurde gebucht.`])
  expect(await titlesOf(stranger)).toEqual([])
  expect(await titlesOf(silent)).toEqual([])

  const { items } = await inbox(english).getList({ isRead: false })
  expect(items[0]).toMatchObject({
    kind: 'ShipmentBooked',
    severity: NotificationSeverity.Information,
    entityType: 'Shipment',
    isRead: false,
    readTime: null,
  })
})

test('other statuses of shipments, their exceptions and the statuses of orders are told to those who want them', async () => {
  const reader = await subscriber()
  const kinds = ['ShipmentStatusChanged', 'ShipmentException', 'OrderStatusChanged'] as const
  await preferences(reader).update({ subscriptions: kinds.map((kind) => ({ kind })) })
  const [id = ''] = await addShipments(app, [
    { ShipmentReference: 'TOLD', Status: 1, parties: [{ role: 0, organizationId: acme }] },
  ])
  await staff.service(ShipmentAppService).cancel(id, { reason: 'no cargo' })
  await expect.poll(() => titlesOf(reader), patience).toEqual(['Shipment TOLD is now: Cancelled.'])

  const [raisedOn = ''] = await addShipments(app, [
    { ShipmentReference: 'RAISED', Status: 1, parties: [{ role: 0, organizationId: acme }] },
  ])
  await staff.service(ShipmentExceptionAppService).create({
    ...{ shipmentId: raisedOn, exceptionTypeId: codeId('ExceptionType', 'DAM'), severity: Severity.Critical },
  })
  await expect.poll(async () => (await titlesOf(reader)).length, patience).toBe(2)
  expect((await inbox(reader).getList({})).items[0]).toMatchObject({
    ...{ title: 'A disruption was raised for shipment RAISED.', kind: 'ShipmentException' },
    ...{ severity: NotificationSeverity.Error, entityType: 'Shipment', entityId: raisedOn },
  })

  const orders = staff.service(OrderAppService)
  const order = await orders.create({
    ...{
      orderNumber: 'PO-TOLD',
      buyerId: acme,
      supplierId: other,
      orderDate: '2026-11-01',
      currencyCode: 'EUR',
    },
    lines: [{ lineNumber: 1, productCode: 'P', quantity: '1', unitCode: 'C62' }],
  })
  await orders.place(order.id, {})
  await expect.poll(async () => (await titlesOf(reader)).length, patience).toBe(3)
  expect((await inbox(reader).getList({})).items[0]).toMatchObject({
    ...{ title: 'Order PO-TOLD is now: Placed.', entityType: 'Order', entityId: order.id },
  })
})

test('whoever may not sign in any more, or booked the shipment, is not notified', async () => {
  const gone = await subscriber()
  const witness = await subscriber()
  await database().execute(sql`update "AbpUsers" set "IsActive" = false where "Id" = ${gone.userId}`)
  database().feed.changed('AbpUsers')
  await preferences(staff).update({ subscriptions: [{ kind: 'ShipmentBooked' }] })
  const reference = await book(acme)
  await expect.poll(() => titlesOf(witness), patience).toEqual([`Shipment ${reference} was booked.`])
  const ofOthers = await database().query(
    sql`select from "AppNotifications" where "UserId" in (${gone.userId}, ${staff.userId})`,
  )
  expect(ofOthers).toEqual([])
})

test('a person reads, counts and deletes own notifications, and those of nobody else', async () => {
  const reader = await subscriber()
  const thief = await app.as({ roles: [DefaultCustomer] })
  await book(acme)
  await book(acme)
  await expect.poll(() => inbox(reader).getUnreadCount(), patience).toEqual({ count: 2 })
  const [first, second] = (await inbox(reader).getList({})).items.map(({ id }) => id) as [string, string]
  await inbox(reader).markRead(first)
  await inbox(reader).markRead(first)
  expect(await inbox(reader).getUnreadCount()).toEqual({ count: 1 })
  expect((await inbox(reader).getList({ isRead: true })).items.map(({ id }) => id)).toEqual([first])
  const { get, markRead, delete: remove } = inbox(thief)
  for (const call of [get, markRead, remove])
    await expect(call(second)).rejects.toMatchObject({ status: 404 })
  await inbox(thief).markAllRead()
  expect((await send(thief, 'GET', '/odata/Notifications')).body.value).toEqual([])
  expect((await send(reader, 'GET', '/odata/Notifications?$filter=IsRead eq false')).body.value).toHaveLength(
    1,
  )
  await inbox(reader).markAllRead()
  expect(await inbox(reader).getUnreadCount()).toEqual({ count: 0 })
  await inbox(reader).delete(second)
  expect((await inbox(reader).getList({})).totalCount).toBe(1)
})

test('a mail is sent once, and what waits for a person goes into one mail', async () => {
  const reader = await subscriber(NotificationMail.AtOnce)
  const references = [await book(acme), await book(acme)]
  await expect.poll(() => inbox(reader).getUnreadCount(), patience).toEqual({ count: 2 })
  await makeDue(reader)
  await mailDue()
  const address = await emailOf(reader)
  const [mail] = await mails.to(address)
  for (const reference of references) expect(mail?.text).toContain(reference)
  expect(mail?.subject).toBe('2 new notifications – Keel')
  expect(await waitingMails(reader)).toEqual([])
  await mailDue()
  await mailDue()
  expect(await mails.to(address)).toHaveLength(1)
})

test('quiet hours and the daily mail hold mails back until their end', async () => {
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  const now = Date.now()
  const asleep = await subscriber(NotificationMail.AtOnce, {
    quietFrom: clock(now - hourMs),
    quietUntil: clock(now + hourMs),
  })
  const daily = await subscriber(NotificationMail.Digest)
  await book(acme)
  await expect.poll(() => inbox(asleep).getUnreadCount(), patience).toEqual({ count: 1 })
  await expect.poll(() => inbox(daily).getUnreadCount(), patience).toEqual({ count: 1 })
  const [[quiet], [digest]] = [await waitingMails(asleep), await waitingMails(daily)]
  expect(quiet?.due.toISOString().slice(11, 16)).toBe(clock(now + hourMs))
  expect(digest?.due.toISOString().slice(11, 16)).toBe('07:00')
})

test('subscribers who see a document are reminded once for each threshold before it expires', async () => {
  const reader = await subscriber()
  const stranger = await subscriber(NotificationMail.None, { isMember: false })
  for (const one of [reader, stranger])
    await preferences(one).update({ subscriptions: [{ kind: 'DocumentExpiring' }] })
  const dayAhead = (days: number) => new Date(Date.now() + days * 24 * hourMs).toISOString().slice(0, 10)
  const [ours = ''] = await addDocuments(app, [
    { OrganizationId: acme, FileName: 'certificate.pdf', ExpiryDate: dayAhead(20) },
    { OrganizationId: acme, FileName: 'later.pdf', ExpiryDate: dayAhead(60) },
    { OrganizationId: acme, FileName: 'archived.pdf', ExpiryDate: dayAhead(20), Status: 3 },
    { OrganizationId: acme, FileName: 'past.pdf', ExpiryDate: dayAhead(-1) },
  ])
  const titleOf = (days: number) => {
    const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date(dayAhead(days)),
    )
    return `The document certificate.pdf expires on ${date}.`
  }
  await remind()
  await expect.poll(() => titlesOf(reader), patience).toEqual([titleOf(20)])
  const [told] = (await inbox(reader).getList({})).items
  expect(told).toMatchObject({
    entityType: 'Document',
    entityId: ours,
    severity: NotificationSeverity.Warning,
  })
  await remind()
  await setColumn(app, 'HubDocuments', ours, 'ExpiryDate', dayAhead(5))
  await remind()
  await expect.poll(() => titlesOf(reader), patience).toEqual([titleOf(5), titleOf(20)])
  expect(await titlesOf(stranger)).toEqual([])
})

async function remind(): Promise<void> {
  const found = app.host.application.services.find(({ service }) => service.name === 'DocumentUpkeep')
  const upkeep = app.host.get(found?.service as Constructor<{ remind(job: object): Promise<void> }>)
  await upkeep.remind({ signal: new AbortController().signal })
}

test('preferences are replaced as a whole, and refused when they contradict themselves', async () => {
  const one = await app.as({ roles: [DefaultCustomer] })
  expect(await preferences(one).get()).toEqual({ subscriptions: [], digestTime: '07:00' })
  const wanted = {
    subscriptions: [
      { kind: 'ShipmentBooked', mail: NotificationMail.Digest },
      { kind: 'ShipmentDelayed', mail: NotificationMail.AtOnce },
    ],
    quietFrom: '22:00',
    quietUntil: '06:00',
    digestTime: '08:30',
  } as const
  expect(await preferences(one).update(wanted as never)).toEqual(wanted)
  const path = '/api/app/notification-preferences'
  expect(await send(one, 'PUT', path, { ...wanted, quietUntil: null })).toMatchObject({ status: 400 })
  expect(await send(one, 'PUT', path, { ...wanted, digestTime: '24:00' })).toMatchObject({ status: 400 })
  expect(await send(one, 'PUT', path, { subscriptions: [{ kind: 'Gossip' }] })).toMatchObject({ status: 400 })
  expect(await preferences(one).get()).toEqual(wanted)
})

describe('a message to many', () => {
  const sender = () => app.as({ roles: [SuperUser] })
  const broadcasts = async (who: AppCaller) =>
    (await inbox(who).getList({ kind: 'Broadcast' })).items.map(({ title }) => title)

  test('is once in the inbox of everybody in its audience, and is mailed to those who want that', async () => {
    const [boss, holder, member, mailed] = [
      await sender(),
      await app.as({ roles: [CustomerAdmin, DefaultCustomer] }),
      await subscriber(),
      await subscriber(NotificationMail.AtOnce, { isMember: false }),
    ]
    await preferences(mailed).update({
      subscriptions: [{ kind: 'Broadcast', mail: NotificationMail.AtOnce }],
    })
    await inbox(boss).broadcast({ title: 'To all', severity: NotificationSeverity.Warning })
    await inbox(boss).broadcast({ title: 'To role', roleName: 'CustomerAdmin' })
    await inbox(boss).broadcast({ title: 'To ACME', organizationId: acme })
    await expect.poll(async () => (await broadcasts(member)).sort(), patience).toEqual(['To ACME', 'To all'])
    await expect.poll(async () => (await broadcasts(holder)).sort(), patience).toEqual(['To all', 'To role'])
    await expect.poll(() => broadcasts(mailed), patience).toEqual(['To all'])
    expect(await broadcasts(boss)).toEqual([])
    const due = await database().query<{ userId: string }>(sql`
      select "UserId" as "userId" from "AppNotifications" where "Kind" = 'Broadcast' and ("MailDueTime" is not null or "MailTime" is not null)`)
    expect(due).toEqual([{ userId: mailed.userId }])
  })

  test('needs the permission, one audience that there is, and is sent a few times an hour', async () => {
    const boss = await sender()
    const refused = (input: Parameters<NotificationAppService['broadcast']>[0], by = boss) =>
      inbox(by).broadcast(input)
    await expect(refused({ title: 'x' }, await subscriber())).rejects.toMatchObject({ status: 403 })
    await expect(refused({ title: 'x', roleName: 'Nobody' })).rejects.toMatchObject({
      code: NotificationErrors.NoSuchRole,
    })
    await expect(refused({ title: 'x', roleName: 'Operator', organizationId: acme })).rejects.toMatchObject({
      status: 400,
    })
    const clerk = await app.as({
      permissions: [NotificationPermissions.View, NotificationPermissions.Broadcast],
    })
    await expect(refused({ title: 'x', organizationId: acme }, clerk)).rejects.toMatchObject({ status: 403 })
    for (let sent = 0; sent < 5; sent++) await refused({ title: 'x', roleName: 'admin' })
    await expect(refused({ title: 'x' })).rejects.toMatchObject({
      code: NotificationErrors.TooManyBroadcasts,
    })
  })

  test('is not sent any further when its sender loses the permission', async () => {
    const clerk = await app.as({
      permissions: [NotificationPermissions.View, NotificationPermissions.Broadcast],
    })
    const reader = await subscriber()
    await database().execute(sql`
      create function "Hold"() returns trigger language plpgsql as $$ begin new."NextTryTime" = new."NextTryTime" + interval '1 hour'; return new; end $$`)
    await database().execute(sql`
      create trigger "Hold" before insert on "AbpBackgroundJobs" for each row when (new."JobName" = 'App.Broadcast') execute function "Hold"()`)
    await inbox(clerk).broadcast({ title: 'Too late' })
    await database().execute(sql`drop function "Hold"() cascade`)
    await database().execute(
      sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${clerk.userId} and "Name" = ${NotificationPermissions.Broadcast}`,
    )
    const [job] = await database().query<{ id: string }>(
      sql`select "Id" as id from "AbpBackgroundJobs" where "JobName" = 'App.Broadcast' and "CompletionTime" is null and not "IsAbandoned"`,
    )
    await app.host.get(BackgroundJobs).retry(job?.id ?? '')
    await expect
      .poll(
        async () => (await app.host.get(BackgroundJobs).statesOf([job?.id ?? ''])).get(job?.id ?? '')?.isOver,
        patience,
      )
      .toBe(true)
    expect(await broadcasts(reader)).toEqual([])
  })
})
