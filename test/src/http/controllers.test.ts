import { AutoApiController, ambient, Injectable, KeelModule, Module, type Policy } from '@keel/framework'
import {
  AppService,
  BusinessError,
  Dto,
  id,
  op,
  PermissionGroup,
  remoteService,
  z,
} from '@keel/framework/contracts'
import {
  BaseHttpController,
  BaseMiddleware,
  controller,
  type HttpContext,
  HttpModule,
  httpDelete,
  httpGet,
  httpPost,
  injectHttpContext,
  type interfaces,
  principal,
  queryParam,
  requestBody,
  requestHeaders,
  requestParam,
  response,
} from '@keel/framework/http'
import {
  AllowAnonymous,
  Authenticated,
  RequiresPermission,
  RequiresPolicy,
  SecurityModule,
} from '@keel/framework/security'
import { startTestHost } from '@keel/framework/testing'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import type { Response as ExpressResponse, NextFunction, Request } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'
import { templates, testServer } from '../support/test-databases.js'

@PermissionGroup('Library')
class LoanPermissions {
  static readonly Manage = 'Loan.Manage'
}

class LoanDto extends Dto({ reader: z.string() }) {}
abstract class LoanAppService extends AppService(remoteService('Library', 'library'), 'LoanAppService', {
  create: op(LoanDto).returns(LoanDto),
  get: op(id).returns(LoanDto),
}) {}

let asked = 0
const openDesk: Policy = {
  name: 'openDesk',
  description: 'while the desk is open',
  admits: () => {
    asked += 1
    return true
  },
}

@AutoApiController(LoanAppService)
class LoanService implements LoanAppService {
  @RequiresPolicy(openDesk, LoanPermissions.Manage) async create(loan: LoanDto): Promise<LoanDto> {
    return loan
  }
  @RequiresPermission(LoanPermissions.Manage) async get(): Promise<LoanDto> {
    return { reader: ambient().principal.userName ?? '' }
  }
}

/** Made once for every request. */
@Injectable({ scope: 'request' })
class Visit {
  static made = 0
  readonly number = ++Visit.made
  constructor(@injectHttpContext readonly context: HttpContext) {}
}

@Injectable()
class Stamp extends BaseMiddleware {
  override async handler(request: Request, response: ExpressResponse, next: NextFunction): Promise<void> {
    // Requests at once must not see each other's context.
    await new Promise((resolve) => setTimeout(resolve, 5))
    response.setHeader('x-stamp', `${this.httpContext.request.url} ${request.url}`)
    if (request.headers['x-refuse']) throw new BusinessError('Library:Refused', {}, { message: 'Refused.' })
    next()
  }
}

const note = (_request: Request, response: ExpressResponse, next: NextFunction): void => {
  response.setHeader('x-note', 'seen')
  next()
}

@controller('/library/desk', note)
@Authenticated()
class DeskController extends BaseHttpController {
  constructor(
    private readonly visit: Visit,
    private readonly loans: LoanAppService,
  ) {
    super()
  }

  @httpGet('/readers/:name', Stamp)
  reader(
    @requestParam('name') name: string,
    @queryParam('greeting') greeting: string,
    @requestHeaders('x-visit') header: string,
    @principal() who: interfaces.Principal,
  ): object {
    return {
      name,
      greeting,
      header,
      isSame: this.visit.context === this.httpContext,
      userId: (who.details as { userId: string }).userId,
    }
  }

  @httpPost('/loans')
  async lend(@requestBody() loan: LoanDto): Promise<interfaces.IHttpActionResult> {
    return this.created('/library/desk/loans/1', await this.loans.create(loan))
  }

  @httpGet('/absent')
  absent(): interfaces.IHttpActionResult {
    return this.notFound()
  }

  @httpGet('/bad')
  bad(): interfaces.IHttpActionResult {
    return this.badRequest('No such shelf.')
  }

  @httpGet('/broken')
  async broken(): Promise<never> {
    throw new BusinessError('Library:Broken', { shelf: 7 }, { message: 'The shelf is broken.' })
  }

  @httpGet('/elsewhere')
  elsewhere(): interfaces.IHttpActionResult {
    return this.redirect('/library/desk/absent')
  }

  @httpDelete('/loans/:id')
  @RequiresPermission(LoanPermissions.Manage)
  async end(): Promise<void> {}
}

@controller('/library/bell')
@AllowAnonymous()
class BellController {
  static made = 0
  constructor() {
    BellController.made += 1
  }

  @httpGet('/')
  ring(): string {
    return 'ding'
  }

  @httpGet('/raw')
  raw(@response() answer: ExpressResponse): void {
    answer.status(418).send('short and stout')
  }
}

const platform = [HttpModule, SecurityModule, IdentityModule, PermissionManagementModule]
@Module({
  name: 'Library',
  dependsOn: platform,
  services: [LoanService, Visit, Stamp],
  controllers: [DeskController, BellController],
  permissions: [LoanPermissions],
  policies: [openDesk],
})
class LibraryModule extends KeelModule {}
@Module({ dependsOn: [LibraryModule] })
class LibraryHost extends KeelModule {}

let app: App
let reader: AppCaller
let librarian: AppCaller
beforeAll(async () => {
  app = await startApp(LibraryHost)
  reader = await app.as({})
  librarian = await app.as({ permissions: [LoanPermissions.Manage] })
})
afterAll(() => app?.close())

const desk = '/library/desk'
const call = (path: string, { token }: { token?: string } = {}, { headers, ...init }: RequestInit = {}) =>
  fetch(app.host.url + path, {
    ...init,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  })
const json = async (answer: Response) => ({ status: answer.status, body: await answer.json() })

describe('a controller that is written by hand', () => {
  test('gets parameters of the path, the query and the headers, the caller and its middleware', async () => {
    const answers = await Promise.all(
      ['ann', 'bob'].map((name) =>
        call(`${desk}/readers/${name}?greeting=hi`, reader, { headers: { 'X-Visit': name } }),
      ),
    )
    for (const [index, name] of ['ann', 'bob'].entries()) {
      const answer = answers[index] as Response
      const url = `${desk}/readers/${name}?greeting=hi`
      expect(answer.headers.get('x-note')).toBe('seen')
      expect(answer.headers.get('x-stamp')).toBe(`${url} ${url}`)
      expect(await json(answer)).toEqual({
        status: 200,
        body: { name, greeting: 'hi', header: name, isSame: true, userId: reader.userId },
      })
    }
  })

  test('is not reached without credentials', async () => {
    const made = Visit.made
    const answer = await call(`${desk}/readers/ann`)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.headers.get('_abperrorformat')).toBe('true')
    expect(await json(answer)).toMatchObject({
      status: 401,
      body: { error: { code: 'Volo.Authorization:010001' } },
    })
    expect(Visit.made).toBe(made)
  })

  test('asks for the permission of a method', async () => {
    const end = (caller: AppCaller) => call(`${desk}/loans/1`, caller, { method: 'DELETE' })
    expect((await end(reader)).status).toBe(403)
    expect((await end(librarian)).status).toBe(204)
  })

  test('reads JSON, calls a service in the name of the caller and answers with a result of the library', async () => {
    const lend = (caller: AppCaller, body: string) =>
      call(`${desk}/loans`, caller, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const answer = await lend(librarian, '{"reader":"ann"}')
    expect(answer.headers.get('location')).toBe('/library/desk/loans/1')
    expect(await json(answer)).toEqual({ status: 201, body: { reader: 'ann' } })
    expect(await json(await lend(reader, '{"reader":"ann"}'))).toMatchObject({ status: 403 })
    expect(await json(await lend(librarian, '{"reader":'))).toMatchObject({ status: 400 })
    expect(await json(await lend(librarian, '{}'))).toMatchObject({
      status: 400,
      body: { error: { validationErrors: [{ members: ['reader'] }] } },
    })
  })

  test.each([
    ['absent', 404, { code: null }],
    ['bad', 400, { message: 'No such shelf.' }],
    ['broken', 403, { code: 'Library:Broken', message: 'The shelf is broken.', data: { shelf: 7 } }],
  ])('tells a failure in the error envelope (%s)', async (path, status, error) => {
    const answer = await call(`${desk}/${path}`, reader)
    expect(answer.headers.get('_abperrorformat')).toBe('true')
    expect(await json(answer)).toMatchObject({ status, body: { error } })
  })

  test('has its middleware refuse with an error', async () => {
    const answer = await call(`${desk}/readers/ann`, reader, { headers: { 'x-refuse': 'yes' } })
    expect(await json(answer)).toMatchObject({ status: 403, body: { error: { code: 'Library:Refused' } } })
  })

  test('redirects', async () => {
    const answer = await call(`${desk}/elsewhere`, reader, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `${desk}/absent`])
  })

  testOfOneProcess(
    'is made once when it asks for nothing of a request, and answers texts and by itself',
    async () => {
      const ring = await call('/library/bell')
      expect([ring.status, await ring.text()]).toEqual([200, 'ding'])
      const raw = await call('/library/bell/raw')
      expect([raw.status, await raw.text()]).toEqual([418, 'short and stout'])
      expect(BellController.made).toBe(1)
    },
  )

  test('is told that another verb is not allowed', async () => {
    const answer = await call(`${desk}/bad`, reader, { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

test('a guard is asked once for a request, over HTTP and within the process', async () => {
  const lend = (path: string) =>
    call(path, librarian, {
      method: 'POST',
      body: '{"reader":"ann"}',
      headers: { 'content-type': 'application/json' },
    })
  asked = 0
  expect((await lend('/api/library/loan')).status).toBe(200)
  expect(asked).toBe(1)
  expect((await lend(`${desk}/loans`)).status).toBe(201)
  expect(asked).toBe(2)
})

test.each([
  ['without a guard', undefined, /^BareController\.look has no permission: add @RequiresPermission, /],
  [
    'on the route of an operation',
    '/api/library/loan/:id',
    /^BareController\.look and LoanService\.get both answer at GET \/api\/library\/loan\/\{id\}/,
  ],
])('a controller %s stops the start', async (_what, path, message) => {
  class BareController {
    look(): void {}
  }
  httpGet(path ?? '/library/bare')(BareController.prototype, 'look', undefined)
  controller('/')(BareController)
  if (path) AllowAnonymous()(BareController)
  @Module({ dependsOn: [LibraryModule], controllers: [BareController] })
  class BareHost extends KeelModule {}
  await expect(startTestHost(BareHost, { server: testServer, templates })).rejects.toThrow(message)
})
