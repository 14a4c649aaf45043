import { IdentityErrors } from '../contracts/index.js'

/** What passwords must be like. */
export interface PasswordPolicy {
  readonly requiredLength: number
  readonly requiredUniqueChars: number
  readonly requireNonAlphanumeric: boolean
  readonly requireDigit: boolean
  readonly requireLowercase: boolean
  readonly requireUppercase: boolean
}

/** A rule that a password breaks, and the number that the rule speaks of. */
export interface PasswordFault {
  readonly code: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * All rules that a password breaks, in ASP.NET Core Identity's order and with its idea of letters and digits: those of ASCII, so that `ß`
 * is neither.
 */
export function passwordFaults(password: string, policy: PasswordPolicy): PasswordFault[] {
  const { requiredLength, requiredUniqueChars } = policy
  const rules: [isBroken: boolean, code: string, data?: PasswordFault['data']][] = [
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
