import { configurationSection } from '@keel/framework'
import { z } from '@keel/framework/contracts'

const limit = z.int().min(0).max(86_400_000)

/** How patient a run is, in ms; 0 is without end. */
export const RunSettings = configurationSection('Migrator', {
  /** How long a statement waits for a lock of somebody else; while it waits, others wait behind it. */
  lockTimeoutMs: limit.default(5000),
  /** How often a migration is begun anew after it got no lock. */
  lockAttempts: z.int().min(1).max(1000).default(5),
  /** How long one statement may take. */
  statementTimeoutMs: limit.default(900_000),
  /** How long to wait for another migrator. */
  waitTimeoutMs: limit.default(900_000),
})

/** The values of {@link RunSettings}. */
export interface RunLimits {
  readonly lockTimeoutMs: number
  readonly lockAttempts: number
  readonly statementTimeoutMs: number
  readonly waitTimeoutMs: number
}

/**
 * The statement that sets limits to the end of the transaction at hand, and our name; what this server does
 * not know is left out.
 */
export function limitsSql(limits: Readonly<Record<string, number>>): string {
  const values = Object.entries({ ...inEveryTransaction, ...limits }).map(
    ([name, value]) => `('${name}', '${value}')`,
  )
  return `select set_config(s.name, v.value, true) from (values ${values.join(', ')}) v(name, value) join pg_settings s using (name)
    where s.name <> 'client_connection_check_interval' or version() ~* 'linux|darwin|bsd'`
}

const inEveryTransaction = {
  application_name: 'keel migrator',
  // A server that works on a long statement looks whether we still live; else our locks would outlive us.
  client_connection_check_interval: 1000,
  idle_in_transaction_session_timeout: 0,
  transaction_timeout: 0,
}
