import { gzipSync } from 'node:zlib'
import type { RequestHandler } from 'express'
import { Application } from '../modularity/application.js'
import { KeelModule, Module, type ModuleContext } from '../modularity/module.js'
import { sendJson } from './controllers.js'
import { HttpModule } from './http.module.js'
import { App, HttpHost } from './http-host.js'
import { openApiDocument } from './openapi.js'

/** Where the OpenAPI document is: one group `v1` (interface document, "Versioning" 2). */
const documentPath = '/swagger/v1/swagger.json'

/** Gives a host its OpenAPI document at `/swagger/v1/swagger.json` and the docs UI at `/swagger`, to which `/` leads. */
@Module({ dependsOn: [HttpModule] })
export class DocsUiModule extends KeelModule {
  override onApplicationInitialization({ application }: ModuleContext): void {
    const { selfUrl } = application.configuration.read(App)
    const host = application.get(HttpHost)
    host.mount(documentPath, serveDocument(application, selfUrl))
    host.mount('/swagger', docsUi(selfUrl))
    host.mount('/', (request, response, next) =>
      request.path === '/' ? response.redirect('/swagger') : next(),
    )
  }
}

/** The document is made when it is asked for first, and kept: the contracts do not change while the host runs. */
function serveDocument(application: Application, selfUrl: string): RequestHandler {
  let made: { text: string; zipped: Buffer } | undefined
  return (request, response) => {
    if (!made) {
      const text = JSON.stringify(openApiDocument(application, { title: 'Keel API', version: 'v1', selfUrl }))
      made = { text, zipped: gzipSync(text) }
    }
    response.vary('Accept-Encoding')
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
      sendJson(response, 200, made.text)
      return
    }
    response.setHeader('content-encoding', 'gzip')
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.setHeader('content-length', made.zipped.length)
    response.end(request.method === 'HEAD' ? undefined : made.zipped)
  }
}

/** swagger-ui-express, loaded when somebody opens the page; it signs in with the client `api` by code and PKCE. */
function docsUi(selfUrl: string): RequestHandler {
  let handlers: Promise<readonly RequestHandler[]> | undefined
  return (request, response, next) => {
    handlers ??= load(selfUrl)
    handlers.then((chain) => runAll(chain, request, response, next)).catch(next)
  }
}

async function load(selfUrl: string): Promise<readonly RequestHandler[]> {
  const { default: swaggerUi } = await import('swagger-ui-express')
  const page = swaggerUi.setup(undefined, {
    customSiteTitle: 'Keel API',
    customCss: '.swagger-ui .topbar { display: none }',
    swaggerOptions: {
      url: documentPath,
      oauth2RedirectUrl: `${selfUrl.replace(/\/+$/, '')}/swagger/oauth2-redirect.html`,
      oauth: {
        clientId: 'api',
        appName: 'Keel API',
        scopes: 'Core',
        usePkceWithAuthorizationCodeGrant: true,
      },
      docExpansion: 'none',
      filter: true,
      displayRequestDuration: true,
      persistAuthorization: true,
      validatorUrl: null,
    },
  })
  return [...swaggerUi.serve, page]
}

function runAll(
  chain: readonly RequestHandler[],
  ...[request, response, next]: Parameters<RequestHandler>
): void {
  const [first, ...rest] = chain
  if (!first) {
    next()
    return
  }
  first(request, response, (error?: unknown) => (error ? next(error) : runAll(rest, request, response, next)))
}
