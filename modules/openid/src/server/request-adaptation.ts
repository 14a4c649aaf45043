import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { fieldsOf, readForm, readText, refusal, refuseNul } from './requests/forms.js'
import { redirect } from './requests/redirect.js'
import { routes } from './requests/routes.js'
import { pollSeconds } from './storage/device-rows.js'
import { looksLikeJwt, wrapJwt } from './tokens/access-tokens.js'

type Next = () => Promise<unknown>

/** Every endpoint by its own path, and by those that clients of older ABP versions and of the specification know it by. */
const endpoints: ReadonlyMap<string, string> = new Map([
  ...Object.values(routes).map((path) => [path, path] as const),
  ['/connect/logout', routes.end_session],
  ['/connect/revocation', routes.revocation],
])

/**
 * Makes a request look as if it came to the issuer's address, whatever its headers say: oidc-provider builds
 * the addresses it publishes from the request, so a forged `Host` could poison them.
 */
export function pinToIssuer(issuer: string): (request: IncomingMessage) => void {
  const { host, protocol } = new URL(issuer)
  return ({ headers }) => {
    headers.host = host
    headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete headers['x-forwarded-host']
  }
}

/**
 * True for a request over TLS: by its own connection, or by the word of a trusted proxy. To be asked before
 * the request is pinned.
 */
export function cameOverTls(request: IncomingMessage): boolean {
  // The request is that of Express, which knows how many proxies to believe.
  return (request as IncomingMessage & { secure?: boolean }).secure === true
}

/** OpenIddict's answer to a request without TLS, and what to do about it. */
export function refuseWithoutTls(response: ServerResponse): void {
  const error_description =
    'This server only accepts HTTPS requests. Behind a proxy that ends TLS set App:TrustedProxies, or AuthServer:RequireHttpsMetadata to false.'
  response.writeHead(400, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify({ error: 'invalid_request', error_description }))
}

/** Turns what OpenIddict's clients send and oidc-provider does not expect into what it does expect. */
export async function adaptRequest(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  // oidc-provider takes a path in any case and with a slash behind it: whatever guards a path knows it in one form.
  const endpoint = endpoints.get(ctx.path.toLowerCase().replace(/\/$/, ''))
  if (endpoint !== undefined) ctx.url = endpoint + ctx.search
  if (ctx.method === 'POST' && (ctx.path === routes.authorization || ctx.path === routes.end_session))
    return redirectToGet(ctx)
  if (ctx.method === 'GET' && ctx.path === routes.code_verification) keepUserCode(ctx)
  const takesToken = ctx.path === routes.revocation || ctx.path === routes.introspection
  // ABP's UI sends its bearer token with every call; here only the client is to be authenticated.
  if ((takesToken || ctx.path === routes.token) && /^bearer\s/i.test(ctx.headers.authorization ?? ''))
    delete ctx.headers.authorization
  if (ctx.method === 'POST' && ctx.is('application/x-www-form-urlencoded')) readQuickly(ctx, takesToken)
  await next()
  // RFC 8628 gives clients this many seconds to wait between two questions; some want to be told.
  if (ctx.path === routes.device_authorization && ctx.status === 200)
    Object.assign(ctx.body as object, { interval: pollSeconds })
  // Clients such as oidc-client-ts read the answer as JSON.
  if (ctx.path === routes.revocation && ctx.status === 200 && ctx.body === '') ctx.body = {}
}

/** Keeps the code of a device's link for the page: oidc-provider would send it on with a script. */
function keepUserCode(ctx: KoaContextWithOIDC): void {
  if (ctx.query.user_code === undefined) return
  ctx.state.userCode = ctx.query.user_code
  ctx.url = ctx.path
}

/** Browsers and servers read no longer ones. */
const longestAddress = 8 * 1024

/** The authorization request as oidc-provider takes it without weaker cookies. */
async function redirectToGet(ctx: KoaContextWithOIDC): Promise<void> {
  const address = `${ctx.path}?${await readForm(ctx.req)}`
  if (address.length > longestAddress) throw refusal(413, 'The form is too large')
  redirect(ctx, address)
}

/** Lets oidc-provider read a form in one piece: its own iterator costs a refresh 5 % more. */
function readQuickly({ req }: KoaContextWithOIDC, holdsToken: boolean): void {
  async function* pieces(): AsyncGenerator<Buffer, void, undefined> {
    const form = await readText(req)
    refuseNul(form)
    yield Buffer.from(holdsToken ? withWrappedToken(form) : form)
  }
  Object.assign(req, { iterator: pieces })
  if (!holdsToken) return
  // A wrapped token has another length.
  delete req.headers['content-length']
  req.headers['transfer-encoding'] = 'chunked'
}

function withWrappedToken(form: string): string {
  const fields = fieldsOf(form)
  const token = fields.get('token')
  if (!token || !looksLikeJwt(token)) return form
  fields.set('token', wrapJwt(token))
  return fields.toString()
}
