import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { Browser } from './browser.js'

/** Somebody as a directory knows them. */
export interface DirectoryPerson {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly given_name?: string
  readonly family_name?: string
  readonly preferred_username?: string
}

/** Another company's OpenID provider, where whoever is asked for is signed in already. */
export interface Directory {
  readonly authority: string
  readonly clientId: string
  readonly clientSecret: string
  /** Who sits at the browser from now on; undefined for somebody who cancels. */
  person: DirectoryPerson | undefined
  /** When the person signed in there, in seconds since 1970; just now, when not given. */
  signedInAt?: number | undefined
  /** Whether the keys that it publishes are, by the same names, others than those that it signs with. */
  publishesOtherKeys: boolean
  /** Goes through the directory's pages to where it sends people back to. */
  visit(address: URL | undefined): Promise<URL>
  close(): Promise<void>
}

/**
 * Starts a directory with one client: ours, with these addresses to return to. It always tells when a person signed in, or
 * only where it is asked to.
 */
export async function startDirectory(
  redirectUris: string[],
  {
    clientSecret = 'directory-secret',
    tellsTime = true,
  }: { clientSecret?: string; tellsTime?: boolean } = {},
): Promise<Directory> {
  const server = http.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const authority = `http://localhost:${(server.address() as AddressInfo).port}`
  const people = new Map<string, DirectoryPerson>()
  const directory: Directory = {
    authority,
    clientId: 'keel',
    clientSecret,
    person: undefined,
    publishesOtherKeys: false,
    visit,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const provider = new Provider(authority, {
    clients: [
      {
        client_id: 'keel',
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        require_auth_time: tellsTime,
      },
    ],
    cookies: { keys: ['directory'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'preferred_username'],
    },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ ...people.get(accountId), sub: accountId }),
    }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  })
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next()
    const { person } = directory
    if (!person) {
      const refused = { error: 'access_denied', error_description: 'The person cancelled' }
      ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, refused))
      return
    }
    people.set(person.sub, person)
    const grant = new provider.Grant({ accountId: person.sub, clientId: 'keel' })
    grant.addOIDCScope('openid profile email')
    const login = { accountId: person.sub, ...(directory.signedInAt && { ts: directory.signedInAt }) }
    const result = { login, consent: { grantId: await grant.save() } }
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result))
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (directory.publishesOtherKeys && request.url === '/jwks') response.end(JSON.stringify(otherKeys))
    else answer(request, response)
  })
  const otherKeys = await keysNamedAs(`${authority}/jwks`)
  return directory

  async function visit(address: URL | undefined): Promise<URL> {
    const { callback, html } = await new Browser(authority, fetch).open(String(address))
    if (!callback) throw new Error(`The directory did not send the person back:\n${html}`)
    return callback
  }
}

/** A key set like the one at an address, made of other keys. */
async function keysNamedAs(address: string): Promise<object> {
  const { keys } = (await (await fetch(address)).json()) as { keys: { kid: string }[] }
  const { publicKey } = await generateKeyPair('RS256')
  const jwk = await exportJWK(publicKey)
  return { keys: keys.map(({ kid }) => ({ ...jwk, kid, use: 'sig', alg: 'RS256' })) }
}
