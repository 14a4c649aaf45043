import { AuthHost as AuthHostModule } from '@keel/auth-host'
import { type Database, Databases } from '@keel/framework/data'
import { type ManualClock, startTestHost, type TestHost } from '@keel/framework/testing'
import { comparedWithDocument } from '../support/documented-traffic.js'
import { spareDatabases } from '../support/spare-databases.js'
import { templates, testServer } from '../support/test-databases.js'
import { Browser } from './browser.js'

/** Its public address. It listens somewhere else, as behind a proxy: whatever it publishes must start with this. */
export const issuer = 'http://login.keel.test/'

/** The seeded client of the web front end, and where it lets people return to. */
export const webApp = { client_id: 'Core_App', redirect_uri: 'http://localhost:4200' } as const
export const tooling = { client_id: 'tooling', client_secret: 'development-only-tooling-secret' } as const
/** Of every seeded user. */
export const password = '1q2w3E*'

/** An answer of a token endpoint. */
export interface TokenAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  readonly body: any
  readonly headers: Headers
}

/** A running auth server with its seeded clients and users. */
export interface AuthHost {
  readonly host: TestHost
  readonly database: Database
  /** @param headers sent with every request */
  browser(headers?: Readonly<Record<string, string>>): Browser
  /** `fetch` for addresses below the issuer. */
  readonly fetch: typeof fetch
  /** Posts a form to an endpoint of the protocol, without cookies. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<TokenAnswer>
  close(): Promise<void>
}

/** How the auth server is started. */
export interface AuthHostOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** Another host, whose database this one shares; it is closed after this one. */
  readonly beside?: Pick<AuthHost, 'host'>
  /** Of what the host times by `Clock`; the protocol's own times are the system's. */
  readonly clock?: ManualClock
}

/** Starts the auth server, on a database of its own unless it is a copy. */
export async function startAuthHost({ settings, beside, clock }: AuthHostOptions = {}): Promise<AuthHost> {
  const options = {
    server: testServer,
    databases: spareDatabases,
    templates: { Default: templates.Default },
    settings: { 'AuthServer:Authority': issuer, ...settings },
    ...(beside && { beside: beside.host }),
    ...(clock && { clock }),
  }
  const host = comparedWithDocument(await startTestHost(AuthHostModule, options), {
    root: AuthHostModule,
    settings: options.settings,
  })
  const toHost: typeof fetch = (input, init) => {
    const { pathname, search } = new URL(String(input), issuer)
    return fetch(host.url + pathname + search, init)
  }
  return {
    host,
    database: host.get(Databases).named('Default'),
    browser: (headers) => new Browser(issuer, toHost, headers),
    fetch: toHost,
    async post(path, fields, headers = {}) {
      const response = await toHost(path, { method: 'POST', body: new URLSearchParams(fields), headers })
      const text = await response.text()
      return { status: response.status, body: text ? JSON.parse(text) : undefined, headers: response.headers }
    },
    close: () => host.close(),
  }
}

/** What a JWT says, unchecked. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into tokens of all shapes
export function claimsOf(jwt: string): any {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}
