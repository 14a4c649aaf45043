/**
 * Why a host did not start, in words for the person who can change it: what is wrong, where, and what to do.
 * Printed without a stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
