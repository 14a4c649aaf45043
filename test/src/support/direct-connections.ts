import { test } from 'vitest'
import { isPooled } from './test-databases.js'

/**
 * A test of what only a connection straight to PostgreSQL has: notifications, a session of its own. Where hosts are behind a pooler it is
 * skipped, and says so.
 */
export const testOfDirectConnections: (name: string, work: () => unknown, timeoutMs?: number) => void =
  isPooled
    ? (name) => void test(name, ({ skip }) => skip('it needs connections that no pooler shares'))
    : (name, work, timeoutMs) => void test(name, () => work() as Promise<void>, timeoutMs)
