import { expect, test } from 'vitest'
import { linkInto } from './app-urls.js'

const link = (returnUrl?: string) =>
  linkInto('https://app.example/ui/', {
    path: 'account/reset-password',
    query: { userId: '1', resetToken: 'a+b' },
    returnUrl,
    returnUrlHash: '#top',
  })
const plain = 'https://app.example/ui/account/reset-password?userId=1&resetToken=a%2Bb'

test('a link has the address of the application, its path and its parameters', () => {
  expect(link()).toBe(plain)
})

test.each(['/orders', 'https://app.example/orders', 'orders'])('%s is returned to', (returnUrl) => {
  expect(link(returnUrl)).toBe(`${plain}&returnUrl=${encodeURIComponent(returnUrl)}&returnUrlHash=%23top`)
})

test.each([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  'http://app.example/',
  'https://app.example@evil.example',
])('%s is not returned to', (returnUrl) => {
  expect(link(returnUrl)).toBe(plain)
})
