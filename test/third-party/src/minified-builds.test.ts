import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import * as esbuild from 'esbuild'
import type { Browser } from 'playwright-core'
import { minify } from 'terser'
import * as vite from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from '../../src/support/app.js'
import { launchBrowser, noBrowser } from './chromium.js'
import type { PageFindings } from './minified-client.js'

const client = fileURLToPath(new URL('minified-client.ts', import.meta.url))

/** How applications shrink their scripts. Each renames classes; none keeps a name that is not text. */
const builds: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  'Vite 8': async (folder) => {
    await vite.build({
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: folder,
        lib: { entry: client, formats: ['iife'], name: 'page', fileName: 'page' },
        minify: true,
      },
    })
    return readFile(join(folder, 'page.iife.js'), 'utf8')
  },
  'esbuild --minify': async () => {
    const { outputFiles } = await bundle({ minify: true })
    return outputFiles[0]?.text ?? ''
  },
  terser: async () => {
    const { outputFiles } = await bundle({})
    const { code } = await minify(outputFiles[0]?.text ?? '', {
      toplevel: true,
      mangle: true,
      compress: { passes: 2 },
    })
    return code ?? ''
  },
}

function bundle(options: { readonly minify?: boolean }) {
  return esbuild.build({ entryPoints: [client], bundle: true, write: false, format: 'iife', ...options })
}

describe.skipIf(noBrowser)(`pages of minified builds${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let app: App
  let browser: Browser
  let site: http.Server
  let folder: string
  let script = ''
  beforeAll(async () => {
    ;[app, browser, folder] = await Promise.all([
      startApp(undefined, { 'App:CorsOrigins': '*' }),
      launchBrowser(),
      mkdtemp(join(tmpdir(), 'keel-page-')),
    ])
    site = http.createServer(({ url }, response) => {
      response.setHeader('content-type', `text/${url === '/page.js' ? 'javascript' : 'html'}; charset=utf-8`)
      response.end(
        url === '/page.js' ? script : '<!doctype html><title>Page</title><script src="/page.js"></script>',
      )
    })
    await new Promise<void>((resolve) => site.listen(0, 'localhost', resolve))
  })
  afterAll(async () => {
    await browser?.close()
    await new Promise((resolve) => site?.close(resolve))
    await app?.close()
    await rm(folder, { recursive: true, force: true })
  })

  test.each(Object.keys(builds))(
    'a page built by %s calls the right addresses and knows every error',
    async (name) => {
      script = (await builds[name]?.(folder)) ?? ''
      expect(script).not.toMatch(/class PortAppService|class ValidationError/)
      const caller = await app.as({
        permissions: [PortPermissions.View, ShipmentPermissions.View, ShipmentPermissions.Create],
      })
      const page = await (await browser.newContext()).newPage()
      await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
      const findings = await page.evaluate(
        ([url, token]) =>
          (globalThis as unknown as { callApi(url: string, token: string): Promise<PageFindings> }).callApi(
            url ?? '',
            token ?? '',
          ),
        [app.host.url, caller.token],
      )
      expect(findings).toEqual({
        ports: ['DEHAM'],
        byQuery: ['DEHAM'],
        refused: ['ValidationError', 'EntityNotFoundError', 'ForbiddenError', 'BusinessError'].map(
          (error) => ({
            name: error,
            isInstance: true,
          }),
        ),
      })
    },
    60_000,
  )
})
