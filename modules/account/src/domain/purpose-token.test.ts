import { expect, test } from 'vitest'
import { isTokenFor, sealToken } from './purpose-token.js'

const key = Buffer.alloc(32, 1)
const now = new Date('2026-11-21T12:00:00Z')
const expires = new Date('2026-11-21T13:00:00Z')
const jane = { userId: '3a1ae17a-0000-4000-8000-000000000001', securityStamp: 'STAMP', state: 'a' }
const token = sealToken(key, 'PasswordReset', jane, expires)

test('a token is for its purpose and its user until it ends', () => {
  expect(isTokenFor(token, key, 'PasswordReset', jane, now)).toBe(true)
  expect(isTokenFor(token, key, 'PasswordReset', { ...jane, userId: jane.userId.toUpperCase() }, now)).toBe(
    true,
  )
  expect(token).toMatch(/^[\w-]{64}$/)
  expect(sealToken(key, 'PasswordReset', jane, expires)).not.toBe(token)
})

test.each([
  ['for another purpose', () => isTokenFor(token, key, 'EmailConfirmation', jane, now)],
  [
    'for another user',
    () => isTokenFor(token, key, 'PasswordReset', { ...jane, userId: jane.userId.replace(/1$/, '2') }, now),
  ],
  [
    'after the credentials changed',
    () => isTokenFor(token, key, 'PasswordReset', { ...jane, securityStamp: 'NEXT' }, now),
  ],
  ['in another state', () => isTokenFor(token, key, 'PasswordReset', { ...jane, state: 'b' }, now)],
  ['with another key', () => isTokenFor(token, Buffer.alloc(32, 2), 'PasswordReset', jane, now)],
  ['when it has ended', () => isTokenFor(token, key, 'PasswordReset', jane, expires)],
  [
    'with a later end',
    () => {
      const bytes = Buffer.from(token, 'base64url')
      bytes.writeUInt8((bytes[5] ?? 0) ^ 1, 5)
      return isTokenFor(bytes.toString('base64url'), key, 'PasswordReset', jane, now)
    },
  ],
  [
    'with another middle',
    () => isTokenFor(`${token.slice(0, 10)}AAAA${token.slice(14)}`, key, 'PasswordReset', jane, now),
  ],
  ['with something behind it', () => isTokenFor(`${token}A`, key, 'PasswordReset', jane, now)],
  ['with a character that does not count', () => isTokenFor(`${token}=`, key, 'PasswordReset', jane, now)],
  ['when it is cut', () => isTokenFor(token.slice(0, -4), key, 'PasswordReset', jane, now)],
  ['when it is empty', () => isTokenFor('', key, 'PasswordReset', jane, now)],
])('a token is worth nothing %s', (_when, accepted) => {
  expect(accepted()).toBe(false)
})

test('what stands at a border between two members belongs to one of them', () => {
  const one = sealToken(key, 'LinkUser', { userId: 'u', securityStamp: 'a', state: 'b' }, expires)
  expect(isTokenFor(one, key, 'LinkUser', { userId: 'u', securityStamp: 'a","b', state: '' }, now)).toBe(
    false,
  )
})
