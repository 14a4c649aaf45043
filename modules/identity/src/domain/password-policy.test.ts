import { expect, test } from 'vitest'
import { type PasswordPolicy, passwordFaults, passwordRules } from './password-policy.js'

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

test.each(['1q2w3E*', 'aaa', 'PASSWORD1', '😀aA1!x', 'Straße12', 'ßßßßßß', ''])(
  'the lookaheads of the rules say of %s what the check says',
  (password) => {
    const rules = passwordRules({ ...strict, requiredUniqueChars: 1 })
    const broken = rules.filter(({ pattern }) => !new RegExp(`^(?:${pattern}.*)$`, 'v').test(password))
    const faults = passwordFaults(password, { ...strict, requiredUniqueChars: 0 })
    expect(broken.map(({ code }) => code)).toEqual(faults.map(({ code }) => code))
  },
)
