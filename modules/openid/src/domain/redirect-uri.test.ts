import { expect, test } from 'vitest'
import { isRedirectUri } from './redirect-uri.js'

test.each([
  ['https://app.example.com/callback', true, true],
  ['https://app.example.com/callback?tab=1', true, true],
  ['http://app.example.com', true, false],
  ['http://localhost:4200', true, true],
  ['https://localhost:4200', true, false],
  ['com.example.app:/callback', false, true],
  ['javascript:alert(1)', false, false],
  ['data:text/html,x', false, false],
  ['https://app.example.com/#here', false, false],
  ['https://app.example.com/#', false, false],
  ['/callback', false, false],
  ['app.example.com', false, false],
  ['', false, false],
])('%s is an address of a web client: %s, of a native one: %s', (address, web, native) => {
  expect([isRedirectUri(address, 'web'), isRedirectUri(address, 'native')]).toEqual([web, native])
})
