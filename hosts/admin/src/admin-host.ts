import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { type Configuration, configurationSection, StartupError, strictTransport } from '@keel/framework'
import { z } from '@keel/framework/contracts'

const App = configurationSection('App', {
  /** The public address of the admin UI. */
  selfUrl: z.url().default('http://localhost:4002'),
  /** The public address of the API host. */
  apiUrl: z.url().default('http://localhost:4000'),
})
const AuthServer = configurationSection('AuthServer', {
  /** The public address of the auth server. */
  authority: z.url().default('http://localhost:4001'),
})
const Admin = configurationSection('Admin', {
  /** The OpenID client that the admin UI signs in as. */
  clientId: z.string().default('admin'),
  /** Lets administrators act as other users: for clients that were given the grant type `Impersonation`. */
  impersonation: z.boolean().default(false),
  /** The name in the title bar; the name of the application when it is empty. */
  title: z.string().max(60).default(''),
  /** The address of a logo, on this host or the API host; none when it is empty. */
  logoUrl: z.string().default(''),
  /** The colour of buttons and links: a name of Mantine's palette. */
  primaryColor: z
    .enum(['blue', 'cyan', 'grape', 'green', 'indigo', 'orange', 'pink', 'red', 'teal', 'violet'])
    .default('indigo'),
})

/** What the browser reads from `/config.json` before it does anything else. Nothing in it is secret. */
export interface RunTimeConfiguration {
  readonly apiUrl: string
  readonly authority: string
  readonly clientId: string
  readonly impersonation: boolean
  readonly title: string
  readonly logoUrl: string
  readonly primaryColor: string
}

/** A file of the built UI, read once, with its compressed copies. */
interface Asset {
  readonly type: string
  readonly plain: Buffer
  readonly br?: Buffer | undefined
  readonly gzip?: Buffer | undefined
  /** The name holds a hash of the content. */
  readonly isImmutable: boolean
}

/**
 * The server of the admin UI: the files of the built UI, `/config.json` and `/health/ready`. Other paths that accept HTML get the page.
 * Throws {@link StartupError} when the UI is not built.
 * @param folder the built UI, see `build.mjs`
 */
export function createAdminServer(configuration: Configuration, folder: string): Server {
  const { selfUrl, apiUrl } = configuration.read(App)
  const { authority } = configuration.read(AuthServer)
  const assets = readAssets(folder)
  const page = assets.get('/index.html')
  if (!page) throw new StartupError(`${folder} has no admin UI: run \`npm run build\`.`)
  const settings: RunTimeConfiguration = { apiUrl, authority, ...configuration.read(Admin) }
  const json = Buffer.from(JSON.stringify(settings))
  const headers = securityHeaders(settings, selfUrl)

  return createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return end(request, response, 405, 'text/plain', Buffer.from('Only GET and HEAD.'), {
        allow: 'GET, HEAD',
      })
    }
    const path = pathOf(request)
    if (path === '/health/ready' || path === '/health/live')
      return end(request, response, 200, 'text/plain', Buffer.from('Healthy'), noStore)
    if (path === '/config.json') return end(request, response, 200, 'application/json', json, noStore)
    const asset = assets.get(path)
    if (asset) return send(request, response, asset)
    // A path of the UI itself, not a file that an older build had.
    if (extname(path) === '' || (request.headers.accept ?? '').includes('text/html'))
      return send(request, response, page)
    end(request, response, 404, 'text/plain', Buffer.from('There is no such file.'), noStore)
  })
}

const noStore = { 'cache-control': 'no-store' }

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

function readAssets(folder: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>()
  const names = filesIn(folder)
  for (const name of names) {
    const type = types[extname(name)]
    if (!type) continue
    const file = join(folder, name)
    const copy = (ending: string) =>
      names.includes(`${name}.${ending}`) ? readFileSync(`${file}.${ending}`) : undefined
    const isImmutable = name.startsWith('assets/')
    assets.set(`/${name}`, { type, plain: readFileSync(file), br: copy('br'), gzip: copy('gz'), isImmutable })
  }
  return assets
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true })
      .map((name) => String(name).replaceAll('\\', '/'))
      .filter((name) => statSync(join(folder, name)).isFile())
  } catch {
    return []
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  try {
    return decodeURIComponent(new URL(url, 'http://admin').pathname)
  } catch {
    return '/'
  }
}

/**
 * Scripts come from this host alone, none stands in the page. Styles may stand in the page: Mantine writes the colours of the theme there.
 */
function securityHeaders(
  { apiUrl, authority }: RunTimeConfiguration,
  selfUrl: string,
): Readonly<Record<string, string>> {
  const api = new URL(apiUrl).origin
  const auth = new URL(authority).origin
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${api}`,
    "font-src 'self'",
    // Previews of PDF: documents that the page itself has made of a download.
    'frame-src blob:',
    `connect-src 'self' ${api} ${auth}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  const transport = strictTransport(selfUrl, 31_536_000)
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(transport && { 'strict-transport-security': transport }),
  }
}

function send(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const [encoding, body] =
    asset.br && /\bbr\b/.test(accepted)
      ? ['br', asset.br]
      : asset.gzip && /\bgzip\b/.test(accepted)
        ? ['gzip', asset.gzip]
        : [undefined, asset.plain]
  end(request, response, 200, asset.type, body, {
    'cache-control': asset.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  })
}

function end(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length, ...headers })
  response.end(method === 'HEAD' ? undefined : body)
}
