import express from 'express'
import { Container } from 'inversify'
import {
  controller,
  HttpResponseMessage,
  httpGet,
  InversifyExpressServer,
  PARAMETER_TYPE,
  requestParam,
} from 'inversify-express-utils'
import { expect, test } from 'vitest'
import { routesOf } from './inversify-server.js'

const internals = InversifyExpressServer.prototype as unknown as Record<
  string,
  (...given: unknown[]) => unknown
>

test.each([['mergePaths'], ['extractParameters'], ['handleHttpResponseMessage'], ['_getHttpContext']])(
  'the server of the library still has %s',
  (name) => {
    expect(internals[name]).toBeTypeOf('function')
  },
)

test('the server of the library keeps application and router where we look for them', () => {
  const [app, router] = [express(), express.Router()]
  const server: object = new InversifyExpressServer(
    new Container(),
    router,
    { rootPath: '/' },
    app,
    null,
    false,
  )
  expect(server).toMatchObject({ _app: app, _router: router })
})

test('parameters come in the order of the method, and the principal from the context', () => {
  const server = Object.assign(Object.create(internals) as typeof internals, {
    _getHttpContext: () => ({ user: 'ann' }),
  })
  const request = { params: { id: '7' }, query: { a: '1' }, headers: { 'x-a': '2' }, body: { b: 3 } }
  const of = (type: PARAMETER_TYPE, index: number, parameterName?: string) => ({
    type,
    index,
    parameterName,
    injectRoot: parameterName === undefined,
  })
  const given = server.extractParameters?.(request, 'response', 'next', [
    of(PARAMETER_TYPE.PRINCIPAL, 4),
    of(PARAMETER_TYPE.PARAMS, 0, 'id'),
    of(PARAMETER_TYPE.QUERY, 1, 'a'),
    of(PARAMETER_TYPE.HEADERS, 2, 'X-A'),
    of(PARAMETER_TYPE.BODY, 3),
  ])
  expect((given as unknown[]).slice(0, 5)).toEqual(['7', '1', '2', { b: 3 }, 'ann'])
})

test('a message without content ends the answer with its status', async () => {
  const sent: number[] = []
  const response = { sendStatus: (status: number) => sent.push(status) }
  await internals.handleHttpResponseMessage?.call(internals, new HttpResponseMessage(204), response)
  expect(sent).toEqual([204])
})

test('the routes of a controller are read from its decorators, with those of the class it extends', () => {
  const before = express.json()
  class Base {
    @httpGet('/') list(): void {}
  }
  @controller('/desk', before)
  class Desk extends Base {
    @httpGet('/:id') one(@requestParam('id') _id: string): void {}
  }
  expect(routesOf(Desk)).toMatchObject([
    {
      verb: 'get',
      path: '/desk/:id',
      method: 'one',
      middleware: [before],
      parameters: [{ parameterName: 'id' }],
    },
    { verb: 'get', path: '/desk', method: 'list', middleware: [before], parameters: [] },
  ])
  expect(() => routesOf(Base)).toThrow('Base is listed in controllers and is none: write @controller(path)')
})
