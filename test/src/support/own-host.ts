import { test } from 'vitest'
import { isRemote } from './relays.js'

/**
 * A test of what callers of the host see that has the modules: a service that calls another host and answers what it was answered passes on neither
 * headers nor parts of files, and has the whole input before it calls. Where Hub and Pricing are elsewhere it is skipped, and says so.
 */
export const testOfOwnHost: (name: string, work: () => Promise<void>) => void = isRemote
  ? (name) =>
      void test(name, ({ skip }) => skip('it is about the host of the module, and that is another one'))
  : (name, work) => void test(name, work)
