import { IdentityErrors } from '../contracts/index.js'

/** The requirements of passwords. */
export interface PasswordPolicy {
  readonly requiredLength: number
  readonly requiredUniqueChars: number
  readonly requireNonAlphanumeric: boolean
  readonly requireDigit: boolean
  readonly requireLowercase: boolean
  readonly requireUppercase: boolean
}

/** A rule that was broken, and the number or name that its text speaks of. */
export interface RuleFault {
  readonly code: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Rules as lookaheads for the `pattern` of an input. The number of distinct characters has none. */
const patterns: Readonly<Record<string, (data: RuleFault['data']) => string>> = {
  [IdentityErrors.PasswordTooShort]: (data) => `(?=.{${data[0]}})`,
  [IdentityErrors.PasswordRequiresNonAlphanumeric]: () => '(?=.*[^0-9A-Za-z])',
  [IdentityErrors.PasswordRequiresDigit]: () => '(?=.*[0-9])',
  [IdentityErrors.PasswordRequiresLower]: () => '(?=.*[a-z])',
  [IdentityErrors.PasswordRequiresUpper]: () => '(?=.*[A-Z])',
}

/**
 * The rules of a policy, each with its lookahead: the faults of the empty password, which breaks them all.
 */
export function passwordRules(policy: PasswordPolicy): (RuleFault & { pattern: string | undefined })[] {
  // One character is different from all others by itself.
  const requiredUniqueChars = policy.requiredUniqueChars > 1 ? policy.requiredUniqueChars : 0
  return passwordFaults('', { ...policy, requiredUniqueChars }).map((rule) => ({
    ...rule,
    pattern: patterns[rule.code]?.(rule.data),
  }))
}

/**
 * All rules that a password breaks, in ASP.NET Core Identity's order and with its idea of letters and digits:
 * those of ASCII, so that `ß` is neither.
 */
export function passwordFaults(password: string, policy: PasswordPolicy): RuleFault[] {
  const { requiredLength, requiredUniqueChars } = policy
  const rules: [isBroken: boolean, code: string, data?: RuleFault['data']][] = [
    [password.length < requiredLength, IdentityErrors.PasswordTooShort, { 0: requiredLength }],
    [
      policy.requireNonAlphanumeric && !/[^0-9A-Za-z]/.test(password),
      IdentityErrors.PasswordRequiresNonAlphanumeric,
    ],
    [policy.requireDigit && !/[0-9]/.test(password), IdentityErrors.PasswordRequiresDigit],
    [policy.requireLowercase && !/[a-z]/.test(password), IdentityErrors.PasswordRequiresLower],
    [policy.requireUppercase && !/[A-Z]/.test(password), IdentityErrors.PasswordRequiresUpper],
    [
      new Set(password).size < requiredUniqueChars,
      IdentityErrors.PasswordRequiresUniqueChars,
      { 0: requiredUniqueChars },
    ],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, code, data = {}]) => ({ code, data }))
}
