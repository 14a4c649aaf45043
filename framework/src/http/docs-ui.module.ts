import type { RequestHandler } from 'express'
import { Application } from '../modularity/application.js'
import { KeelModule, Module, type ModuleContext } from '../modularity/module.js'
import { HttpModule } from './http.module.js'
import { App, HttpHost } from './http-host.js'
import { openApiDocument } from './openapi.js'
import { PreparedJson } from './prepared-json.js'

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

function serveDocument(application: Application, selfUrl: string): RequestHandler {
  const options = { title: 'Keel API', version: 'v1', selfUrl }
  const document = new PreparedJson(() => openApiDocument(application, options))
  return (request, response) => document.send(request, response)
}

/** swagger-ui-express, loaded when somebody opens the page; it signs in with the client `api` by code and PKCE. */
function docsUi(selfUrl: string): RequestHandler {
  let handlers: Promise<readonly RequestHandler[]> | undefined
  return (request, response, next) => {
    handlers ??= load(selfUrl)
    // The policy of answers that are no pages forbids its scripts.
    response.removeHeader('content-security-policy')
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
