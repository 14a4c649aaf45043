import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { system, withAmbient } from '@keel/framework'
import { ListMailErrors } from '@keel/framework/contracts'
import { Databases, type Sql, sql } from '@keel/framework/data'
import { ListMails } from '@keel/framework/exports'
import { BackgroundJobs } from '@keel/framework/jobs'
import { PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { IdentityUserPermissions } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments } from '../support/hub-rows.js'
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.js'
import { type Sender, send } from '../support/wire.js'

const controllingCustomer = 4
const patience = { timeout: 20_000, interval: 50 }
let app: App
let server: MailServer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keel-lists-'))
  server = await startMailServer({ size: 100_000_000 })
  app = await startApp(undefined, {
    ...server.settings,
    'Blobs:Folder': folder,
    'Jobs:FirstRetryMs': '1',
    'Jobs:PollMs': '100',
    'Mail:MaxAttachmentBytes': '5000',
  })
  const ours = await addOrganization(app, 'OURS')
  const theirs = await addOrganization(app, 'THEIRS')
  const of = (organizationId: string) => [{ role: controllingCustomer, organizationId }]
  await addShipments(app, [
    { ShipmentReference: 'LM-ours', parties: of(ours) },
    { ShipmentReference: 'LM-theirs', parties: of(theirs) },
  ])
})
afterAll(async () => {
  await app?.close()
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  server.received.length = 0
})

const database = () => app.host.get(Databases).named('Default')

async function changeUser(statement: Sql): Promise<void> {
  await database().execute(statement)
  database().feed.changed('AbpUsers')
}

/** A user with a confirmed address. */
async function person(permissions: readonly string[], organizations: readonly string[] = []) {
  const user = await app.as({ permissions, organizations })
  const [row] = await database().query<{ email: string }>(
    sql`update "AbpUsers" set "EmailConfirmed" = true where "Id" = ${user.userId} returning "Email" as email`,
  )
  database().feed.changed('AbpUsers')
  return { ...user, email: row?.email ?? '' }
}

const mailList = (who: Sender, input: object) => send(who, 'POST', '/api/background-work/list-mail', input)

/** The same caller with a language. */
const speaking = (who: Sender, culture: string): Sender => ({
  fetch: (path, init = {}) =>
    who.fetch(path, { ...init, headers: { ...init.headers, 'accept-language': culture } }),
})

async function jobOf(id: string): Promise<{ over: boolean; error: string | null; name: string } | undefined> {
  const [job] = await database().query<{ over: boolean; error: string | null; name: string }>(sql`
    select "JobName" as name, "CompletionTime" is not null or "IsAbandoned" as over, "LastError" as error
    from "AbpBackgroundJobs" where "Id" = ${id}`)
  return job
}

/** The next mail, with the text of its attachment. */
async function nextMail(): Promise<ReceivedMail & { readonly file: string }> {
  await expect.poll(() => server.received.length, patience).toBeGreaterThan(0)
  const [mail] = server.received.splice(0, 1)
  if (!mail) throw new Error('no mail')
  const encoded = /filename[^\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([A-Za-z0-9+/=\r\n]+)/i.exec(mail.source)?.[1] ?? ''
  return { ...mail, file: Buffer.from(encoded.replace(/\s/g, ''), 'base64').toString('utf8') }
}

/** Holds jobs back until they are released. */
async function withoutJobs<T>(work: () => Promise<T>): Promise<T> {
  await database().execute(sql`
    create function hold_list_mails() returns trigger language plpgsql as $$ begin
      if new."JobName" like 'MailList.%' then new."NextTryTime" := new."NextTryTime" + interval '1 hour'; end if; return new; end $$`)
  await database().execute(sql`
    create trigger hold_list_mails before insert on "AbpBackgroundJobs" for each row execute function hold_list_mails()`)
  try {
    return await work()
  } finally {
    await database().execute(sql`drop trigger hold_list_mails on "AbpBackgroundJobs"`)
    await database().execute(sql`drop function hold_list_mails()`)
  }
}

const releaseJob = (id: string) => app.host.get(BackgroundJobs).retry(id)

describe('a list by mail', () => {
  test('has the rows that its person sees, as the list is filtered, and goes to the person', async () => {
    const user = await person([ShipmentPermissions.View], ['OURS'])
    const { status, body } = await mailList(user, {
      list: 'Hub.Shipment',
      format: 'csv',
      parameters: { filter: 'LM-', sorting: 'shipmentReference' },
    })
    expect({ status, body }).toMatchObject({ status: 200, body: { email: user.email } })
    const mail = await nextMail()
    expect(mail.recipients).toEqual([user.email])
    expect(mail.file).toContain('LM-ours')
    expect(mail.file).not.toContain('LM-theirs')
    expect(await jobOf((body as { jobId: string }).jobId)).toMatchObject({ name: 'MailList.Hub.Shipment' })
  })

  test('is in the language of the request', async () => {
    const user = await person([PortPermissions.View])
    const input = { list: 'Hub.Port', format: 'csv', parameters: { filter: 'DEHAM' } }
    expect(await mailList(speaking(user, 'de'), input)).toMatchObject({ status: 200 })
    const { file, source } = await nextMail()
    expect(source).toMatch(/Subject: =\?|Subject: Ihre Liste/)
    expect(file).toContain('Hamburg')
    const download = await speaking(user, 'de').fetch('/api/hub/port/as-csv-file?filter=DEHAM')
    expect(file).toBe(Buffer.from(await download.arrayBuffer()).toString('utf8'))
  })

  test('is refused without the permission, a confirmed address or a caller', async () => {
    const input = { list: 'Hub.Port', format: 'csv' }
    expect(await mailList(await person([]), input)).toMatchObject({ status: 403 })
    expect(await mailList(await app.as({ permissions: [PortPermissions.View] }), input)).toMatchObject({
      status: 403,
      body: { error: { code: ListMailErrors.NoConfirmedAddress } },
    })
    const response = await fetch(`${app.host.url}/api/background-work/list-mail`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    expect(response.status).toBe(401)
  })

  test('is refused for lists that have no files, and for parameters that the list refuses', async () => {
    const user = await person([PortPermissions.View, IdentityUserPermissions.Default])
    for (const list of ['Hub.Nothing', 'AbpIdentity.UserFile', 'Hub.Port.getList', '__proto__'])
      expect(await mailList(user, { list })).toMatchObject({
        status: 400,
        body: { error: { validationErrors: [{ members: ['list'] }] } },
      })
    const long = { list: 'Hub.Port', parameters: { filter: 'x'.repeat(30_000) } }
    expect(await mailList(user, long)).toMatchObject({ status: 400 })
  })

  test.each([
    ['the permission', (user: AppCaller) => revoke('U', user.userId)],
    ['the confirmed address', (user: AppCaller) => unconfirm(user)],
  ])('is not sent to a person who has lost %s since', async (_, lose) => {
    const user = await person([PortPermissions.View])
    const { body } = await withoutJobs(() => mailList(user, { list: 'Hub.Port', format: 'csv' }))
    await lose(user)
    const { jobId } = body as { jobId: string }
    expect(await releaseJob(jobId)).toBe(true)
    await expect.poll(() => overOf(body), patience).toBe(true)
    expect((await jobOf(jobId))?.error).toMatch(/permission|NoConfirmedAddress/)
    expect(server.received).toEqual([])
  })

  test('that is too large for a mail is told to the person instead', async () => {
    const user = await person([PortPermissions.View])
    expect(await mailList(user, { list: 'Hub.Port', format: 'csv' })).toMatchObject({ status: 200 })
    const mail = await nextMail()
    expect(mail.recipients).toEqual([user.email])
    expect(mail.source).toContain('too large')
    expect(mail.file).toBe('')
  })

  test('waits three times at most for a person', async () => {
    const user = await person([PortPermissions.View])
    const input = { list: 'Hub.Port', format: 'csv', parameters: { filter: 'DEHAM' } }
    const answers = await withoutJobs(() =>
      Promise.all(Array.from({ length: 6 }, () => mailList(user, input))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403, 403])
  })

  test('that an API key asks for needs the permission of the key', async () => {
    const user = await person([PortPermissions.View, 'ApiKeys.Create', 'ApiKeys.ManagePermissions'])
    const { id, key } = await newKey(user)
    const input = { list: 'Hub.Port', format: 'csv', parameters: { filter: 'DEHAM' } }
    const { body } = await withoutJobs(() => mailList(withKey(app.host, key), input))
    const { jobId } = body as { jobId: string }
    await revoke('AK', id)
    await releaseJob(jobId)
    await expect.poll(() => overOf(body), patience).toBe(true)
    expect(server.received).toEqual([])
  })

  test('can be repeated by the program in the name of a person', async () => {
    const user = await person([PortPermissions.View])
    const request = { list: 'Hub.Port', format: 'csv', parameters: { filter: 'DEHAM' } } as const
    const jobs = app.host.get(BackgroundJobs)
    const args = app.host.get(ListMails).argsOf(request)
    await withAmbient({ correlationId: 'test', principal: system, culture: 'en' }, () =>
      jobs.repeat('test', args, { cron: '0 7 * * 1', asUser: user.userId }),
    )
    const [series] = await database().query<{ id: string }>(
      sql`select "Id" as id from "AbpBackgroundJobs" where "RecurringName" = 'MailList.Hub.Port/test'`,
    )
    await jobs.retry(series?.id ?? '')
    expect((await nextMail()).recipients).toEqual([user.email])
    expect(await jobs.endRepetition(args.constructor as never, 'test')).toBe(true)
  })
})

const overOf = async (body: unknown) => (await jobOf((body as { jobId: string }).jobId))?.over

const unconfirm = (user: AppCaller) =>
  changeUser(sql`update "AbpUsers" set "EmailConfirmed" = false where "Id" = ${user.userId}`)

const revoke = (providerName: 'U' | 'AK', providerKey: string) =>
  app.host
    .get(PermissionGrants)
    .apply([{ providerName, providerKey, name: PortPermissions.View, kind: 'Revoked' }], 'Module')
