import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Configuration, createApplication, KeelModule, Module, Provides } from '@keel/framework'
import { BusinessError, UnavailableError, ValidationError } from '@keel/framework/contracts'
import { HttpModule } from '@keel/framework/http'
import { JobWorkerModule } from '@keel/framework/jobs'
import {
  type OutgoingSms,
  SmsGateway,
  SmsModule,
  SmsSender,
  smsNotConfigured,
  smsRefused,
} from '@keel/framework/sms'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createSmsFolder } from '../account/text-messages.js'
import { type App, startApp } from '../support/app.js'

const secret = 'the secret of this test'
const message = { phoneNumber: '+49 40 123456', text: 'Hello, Zoë\nSecond line' }

@Module({ dependsOn: [SmsModule, JobWorkerModule] })
class SmsHost extends KeelModule {}

@Module({ dependsOn: [HttpModule, SmsModule] })
class HostWithoutWorkers extends KeelModule {}

/** Keeps the database. */
let app: App
beforeAll(async () => {
  app = await startApp(HostWithoutWorkers)
})
afterAll(() => app?.close())

test('in Development a message is a file that nobody else may read', async () => {
  const folder = await createSmsFolder()
  onTestFinished(() => folder.remove())
  const sender = await startSender({ 'Sms:Folder': folder.path })
  expect(sender.isAvailable).toBe(true)
  await sender.send(message)
  expect(await folder.to('+4940123456')).toEqual(['Hello, Zoë\nSecond line\n'])
})

test('outside Development nothing is sent without a gateway, and the refusal has a type', async () => {
  const sender = await startSender({}, 'Production')
  expect(sender.isAvailable).toBe(false)
  for (const refused of [() => sender.send(message), () => sender.sendLater(message)])
    await expect(refused()).rejects.toMatchObject({ name: 'BusinessError', code: smsNotConfigured })
})

test('a webhook gets messages as JSON with the shared secret, later ones too', async () => {
  const gateway = await startGateway()
  const sender = await startSender(gateway.settings)
  await sender.send(message)
  await sender.sendLater({ ...message, text: 'Later' })
  await expect.poll(() => gateway.received.length, { timeout: 10_000 }).toBe(2)
  const body = (text: string) => ({ id: expect.any(String), phoneNumber: '+4940123456', text })
  expect(gateway.received).toEqual(
    [message.text, 'Later'].map((text) => ({
      method: 'POST',
      authorization: `Bearer ${secret}`,
      type: 'application/json',
      body: body(text),
    })),
  )
})

test('a message that is worth nothing any more is not sent', async () => {
  const gateway = await startGateway()
  const sender = await startSender(gateway.settings)
  await sender.sendLater({ ...message, text: 'Too late', usefulUntil: new Date(Date.now() - 1) })
  await sender.sendLater({ ...message, text: 'In time', usefulUntil: new Date(Date.now() + 60_000) })
  await expect
    .poll(() => gateway.received.map(({ body }) => body.text), { timeout: 10_000 })
    .toEqual(['In time'])
})

test('a gateway that refuses for good is a business error, one that is busy or away is unavailable', async () => {
  for (const status of [400, 401, 302]) {
    const sender = await startSender((await startGateway(status)).settings)
    await expect(sender.send(message)).rejects.toMatchObject({ code: smsRefused, data: { status } })
  }
  for (const status of [429, 503]) {
    const sender = await startSender((await startGateway(status)).settings)
    await expect(sender.send(message)).rejects.toBeInstanceOf(UnavailableError)
  }
  const gone = await startGateway()
  await gone.close()
  await expect((await startSender(gone.settings)).send(message)).rejects.toBeInstanceOf(UnavailableError)
})

test('outside Development a webhook inside the network is not connected to unless it is allowed', async () => {
  const gateway = await startGateway()
  const webhookUrl = gateway.settings['Sms:WebhookUrl'].replace('http:', 'https:')
  const settings = { ...gateway.settings, 'Sms:WebhookUrl': webhookUrl }
  const guarded = await startSender(settings, 'Production')
  await expect(guarded.send(message)).rejects.toBeInstanceOf(UnavailableError)
  expect(gateway.connections()).toBe(0)
  const allowed = { ...settings, 'App:AllowedInternalAddresses': new URL(webhookUrl).host }
  await expect((await startSender(allowed, 'Production')).send(message)).rejects.toBeInstanceOf(
    UnavailableError,
  )
  // It speaks no TLS, and was asked all the same.
  expect(gateway.connections()).toBe(1)
})

test.each([
  ['without a secret', { 'Sms:WebhookUrl': 'https://sms.example.com' }, 'Sms:WebhookSecret'],
  [
    'without encryption',
    { 'Sms:WebhookUrl': 'http://sms.example.com', 'Sms:WebhookSecret': secret },
    'https:',
  ],
  ['without an address', { 'Sms:Delivery': 'Webhook', 'Sms:WebhookSecret': secret }, 'Sms:WebhookUrl'],
])('a webhook %s stops the start outside Development', async (_what, settings, told) => {
  await expect(startSender(settings, 'Production')).rejects.toThrow(told)
})

test.each([
  ['a number without its country code', { phoneNumber: '040 123456' }],
  ['two numbers', { phoneNumber: '+4940123456,+4940123457' }],
  ['no text', { text: '' }],
  ['a text that is too long', { text: 'x'.repeat(269) }],
  ['a control character', { text: 'Hello\u001b[2J' }],
])('a message with %s is refused', async (_what, changes) => {
  const gateway = await startGateway()
  const sender = await startSender(gateway.settings)
  for (const refused of [
    () => sender.send({ ...message, ...changes }),
    () => sender.sendLater({ ...message, ...changes }),
  ])
    await expect(refused()).rejects.toBeInstanceOf(ValidationError)
  expect(gateway.received).toEqual([])
})

const delivered: OutgoingSms[] = []

@Provides(SmsGateway)
class AcmeSms extends SmsGateway {
  async deliver(sms: OutgoingSms): Promise<void> {
    if (sms.text === 'refuse') throw new BusinessError(smsRefused)
    delivered.push(sms)
  }
}

@Module({ dependsOn: [SmsHost], services: [AcmeSms] })
class HostWithGateway extends KeelModule {}

test('a host has messages sent by the gateway that it provides', async () => {
  const sender = await startSender({}, 'Production', HostWithGateway)
  expect(sender.isAvailable).toBe(true)
  await sender.send(message)
  expect(delivered).toEqual([{ id: expect.any(String), phoneNumber: '+4940123456', text: message.text }])
  await expect(sender.send({ ...message, text: 'refuse' })).rejects.toMatchObject({ code: smsRefused })
})

async function startSender(
  settings: Record<string, string>,
  environment = 'Development',
  root: typeof SmsHost = SmsHost,
): Promise<SmsSender> {
  const configuration = new Configuration(environment).add(
    {
      'ConnectionStrings:Default': app.host.databaseUrl('Default'),
      'Log:Level': 'silent',
      'Jobs:PollMs': '100',
      ...settings,
    },
    'test',
  )
  const application = createApplication(root, configuration)
  onTestFinished(() => application.stop())
  await application.start()
  return application.get(SmsSender)
}

interface Received {
  readonly method: string | undefined
  readonly authorization: string | undefined
  readonly type: string | undefined
  readonly body: OutgoingSms
}

async function startGateway(status = 202) {
  const received: Received[] = []
  let connections = 0
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, headers } = request
      const body = JSON.parse(Buffer.concat(chunks).toString())
      received.push({ method, authorization: headers.authorization, type: headers['content-type'], body })
      response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end()
    })
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  return {
    received,
    connections: () => connections,
    close,
    settings: { 'Sms:WebhookUrl': `http://127.0.0.1:${port}/sms`, 'Sms:WebhookSecret': secret },
  }
}
