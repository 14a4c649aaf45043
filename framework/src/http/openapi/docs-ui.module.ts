import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Request, RequestHandler } from 'express'
import type { ModuleContext } from '../../modularity/application.js'
import { Application } from '../../modularity/application.js'
import { ContractTexts } from '../../modularity/contract-texts.js'
import { KeelModule, Module } from '../../modularity/module.js'
import { HttpModule } from '../host/http.module.js'
import { App, HttpHost } from '../host/http-host.js'
import { PreparedBody } from '../server/prepared-body.js'
import { demandSignedIn } from '../server/public-address.js'
import { findInAnyCase, pageScript, pageStyles, readQuickly } from './docs-ui-page.js'
import { openApiDocument } from './openapi.js'

/** Where the OpenAPI document is: one group `v1` (interface document, "Versioning" 2). */
const documentPath = '/swagger/v1/swagger.json'
const scriptFile = 'docs-ui.js'

/**
 * Gives a host its OpenAPI document at `/swagger/v1/swagger.json` and the docs UI at `/swagger`, to which `/`
 * leads: for everybody unless `App:IsDocsPublic` is false.
 */
@Module({ dependsOn: [HttpModule] })
export class DocsUiModule extends KeelModule {
  override onApplicationInitialization({ application }: ModuleContext): void {
    const { selfUrl, isDocsPublic } = application.configuration.read(App)
    const host = application.get(HttpHost)
    if (!isDocsPublic) host.mount('/swagger', signedInOnly)
    host.mount(documentPath, only(['/'], serveDocument(application, selfUrl)))
    host.mount('/swagger', docsUi(selfUrl, application.configuration.get('AuthServer:Authority')))
    host.mount(
      '/',
      only(['/'], (_request, response) => response.redirect('/swagger')),
    )
  }
}

/** Answers reads of these paths below the place where it is mounted; every other request goes on. */
function only(paths: readonly string[], answer: RequestHandler): RequestHandler {
  return (request, response, next) =>
    isRead(request) && paths.includes(request.path) ? answer(request, response, next) : next()
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

const signedInOnly: RequestHandler = (_request, _response, next) => {
  demandSignedIn()
  next()
}

function serveDocument(application: Application, selfUrl: string): RequestHandler {
  const about = { title: 'Keel API', version: 'v1', selfUrl }
  const document = new PreparedBody(() =>
    openApiDocument(application, { ...about, texts: ContractTexts.of(application) }),
  )
  return (request, response) => document.send(request, response)
}

/**
 * swagger-ui-express, loaded when somebody opens the page; it signs in with the client `api` by code and
 * PKCE.
 */
function docsUi(selfUrl: string, authority: string | undefined): RequestHandler {
  let handlers: Promise<readonly RequestHandler[]> | undefined
  return (request, response, next) => {
    // The page and its files lie side by side; swagger-ui-express would answer with the page at every path.
    if (!isRead(request) || request.path.lastIndexOf('/') > 0) return next()
    handlers ??= load(selfUrl, authority)
    handlers.then((chain) => runAll(chain, request, response, next)).catch(next)
  }
}

async function load(selfUrl: string, authority: string | undefined): Promise<readonly RequestHandler[]> {
  const { default: swaggerUi } = await import('swagger-ui-express')
  const options = {
    customSiteTitle: 'Keel API',
    customCss: pageStyles,
    customJs: `./${scriptFile}`,
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
      // Schemas are drawn when somebody opens their list: there are hundreds.
      defaultModelsExpandDepth: 0,
      filter: true,
      displayRequestDuration: true,
      validatorUrl: null,
      plugins: [findInAnyCase, readQuickly],
    },
  }
  const policy = policyOf(swaggerUi.generateHTML(undefined, options), authority)
  const protect: RequestHandler = (_request, response, next) => {
    response.setHeader('content-security-policy', policy)
    next()
  }
  const script: RequestHandler = (request, response, next) => {
    if (request.path !== `/${scriptFile}`) return next()
    response.type('application/javascript').send(pageScript)
  }
  const page: RequestHandler = swaggerUi.setup(undefined, options)
  // `index.html` is the address that ASP.NET's docs UI has; the file of this name among the assets shows
  // somebody else's API.
  return [protect, script, only(['/index.html'], page), largeFiles(), ...swaggerUi.serve, only(['/'], page)]
}

/** The page's files that are worth compressing: two megabytes, of which a quarter is left. */
function largeFiles(): RequestHandler {
  const distribution = createRequire(createRequire(import.meta.url).resolve('swagger-ui-express'))
  const files = new Map(
    ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css'].map((name) => [
      `/${name}`,
      new PreparedBody(
        () => readFileSync(distribution.resolve(`swagger-ui-dist/${name}`)),
        name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      ),
    ]),
  )
  return (request, response, next) => {
    const file = files.get(request.path)
    if (file) file.send(request, response)
    else next()
  }
}

/**
 * Of the style element that swagger-ui adds to the page; the browser test tells when another version adds
 * another.
 */
const addedStyle = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/**
 * Allows the page its own scripts, the styles that stand in it, and calls to this host and to the auth
 * server.
 */
function policyOf(page: string, authority: string | undefined): string {
  const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
  const issuer = authority && URL.canParse(authority) ? ` ${new URL(authority).origin}` : ''
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${[...styles, addedStyle].join(' ')}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self'${issuer}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
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
