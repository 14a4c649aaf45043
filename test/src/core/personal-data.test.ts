import { readFileSync } from 'node:fs'
import { ProfilePictureAppService } from '@keel/account/contracts'
import { ApiHost } from '@keel/api-host'
import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import {
  NotificationPreferencesAppService,
  OwnPersonalDataAppService,
  PersonalDataErrors,
  PersonalDataPermissions,
  PersonalDataRequestAppService,
  type PersonalDataRequestDto,
  PersonalDataRequestStatus,
  SavedViewAppService,
} from '@keel/core/contracts'
import { KeelModule, Module } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import { Databases, entityMeta, isPersonalRows, sql } from '@keel/framework/data'
import { BackgroundJobs } from '@keel/framework/jobs'
import { HubModule } from '@keel/hub'
import { IdentityErrors, IdentityUserPermissions, InternalAdmin, Operator } from '@keel/identity/contracts'
import { RetentionSettingsAppService } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey, ports, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { dotPicture } from '../support/dot-picture.js'
import {
  addMember,
  addOrganization,
  addRows,
  addShipments,
  containerId,
  hubOf,
  modeId,
  portId,
} from '../support/hub-rows.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { send } from '../support/wire.js'
import { unzip } from '../support/zip.js'

const patience = { timeout: 30_000, interval: 100 }
const { View, Export, Erase } = PersonalDataPermissions

let app: App
let officer: AppCaller
let acme: string
let shipment: string

beforeAll(async () => {
  app = await startApp(undefined, { 'Jobs:FirstRetryMs': '200', 'Jobs:PollMs': '100' })
  officer = await app.as({ roles: [InternalAdmin] })
  acme = await addOrganization(app, 'ACME')
  ;[shipment = ''] = await addShipments(app, [
    {
      ShipmentReference: 'PERSONAL-1',
      TransportModeId: modeId('Sea'),
      ContainerModeId: containerId('FCL'),
      FirstConsolLegDeparturePortId: portId('CNSHA'),
      LastConsolLegArrivalPortId: portId('NLRTM'),
    },
  ])
})
afterAll(() => app?.close())

const database = () => app.host.get(Databases).named('Default')
const requests = (who: AppCaller) => who.service(PersonalDataRequestAppService)
const ownData = (who: AppCaller) => who.service(OwnPersonalDataAppService)
const user = async (id: string) =>
  (await database().query<Record<string, unknown>>(sql`select * from "AbpUsers" where "Id" = ${id}`))[0] ?? {}
const nameOf = async ({ userId }: AppCaller) => String((await user(userId))['UserName'])

type Request = InstanceType<typeof PersonalDataRequestDto>

/** A request once it has ended. */
async function ended({ id }: Request): Promise<Request> {
  const { Queued, Running } = PersonalDataRequestStatus
  await expect
    .poll(async () => [Queued, Running].includes((await requests(officer).get(id)).status), patience)
    .toBe(false)
  return requests(officer).get(id)
}
const rowsOf = ({ result }: Request) =>
  Object.fromEntries((result ?? []).map(({ name, rows }) => [name, rows]))

/** A person about whom several modules know something. */
async function person(): Promise<AppCaller> {
  const one = await app.as({
    roles: [Operator],
    permissions: [ApiKeyPermissions.Create],
  })
  await database().execute(sql`
    update "AbpUsers" set "EmailConfirmed" = true, "PhoneNumber" = '+31 10 555', "PasswordHash" = 'hash-of-a-password' where "Id" = ${one.userId}`)
  const email = String((await user(one.userId))['Email'])
  await addMember(app, one.userId, acme, { UserName: await nameOf(one) })
  await addRows(hubOf(app), 'HubOrganizationContacts', [
    {
      Id: crypto.randomUUID(),
      OrganizationId: acme,
      FullName: 'Ann Acme',
      Email: email.toUpperCase(),
      Phone: '555',
      ReceivesNotifications: true,
      IsPrimary: false,
      IsDeleted: false,
      CreationTime: new Date(),
    },
  ])
  await send(one, 'POST', '/api/hub/shipment-note', { shipmentId: shipment, visibility: 0, text: 'Call Ann' })
  await one.service(SavedViewAppService).create({ entitySet: 'Shipments', name: 'Mine' })
  await one
    .service(NotificationPreferencesAppService)
    .update({ subscriptions: [{ kind: 'ShipmentBooked' }], quietFrom: '22:00', quietUntil: '06:00' })
  await one
    .service(ProfilePictureAppService)
    .setProfilePicture('Image', { imageContent: new File([dotPicture], 'dot.png') })
  return one
}

describe('the declarations', () => {
  const listed = () => app.host.application.modules.flatMap(({ options }) => options.personalData ?? [])
  const tables = () => app.host.get(Databases).all.flatMap(({ entities }) => entities.map(entityMeta))
  /** Ids of users, and what tells who somebody is. */
  const aboutPersons =
    /(user|owner|inviter|impersonator|editor|caller)Id$|(approved|resolved|closed|assigned|confirmed|reviewed)ById$|^subject$|userName$|email|phone|mobile|ipAddress|^(contactName|browserInfo|deviceInfo)$/i
  /** They stay with every row, and lead to nobody once the user is pseudonymized. */
  const stamps = ['creatorId', 'lastModifierId', 'deleterId']
  /** No data about a person. */
  const technical = [
    ...['id', 'tenantId', 'tenantName', 'concurrencyStamp', 'entityVersion', 'extraProperties'],
    ...['creationTime', 'lastModificationTime', 'isDeleted', 'deletionTime'],
  ]

  const spokenOf = (table: string) =>
    new Set(
      listed()
        .filter(isPersonalRows)
        .filter(({ entity }) => entityMeta(entity).table === table)
        .flatMap(({ attributes }) => [...attributes]),
    )

  test('speak about every column that leads to a person', () => {
    const forgotten = tables().flatMap(({ table, columns }) =>
      [...columns.keys()]
        .filter((attribute) => aboutPersons.test(attribute) && !spokenOf(table).has(attribute))
        .map((attribute) => `${table}.${attribute}`),
    )
    expect(forgotten).toEqual([])
    // The pattern finds something at all.
    expect(
      tables().flatMap(({ columns }) => [...columns.keys()].filter((one) => aboutPersons.test(one))).length,
    ).toBeGreaterThan(40)
  })

  test('speak about every column of a table whose rows are deleted with their person', () => {
    const deleted = listed()
      .filter(isPersonalRows)
      .filter(({ erasure, name }) => erasure.outcome === 'Deleted' || name === 'user')
      .map(({ entity }) => entityMeta(entity))
    const forgotten = deleted.flatMap(({ table, columns }) => {
      const known = new Set([...spokenOf(table), ...stamps, ...technical])
      return [...columns.keys()].filter((one) => !known.has(one)).map((one) => `${table}.${one}`)
    })
    expect(forgotten).toEqual([])
  })

  test('are all in the table of the documentation', () => {
    const page = readFileSync(new URL('../../../docs/personal-data.md', import.meta.url), 'utf8')
    expect(listed().filter(({ name }) => !page.includes(`\n| \`${name}\` |`))).toEqual([])
  })

  test('have names of their own, with a text each', () => {
    const names = listed().map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const { localization } = app.host.application
    expect(names.filter((name) => localization.find(`PersonalData:${name}`, 'en') === undefined)).toEqual([])
  })
})

describe('an export', () => {
  test('has what every module knows of the person, without any secret, for the user who asked', async () => {
    const one = await person()
    const { key } = await newKey(one)
    const request = await ended(await requests(officer).exportPerson({ userId: one.userId }))
    expect(request).toMatchObject({
      status: PersonalDataRequestStatus.Succeeded,
      creatorId: officer.userId,
      error: null,
    })
    const file = await requests(officer).getFile(request.id)
    expect([file.type, file.name]).toEqual(['application/zip', `personal-data-${one.userId}.zip`])
    const files = await unzip(file as File)
    const rows = (name: string) => JSON.parse(files[`${name}.json`] ?? 'null')
    expect(rows('user')).toEqual([
      expect.objectContaining({ userName: await nameOf(one), phoneNumber: '+31 10 555' }),
    ])
    expect(rows('memberships')).toEqual([expect.objectContaining({ organizationId: acme, accessScope: 1 })])
    expect(rows('contacts')).toEqual([expect.objectContaining({ fullName: 'Ann Acme', phone: '555' })])
    expect(rows('internal-shipment-notes')).toEqual([
      expect.objectContaining({ shipmentId: shipment, text: 'Call Ann' }),
    ])
    expect(rows('saved-views')).toEqual([expect.objectContaining({ name: 'Mine', entitySet: 'Shipments' })])
    expect(rows('notification-preferences')).toEqual([
      { quietFrom: '22:00', quietUntil: '06:00', digestTime: '07:00' },
    ])
    expect(rows('api-keys')).toEqual([expect.objectContaining({ name: 'Test', isActive: true })])
    expect(Object.keys(files)).toContain('profile-picture.png')
    expect(rows('contents').contents).toEqual(request.result)
    expect(rowsOf(request)).toMatchObject({ user: 1, memberships: 1, contacts: 1, 'profile-picture': 1 })
    const all = Object.values(files).join('\n')
    for (const secret of [key, 'hash-of-a-password', 'stamp']) expect(all).not.toContain(secret)
  })

  test('is handed out to nobody but the user who asked and the person in person', async () => {
    const one = await person()
    const { key } = await newKey(one)
    const { id } = await ended(await requests(officer).exportPerson({ userId: one.userId }))
    const otherOfficer = await app.as({ permissions: [View, Export, Erase] })
    const stranger = await app.as({ roles: [Operator] })
    const path = `/api/app/own-personal-data/${id}/file`
    expect((await send(otherOfficer, 'GET', `/api/app/personal-data-request/${id}/file`)).status).toBe(403)
    expect((await send(stranger, 'GET', `/api/app/personal-data-request/${id}/file`)).status).toBe(403)
    expect((await send(stranger, 'GET', path)).status).toBe(404)
    expect((await send(otherOfficer, 'GET', path)).status).toBe(404)
    expect((await send(withKey(app.host, key), 'GET', path)).body.error.code).toBe(
      PersonalDataErrors.NotInPerson,
    )
    expect(Object.keys(await unzip((await ownData(one).getFile(id)) as File))).toContain('user.json')
    expect((await ownData(one).getList({})).items.map((request) => request.id)).toEqual([id])
    expect((await ownData(stranger).getList({})).totalCount).toBe(0)
  })

  test('leaves out what the user who asks may not see, and is refused to those who lost a right', async () => {
    const one = await person()
    const clerk = await app.as({ permissions: [View, Export] })
    const request = await ended(await requests(clerk).exportPerson({ userId: one.userId }))
    expect(request.result).toContainEqual({
      name: 'internal-shipment-notes',
      outcome: 'Omitted',
      reason: null,
      rows: null,
    })
    const files = await unzip((await requests(clerk).getFile(request.id)) as File)
    expect(Object.values(files).join('\n')).not.toContain('Call Ann')
    await database().execute(
      sql`delete from "AbpPermissionGrants" where "ProviderKey" = ${clerk.userId} and "Name" = ${Export}`,
    )
    const refusal = () =>
      requests(clerk)
        .getFile(request.id)
        .then(
          () => undefined,
          ({ status }: { status: number }) => status,
        )
    await expectAtNextRequest(refusal, 403)
  })

  test('that no job works on any more is given up in the night: its file goes, and the user who asked is told', async () => {
    const one = await person()
    const { id } = await ended(await requests(officer).exportPerson({ userId: one.userId }))
    // As a process leaves it that was killed at its last attempt, when the file was written.
    await database().execute(sql`
      update "AppPersonalDataRequests" set "Status" = ${PersonalDataRequestStatus.Running}, "EndTime" = null, "BlobName" = null,
        "CreationTime" = now() - interval '2 days' where "Id" = ${id}`)
    await runNow('PersonalDataRunner.upkeep')
    await expect
      .poll(async () => (await requests(officer).get(id)).status, patience)
      .toBe(PersonalDataRequestStatus.Failed)
    expect(await app.host.get(BlobStore).find(`app/personal-data/${id}`)).toBeUndefined()
    const told = await database().query(
      sql`select "Kind" as kind from "AppNotifications" where "EventId" = ${id} order by 1`,
    )
    expect(told).toEqual([{ kind: 'PersonalDataFailed' }, { kind: 'PersonalDataReady' }])
  })

  test('of the own data needs no permission, but the person, and only a few times a day', async () => {
    const one = await app.as({})
    for (let count = 0; count < 3; count++) await ended(await ownData(one).create())
    await expect(ownData(one).create()).rejects.toMatchObject({ code: PersonalDataErrors.TooMany })
    await expect(requests(one).exportPerson({ userId: one.userId })).rejects.toMatchObject({ status: 403 })
  })
})

describe('an erasure', () => {
  test('is refused for the own user, a wrong name, users who hold more, and the last administrator', async () => {
    const clerk = await app.as({ permissions: [View, Erase] })
    const admin = await app.admin()
    const erase = (who: AppCaller, one: AppCaller, userName: string) =>
      requests(who).erasePerson({ userId: one.userId, userName })
    const one = await app.as({})
    await expect(erase(officer, officer, await nameOf(officer))).rejects.toMatchObject({
      code: IdentityErrors.UserSelfDeletion,
    })
    await expect(erase(officer, one, 'somebody')).rejects.toMatchObject({
      code: PersonalDataErrors.WrongUserName,
    })
    await expect(erase(clerk, officer, await nameOf(officer))).rejects.toMatchObject({ status: 403 })
    await expect(erase(await app.as({ permissions: [View] }), one, await nameOf(one))).rejects.toMatchObject({
      status: 403,
    })
    await expect(erase(officer, admin, 'admin')).rejects.toMatchObject({ status: 403 })
    expect(await user(admin.userId)).toMatchObject({ UserName: 'admin', IsDeleted: false })
    expect(await user(one.userId)).toMatchObject({ IsDeleted: false })
  })

  test('can be previewed: what would be deleted, lose its name and be kept is counted, and nothing changes', async () => {
    const one = await person()
    const before = await user(one.userId)
    const request = await ended(await requests(officer).previewErasure({ userId: one.userId }))
    expect(rowsOf(request)).toMatchObject({
      user: 1,
      memberships: 1,
      'saved-views': 1,
      'internal-shipment-notes': 1,
    })
    const outcomes = Object.fromEntries(
      (request.result ?? []).map(({ name, outcome, reason }) => [name, reason ?? outcome]),
    )
    expect(outcomes).toMatchObject({
      user: 'Pseudonymized',
      'saved-views': 'Deleted',
      'internal-shipment-notes': 'Business',
    })
    expect(await user(one.userId)).toEqual(before)
  })

  test('ends everything that acts as the person at once, and leaves no name behind but the facts', async () => {
    const one = await person()
    const { key } = await newKey(one)
    const userName = await nameOf(one)
    const email = String((await user(one.userId))['Email'])
    const exported = await ended(await requests(officer).exportPerson({ userId: one.userId }))
    expect((await send(withKey(app.host, key), 'GET', ports)).status).toBe(200)
    const begun = await requests(officer).erasePerson({ userId: one.userId, userName })
    await expectAtNextRequest(async () => (await send(one, 'GET', ports)).status, 401)
    await expectAtNextRequest(async () => (await send(withKey(app.host, key), 'GET', ports)).status, 401)
    const done = await ended(begun)
    expect(done).toMatchObject({ status: PersonalDataRequestStatus.Succeeded, error: null })
    expect(rowsOf(done)).toMatchObject({ user: 1, 'api-keys': 1, contacts: 1 })
    expect(await user(one.userId)).toMatchObject({
      UserName: `erased-${one.userId}`,
      Email: `erased-${one.userId}@keel.invalid`,
      PhoneNumber: null,
      PasswordHash: null,
      IsActive: false,
      IsDeleted: true,
    })
    // The note stays with the shipment, and the id of its author leads to nobody.
    const notes = await hubOf(app).query(
      sql`select from "HubShipmentNotes" where "CreatorId" = ${one.userId}`,
    )
    expect(notes).toHaveLength(1)
    await expectAtNextRequest(() => tracesOf(userName, email), [])
    await expect(requests(officer).getFile(exported.id)).rejects.toMatchObject({
      code: PersonalDataErrors.FileExpired,
    })
    // The audit log still tells that there were requests of this user. What was under way loses its name in the night.
    const logged = async () =>
      (
        await database().query<{ name: string; address: string | null }>(sql`
          select distinct "UserName" as name, "ClientIpAddress" as address from "AbpAuditLogs" where "UserId" = ${one.userId}`)
      ).map(({ name, address }) => [name, address])
    await expect.poll(async () => (await logged()).length, patience).toBeGreaterThan(0)
    await runNow('PersonalDataRunner.upkeep')
    await expect.poll(logged, patience).toEqual([[`erased-${one.userId}`, null]])
    // The name is free, and the new user inherits nothing.
    const again = await send(officer, 'POST', '/api/identity/users', {
      userName,
      email,
      password: '1q2w3E*x9',
      roleNames: [],
    })
    expect(again.status).toBe(200)
  })

  test('that stops in the middle is done again from the beginning, and ends', async () => {
    const one = await person()
    const userName = await nameOf(one)
    await database().execute(sql`
      create function "StopErasure"() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`)
    await database().execute(sql`
      create trigger "StopErasure" before update on "AbpUsers" for each row when (new."UserName" like 'erased-%') execute function "StopErasure"()`)
    const begun = await requests(officer).erasePerson({ userId: one.userId, userName })
    const memberships = () =>
      hubOf(app).query(sql`select from "HubOrganizationMembers" where "UserId" = ${one.userId}`)
    await expect.poll(async () => (await memberships()).length, patience).toBe(0)
    expect(await user(one.userId)).toMatchObject({ UserName: userName, IsDeleted: true })
    await database().execute(sql`drop function "StopErasure"() cascade`)
    expect(rowsOf(await ended(begun))).toMatchObject({ memberships: 1, user: 1 })
    expect(await user(one.userId)).toMatchObject({ UserName: `erased-${one.userId}` })
  })

  /** Tables in which a text of a person is left, with the columns of texts and JSON. */
  async function tracesOf(...texts: readonly string[]): Promise<string[]> {
    const found: string[] = []
    for (const one of app.host.get(Databases).all) {
      const columns = await one.query<{ table: string; column: string }>(sql`
        select table_name as table, column_name as column from information_schema.columns
        where table_schema = 'public' and data_type in ('text', 'character varying', 'jsonb') and table_name not in
          ('AbpEventOutbox', 'AbpEventInbox', 'AbpBackgroundJobs', 'AbpAuditLogActions', 'AbpAuditLogs', 'AbpSecurityLogs', 'AbpEntityPropertyChanges')
          and table_name in (select c.relname from pg_class c where c.relkind = 'r')`)
      for (const { table, column } of columns) {
        const rows = await one.query({
          text: `select from "${table}" where "${column}"::text ilike any($1) limit 1`,
          values: [texts.map((text) => `%${text}%`)],
        })
        if (rows.length) found.push(`${table}.${column}`)
      }
    }
    return found
  }
})

/** Lists the module with rows that are found by an address before the one that has the addresses. */
@Module({ dependsOn: [HubModule, ApiHost] })
class HubFirst extends KeelModule {}

test('what is found by an address is erased before the account that has it, whatever the order of the modules', async () => {
  const other = await startApp(HubFirst, { 'Jobs:FirstRetryMs': '200', 'Jobs:PollMs': '100' })
  try {
    const [hub, identity] = [hubOf(other), other.host.get(Databases).named('Default')]
    const { userId } = await other.as({})
    const [named] = await identity.query<{ userName: string; email: string }>(sql`
      update "AbpUsers" set "EmailConfirmed" = true where "Id" = ${userId} returning "UserName" as "userName", "Email" as email`)
    const { userName = '', email = '' } = named ?? {}
    await addRows(hub, 'HubOrganizationContacts', [
      {
        ...{
          Id: crypto.randomUUID(),
          OrganizationId: await addOrganization(other, 'ACME'),
          FullName: 'Ann Acme',
        },
        ...{
          Email: email,
          ReceivesNotifications: true,
          IsPrimary: false,
          IsDeleted: false,
          CreationTime: new Date(),
        },
      },
    ])
    await hub.execute(sql`
      create function "StopErasure"() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`)
    await hub.execute(sql`
      create trigger "StopErasure" before update on "HubOrganizationContacts" for each row execute function "StopErasure"()`)
    const who = await other.as({ roles: [InternalAdmin] })
    const { id } = await requests(who).erasePerson({ userId, userName })
    const tries = async () => {
      const [job] = await identity.query<{ tries: number }>(
        sql`select max("TryCount")::int as tries from "AbpBackgroundJobs" where "JobName" = 'App.PersonalData'`,
      )
      return job?.tries
    }
    await expect.poll(tries, patience).toBeGreaterThan(1)
    await hub.execute(sql`drop function "StopErasure"() cascade`)
    await expect
      .poll(async () => (await requests(who).get(id)).status, patience)
      .toBe(PersonalDataRequestStatus.Succeeded)
    expect(
      await hub.query(sql`select "FullName" as name, "Email" as email from "HubOrganizationContacts"`),
    ).toEqual([{ name: '-', email: null }])
  } finally {
    await other.close()
  }
})

test('holders of the permission to delete users can not erase them with it', async () => {
  const clerk = await app.as({
    permissions: [IdentityUserPermissions.Delete, IdentityUserPermissions.Default],
  })
  const one = await app.as({})
  const answer = await send(clerk, 'POST', '/api/app/personal-data-request/erase-person', {
    userId: one.userId,
    userName: await nameOf(one),
  })
  expect(answer.status).toBe(403)
})

describe('records that are kept for some days', () => {
  const retention = (who: AppCaller) => who.service(RetentionSettingsAppService)

  test('are deleted when they are older than the setting of their kind says', async () => {
    const one = await app.as({})
    const log = (days: number) =>
      database().execute(sql`
        insert into "AbpSecurityLogs" ("Id", "UserId", "CreationTime", "ExtraProperties", "ConcurrencyStamp")
        values (gen_random_uuid(), ${one.userId}, (now() at time zone 'utc') - make_interval(days => ${days}::int), '{}', '')`)
    const logged = async () =>
      (await database().query(sql`select from "AbpSecurityLogs" where "UserId" = ${one.userId}`)).length
    for (const days of [1, 29, 31, 400]) await log(days)
    await runNow('ExpiredRecords.deleteExpired')
    expect((await retention(officer).get()).kinds).toContainEqual({ name: 'security-log', days: 0 })
    await retention(officer).update({ kinds: [{ name: 'security-log', days: 30 }] })
    await runNow('ExpiredRecords.deleteExpired')
    await expect.poll(logged, patience).toBe(2)
  })

  test('are decided about with a permission, by kinds and numbers that there are', async () => {
    const change = (who: AppCaller, name: string, days: number) =>
      retention(who).update({ kinds: [{ name, days }] })
    await expect(change(await app.as({ permissions: [View] }), 'security-log', 1)).rejects.toMatchObject({
      status: 403,
    })
    await expect(change(officer, 'user', 1)).rejects.toMatchObject({ status: 400 })
    await expect(change(officer, 'notifications', 0)).rejects.toMatchObject({ status: 400 })
  })
})

/** Runs a recurring job now. */
async function runNow(name: string): Promise<void> {
  const [job] = await database().query<{ id: string }>(sql`
    select "Id" as id from "AbpBackgroundJobs" where "RecurringName" like ${`%${name}`} and "CompletionTime" is null`)
  await app.host.get(BackgroundJobs).retry(job?.id ?? '')
}
