import type { Request, Response } from 'express'
import { expect, test } from 'vitest'
import { radixRouter } from './radix-router.js'

const router = radixRouter()
const paths = [
  '/api/hub/port/:id',
  '/api/hub/port/lookup',
  '/api/:module/port/:id',
  '/api/hub/order/:id',
  '/health',
]
for (const path of paths)
  router.get(path, (request, response) => {
    response.locals.found = [path, { ...request.params }]
  })

function find(method: string, url: string): unknown {
  const response = { locals: {} } as Response
  let passedOn: unknown
  router({ method, url } as Request, response, (error?: unknown) => {
    passedOn = (error as Error | undefined)?.constructor.name ?? 'none'
  })
  return response.locals.found ?? passedOn
}

test.each([
  ['GET', '/api/hub/port/7', ['/api/hub/port/:id', { id: '7' }]],
  ['GET', '/api/hub/port/7/', ['/api/hub/port/:id', { id: '7' }]],
  ['GET', '/API/Hub/Port/A%20b', ['/api/hub/port/:id', { id: 'A b' }]],
  ['GET', '/api/h%75b/port/7', ['/api/hub/port/:id', { id: '7' }]],
  ['HEAD', '/api/hub/port/7?x=1', ['/api/hub/port/:id', { id: '7' }]],
  ['GET', '/api/hub/port/lookup', ['/api/hub/port/lookup', {}]],
  ['GET', '/api/hub/PORT/LookUp/', ['/api/hub/port/lookup', {}]],
  ['GET', '/api/pricing/port/7', ['/api/:module/port/:id', { module: 'pricing', id: '7' }]],
  ['GET', '/health/', ['/health', {}]],
  ['GET', '/api/hub/port/7/more', 'none'],
  ['GET', '/api/hub/port/%zz', 'ValidationError'],
  ['PUT', '/api/hub/order/7', 'MethodNotAllowedError'],
])('%s %s leads to %j', (method, url, expected) => {
  expect(find(method, url)).toEqual(expected)
})

test('a path that is written wrongly is refused when it is added', () => {
  expect(() => radixRouter().get('/api/:id(\\d+', () => undefined)).toThrow()
})
