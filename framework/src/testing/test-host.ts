import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../client/index.js'
import type { AnyAppService } from '../contracts/index.js'
import type { DatabaseServer } from '../data/connections/database-server.js'
import { HttpHost } from '../http/host/http-host.js'
import { type Application, createApplication } from '../modularity/application.js'
import type { Class, Constructor } from '../modularity/class.js'
import { Clock } from '../modularity/clock.js'
import { Configuration } from '../modularity/configuration.js'
import type { KeelModule } from '../modularity/module.js'
import { type CopiedDatabases, copiedDatabases } from './copied-databases.js'
import { TokenIssuer, type TokenOptions } from './token-issuer.js'

/** How a test host is started. */
export interface TestHostOptions {
  /** The server that databases are made on. */
  readonly server: DatabaseServer
  /** The same server past the pooler that `server` leads through: the host listens for changes there. */
  readonly directServer?: DatabaseServer
  /** From connection name to the database that is copied for this host. */
  readonly templates: Readonly<Record<string, string>>
  /** Makes the copies; when not given they are made at the start and dropped at the end. */
  readonly databases?: CopiedDatabases
  /** A host whose databases and tokens this one shares, as a second process would; it is closed after this one. */
  readonly beside?: TestHost
  /** The clock of the host and of the tokens for it; the system's when not given. */
  readonly clock?: Clock
  /** Settings over those of every test host, by `A:B:C` keys. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A real host of some modules, on databases and with blobs of its own. */
export interface TestHost {
  readonly application: Application
  readonly issuer: TokenIssuer
  /** Where it listens. */
  readonly url: string
  /** The address of one of its databases. */
  databaseUrl(connection: string): string
  get<T>(token: Class<T>): T
  /** A raw call, for tests whose subject is the wire. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Calls in the name of whoever a token was given to. */
  as(options: TokenOptions): Promise<TestCaller>
  /** Stops it and drops its databases. */
  close(): Promise<void>
}

/** Somebody who calls a test host. */
export interface TestCaller {
  readonly token: string
  /** A contract, spoken over HTTP. */
  service<S extends AnyAppService>(contract: S): InstanceType<S>
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/**
 * Starts a real host with a real HTTP server on copies of migrated databases, and closes what it opened when the start fails.
 * @example const host = await startTestHost(ApiHost, { server, templates: { Default: 'keel_template_default' } })
 */
export async function startTestHost(
  root: Constructor<KeelModule>,
  options: TestHostOptions,
): Promise<TestHost> {
  const { server, directServer, templates, beside, clock, settings = {} } = options
  const { databases = copiedDatabases(server) } = options
  const connections = beside ? [] : Object.keys(templates)
  let names: readonly string[] = []
  const blobs = join(tmpdir(), `keel-test-blobs-${randomUUID().slice(0, 8)}`)
  const issuer = beside?.issuer ?? (await TokenIssuer.start(clock))
  let application: Application | undefined
  try {
    names = await databases.take(connections.map((connection) => templates[connection] ?? ''))
    application = createApplication(root, testConfiguration())
    if (clock) application.provide(Clock, clock)
    await application.start()
  } catch (error) {
    await close()
    throw error
  }
  const running = application
  const url = running.get(HttpHost).address
  return {
    application: running,
    issuer,
    url,
    databaseUrl: urlOf,
    get: (token) => running.get(token),
    fetch: (path, init) => fetch(url + path, init),
    as: async (who) => caller(url, await issuer.token(who)),
    close,
  }

  function urlOf(connection: string): string {
    if (beside) return beside.databaseUrl(connection)
    return server.urlOf(names[connections.indexOf(connection)] ?? '')
  }

  function testConfiguration(): Configuration {
    const configuration = new Configuration('Development')
    for (const connection of Object.keys(templates)) {
      const url = urlOf(connection)
      const direct = directServer?.urlOf(new URL(url).pathname.slice(1))
      configuration.add(
        {
          [`ConnectionStrings:${connection}`]: url,
          ...(direct && { [`ConnectionStrings:${connection}Direct`]: direct }),
        },
        'test host',
      )
    }
    const defaults = {
      PORT: '0',
      'App:SelfUrl': 'http://localhost:4000',
      'AuthServer:Authority': issuer.address,
      'AuthServer:RequireHttpsMetadata': 'false',
      'Blobs:Folder': blobs,
      // Unexpected errors are shown in the output of the tests.
      'Log:Level': 'error',
      // All of them come from one address.
      'RateLimits:AnonymousPermitsPerMinute': '0',
    }
    return configuration.add(defaults, 'test host').add(settings, 'test')
  }

  async function close(): Promise<void> {
    await application?.stop()
    if (!beside) await issuer.stop()
    await databases.giveBack(names)
    await rm(blobs, { recursive: true, force: true })
  }
}

function caller(url: string, token: string): TestCaller {
  return {
    token,
    service: (contract) => createClient(contract, { baseUrl: url, accessToken: () => token, retry: false }),
    fetch: (path, init = {}) =>
      fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
  }
}
