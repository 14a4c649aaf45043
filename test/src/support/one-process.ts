import { test } from 'vitest'
import { hasCopies } from './copies.js'

/**
 * A test of what one process knows for itself: what it remembers, counts or has open. Where every host is two copies it is skipped, and says
 * so.
 */
export const testOfOneProcess: (name: string, work: () => unknown, timeoutMs?: number) => void = hasCopies
  ? (name) => void test(name, ({ skip }) => skip('it is about what one process knows, and there are two'))
  : (name, work, timeoutMs) => void test(name, () => work() as Promise<void>, timeoutMs)
