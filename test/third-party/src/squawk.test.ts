import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { analyseStatements } from '@keel/migrator/analysis'
import { expect, test } from 'vitest'
import { corpus } from '../../src/migrator/statement-corpus.js'

/** Rules of squawk's about taste, re-running scripts by hand, and limits that the engine sets itself: nothing is locked, lost or broken by them. */
const otherRules = [
  'prefer-bigint-over-int',
  'prefer-identity',
  'prefer-robust-stmts',
  'prefer-text-field',
  'prefer-timestamp-tz',
  'require-enum-value-ordering',
  'require-lock-timeout',
  'require-statement-timeout',
]

const squawkProgram = fileURLToPath(
  new URL('../node_modules/@squawk-cli/linux-x64/bin/squawk', import.meta.url),
)

// Its package holds the program for one system alone.
const testWithSquawk = test.skipIf(process.platform !== 'linux' || process.arch !== 'x64')

testWithSquawk(
  'what squawk warns of is found dangerous too, when as little is known of the tables',
  async () => {
    const warnings = (await squawk(corpus.map(({ sql }) => sql))).filter(
      ({ rule }) => !otherRules.includes(rule),
    )
    const missed = await Promise.all(
      warnings.map(async ({ place, rule }) => {
        const sql = corpus[place]?.sql ?? ''
        const [statement] = await analyseStatements(sql)
        return statement?.isDangerous ? [] : [{ rule, sql }]
      }),
    )
    expect(new Set(warnings.map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(20)
    expect(missed.flat()).toEqual([])
  },
)

/** What squawk says of statements, by their place. */
async function squawk(statements: readonly string[]): Promise<{ place: number; rule: string }[]> {
  const folder = await mkdtemp(join(tmpdir(), 'keel-squawk-'))
  try {
    const file = join(folder, 'statements.sql')
    await writeFile(file, statements.map((sql) => `${sql};\n`).join(''))
    const args = ['--reporter', 'json', '--assume-in-transaction', file]
    // It ends with 1 because it finds something.
    const output = await new Promise<string>((resolve) => {
      execFile(squawkProgram, args, (_, stdout) => resolve(stdout))
    })
    const found = JSON.parse(output) as { line: number; rule_name: string }[]
    return found.map(({ line, rule_name: rule }) => ({ place: line, rule }))
  } finally {
    await rm(folder, { recursive: true })
  }
}
