import type { PlannedLock, PlannedMigration, PlannedStatement } from './plan.js'
import type { SeedChange } from './seed-changes.js'

/** A plan as a person reads it. */
export function planText(
  plan: {
    readonly migrations: readonly PlannedMigration[]
    readonly scripts: readonly PlannedMigration[]
    readonly seeds: readonly SeedChange[] | null
  },
  summary: string,
): string {
  const parts = [
    ...plan.migrations.map(migrationText),
    ...plan.scripts.map(migrationText),
    plan.seeds === null ? unknownSeeds : plan.seeds.map(seedText).join('\n'),
    summary,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

const unknownSeeds = `The seed changes are not shown: to know them the migrations have to be tried, in a transaction that is rolled back, and their locks
would keep others waiting. Ask for it with --rehearse where that does no harm, e.g. on a copy.`

const migrationText = ({ name, statements }: PlannedMigration): string =>
  `-- ${name}\n${statements.map(statementText).join('\n')}`

function statementText(statement: PlannedStatement): string {
  return [`${statement.text};`, ...statementNotes(statement)].join('\n')
}

/** The effects of a statement as SQL comments; those with an exclamation mark need a review by a person. */
export function statementNotes({
  isDangerous,
  locks,
  rewrites,
  scans,
  destroys,
  breaks,
  safer,
  outsideTransaction,
}: PlannedStatement): string[] {
  const notes = [
    ...locks.map(lockText),
    rewrites && 'rewrites the whole table',
    scans && 'reads all rows',
    destroys && `DESTROYS ${destroys}`,
    breaks && `breaks ${breaks}`,
    outsideTransaction && 'can not run in a migration, which is a transaction',
    safer && `safer: ${safer}`,
  ].filter((note) => typeof note === 'string')
  const mark = isDangerous ? '!' : ' '
  return notes.map((note) => `--${mark} ${note}`)
}

function lockText({ table, mode, blocks, estimatedRows }: PlannedLock): string {
  const rows = estimatedRows === null ? '' : ` (about ${estimatedRows.toLocaleString('en')} rows)`
  return `locks ${table}${rows}: ${mode}, blocks ${blocks}`
}

function seedText({ change, what, columns = {} }: SeedChange): string {
  const mark = { added: '+', updated: '~', deleted: '-' }[change]
  const details = Object.entries(columns).map(
    ([column, { from, to }]) => `\n      ${column}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  )
  return `  ${mark} ${what}${details.join('')}`
}
