import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, issuer, startAuthHost } from './auth-host.js'
import { Browser } from './browser.js'
import { selfSigned } from './certificates.js'
import { authorizationRequest, redeem, refresh, tokensFor } from './sign-in.js'

const [old, next] = [selfSigned('old'), selfSigned('next')]

/** What the settings are before, in each step, and after: first what signs, then what is published beside it. */
const steps = {
  before: [old],
  published: [old, next],
  swapped: [next, old],
  retired: [next],
} as const
type Step = keyof typeof steps

/** Keeps the database. */
let first: AuthHost
const copies = new Map<Step, AuthHost>()

/** All copies at once: during a rolling restart, neighbours of two steps answer in turns. */
beforeAll(async () => {
  for (const [step, [signing, published]] of Object.entries(steps)) {
    const settings = {
      'AuthServer:SigningCertificate': signing,
      ...(published && { 'AuthServer:PublishedCertificates:0:Certificate': published }),
    }
    const copy = await startAuthHost({ settings, ...(first && { beside: first }) })
    first ??= copy
    copies.set(step as Step, copy)
  }
})
afterAll(async () => {
  for (const copy of [...copies.values()].reverse()) await copy.close()
})

const at = (step: Step): AuthHost => copies.get(step) as AuthHost

/** A browser whose requests go to one copy, and later to another. */
function movingBrowser(): { browser: Browser; moveTo(step: Step): void } {
  let current = at('before')
  const browser = new Browser(issuer, (input, init) => current.fetch(input, init))
  return { browser, moveTo: (step) => (current = at(step)) }
}

const userinfo = async (step: Step, token: string): Promise<number> =>
  (await at(step).fetch('/connect/userinfo', { headers: { authorization: `Bearer ${token}` } })).status

const isKnownBy = async (step: Step, token: string): Promise<boolean> => {
  const keys = (await (await at(step).fetch('/.well-known/jwks')).json()) as JSONWebKeySet
  return jwtVerify(token, createLocalJWKSet(keys)).then(
    () => true,
    () => false,
  )
}

test('through all steps of a rotation who is signed in stays so, and every token is known while it lives', async () => {
  const { browser, moveTo } = movingBrowser()
  let tokens = await tokensFor(at('before'), browser, 'operator')
  const signedBy = [decodeProtectedHeader(tokens.access_token).kid]
  for (const [before, step] of [
    ['before', 'published'],
    ['published', 'swapped'],
    ['swapped', 'retired'],
  ] as const) {
    // While copies are restarted one after the other, tokens of each kind come to each kind.
    if (step !== 'retired') {
      expect([await userinfo(step, tokens.access_token), await isKnownBy(step, tokens.access_token)]).toEqual(
        [200, true],
      )
      expect(await isKnownBy(step, tokens.id_token)).toBe(true)
    }
    moveTo(step)
    const silent = authorizationRequest({ prompt: 'none' })
    const { callback } = await browser.open(silent.address)
    expect(callback?.searchParams.get('error')).toBeNull()
    expect((await redeem(at(step), { callback } as never, silent)).status).toBe(200)
    tokens = (await refresh(at(step), tokens.refresh_token)).body
    signedBy.push(decodeProtectedHeader(tokens.access_token).kid)
    expect([
      await userinfo(before, tokens.access_token),
      await isKnownBy(before, tokens.access_token),
    ]).toEqual([200, true])
  }
  const [oldKey, , nextKey] = signedBy
  expect(signedBy).toEqual([oldKey, oldKey, nextKey, nextKey])
  expect(oldKey).not.toBe(nextKey)
})

test('an identity token of the old key still signs its user out while that key is published', async () => {
  const { browser, moveTo } = movingBrowser()
  const { id_token } = await tokensFor(at('before'), browser, 'customer')
  moveTo('swapped')
  const parameters = { id_token_hint: id_token, post_logout_redirect_uri: 'http://localhost:4200' }
  const { callback } = await browser.open(`/connect/endsession?${new URLSearchParams(parameters)}`)
  expect(callback?.href).toBe('http://localhost:4200/')
})
