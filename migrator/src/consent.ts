import { type DatabaseSession, quote } from '@keel/framework/data'
import type { AnalysedStatement } from './analysis/analyse.js'
import { Refusal } from './exit-codes.js'
import type { Migration } from './migration.js'
import { historyTable } from './migration-history.js'

/** The steps of a run that need consent. */
export interface PlannedSteps {
  /** In the order in which they run. */
  readonly migrations: readonly Migration[]
  readonly direction: 'up' | 'down'
  /** Somebody said that rows and columns may be lost. */
  readonly allowDestructive: boolean
  /** Of the database, to see whether there are any rows. */
  readonly session: DatabaseSession
}

/**
 * Refuses steps that would lose something for good without consent, naming each statement, before any of them runs. In tables that these
 * steps make themselves there is nothing to lose, nor in a database where nobody wrote anything: a first run that was killed half-way.
 * What SQL does not show is said in a comment above the statement: `-- destructive: why`, or `-- loses nothing: why`, e.g. of rows that are
 * there twice, or of code that nobody can see into: `execute` of a text that a `do` block puts together, a procedure.
 */
export async function demandConsent(planned: PlannedSteps): Promise<void> {
  const { migrations, direction, allowDestructive, session } = planned
  if (allowDestructive || migrations.length === 0) return
  const { lines, placeOf } = placesOf(migrations, direction)
  const statements = await analyse(lines.join('\n'))
  const losses = statements.flatMap((statement) => {
    const loss = lossOf(statement, commentAbove(lines, statement.line))
    return loss ? [`\n  ${placeOf(statement.line)}: ${loss} (${statement.text.split('\n')[0]})`] : []
  })
  if (losses.length === 0 || !(await hasRows(session))) return
  throw new Refusal(
    'destructive',
    `These statements lose something for good:${losses.join('')}\nSave what is needed, and run again with --allow-destructive`,
  )
}

/** The scripts as the lines of one, so that it is known what they make, and where a line of it stands. */
function placesOf(migrations: readonly Migration[], direction: 'up' | 'down') {
  const lines: string[] = []
  const starts = migrations.map((migration) => {
    const start = lines.length
    lines.push(...migration[direction].split('\n'), ';')
    return { name: migration.name, start }
  })
  const placeOf = (line: number): string => {
    const { name, start } = starts.findLast((place) => place.start < line) ?? { name: '', start: 0 }
    return `${name}:${line - start}`
  }
  return { lines, placeOf }
}

/** The analyser is loaded when there is something to look at. */
async function analyse(sql: string): Promise<AnalysedStatement[]> {
  const { analyseStatements } = await import('./analysis/analyse.js')
  try {
    return await analyseStatements(sql)
  } catch (cause) {
    throw new Refusal(
      'destructive',
      'The migrations can not be read, so nobody knows what they lose: run again with --allow-destructive if your PostgreSQL understands them',
      { cause },
    )
  }
}

function lossOf({ destroys, isUnseen }: AnalysedStatement, comment: string): string | undefined {
  const [, marked] = /^-- destructive: *(.+)$/m.exec(comment) ?? []
  if (marked) return marked
  if (/^-- loses nothing: *\S/m.test(comment)) return undefined
  return destroys ?? (isUnseen ? 'nobody can see what this code does' : undefined)
}

/** Tables that migrations fill by themselves. */
const notYours = [historyTable, 'KeelTableVersions']

/** True when somebody has written something here, seeders included. */
async function hasRows(session: DatabaseSession): Promise<boolean> {
  const { rows: tables } = await session.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace and relname <> all ($1::text[])`,
    [notYours],
  )
  if (tables.length === 0) return false
  const parts = tables.map(({ name }) => `exists (select from ${quote(name)})`)
  const { rows } = await session.query<{ yes: boolean }>(`select ${parts.join(' or ')} as yes`)
  return rows[0]?.yes === true
}

/** The comment lines right above a line, counted from 1. */
function commentAbove(lines: readonly string[], line: number): string {
  const above = lines.slice(0, line - 1)
  const first = above.findLastIndex((text) => !text.trim().startsWith('--')) + 1
  return above
    .slice(first)
    .map((text) => text.trim())
    .join('\n')
}
