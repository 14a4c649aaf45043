import { expect, test } from 'vitest'
import { fitsPattern, isRedirectPattern } from './redirect-pattern.js'

test.each([
  ['https://{0}.example.com/signin-oidc', true],
  ['https://{0}.example.com', true],
  ['http://{0}.localhost:4200', true],
  ['https://{0}.example.com:8443/a/b?c=d', true],
  ['https://{0}.com/x', false],
  ['https://{0}/x', false],
  ['https://{0}', false],
  ['https://a.{0}.example.com', false],
  ['https://x{0}.example.com', false],
  ['https://{0}example.com', false],
  ['https://{0}.{0}.example.com', false],
  ['https://{0}.example.com/{0}', false],
  ['https://{0}@example.com', false],
  ['https://user@{0}.example.com', false],
  ['https://{0}.example.com/#x', false],
  ['{0}://a.example.com', false],
  ['app://{0}.example.com', false],
  ['https://{0}.example.com\\x', false],
])('%s is a pattern: %s', (address, expected) => {
  expect(isRedirectPattern(address)).toBe(expected)
})

const pattern = 'https://{0}.example.com/signin-oidc'

test.each(['https://a.example.com/signin-oidc', 'https://tenant-1.example.com/signin-oidc'])(
  '%s fits',
  (address) => {
    expect(fitsPattern(address, pattern)).toBe(true)
  },
)

test('a bare origin, a port and a query are compared as they are', () => {
  expect(fitsPattern('http://a.localhost:4200', 'http://{0}.localhost:4200')).toBe(true)
  expect(fitsPattern('http://a.localhost:4200/', 'http://{0}.localhost:4200')).toBe(false)
  expect(fitsPattern('http://a.localhost:4201', 'http://{0}.localhost:4200')).toBe(false)
  expect(fitsPattern('https://a.example.com/x?y=1', 'https://{0}.example.com/x?y=1')).toBe(true)
})

test.each([
  // The host is another.
  'https://evil.com/signin-oidc',
  'https://example.com/signin-oidc',
  'https://.example.com/signin-oidc',
  'https://evil.com/.example.com/signin-oidc',
  'https://evil.com?.example.com/signin-oidc',
  'https://evil.com#.example.com/signin-oidc',
  'https://evil.com\\.example.com/signin-oidc',
  'https://evil.com%2f.example.com/signin-oidc',
  'https://evil.com%23.example.com/signin-oidc',
  'https://evil.com%00.example.com/signin-oidc',
  'https://evil.com:443#.example.com/signin-oidc',
  'https://a.example.com.evil.com/signin-oidc',
  'https://a.example.com@evil.com/signin-oidc',
  'https://a@evil.example.com/signin-oidc',
  'https://evil.com:x@a.example.com/signin-oidc',
  'https://evil.com/@a.example.com/signin-oidc',
  'https://aexample.com/signin-oidc',
  // More than one label, or none that a name can have.
  'https://a.b.example.com/signin-oidc',
  'https://evil.com.example.com/signin-oidc',
  'https://-a.example.com/signin-oidc',
  'https://a-.example.com/signin-oidc',
  'https://a_b.example.com/signin-oidc',
  'https://*.example.com/signin-oidc',
  'https://{0}.example.com/signin-oidc',
  `https://${'a'.repeat(64)}.example.com/signin-oidc`,
  'https://ａ.example.com/signin-oidc',
  'https://a。example.com/signin-oidc',
  // Written otherwise.
  'https://A.example.com/signin-oidc',
  'https://a.EXAMPLE.com/signin-oidc',
  'HTTPS://a.example.com/signin-oidc',
  'https://a.example.com./signin-oidc',
  ' https://a.example.com/signin-oidc',
  'https://a.example.com/signin-oidc ',
  'ht\ttps://a.example.com/signin-oidc',
  'https:a.example.com/signin-oidc',
  'https:\\\\a.example.com\\signin-oidc',
  'https:///a.example.com/signin-oidc',
  // The scheme, port, path, query or fragment is another.
  'http://a.example.com/signin-oidc',
  'javascript://a.example.com/signin-oidc',
  'https://a.example.com:443/signin-oidc',
  'https://a.example.com:8443/signin-oidc',
  'https://a.example.com/signin-oidc/',
  'https://a.example.com/signin-oidc/../other',
  'https://a.example.com/%73ignin-oidc',
  'https://a.example.com/signin-oidc?x=1',
  'https://a.example.com/signin-oidc#x',
  'https://a.example.com/signin-oidc#',
  'https://a.example.com//signin-oidc',
  '//a.example.com/signin-oidc',
  '/signin-oidc',
  '',
])('%j does not fit', (address) => {
  expect(fitsPattern(address, pattern)).toBe(false)
})

test('what is no pattern fits nothing, itself included', () => {
  expect(fitsPattern('https://a.example.com', 'https://a.example.com')).toBe(false)
  expect(fitsPattern('https://a.com', 'https://{0}.com')).toBe(false)
})
