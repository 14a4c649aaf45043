import { request } from 'node:http'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'

interface Told {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

/** A request with any `Host`, which `fetch` does not allow. */
function call(app: App, path: string, headers: Record<string, string>, body?: string): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request(app.host.url + path, { method: body ? 'POST' : 'GET', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }

describe('a host with a public address', () => {
  const own = 'https://api.example.com/keel'
  let app: App
  let authorization: Record<string, string>
  beforeAll(async () => {
    app = await startApp(undefined, {
      'App:SelfUrl': `${own}/`,
      'App:TrustedProxies': '1',
      'App:HstsMaxAgeSeconds': '7200',
    })
    const caller: AppCaller = await app.as({ roles: [SuperUser] })
    authorization = { authorization: `Bearer ${caller.token}` }
  })
  afterAll(() => app?.close())

  test.each([
    ['its caller’s', {}],
    ['a forged', forged],
    ['a local', { host: 'localhost:4000' }],
  ])('begins its links with it, whatever %s Host says', async (_whose, host: Record<string, string>) => {
    const headers = { ...authorization, ...host }
    const [service, page, entity, openApi] = await Promise.all([
      call(app, '/odata', headers),
      call(app, '/odata/Ports?$select=unLocode', { ...headers, prefer: 'maxpagesize=2' }),
      call(app, '/odata/Ports?$top=1', { ...headers, accept: 'application/json;odata.metadata=full' }),
      call(app, '/swagger/v1/swagger.json', host),
    ])
    const { '@odata.context': context, '@odata.nextLink': next } = JSON.parse(page.text)
    expect(JSON.parse(service.text)['@odata.context']).toBe(`${own}/odata/$metadata`)
    expect(context).toMatch(`${own}/odata/$metadata#Ports`)
    expect(next).toMatch(`${own}/odata/Ports?`)
    expect(JSON.parse(openApi.text)).toMatchObject({
      servers: [{ url: '/keel' }],
      externalDocs: { url: `${own}/odata/$metadata` },
    })
    for (const { text, headers: told } of [service, page, entity, openApi])
      expect(text + JSON.stringify(told)).not.toContain('evil.example')
  })

  test('understands in a batch its own address and the one that the caller used, and no other', async () => {
    const statusOf = async (url: string): Promise<number> => {
      const body = JSON.stringify({ requests: [{ id: '1', method: 'GET', url }] })
      const headers = { ...authorization, 'content-type': 'application/json' }
      const { text } = await call(app, '/odata/$batch', headers, body)
      return (JSON.parse(text) as { responses: { status: number }[] }).responses[0]?.status ?? 0
    }
    const urls = [
      `${own}/odata/Ports/$count`,
      `${app.host.url}/odata/Ports/$count`,
      '/keel/odata/Ports/$count',
      '/odata/Ports/$count',
      'Ports/$count',
      'https://evil.example/odata/Ports/$count',
    ]
    expect(await Promise.all(urls.map(statusOf))).toEqual([200, 200, 200, 200, 200, 400])
  })

  test.each(['/health/live', '/api/hub/port', '/odata', '/no/such/path', '/swagger/'])(
    'tells browsers at %s to insist on TLS',
    async (path) => {
      expect((await call(app, path, {})).headers['strict-transport-security']).toBe('max-age=7200')
    },
  )
})

describe('a host of this machine', () => {
  let app: App
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app?.close())

  test('begins its links with the name that its caller uses for this machine, and with no other', async () => {
    const contextFor = async (headers: Record<string, string>): Promise<string> =>
      JSON.parse((await call(app, '/odata', headers)).text)['@odata.context'] as string
    expect(
      await Promise.all([{ host: 'localhost:1' }, { host: '127.0.0.1:2' }, forged].map(contextFor)),
    ).toEqual([
      'http://localhost:1/odata/$metadata',
      'http://127.0.0.1:2/odata/$metadata',
      'http://localhost:4000/odata/$metadata',
    ])
  })

  test('tells browsers nothing of TLS', async () => {
    expect((await call(app, '/health/live', {})).headers).not.toHaveProperty('strict-transport-security')
  })
})

describe('a host that hides its documents from strangers', () => {
  const paths = [
    '/swagger/',
    '/swagger/swagger-ui-init.js',
    '/swagger/v1/swagger.json',
    '/api/abp/api-definition',
    '/odata',
    '/odata/$metadata',
  ]
  let app: App
  let caller: AppCaller
  beforeAll(async () => {
    app = await startApp(undefined, {
      'App:IsDocsPublic': 'false',
      'App:IsApiDefinitionPublic': 'false',
      'OData:IsMetadataPublic': 'false',
    })
    caller = await app.as({})
  })
  afterAll(() => app?.close())

  test.each(paths)('answers strangers 401 at %s, and those who signed in', async (path) => {
    const [stranger, insider] = await Promise.all([app.host.fetch(path), caller.fetch(path)])
    expect([stranger.status, insider.status]).toEqual([401, 200])
    expect(stranger.headers.get('www-authenticate')).toContain('Bearer')
  })

  test('still tells strangers what ABP’s clients need before they sign in', async () => {
    const { status } = await app.host.fetch('/api/abp/application-configuration')
    expect(status).toBe(200)
  })
})
