import { type DatabaseSession, type ModelSnapshot, quote } from '@keel/framework/data'

/** A row that seeding would write, in words for a person. */
export interface SeedChange {
  readonly table: string
  readonly change: 'added' | 'updated' | 'deleted'
  /** What it is: `client Core_App`, `grant R admin Port.View`, or the table and its key. */
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

/**
 * The rows of `tables` that are other ones for `writer`, in the transaction whose id is `since`, than for `witness`, who sees what is
 * committed.
 */
export async function readSeedChanges(
  writer: DatabaseSession,
  witness: DatabaseSession,
  { tables, model, since }: { tables: readonly string[]; model: ModelSnapshot; since: string },
): Promise<SeedChange[]> {
  const changes: SeedChange[] = []
  for (const { name, primaryKey } of model.tables.filter((table) => tables.includes(table.name))) {
    const rows = { table: name, key: primaryKey.columns }
    // Rows that the transaction wrote are younger than it; everybody else's younger rows are not seen in it.
    const after = await readRows(writer, rows, `age(t.xmin) <= age($1::text::xid)`, [since])
    const exists = await witness.query('select to_regclass($1) is not null as yes', [quote(name)])
    const before = exists.rows[0]?.yes
      ? await readRows(witness, rows, `${keyOf(rows.key)} = any($1::text[])`, [[...after.keys()]])
      : new Map<string, Row>()
    for (const [key, row] of after) {
      const old = before.get(key)
      const columns = old && differences(old.values, row.values)
      if (!old) changes.push({ table: name, change: 'added', what: row.label })
      else if (columns && Object.keys(columns).length)
        changes.push({ table: name, change: 'updated', what: row.label, columns })
    }
    changes.push(...(exists.rows[0]?.yes ? await readDeleted(writer, witness, rows) : []))
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

async function readDeleted(
  writer: DatabaseSession,
  witness: DatabaseSession,
  { table, key }: TableRows,
): Promise<SeedChange[]> {
  const deleted = await writer.query<{ deleted: string }>(
    'select n_tup_del as deleted from pg_stat_xact_user_tables where relid = to_regclass($1)',
    [quote(table)],
  )
  if (Number(deleted.rows[0]?.deleted ?? 0) === 0) return []
  const { rows } = await writer.query<{ key: string }>(`select ${keyOf(key)} as key from ${quote(table)} t`)
  const gone = await readRows(witness, { table, key }, `${keyOf(key)} <> all($1::text[])`, [
    rows.map((row) => row.key),
  ])
  return [...gone.values()].map(({ label }) => ({ table, change: 'deleted', what: label }))
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

/** What a row is for a person, in SQL over `t`. */
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
