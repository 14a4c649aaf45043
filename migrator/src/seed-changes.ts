import { type DatabaseSession, type ModelSnapshot, quote } from '@keel/framework/data'

/** A row that seeding would write, in words for a person. */
export interface SeedChange {
  readonly table: string
  readonly change: 'added' | 'updated' | 'deleted'
  /** The name of the row: `client Core_App`, `grant R admin Port.View`, or the table and its key. */
  readonly what: string
  /** Of an updated row: each column that differs, what was and what is to be; a secret is only said to differ. */
  readonly columns?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>
}

/** How often the rows of each table were written in this session's transaction. */
export type WriteCounts = ReadonlyMap<string, number>

/** Reads {@link WriteCounts}; what PostgreSQL counts by itself. */
export async function readWriteCounts(session: DatabaseSession): Promise<WriteCounts> {
  const { rows } = await session.query<{ table: string; writes: string }>(
    `select relname as "table", n_tup_ins + n_tup_upd + n_tup_del as writes
       from pg_stat_xact_user_tables where schemaname = current_schema()`,
  )
  return new Map(rows.map(({ table, writes }) => [table, Number(writes)]))
}

/** The rows of a table that a transaction wrote. */
export interface TableWrites extends TableRows {
  /** Its rows that the transaction wrote, by key. */
  readonly written: ReadonlyMap<string, Row>
  /** The keys of all its rows, where the transaction deleted some. */
  readonly kept: readonly string[] | undefined
}

/**
 * Reads the rows of `tables` that this session's transaction, whose id is `since`, has written. Called before
 * it is rolled back.
 */
export async function readTableWrites(
  session: DatabaseSession,
  { tables, model, since }: { tables: readonly string[]; model: ModelSnapshot; since: string },
): Promise<TableWrites[]> {
  const writes: TableWrites[] = []
  for (const { name, primaryKey } of model.tables.filter((table) => tables.includes(table.name))) {
    const rows = { table: name, key: primaryKey.columns }
    // Rows that the transaction wrote are younger than it; everybody else's younger rows are not seen in it.
    const written = await readRows(session, rows, 'age(t.xmin) <= age($1::text::xid)', [since])
    writes.push({ ...rows, written, kept: await readKept(session, rows) })
  }
  return writes
}

async function readKept(
  session: DatabaseSession,
  { table, key }: TableRows,
): Promise<readonly string[] | undefined> {
  const { rows: counts } = await session.query<{ deleted: string }>(
    'select n_tup_del as deleted from pg_stat_xact_user_tables where relid = to_regclass($1)',
    [quote(table)],
  )
  if (Number(counts[0]?.deleted ?? 0) === 0) return undefined
  const { rows } = await session.query<{ key: string }>(`select ${keyOf(key)} as key from ${quote(table)} t`)
  return rows.map((row) => row.key)
}

/** In what the rows that were written differ from those that are there; asked after the rollback. */
export async function compareWrites(
  session: DatabaseSession,
  writes: readonly TableWrites[],
): Promise<SeedChange[]> {
  const changes: SeedChange[] = []
  for (const { written, kept, ...rows } of writes) {
    const { table } = rows
    const exists = await session.query('select to_regclass($1) is not null as yes', [quote(table)])
    const read = (condition: string, values: unknown[]): Promise<Map<string, Row>> =>
      exists.rows[0]?.yes ? readRows(session, rows, condition, values) : Promise.resolve(new Map())
    const before = await read(`${keyOf(rows.key)} = any($1::text[])`, [[...written.keys()]])
    for (const [key, row] of written) {
      const old = before.get(key)
      const columns = old && differences(old.values, row.values)
      if (!old) changes.push({ table, change: 'added', what: row.label })
      else if (columns && Object.keys(columns).length)
        changes.push({ table, change: 'updated', what: row.label, columns })
    }
    const gone = kept ? await read(`${keyOf(rows.key)} <> all($1::text[])`, [kept]) : new Map<string, Row>()
    for (const { label } of gone.values()) changes.push({ table, change: 'deleted', what: label })
  }
  return changes
}

interface TableRows {
  readonly table: string
  readonly key: readonly string[]
}

interface Row {
  readonly label: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Rows by their key. */
async function readRows(
  session: DatabaseSession,
  { table, key }: TableRows,
  condition: string,
  values: unknown[],
): Promise<Map<string, Row>> {
  const label = labels[table] ?? `'${table} ' || ${keyOf(key)}`
  const { rows } = await session.query<{ key: string; label: string; row: Row['values'] }>(
    `select ${keyOf(key)} as key, ${label} as label, to_jsonb(t) as row from ${quote(table)} t where ${condition} order by 2`,
    values,
  )
  return new Map(rows.map((row) => [row.key, { label: row.label, values: row.row }]))
}

const keyOf = (key: readonly string[]): string =>
  `concat_ws(' ', ${key.map((column) => `t.${quote(column)}`).join(', ')})`

/** The name of a row for a person, as SQL over `t`. */
const labels: Readonly<Record<string, string>> = {
  OpenIddictApplications: `'client ' || t."ClientId"`,
  OpenIddictScopes: `'scope ' || t."Name"`,
  AbpRoles: `'role ' || t."Name"`,
  AbpUsers: `'user ' || t."UserName"`,
  AbpPermissionGrants: `concat_ws(' ', 'grant', t."ProviderName", t."ProviderKey", t."Name")`,
  AbpOrganizationUnits: `'organization unit ' || t."DisplayName"`,
  AbpUserRoles: `concat_ws(' ', 'user', (select "UserName" from "AbpUsers" where "Id" = t."UserId"),
    'in role', (select "Name" from "AbpRoles" where "Id" = t."RoleId"))`,
  AbpUserOrganizationUnits: `concat_ws(' ', 'user', (select "UserName" from "AbpUsers" where "Id" = t."UserId"),
    'in organization unit', (select "DisplayName" from "AbpOrganizationUnits" where "Id" = t."OrganizationUnitId"))`,
  AbpSettings: `concat_ws(' ', 'setting', t."Name", t."ProviderName", t."ProviderKey")`,
}

/** Columns that say when and by whom a row was written, and not what it means. */
const incidental = [
  'ConcurrencyStamp',
  'LastModificationTime',
  'LastModifierId',
  'EntityVersion',
  'SecurityStamp',
]
/** Columns whose values nobody is shown. */
const secrets = /hash|secret|password|token|payload|content$/i

function differences(from: Row['values'], to: Row['values']): NonNullable<SeedChange['columns']> {
  const changed = Object.keys(to).filter(
    (column) => !incidental.includes(column) && JSON.stringify(from[column]) !== JSON.stringify(to[column]),
  )
  return Object.fromEntries(
    changed.map((column) => [
      column,
      secrets.test(column)
        ? { from: '(secret)', to: '(another secret)' }
        : { from: from[column] ?? null, to: to[column] ?? null },
    ]),
  )
}
