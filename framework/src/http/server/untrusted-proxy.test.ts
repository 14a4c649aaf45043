import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Logger } from '../../modularity/logging.js'
import { watchForUntrustedProxy } from './untrusted-proxy.js'

test('many clients behind one address are told of once', async () => {
  const { call, warnings } = await startWatched()
  for (let client = 1; client <= 9; client++) await call(`198.51.100.7, 203.0.113.${client}`)
  expect(warnings).toEqual([])
  for (let client = 10; client <= 40; client++) await call(`203.0.113.${client}`)
  expect(warnings).toEqual([{ address: '127.0.0.1', clients: 10 }])
})

test('one client that forges the left of the header is not many, nor are clients without it', async () => {
  const { call, warnings } = await startWatched()
  for (let client = 1; client <= 30; client++) await call(`198.51.100.${client}, 203.0.113.1`)
  for (let client = 1; client <= 30; client++) await call()
  expect(warnings).toEqual([])
})

async function startWatched() {
  const warnings: object[] = []
  const logger = { warn: (fields: object) => warnings.push(fields) } as unknown as Logger
  const server = createServer((_request, response) => response.end())
  watchForUntrustedProxy(server, logger)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const call = async (forwarded?: string): Promise<void> => {
    await (await fetch(address, { headers: forwarded ? { 'x-forwarded-for': forwarded } : {} })).text()
  }
  return { call, warnings }
}
