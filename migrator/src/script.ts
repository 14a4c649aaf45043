import { destructiveStatements } from './analysis/analyse.js'
import type { Migration } from './migration.js'
import { createHistory, historyTable, productVersion } from './migration-history.js'
import { takeRunLockSql, waitForTheDeadSql } from './run-lock.js'

/** Limits in ms for the statements of a script. */
export interface ScriptLimits {
  readonly lockTimeoutMs: number
  readonly statementTimeoutMs: number
}

/**
 * SQL for administrators who do not let a program at their schema: applies every migration that the history of the database lacks, and
 * enters it there. Each migration is one statement, so it is done as a whole or not at all, and none is done before the one ahead of it,
 * whatever the tool does with errors. Plain SQL without commands of psql: any driver can send it as one text.
 */
export async function migrationScript(
  migrations: readonly Migration[],
  limits: ScriptLimits,
): Promise<string> {
  const blocks: string[] = []
  const fresh = new Set<string>()
  for (const [place, migration] of migrations.entries())
    blocks.push(await migrationBlock(migration, migrations[place - 1], limits, fresh))
  const last = migrations.at(-1)?.name
  return `-- Brings the Default database up to ${last}: applies the migrations that it lacks, and can be run again at any time.
-- Rows are not seeded: run the migrator for these, it will find the schema up to date.

${openingBlock(limits)}
${blocks.join('\n')}`
}

/** Makes the history, and refuses what needs more than migrations. */
function openingBlock(limits: ScriptLimits): string {
  return block(`
${preamble(limits)}
  ${createHistory};
  if to_regclass('"AbpUsers"') is not null and not exists (select from "${historyTable}" where "ProductVersion" = '${productVersion}') then
    raise exception 'This database has tables of ABP and no migration of ours: a run of the migrator adopts it, a script can not';
  end if;`)
}

async function migrationBlock(
  { name, up }: Migration,
  before: Migration | undefined,
  limits: ScriptLimits,
  fresh: Set<string>,
): Promise<string> {
  const losses = await destructiveStatements(up, { fresh })
  const isApplied = (migration: string): string =>
    `exists (select from "${historyTable}" where "MigrationId" = ${literal(migration)})`
  const order = before
    ? `
  if not ${isApplied(before.name)} then
    raise exception '% has to come first', ${literal(before.name)};
  end if;`
    : ''
  const tag = tagFor(up)
  return `${losses.map(({ destroys }) => `-- LOSES ${destroys}\n`).join('')}${block(`
${preamble(limits)}
  if ${isApplied(name)} then
    raise notice '% is applied already', ${literal(name)};
    return;
  end if;${order}
  execute ${tag}
${up.trim()}
${tag};
  insert into "${historyTable}" ("MigrationId", "ProductVersion") values (${literal(name)}, ${literal(productVersion)});
  raise notice 'applied %', ${literal(name)};`)}`
}

/** Patience as in a run, and no migrator at work meanwhile. */
const preamble = ({ lockTimeoutMs, statementTimeoutMs }: ScriptLimits): string =>
  `  perform set_config('statement_timeout', '${statementTimeoutMs}', true);
  ${performed(takeRunLockSql)};
  ${performed(waitForTheDeadSql)};
  perform set_config('lock_timeout', '${lockTimeoutMs}', true);`

const performed = (select: string): string => select.replace(/^select/, 'perform')

function block(body: string): string {
  const tag = tagFor(body)
  return `do ${tag}\nbegin${body}\nend\n${tag};\n`
}

/** A dollar quote that is not in the text. */
function tagFor(text: string): string {
  let number = 0
  while (text.includes(`$keel${number}$`)) number += 1
  return `$keel${number}$`
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
