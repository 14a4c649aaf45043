import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { copyProgram, migrate, patientMs, stepsOf } from './migrator-program.js'

/** The real model, after a snapshot in which one column has another name. */
const programs = ['flagged', 'renamed'].map(() =>
  copyProgram({ snapshot: (text) => text.replaceAll('"RegexDescription"', '"RegexHint"') }),
)
afterAll(() => {
  for (const program of programs) program.remove()
})

/** Runs `add` and answers the migration that it wrote. */
async function add(
  place: number,
  ...args: string[]
): Promise<{ said: Record<string, unknown>; source: string }> {
  const path = programs[place]?.path ?? ''
  const outcome = await migrate(['add', 'claim-hint', '--json', ...args], {}, path)
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  const said = stepsOf(outcome).find(({ step }) => step === 'add') ?? {}
  return { said, source: readFileSync(join(path, 'src/migrations', `${String(said.name)}.ts`), 'utf8') }
}

test(
  'what looks like a rename is flagged in the migration, which can not know',
  async () => {
    const { said, source } = await add(0)
    expect(said.possibleRenames).toEqual(['AbpClaimTypes.RegexHint=RegexDescription'])
    expect(source).toContain(`  up: /* sql */ \`
-- Is AbpClaimTypes.RegexDescription what AbpClaimTypes.RegexHint was? Then this loses its values: write the migration again with --rename AbpClaimTypes.RegexHint=RegexDescription.
alter table "AbpClaimTypes" drop column "RegexHint";
alter table "AbpClaimTypes" add column "RegexDescription" varchar(128);
\`,`)
  },
  patientMs,
)

test(
  'a rename that is asked for keeps the values, up and down',
  async () => {
    const { said, source } = await add(1, '--rename', 'AbpClaimTypes.RegexHint=RegexDescription')
    expect(said.possibleRenames).toEqual([])
    expect(source).toBe(`import type { Migration } from '../migration.js'

/**
 * - AbpClaimTypes.RegexHint: renamed → AbpClaimTypes.RegexDescription
 */
export const claimHintMigration: Migration = {
  name: '${String(said.name)}',
  up: /* sql */ \`
alter table "AbpClaimTypes" rename column "RegexHint" to "RegexDescription";
\`,
  down: /* sql */ \`
alter table "AbpClaimTypes" rename column "RegexDescription" to "RegexHint";
\`,
}
`)
  },
  patientMs,
)
