import { expect, test } from 'vitest'
import { identityOf, schemeOf } from './external-scheme.js'

const provider = (name: string, properties: Record<string, string> = {}) => ({
  name,
  enabled: true,
  properties,
  secretProperties: {},
})
const directory = { Authority: 'https://login.contoso.com', TrustedEmailDomains: 'contoso.com, Contoso.DE' }
const microsoft = 'https://login.microsoftonline.com/11111111-1111-1111-1111-111111111111/v2.0'

test.each([
  ['Google', {}, { email: 'ada@gmail.com', email_verified: true }, true],
  ['Google', {}, { email: 'ada@contoso.com', email_verified: true }, false],
  ['Google', {}, { email: 'ada@contoso.com', email_verified: true, hd: 'contoso.com' }, true],
  ['Google', {}, { email: 'ada@gmail.com', email_verified: false }, false],
  ['Google', {}, { email: 'ada@gmail.com' }, false],
  ['Microsoft', {}, { iss: microsoft, email: 'ada@contoso.com', email_verified: true }, false],
  ['Microsoft', {}, { iss: microsoft, email: 'ada@contoso.com', xms_edov: true }, true],
  ['Microsoft', {}, { iss: microsoft, email: 'ada@contoso.com', xms_edov: '1' }, true],
  ['Microsoft', {}, { iss: microsoft, email: 'ada@contoso.com', xms_edov: '0' }, false],
  ['OpenIdConnect.contoso', directory, { email: 'ada@contoso.de', email_verified: 'True' }, true],
  ['OpenIdConnect.contoso', directory, { email: 'ada@evil.com', email_verified: true }, false],
  ['OpenIdConnect.contoso', directory, { email: 'ada@contoso.com@evil.com', email_verified: true }, false],
  [
    'OpenIdConnect.contoso',
    { ...directory, TrustedEmailDomains: '' },
    { email: 'ada', email_verified: true },
    false,
  ],
  [
    'OpenIdConnect.contoso',
    { ...directory, TrustedEmailDomains: '' },
    { email: 'ada@', email_verified: true },
    false,
  ],
])('%s %j is believed about %j: %s', (name, properties, claims, isTrusted) => {
  const scheme = schemeOf(provider(name, properties))
  expect(scheme && identityOf(scheme, { sub: '1', ...claims }).isEmailTrusted).toBe(isTrusted)
})

test('every provider has a way back of its own', () => {
  const paths = ['Google', 'Microsoft', 'GitHub', 'OpenIdConnect.a', 'OpenIdConnect.b'].map(
    (name) => schemeOf(provider(name, directory))?.callbackPath,
  )
  expect(paths).toEqual([
    '/signin-google',
    '/signin-microsoft',
    '/signin-github',
    '/signin-oidc/a',
    '/signin-oidc/b',
  ])
})

test.each([
  ['Somebody', {}],
  ['OpenIdConnect.contoso', {}],
])('there is no way to %s with %j', (name, properties) => {
  expect(schemeOf(provider(name, properties))).toBeUndefined()
})
