import { expect, test } from 'vitest'
import { type PasswordPolicy, passwordFaults } from './password-policy.js'

const strict: PasswordPolicy = {
  requiredLength: 6,
  requiredUniqueChars: 4,
  requireNonAlphanumeric: true,
  requireDigit: true,
  requireLowercase: true,
  requireUppercase: true,
}
const lax: PasswordPolicy = {
  requiredLength: 1,
  requiredUniqueChars: 1,
  requireNonAlphanumeric: false,
  requireDigit: false,
  requireLowercase: false,
  requireUppercase: false,
}

test.each([
  ['1q2w3E*', strict, []],
  [
    'aaa',
    strict,
    ['TooShort', 'RequiresNonAlphanumeric', 'RequiresDigit', 'RequiresUpper', 'RequiresUniqueChars'],
  ],
  ['PASSWORD1', strict, ['RequiresNonAlphanumeric', 'RequiresLower']],
  ['Straße12', strict, []],
  ['ßßßßßß', { ...lax, requireLowercase: true }, ['RequiresLower']],
  ['', lax, ['TooShort', 'RequiresUniqueChars']],
  ['x', lax, []],
])('%s breaks under %o: %j', (password, policy, codes) => {
  expect(passwordFaults(password, policy).map(({ code }) => code)).toEqual(
    codes.map((code) => `Volo.Abp.Identity:Password${code}`),
  )
})
