import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdminServer } from '@keel/admin-host'
import { Configuration } from '@keel/framework'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
let server: Server
let url: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keel-admin-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Admin</title>')
  writeFileSync(join(folder, 'assets', 'app-1.js'), 'run()')
  writeFileSync(join(folder, 'assets', 'app-1.js.br'), 'brotli')
  writeFileSync(join(folder, 'assets', 'app-1.js.gz'), 'gzip')
  const configuration = new Configuration('Production').add(
    {
      'App:SelfUrl': 'https://admin.example.com',
      'App:ApiUrl': 'https://api.example.com',
      'Admin:Title': 'Acme',
    },
    'test',
  )
  server = createAdminServer(configuration, folder).listen(0)
  await once(server, 'listening')
  url = `http://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

test('the page of the admin UI runs no script but those of its host, and insists on TLS', async () => {
  const { headers } = await fetch(`${url}/users?filter=a`)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self';.*connect-src 'self' https:\/\/api\.example\.com .*frame-ancestors 'none'$/,
  )
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  expect(headers.get('cache-control')).toBe('no-cache')
})

test('files whose names hold a hash are kept for a year, and sent compressed as the browser takes them', async () => {
  const asked = async (encoding: string) => {
    const answer = await fetch(`${url}/assets/app-1.js`, { headers: { 'accept-encoding': encoding } })
    return [answer.headers.get('content-encoding'), answer.headers.get('cache-control')]
  }
  const cached = 'public, max-age=31536000, immutable'
  expect(await asked('identity')).toEqual([null, cached])
  const head = await fetch(`${url}/assets/app-1.js`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'gzip, br' },
  })
  expect(head.headers.get('content-encoding')).toBe('br')
  const old = await fetch(`${url}/assets/app-1.js`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'gzip' },
  })
  expect(old.headers.get('content-encoding')).toBe('gzip')
})

test('the browser learns at run time where the servers are', async () => {
  expect(await (await fetch(`${url}/config.json`)).json()).toMatchObject({
    apiUrl: 'https://api.example.com',
    authority: 'http://localhost:4001',
    clientId: 'admin',
    title: 'Acme',
  })
})

test('a file of an older build is not found, nothing outside of the build is served, and nothing is written', async () => {
  const status = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).status
  expect([
    await status('/assets/app-0.js'),
    await status('/..%2f..%2fpackage.json'),
    await status('/%2e%2e/%2e%2e/etc/passwd.txt'),
    await status('/', { method: 'POST' }),
    await status('/health/ready'),
  ]).toEqual([404, 404, 404, 405, 200])
})
