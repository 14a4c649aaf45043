import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createHubProxy, type HubProxy, passwordLogin } from '@keel/hub-proxy'
import type { Browser, Page } from 'playwright-core'
import { type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compile, installPacked } from '../../src/support/packed-packages.js'
import { type Platform, startPlatform } from '../../src/support/platform.js'
import { launchBrowser, noBrowser } from './chromium.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)
const react = ['react', 'react-dom', '@types/react', '@types/react-dom', '@tanstack/react-query']

describe.skipIf(noBrowser)(`in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  /** A folder outside of the repository with the example and the packed packages installed in it. */
  let folder: string
  let platform: Platform
  let browser: Browser
  let site: PreviewServer
  let page: Page
  /** The same person, in another program. */
  let hub: HubProxy
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keel-example-'))
    spawnSync(process.execPath, [join(root, '.ci/install.mjs'), 'hosts/admin/ui'], { stdio: 'inherit' })
    ;[platform, browser] = await Promise.all([
      startPlatform(),
      launchBrowser(),
      cp(join(root, 'examples/browser'), folder, { recursive: true }),
      installPacked(folder, ['@keel/hub-proxy', '@keel/react'], {
        'hosts/admin/ui': react,
        '': ['zod', 'vite'],
      }),
    ])
    const { NODE_ENV: _, ...env } = process.env
    const built = run(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build'], {
      cwd: folder,
      env: { ...env, VITE_API_URL: platform.apiUrl, VITE_AUTH_URL: platform.authUrl },
    })
    await Promise.all([built, compile(folder, '-p', '.')])
    const port = Number(new URL(platform.adminUrl).port)
    site = await preview({ root: folder, configFile: false, preview: { port, strictPort: true } })
    hub = createHubProxy({
      baseUrl: platform.apiUrl,
      accessToken: passwordLogin({
        authority: platform.authUrl,
        clientId: 'Core_App',
        scope: 'Core',
        userName: 'admin',
        password: '1q2w3E*',
      }),
    })
    page = await (await browser.newContext({ locale: 'en' })).newPage()
    page.setDefaultTimeout(20_000)
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
    await platform?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  test('the example in the browser is compiled with the packed packages, signs in by code and PKCE, and lists and creates shipments', async () => {
    await page.goto(platform.adminUrl)
    await page.locator('input[name=userName]').fill('admin')
    await page.locator('input[name=password]').fill('1q2w3E*')
    await page.locator('input[name=password]').press('Enter')
    await page.getByText('0 of 0').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByText(/^Between [1-9]\d* seaports\.$/).waitFor()
    for (let number = 10; number < 30; number++)
      await hub.shipments.create({ shipmentReference: `EX-${number}` })
    await page.getByLabel('Reference').fill('EX-07')
    await page.getByRole('button', { name: 'Create' }).click()
    // The list is fetched again because the service of the operation was invalidated.
    await page.getByText('20 of 21').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByText('21 of 21').waitFor()
    await page.getByLabel('Search').fill('EX-07')
    await page.getByText('1 of 1').waitFor()
    await page.getByLabel('Reference').fill('EX-07')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('There is already a shipment with the reference EX-07.').waitFor()
  }, 90_000)

  test('a change that meets another one shows both versions, and is saved over it when the person says so', async () => {
    const { id } = await hub.shipments.getByReference('EX-07')
    await page.getByRole('button', { name: 'Describe EX-07' }).click()
    await page.getByRole('textbox', { name: 'Cargo' }).fill('Tulips')
    await hub.shipments.update(id, { cargoDescription: 'Roses' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else has changed it: Roses').waitFor()
    // The list beside it was fetched again.
    await page.getByText('EX-07, Draft: Roses').waitFor()
    expect((await hub.shipments.get(id)).cargoDescription).toBe('Roses')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByText('EX-07, Draft: Tulips').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect((await hub.shipments.get(id)).cargoDescription).toBe('Tulips')
  }, 60_000)
})
