import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { BusinessError, UnavailableError, ValidationError } from '../contracts/index.js'
import { createApplication } from '../modularity/application.js'
import { Configuration } from '../modularity/configuration.js'
import { MailModule } from './mail.module.js'
import { Mailer, mailRefused } from './mailer.js'

const message = { to: 'jane@example.com', subject: 'Hello, Zoë', text: 'Plain words', html: '<p>Words</p>' }

test('in Development a message is a file that nobody else may read', async () => {
  const folder = await temporaryFolder()
  const mailer = await startMailer({ 'Mail:Folder': folder })
  await mailer.send(message)
  const names = await readdir(folder)
  const content = await readFile(join(folder, names[0] ?? ''), 'utf8')
  expect(names).toEqual([expect.stringMatching(/^\d{4}-.*\.eml$/)])
  expect(content).toContain('From: Keel <noreply@keel.local>\r\n')
  expect(content).toContain('To: jane@example.com\r\n')
  expect(content).toContain('Plain words')
  expect(content).toContain('<p>Words</p>')
})

test('outside Development a message goes to the server of the settings', async () => {
  const server = await startSmtp()
  const mailer = await startMailer(
    { ...server.settings, 'Settings:Abp.Mailing.DefaultFromDisplayName': 'Acme Freight' },
    'Production',
  )
  await mailer.send(message)
  expect(server.received).toEqual([
    {
      from: 'noreply@keel.local',
      to: ['jane@example.com'],
      user: undefined,
      content: expect.stringContaining('From: Acme Freight <noreply@keel.local>'),
    },
  ])
})

test('the mailer signs in with domain and user name when it is told to', async () => {
  const server = await startSmtp({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('wrong')),
  })
  const credentials = {
    'Settings:Abp.Mailing.Smtp.UseDefaultCredentials': 'false',
    'Settings:Abp.Mailing.Smtp.UserName': 'mailer',
    'Settings:Abp.Mailing.Smtp.Domain': 'acme',
  }
  const right = await startMailer({
    ...server.settings,
    ...credentials,
    'Settings:Abp.Mailing.Smtp.Password': 'right',
  })
  await right.send(message)
  expect(server.received.map(({ user }) => user)).toEqual(['acme\\mailer'])
  const wrong = await startMailer({
    ...server.settings,
    ...credentials,
    'Settings:Abp.Mailing.Smtp.Password': 'wrong',
  })
  await expect(wrong.send(message)).rejects.toMatchObject({ code: mailRefused })
})

test('a recipient whom the server refuses for good is a business error with its answer', async () => {
  const server = await startSmtp({
    onRcptTo: (_to, _session, done) =>
      done(Object.assign(new Error('No such mailbox'), { responseCode: 550 })),
  })
  const mailer = await startMailer(server.settings)
  const error = await mailer.send(message).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BusinessError)
  expect(error).toMatchObject({ code: mailRefused, data: { reason: '550 No such mailbox' } })
})

test('a server that is busy or not there is unavailable', async () => {
  const busy = await startSmtp({
    onMailFrom: (_from, _session, done) =>
      done(Object.assign(new Error('Come back later'), { responseCode: 451 })),
  })
  const nobody = { ...busy.settings, 'Settings:Abp.Mailing.Smtp.Port': String(await closedPort()) }
  for (const settings of [busy.settings, nobody])
    await expect((await startMailer(settings)).send(message)).rejects.toBeInstanceOf(UnavailableError)
  expect(busy.received).toEqual([])
})

test('a server that can not encrypt gets no mail when encryption is demanded', async () => {
  const server = await startSmtp()
  const mailer = await startMailer({ ...server.settings, 'Settings:Abp.Mailing.Smtp.EnableSsl': 'true' })
  await expect(mailer.send(message)).rejects.toMatchObject({ code: mailRefused })
  expect(server.received).toEqual([])
})

test('a server with a certificate that nobody vouches for gets no mail', async () => {
  const server = await startSmtp({ disabledCommands: [] })
  const mailer = await startMailer({ ...server.settings, 'Settings:Abp.Mailing.Smtp.EnableSsl': 'true' })
  await expect(mailer.send(message)).rejects.toBeInstanceOf(UnavailableError)
  expect(server.received).toEqual([])
})

test.each([
  ['a line break in the subject', { subject: 'Hello\r\nBcc: eve@example.com' }],
  ['a line separator in the subject', { subject: 'Hello\u2028Bcc: eve@example.com' }],
  ['a line break in the address', { to: 'jane@example.com\r\nBcc: eve@example.com' }],
  ['two addresses', { to: 'jane@example.com, eve@example.com' }],
  ['an address with a name', { to: 'Jane <jane@example.com>' }],
  ['an address in quotes', { to: '"jane@example.com> x"@example.org' }],
  ['no address', { to: 'jane' }],
  ['a sender that is none', { from: { address: 'jane@example.com\nBcc: eve@example.com' } }],
])('a message with %s is refused', async (_what, changes) => {
  const server = await startSmtp()
  const mailer = await startMailer(server.settings)
  await expect(mailer.send({ ...message, ...changes })).rejects.toBeInstanceOf(ValidationError)
  expect(server.received).toEqual([])
})

test('a line break in the name of the sender starts no header', async () => {
  const server = await startSmtp()
  const mailer = await startMailer(server.settings)
  await mailer.send({
    ...message,
    from: { address: 'desk@example.com', name: 'Desk\r\nBcc: eve@example.com' },
  })
  expect(server.received.map(({ to, from }) => ({ to, from }))).toEqual([
    { to: ['jane@example.com'], from: 'desk@example.com' },
  ])
  expect(server.received[0]?.content).not.toMatch(/^Bcc:/im)
})

test('mail that is sent later leaves before the host has stopped, and one that fails stops nothing', async () => {
  const server = await startSmtp({
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('gone') ? Object.assign(new Error('Gone'), { responseCode: 550 }) : undefined),
  })
  const application = await startMailApplication(server.settings)
  const mailer = application.get(Mailer)
  for (const name of ['gone', 'a', 'b', 'c', 'd', 'e', 'f'])
    await mailer.sendLater({ ...message, to: `${name}@example.com` })
  await application.stop()
  expect(server.received.flatMap(({ to }) => to).sort()).toEqual(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.com`),
  )
})

interface Received {
  readonly from: string
  readonly to: readonly string[]
  readonly user: unknown
  readonly content: string
}

async function startSmtp(
  options: SMTPServerOptions = {},
): Promise<{ settings: Record<string, string>; received: Received[] }> {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          content: Buffer.concat(chunks).toString('utf8'),
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    settings: {
      'Mail:Delivery': 'Smtp',
      'Settings:Abp.Mailing.Smtp.Host': '127.0.0.1',
      'Settings:Abp.Mailing.Smtp.Port': String(port),
    },
  }
}

async function startMailApplication(settings: Record<string, string>, environment = 'Development') {
  const configuration = new Configuration(environment).add({ 'Log:Level': 'silent', ...settings }, 'test')
  const application = await createApplication(MailModule, configuration).start()
  onTestFinished(() => application.stop())
  return application
}

async function startMailer(settings: Record<string, string>, environment?: string): Promise<Mailer> {
  return (await startMailApplication(settings, environment)).get(Mailer)
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keel-mail-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

async function closedPort(): Promise<number> {
  const server: Server = createServer((socket: Socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}
