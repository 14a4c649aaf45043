import type { Session } from 'oidc-provider'

/** The methods (`amr`) of a sign-in at an external provider. */
export function externalMethods(isNewSignIn: boolean | undefined): string[] {
  return isNewSignIn ? ['ext', 'user'] : ['ext']
}

/** The methods (`amr`) that a code adds to those of the first factor, by RFC 8176. */
export const codeMethods = ['otp', 'mfa'] as const

/** The methods of a session after its person proved again who they are. */
export function methodsAfterProof(amr: readonly string[] = []): string[] {
  return provesPerson(amr) ? [...amr] : [...amr, 'user']
}

/**
 * The time when the person of a session last proved who they are; 1970 for a session that was begun by a provider that
 * did not tell of a new sign-in. Anybody at the browser of somebody who is signed in at the provider can begin such a session.
 */
export function provenAtOf({ loginTs = 0, amr = [] }: Pick<Session, 'loginTs' | 'amr'>): Date {
  return new Date(provesPerson(amr) ? loginTs * 1000 : 0)
}

/** False for `ext` alone. RFC 8176 names `user` for a test that the person is present. */
export function provesPerson(amr: readonly string[] = []): boolean {
  return amr.length !== 1 || amr[0] !== 'ext'
}
