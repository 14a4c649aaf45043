/** PostgreSQL's locks on a table, from the weakest to the strongest, as `pg_locks` writes them. */
export const lockModes = [
  'AccessShareLock',
  'RowShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
] as const
export type LockMode = (typeof lockModes)[number]

/** A lock that a statement takes on a table. */
export interface TableLock {
  readonly table: string
  readonly mode: LockMode
}

/** The operations of other sessions on a table that the lock blocks. */
export function blockedBy(mode: LockMode): 'nothing' | 'schema changes' | 'writes' | 'reads and writes' {
  if (mode === 'AccessExclusiveLock') return 'reads and writes'
  if (lockModes.indexOf(mode) >= lockModes.indexOf('ShareLock')) return 'writes'
  return mode === 'ShareUpdateExclusiveLock' ? 'schema changes' : 'nothing'
}

/** The strongest lock on each table. */
export function strongestLocks(locks: readonly TableLock[]): TableLock[] {
  const strongest = new Map<string, LockMode>()
  for (const { table, mode } of locks) {
    const known = strongest.get(table)
    if (!known || lockModes.indexOf(mode) > lockModes.indexOf(known)) strongest.set(table, mode)
  }
  return [...strongest].map(([table, mode]) => ({ table, mode }))
}
