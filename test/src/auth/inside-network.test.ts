import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { AuthHost as AuthHostModule } from '@keel/auth-host'
import { type Application, Configuration, createApplication } from '@keel/framework'
import { UnavailableError } from '@keel/framework/contracts'
import { HttpHost } from '@keel/framework/http'
import { Mailer } from '@keel/framework/mail'
import { SignIn } from '@keel/identity/contracts'
import { ExternalProviders, StoredSettings } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type AuthHost, issuer, startAuthHost } from './auth-host.js'
import { useAuthority } from './authority.js'
import { Browser } from './browser.js'
import { selfSigned } from './certificates.js'
import { type Directory, startDirectory } from './directory.js'
import { authorizationRequest } from './sign-in.js'

const certificate = selfSigned('production')
const contoso = 'OpenIdConnect.contoso'

/** Keeps the database. */
let auth: AuthHost
let directory: Directory

beforeAll(async () => {
  auth = await startAuthHost()
  directory = await startDirectory([`${issuer}signin-oidc/contoso`])
})
afterAll(async () => {
  await auth?.close()
  await directory?.close()
})

/** Starts the auth server as it is outside Development. */
async function startInProduction(allowed = ''): Promise<Application> {
  const configuration = new Configuration('Production').add(
    {
      'ConnectionStrings:Default': auth.host.databaseUrl('Default'),
      'StringEncryption:DefaultPassPhrase': 'the pass phrase of this test',
      'AuthServer:Authority': issuer,
      'AuthServer:RequireHttpsMetadata': 'false',
      'AuthServer:SigningCertificate': certificate,
      'App:SelfUrl': issuer,
      'App:AllowedInternalAddresses': allowed,
      PORT: '0',
      'Log:Level': 'silent',
    },
    'test',
  )
  const application = createApplication(AuthHostModule, configuration)
  onTestFinished(() => application.stop())
  return application.start()
}

describe('a mail server that an administrator enters', () => {
  const message = { to: 'jane@example.com', subject: 'Hello', text: 'Words' }

  async function send(application: Application, host: string, port: number): Promise<unknown> {
    const settings = { 'Abp.Mailing.Smtp.Host': host, 'Abp.Mailing.Smtp.Port': port }
    await application.get(StoredSettings).setForEverybody(settings)
    return application
      .get(Mailer)
      .send(message)
      .catch((error: unknown) => error)
  }

  test('is not connected to inside the network, and open and closed ports are told alike', async () => {
    const open = await countingServer()
    const closed = await countingServer()
    await closed.close()
    const application = await startInProduction()
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '::ffff:127.0.0.1'])
      for (const { port } of [open, closed]) {
        const error = await send(application, host, port)
        expect(error).toBeInstanceOf(UnavailableError)
        expect((error as Error).message).toBe(`The mail server ${host}:${port} does not take mail`)
        expect((error as Error).cause).toBeUndefined()
      }
    expect(open.connections()).toBe(0)
  })

  test('where it is allowed and is none, is told like one that is not there', async () => {
    const open = await countingServer()
    const closed = await countingServer()
    await closed.close()
    const application = await startInProduction(`127.0.0.1:${open.port},127.0.0.1:${closed.port}`)
    for (const { port } of [open, closed]) {
      const error = await send(application, '127.0.0.1', port)
      expect(error).toBeInstanceOf(UnavailableError)
      expect((error as Error).message).toBe(`The mail server 127.0.0.1:${port} does not take mail`)
      expect((error as Error).cause).toBeUndefined()
    }
    expect(open.connections()).toBe(1)
  })
})

describe('the authority of a provider that an administrator enters', () => {
  async function chooseContoso(application: Application, authority: string) {
    await application.get(ExternalProviders).replace([
      {
        name: contoso,
        enabled: true,
        properties: { Authority: authority, ClientId: directory.clientId, DisplayName: 'Contoso' },
        secretProperties: { ClientSecret: directory.clientSecret },
      },
    ])
    const { address } = application.get(HttpHost)
    const browser = new Browser(issuer, (input, init) => {
      const { pathname, search } = new URL(String(input), issuer)
      return fetch(address + pathname + search, init)
    })
    const page = await browser.open(authorizationRequest().address)
    return browser.submit(page, { provider: contoso }, 'class="providers"')
  }

  test('is not connected to inside the network', async () => {
    const open = await countingServer()
    const page = await chooseContoso(await startInProduction(), `http://localhost:${open.port}`)
    expect(page.callback).toBeUndefined()
    expect(page.html).toContain('Contoso')
    expect(open.connections()).toBe(0)
  })

  test('is asked where the configuration allows it', async () => {
    const application = await startInProduction(new URL(directory.authority).host)
    const { callback } = await chooseContoso(application, directory.authority)
    expect(callback?.origin).toBe(directory.authority)
  })
})

describe('the authority of passwords that an administrator enters', () => {
  const attempt = async (application: Application, authority: string): Promise<unknown> => {
    const form = { enableOAuthLogin: true, clientId: 'keel', authority, requireHttpsMetadata: false }
    await useAuthority(application, form)
    return application
      .get(SignIn)
      .check(`somebody-${authority.length}`, 'a password')
      .catch((error: unknown) => error)
  }

  test('is not connected to inside the network, and is reached where that is allowed', async () => {
    const open = await countingServer()
    const address = `http://localhost:${open.port}`
    expect(await attempt(await startInProduction(), address)).toBeInstanceOf(UnavailableError)
    expect(open.connections()).toBe(0)
    const allowing = await startInProduction(`localhost:${open.port}`)
    expect(await attempt(allowing, address)).toBeInstanceOf(UnavailableError)
    expect(open.connections()).toBe(1)
  })
})

interface CountingServer {
  readonly port: number
  connections(): number
  close(): Promise<void>
}

/** Says what no mail server says, to whoever connects. */
async function countingServer(): Promise<CountingServer> {
  let count = 0
  const server: Server = createServer((socket) => {
    count += 1
    socket.on('error', () => undefined)
    // Unread, it would not notice that the other side is gone.
    socket.resume()
    socket.end('500 SSH-2.0-secret-banner\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  onTestFinished(close)
  return { port, connections: () => count, close }
}
