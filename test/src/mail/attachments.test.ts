import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Application, Configuration, createApplication, KeelModule, Module } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import { sql } from '@keel/framework/data'
import { HttpModule } from '@keel/framework/http'
import { BackgroundJobs, JobWorkerModule } from '@keel/framework/jobs'
import {
  type MailAttachment,
  Mailer,
  MailFiles,
  type MailMessage,
  MailQueueModule,
} from '@keel/framework/mail'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { type MailServer, startMailServer } from '../support/mail-server.js'
import { watchMemory } from '../support/watch-memory.js'

@Module({ dependsOn: [HttpModule, MailQueueModule] })
class HostWithoutWorkers extends KeelModule {}

@Module({ dependsOn: [MailQueueModule, JobWorkerModule] })
class SendingHost extends KeelModule {}

const message: MailMessage = { to: 'jane@example.com', subject: 'Ports', text: 'See the file.' }
const csv = { fileName: 'ports.csv', contentType: 'text/csv' }
const patience = { timeout: 20_000, interval: 50 }

let app: App
let server: MailServer
let folder: string
/** The answer of the server to recipients; undefined takes them. */
let refusal: { text: string; responseCode: number } | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keel-mail-'))
  server = await startMailServer({
    size: 100_000_000,
    onRcptTo: ({ address }, _session, done) => {
      const fault = address.startsWith('gone') ? { text: 'No such mailbox', responseCode: 550 } : refusal
      done(fault && Object.assign(new Error(fault.text), { responseCode: fault.responseCode }))
    },
  })
  app = await startApp(HostWithoutWorkers, { ...server.settings, 'Blobs:Folder': folder })
})
afterAll(async () => {
  await app?.close()
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  server.received.length = 0
  refusal = undefined
})

const get = <T>(type: abstract new (...args: never[]) => T): T => app.host.get(type as never)
const keep = (text: string) => get(MailFiles).keep(csv, new Blob([text]).stream())
const blobOf = (attachment: MailAttachment) => ('blob' in attachment ? attachment.blob : '')
const isKept = async (attachment: MailAttachment) =>
  (await get(BlobStore).find(blobOf(attachment))) !== undefined

/** The jobs of mails, the oldest first. */
const jobs = (name = 'Keel.SendMail') =>
  get(BackgroundJobs).database.query<{
    id: string
    args: string
    isAbandoned: boolean
    tries: number
    isDone: boolean
  }>(sql`
    select "Id" as id, "JobArgs" as args, "IsAbandoned" as "isAbandoned", "TryCount" as tries, "CompletionTime" is not null as "isDone"
    from "AbpBackgroundJobs" where "JobName" = ${name} order by "CreationTime", "Id"`)

/** A process that works on jobs, on the database and the blobs of the other one. */
async function startSender(): Promise<Application> {
  const configuration = new Configuration().add(
    {
      'ConnectionStrings:Default': app.host.databaseUrl('Default'),
      'Blobs:Folder': folder,
      'Jobs:PollMs': '50',
      'Jobs:FirstRetryMs': '50',
      'Log:Level': 'silent',
      ...server.settings,
    },
    'test',
  )
  const application = createApplication(SendingHost, configuration)
  onTestFinished(() => application.stop())
  return application.start()
}

test('a mail has several recipients, of whom some are hidden, a picture inside, and another address for answers', async () => {
  await get(Mailer).send({
    ...message,
    to: ['a@example.com', 'b@example.com'],
    cc: ['c@example.com'],
    bcc: ['hidden@example.com'],
    replyTo: { address: 'desk@example.com', name: 'Desk\r\nBcc: eve@example.com' },
    html: '<p><img src="cid:logo@keel" alt=""></p>',
    attachments: [
      {
        fileName: 'logo.png',
        contentType: 'image/png',
        contentId: 'logo@keel',
        content: Buffer.from('picture'),
      },
    ],
  })
  const [mail] = server.received
  expect(mail?.recipients).toEqual(['a@example.com', 'b@example.com', 'c@example.com', 'hidden@example.com'])
  const headers = new Map(mail?.headers)
  expect([headers.get('to'), headers.get('cc'), headers.get('bcc')]).toEqual([
    'a@example.com, b@example.com',
    'c@example.com',
    undefined,
  ])
  expect(headers.get('reply-to')).toMatch(/^.*desk@example\.com>$/)
  expect(mail?.source).not.toContain('hidden@')
  expect(mail?.source).toContain('Content-ID: <logo@keel>')
  expect(mail?.source).toContain('multipart/related')
  expect(mail?.source).toContain(Buffer.from('picture').toString('base64'))
})

test('a mail that waits with an attachment is sent by another process, once, and its file goes then', async () => {
  const attachment = await keep('UN/LOCODE;Name\r\nNLRTM;Rotterdam\r\n')
  await get(Mailer).sendLater({ ...message, cc: ['joe@example.com'], attachments: [attachment] })
  refusal = { text: 'Come back later', responseCode: 451 }
  const sender = await startSender()
  await expect.poll(async () => (await jobs()).at(-1)?.tries, patience).toBeGreaterThan(0)
  expect(await isKept(attachment)).toBe(true)
  refusal = undefined
  await expect.poll(async () => (await jobs()).at(-1)?.isDone, patience).toBe(true)
  expect(await isKept(attachment)).toBe(false)
  expect(server.received.map(({ recipients }) => recipients)).toEqual([
    ['jane@example.com', 'joe@example.com'],
  ])
  expect(server.received[0]?.source).toContain('Content-Disposition: attachment; filename=ports.csv')
  expect(server.received[0]?.source).toContain(
    Buffer.from('UN/LOCODE;Name\r\nNLRTM;Rotterdam\r\n').toString('base64'),
  )
  await sender.stop()
})

test('a file that two mails carry goes with the second', async () => {
  const attachment = await keep('Rotterdam')
  for (const to of ['a@example.com', 'b@example.com'])
    await get(Mailer).sendLater({ ...message, to, attachments: [attachment] })
  await startSender()
  await expect.poll(() => server.received.length, patience).toBe(2)
  await expect.poll(async () => (await jobs()).every(({ isDone }) => isDone), patience).toBe(true)
  // Both may have ended at once: then the sweep takes the file.
  const [sweep] = (await jobs('Keel.SweepMailFile')).filter(({ args }) => args.includes(blobOf(attachment)))
  if (await isKept(attachment)) await get(BackgroundJobs).retry(sweep?.id ?? '')
  await expect.poll(() => isKept(attachment), patience).toBe(false)
})

test('the sweep keeps the file of a mail that waits or was just given up, and takes one that no mail has', async () => {
  const [lonely, refused] = [await keep('lonely'), await keep('refused')]
  await get(Mailer).sendLater({ ...message, to: 'gone@example.com', attachments: [refused] })
  const sweeps = async (attachment: MailAttachment) =>
    (await jobs('Keel.SweepMailFile')).filter(
      ({ args, isDone }) => !isDone && args.includes(blobOf(attachment)),
    )
  for (const attachment of [lonely, refused])
    for (const { id } of await sweeps(attachment)) await get(BackgroundJobs).retry(id)
  const [before] = await sweeps(refused)
  await startSender()
  await expect.poll(async () => (await jobs()).at(-1)?.isAbandoned, patience).toBe(true)
  await expect.poll(() => isKept(lonely), patience).toBe(false)
  // It comes again a day later.
  const further = async () => (await sweeps(refused)).filter(({ id }) => id !== before?.id).length
  await expect.poll(further, patience).toBe(1)
  expect(await isKept(refused)).toBe(true)
})

test('50 MB are sent as a stream: less than 20 MB are in memory at any time', async () => {
  const bytes = 50_000_000
  const digest = createHash('sha256')
  let made = 0
  const content = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = randomBytes(Math.min(65_536, bytes - made))
        made += chunk.length
        digest.update(chunk)
        controller.enqueue(chunk)
        if (made === bytes) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const sender = await startMailOnly({ 'Mail:MaxAttachmentBytes': '60000000' })
  const attachment = await get(MailFiles).keep({ ...csv, fileName: 'large.bin' }, content)
  const watch = watchMemory()
  await sender.get(Mailer).send({ ...message, attachments: [attachment] })
  const addedMegabytes = watch.end()
  expect(server.received[0]?.bytes).toBeGreaterThan((bytes * 4) / 3)
  expect(server.received[0]?.largeFile).toBe(digest.digest('hex'))
  expect(addedMegabytes).toBeLessThan(20)
}, 60_000)

test('in Development an attachment is streamed into the file of the mail', async () => {
  const mails = await mkdtemp(join(tmpdir(), 'keel-mail-'))
  onTestFinished(() => rm(mails, { recursive: true }))
  const sender = await startMailOnly({ 'Mail:Delivery': 'Folder', 'Mail:Folder': mails })
  const attachment = await keep('Rotterdam')
  await sender.get(Mailer).send({ ...message, attachments: [attachment] })
  await get(BlobStore).delete(blobOf(attachment))
  const again = () => sender.get(Mailer).send({ ...message, attachments: [attachment] })
  await expect(again()).rejects.toMatchObject({ name: 'UnavailableError' })
  const names = await readdir(mails)
  expect(names).toEqual([expect.stringMatching(/\.eml$/)])
  expect(await readFile(join(mails, names[0] ?? ''), 'utf8')).toContain(
    Buffer.from('Rotterdam').toString('base64'),
  )
})

test.each([
  ['Rechnung März.pdf', /filename\*0\*=utf-8''Rechnung%20M%C3%A4rz.pdf/],
  ['a.csv\r\nBcc: eve@example.com', /filename="?a.csv_Bcc_ eve@example.com"?/],
  ['../../etc/passwd', /filename=_.._etc_passwd/],
  ['C:\\temp\\"x".exe', /filename=C_temp_x_.exe/],
  ['invoice\u202efdp.exe', /filename=invoice_fdp.exe/],
  ['', /filename=file/],
  [`${'x'.repeat(10_000)}.csv`, /filename\*?\d?\*?=.*x{20}/],
])('a file that is called %.40j has a name that is safe in a header', async (fileName, shown) => {
  await get(Mailer).send({ ...message, attachments: [{ ...csv, fileName, content: Buffer.from('x') }] })
  const [mail] = server.received
  const part =
    mail?.source.split('\r\n\r\n').find((text) => text.includes('Content-Disposition: attachment')) ?? ''
  expect(part.replace(/;\r\n /g, '; ')).toMatch(shown)
  expect(part.split('\r\n').filter((line) => /^bcc:/i.test(line))).toEqual([])
  expect(mail?.recipients).toEqual(['jane@example.com'])
})

test('what can not be sent is refused before it waits', async () => {
  const large = await keep('x'.repeat(2000))
  const sender = await startMailOnly({ 'Mail:MaxAttachmentBytes': '1000' })
  const file = { ...csv, content: Buffer.from('x') }
  const refused: Partial<MailMessage>[] = [
    { to: [] },
    { cc: ['jane@example.com\r\nBcc: eve@example.com'] },
    { bcc: Array.from({ length: 100 }, (_, index) => `p${index}@example.com`) },
    { replyTo: { address: 'desk' } },
    { attachments: [large] },
    { attachments: Array.from({ length: 21 }, () => file) },
  ]
  const waiting = (await jobs()).length
  for (const part of refused)
    for (const call of [
      () => sender.get(Mailer).send({ ...message, ...part }),
      () => sender.get(Mailer).sendLater({ ...message, ...part }),
    ])
      await expect(call()).rejects.toMatchObject({ name: 'ValidationError' })
  for (const attachment of [
    { ...file, content: Buffer.alloc(65_537) },
    { ...file, contentId: 'a>\r\nBcc: eve@example.com' },
  ])
    await expect(get(Mailer).sendLater({ ...message, attachments: [attachment] })).rejects.toThrow(RangeError)
  expect([(await jobs()).length, server.received]).toEqual([waiting, []])
})

test('a mail that the server takes for one of two recipients is sent', async () => {
  await get(Mailer).send({ ...message, to: ['gone@example.com', 'here@example.com'] })
  expect(server.received.map(({ recipients }) => recipients)).toEqual([['here@example.com']])
})

/** A process without workers and with other settings, on the same blobs. */
async function startMailOnly(settings: Record<string, string>): Promise<Application> {
  const configuration = new Configuration().add(
    {
      'ConnectionStrings:Default': app.host.databaseUrl('Default'),
      'Blobs:Folder': folder,
      'Log:Level': 'silent',
      ...server.settings,
      ...settings,
    },
    'test',
  )
  const application = createApplication(MailQueueModule, configuration)
  onTestFinished(() => application.stop())
  return application.start()
}
