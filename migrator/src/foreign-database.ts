import { type DatabaseSession, quote } from '@keel/framework/data'
import type { MigrationSet } from './migration.js'
import { productVersion, readHistory } from './migration-history.js'

/** True when a database has tables of ours that none of our migrations made: it comes from ABP. */
export async function isForeign(session: DatabaseSession, { snapshot }: MigrationSet): Promise<boolean> {
  const history = await readHistory(session)
  if (history.some((entry) => entry.productVersion === productVersion)) return false
  const { rows } = await session.query<{ yes: boolean }>(
    'select exists (select from unnest($1::text[]) name where to_regclass(name) is not null) as yes',
    [snapshot.tables.map(({ name }) => quote(name))],
  )
  return rows[0]?.yes ?? false
}
