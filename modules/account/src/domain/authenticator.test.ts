import { expect, test } from 'vitest'
import {
  authenticatorUri,
  newAuthenticatorKey,
  newRecoveryCodes,
  newSixDigitCode,
  plainRecoveryCode,
  stepOfCode,
} from './authenticator.js'

/**
 * RFC 6238, appendix B, SHA-1: the key is the ASCII text 12345678901234567890; the last six of the eight
 * digits.
 */
const key = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('%i seconds after 1970 the code is %s (RFC 6238)', (seconds, code) => {
  expect(stepOfCode(key, code, new Date(seconds * 1000))).toBe(Math.floor(seconds / 30))
})

test('a code counts a step early and a step late, and not two', () => {
  const at = (seconds: number) => stepOfCode(key, '287082', new Date(seconds * 1000))
  expect([at(29), at(30), at(59), at(89), at(90)]).toEqual([1, 1, 1, 1, undefined])
})

test('a code counts once, and none before it after that', () => {
  const now = new Date(59_000)
  expect(stepOfCode(key, '287082', now, 0)).toBe(1)
  expect(stepOfCode(key, '287082', now, 1)).toBeUndefined()
  expect(stepOfCode(key, '287082', now, 2)).toBeUndefined()
})

test.each(['', '28708', '2870820', '28708a', '٢٨٧٠٨٢', '000000'])('"%s" is no code', (code) => {
  expect(stepOfCode(key, code, new Date(59_000))).toBeUndefined()
})

test('people may type a code in groups', () => {
  expect(stepOfCode(key, ' 287 082 ', new Date(59_000))).toBe(1)
})

test('keys have 160 bits and applications read them from an address', () => {
  expect(newAuthenticatorKey()).toMatch(/^[A-Z2-7]{32}$/)
  expect(authenticatorUri(key, 'Acme & Co', 'jane@example.com')).toBe(
    `otpauth://totp/Acme%20%26%20Co:jane%40example.com?issuer=Acme%20%26%20Co&secret=${key}&algorithm=SHA1&digits=6&period=30`,
  )
})

test('ten recovery codes differ, and how they are typed does not matter', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  expect(codes.every((code) => /^[2-9B-Y]{5}-[2-9B-Y]{5}$/.test(code))).toBe(true)
  expect(plainRecoveryCode('b7kqm2xtwd')).toBe(plainRecoveryCode(' B7KQM-2XTWD '))
  expect(plainRecoveryCode('B7KQM-2XTWD')).not.toBe(plainRecoveryCode('B7KQM-2XTWF'))
})

test('codes of mails have six digits', () => {
  expect(newSixDigitCode()).toMatch(/^\d{6}$/)
})
