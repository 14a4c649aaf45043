import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Configuration } from '../../modularity/configuration.js'
import { createCors } from './cors.js'

/** What a page of this origin is told: the allowed origin, or undefined. */
function allowed(settings: object, origin: string): string | undefined {
  const request = new IncomingMessage(new Socket())
  request.headers.origin = origin
  const response = new ServerResponse(request)
  createCors(new Configuration().add({ App: settings }, 'test')).handle(request, response)
  return response.getHeader('access-control-allow-origin') as string | undefined
}

test.each([
  ['https://one.example', 'https://one.example'],
  ['https://one.example/', 'https://one.example'],
  ['https://two.example', 'https://one.example, https://two.example//'],
  ['https://one.example', ' https://one.example ,,https://two.example'],
  ['https://ONE.example', 'https://one.EXAMPLE'],
  ['http://localhost:4200', 'http://localhost:4200'],
  ['https://app.example.com', 'https://*.example.com'],
  ['https://a.b.example.com', 'https://*.example.com'],
  ['https://APP.example.com', 'https://*.EXAMPLE.com'],
  ['https://app.example.com:8443', 'https://*.example.com:8443'],
  ['https://app.example.com', 'https://*.example.com/'],
])('%s may call when App:CorsOrigins is "%s"', (origin, corsOrigins) => {
  const said = allowed({ CorsOrigins: corsOrigins }, origin.replace(/\/$/, ''))
  expect(said).toBe(origin.replace(/\/$/, ''))
})

test.each([
  ['https://one.example:444', 'https://one.example'],
  ['http://one.example', 'https://one.example'],
  ['https://one.example.evil.com', 'https://one.example'],
  ['null', 'https://one.example'],
  ['', 'https://one.example'],
  ['https://one.example', ''],
  ['https://example.com', 'https://*.example.com'],
  ['https://evilexample.com', 'https://*.example.com'],
  ['https://.example.com', 'https://*.example.com'],
  ['https://app.example.com.evil.com', 'https://*.example.com'],
  ['https://evil.com/.example.com', 'https://*.example.com'],
  ['https://evil.com#.example.com', 'https://*.example.com'],
  ['https://evil.com?.example.com', 'https://*.example.com'],
  ['https://evil.com@app.example.com', 'https://*.example.com'],
  ['https://evil.com:443.example.com', 'https://*.example.com'],
  ['https://evil.com\\.example.com', 'https://*.example.com'],
  ['https://app.example.com:444', 'https://*.example.com'],
  ['http://app.example.com', 'https://*.example.com'],
  ['https://appXexample.com', 'https://*.example.com'],
  ['https://app.exampleXcom', 'https://*.example.com'],
  ['https://app.example.com\nhttps://evil.com', 'https://*.example.com'],
])('%j may not call when App:CorsOrigins is "%s"', (origin, corsOrigins) => {
  expect(allowed({ CorsOrigins: corsOrigins }, origin)).toBeUndefined()
})

test('App:AllowedCorsOrigins adds to App:CorsOrigins', () => {
  const settings = {
    CorsOrigins: 'https://one.example',
    AllowedCorsOrigins: ['https://two.example/', 'https://*.three.example'],
  }
  const origins = [
    'https://one.example',
    'https://two.example',
    'https://a.three.example',
    'https://four.example',
  ]
  expect(origins.map((origin) => allowed(settings, origin))).toEqual([...origins.slice(0, 3), undefined])
})

test('a literal * allows any origin', () => {
  expect(allowed({ CorsOrigins: '*' }, 'https://anybody.example')).toBe('*')
})

test('without settings no other origin may call', () => {
  expect(allowed({}, 'https://one.example')).toBeUndefined()
})
