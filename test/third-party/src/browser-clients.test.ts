import { readFileSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { nextFreePort } from '@keel/embedded-postgres'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthHost, password, startAuthHost } from '../../src/auth/auth-host.js'
import { seedClients } from '../../src/auth/seed-clients.js'
import { launchBrowser, noBrowser } from './chromium.js'

/** The libraries that pages sign in with, in a real browser, against a client of theirs. */
describe.skipIf(noBrowser)(`in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let auth: AuthHost
  let authUrl: string
  let site: Site
  let browser: Browser

  beforeAll(async () => {
    const port = await nextFreePort(20_000 + Math.floor(Math.random() * 20_000))
    authUrl = `http://localhost:${port}`
    const settings = { PORT: String(port), 'App:SelfUrl': authUrl, 'AuthServer:Authority': authUrl }
    ;[auth, site, browser] = await Promise.all([startAuthHost({ settings }), startSite(), launchBrowser()])
    await seedClients(auth, {
      ClientId: 'spa',
      GrantTypes: ['authorization_code', 'refresh_token', 'password'],
      RedirectUris: [`${site.url}/`, `${site.url}/callback`],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
    await auth?.close()
  })

  /** A page of the site that runs a library. */
  async function open(library: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${site.url}/${library}`)
    return page
  }

  async function signInAt(page: Page): Promise<void> {
    await page.waitForURL(`${authUrl}/**`)
    await page.locator('input[name=userName]').fill('operator')
    await page.locator('input[name=password]').fill(password)
    await Promise.all([
      page.waitForURL(`${site.url}/**`),
      page.locator('input[name=password]').press('Enter'),
    ])
  }

  /** Calls a function of the page by its name. */
  const call = (page: Page, name: string): Promise<unknown> =>
    page.evaluate((what) => (globalThis as unknown as Record<string, () => Promise<unknown>>)[what]?.(), name)

  test('oidc-client-ts signs in, refreshes, asks silently in a frame, and signs out with revocation', async () => {
    const page = await open('oidc-client')
    await Promise.all([call(page, 'signIn').catch(() => undefined), signInAt(page)])
    expect(await call(page, 'finish')).toMatchObject({
      profile: { preferred_username: 'operator', email: 'operator@keel.local', given_name: 'Olga' },
      scopes: expect.arrayContaining(['openid', 'offline_access', 'Core']),
    })
    expect(await call(page, 'refresh')).toBe('another access token')
    expect(await call(page, 'askSilently')).toBe('another access token')
    await Promise.all([page.waitForURL(`${site.url}/`), call(page, 'signOut').catch(() => undefined)])
    const [row] = await auth.database.query<{ n: number }>({
      text: `select count(*)::int as n from "OpenIddictTokens" where "Type" = 'refresh_token' and "Status" = 'valid'`,
      values: [],
    })
    expect(row?.n).toBe(0)
    await page.context().close()
  })

  test('angular-oauth2-oidc, strict about discovery, signs in by code and by password, refreshes, reads the profile and signs out', async () => {
    const page = await open('angular')
    await Promise.all([call(page, 'signIn').catch(() => undefined), signInAt(page)])
    expect(await call(page, 'finish')).toMatchObject({ preferred_username: 'operator' })
    expect(await call(page, 'profile')).toMatchObject({ info: { email: 'operator@keel.local' } })
    expect(await call(page, 'refresh')).toBe('another access token')
    await Promise.all([page.waitForURL(`${site.url}/`), call(page, 'signOut').catch(() => undefined)])
    await page.goto(`${site.url}/angular`)
    expect(await call(page, 'byPassword')).toBe(true)
    await page.context().close()
  })

  interface Site {
    readonly url: string
    close(): Promise<void>
  }

  /** The pages of the client: one for each library, which tell the server by their path what to run. */
  async function startSite(): Promise<Site> {
    const scripts: Readonly<Record<string, string>> = {
      '/oidc-client.js': readFileSync(
        createRequire(import.meta.url)
          .resolve('oidc-client-ts')
          .replace(/dist.*/, 'dist/browser/oidc-client-ts.js'),
        'utf8',
      ),
      '/angular.js': await bundled('angular-client.ts'),
    }
    const server = http.createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://site')
      const script = scripts[pathname]
      response.setHeader('content-type', `text/${script ? 'javascript' : 'html'}; charset=utf-8`)
      response.end(script ?? pageFor(pathname))
    })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    return {
      url: `http://localhost:${(server.address() as AddressInfo).port}`,
      async close() {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }

  function pageFor(path: string): string {
    const authority = JSON.stringify(`${authUrl}/`)
    // Both come back to the same addresses: the page itself remembers which library it runs.
    return `<!doctype html><title>Client</title><script>window.authority = ${authority}
      if (${JSON.stringify(path)} === '/oidc-client' || ${JSON.stringify(path)} === '/angular') sessionStorage.library = ${JSON.stringify(path)}
      </script>
      <script>document.write('<script src="' + (sessionStorage.library ?? '/oidc-client') + '.js"></' + 'script>')</script>
      <script>${oidcClientPage}</script>`
  }
})

const oidcClientPage = `
if (window.oidc) {
  const manager = new oidc.UserManager({
    authority, client_id: 'spa', redirect_uri: location.origin + '/callback', post_logout_redirect_uri: location.origin + '/',
    scope: 'openid offline_access profile email Core', loadUserInfo: true, revokeTokensOnSignout: true,
    silent_redirect_uri: location.origin + '/callback',
    userStore: new oidc.WebStorageStateStore({ store: sessionStorage }),
  })
  if (window.parent !== window) manager.signinSilentCallback()
  const changed = async (renew) => {
    const before = await manager.getUser()
    const after = await renew(before)
    return after.access_token !== before.access_token ? 'another access token' : 'the same access token'
  }
  Object.assign(window, {
    signIn: () => manager.signinRedirect(),
    finish: async () => { const { profile, scopes } = await manager.signinRedirectCallback(); return { profile, scopes } },
    refresh: () => changed(() => manager.signinSilent()),
    // Without a refresh token it asks in a frame.
    askSilently: () => changed(async (user) => {
      await manager.revokeTokens(['refresh_token'])
      const left = await manager.getUser()
      left.refresh_token = undefined
      await manager.storeUser(left)
      return manager.signinSilent()
    }),
    signOut: () => manager.signoutRedirect(),
  })
}`

/** A program for the browser as one script. */
async function bundled(file: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root: fileURLToPath(new URL('.', import.meta.url)),
    build: {
      write: false,
      minify: false,
      lib: { entry: fileURLToPath(new URL(file, import.meta.url)), formats: ['iife'], name: 'client' },
    },
  })
  const [output] = [result].flat()
  const chunk = output && 'output' in output ? output.output.find(({ type }) => type === 'chunk') : undefined
  return chunk && 'code' in chunk ? chunk.code : ''
}
