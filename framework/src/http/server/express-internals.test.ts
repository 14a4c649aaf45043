import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import { expect, test } from 'vitest'
import { createFastServer, tellPlainAddresses } from './express-internals.js'

/** Answers one request with what `look` sees of it before Express does. */
async function answered(look: (request: Request, response: Response) => unknown): Promise<unknown> {
  const app = express()
  app.disable('x-powered-by')
  tellPlainAddresses(app)
  const server = createFastServer(app, (request, response) => {
    response.status(200).json(look(request, response))
  })
  server.listen(0, '::')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    return await (await fetch(`http://127.0.0.1:${port}/a?b=c`, { headers: { 'X-Name': 'Ann' } })).json()
  } finally {
    server.close()
  }
}

test('a request has what Express gives it before Express saw it', async () => {
  const seen = await answered((request, response) => [
    request instanceof http.IncomingMessage,
    response instanceof http.ServerResponse,
    request.get('x-name'),
    request.originalUrl,
    request.res === response,
    response.req === request,
    request.path,
    request.accepts('json'),
    request.app === response.app,
  ])
  expect(seen).toEqual([true, true, 'Ann', '/a?b=c', true, true, '/a', 'json', true])
})

test('an address of IPv4 is told in its own form', async () => {
  expect(await answered(({ ip }) => ip)).toBe('127.0.0.1')
})

test('requests inherit from the prototype that Express would give them', () => {
  const app = express() as unknown as { request: object; response: object }
  expect(Object.getPrototypeOf(app.request)).toBe(express.request)
  expect(Object.getPrototypeOf(app.response)).toBe(express.response)
  expect(Object.getOwnPropertyDescriptor(express.request, 'ip')?.get).toBeTypeOf('function')
})
