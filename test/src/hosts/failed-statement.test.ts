import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { isLong } from '../support/size.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

// A whole run of the tests inside one of them.
test.runIf(isLong)(
  'the output of a test whose statement fails tells the code, message, table, column, constraint, operation and the statement without values',
  {
    timeout: 240_000,
  },
  async () => {
    const said = await outputOf('test/src/support/failing-statement.config.mjs')
    const line = said.split('\n').find((line) => line.includes('"msg":"request failed"')) ?? '{}'
    const logged = JSON.parse(line.slice(line.indexOf('{'))) as {
      operation: string
      err: { database: object }
    }
    expect(logged, said).toMatchObject({
      operation: 'PortService.create',
      err: {
        database: {
          sqlState: '42703',
          message: expect.stringMatching(/IataCode"? .*does not exist/),
          statement: expect.stringMatching(/^(insert|select) .*"HubPorts"/),
        },
      },
    })
    const explained = [...said.matchAll(/^(.+): the database refused a statement\.\n((?: {2}.*\n)+)/gm)]
    const byTest = explained.map(([, name, lines = '']) => [name, lines.trimEnd().split('\n')])
    expect(Object.fromEntries(byTest), said).toEqual({
      'a group': [
        '  sqlState: 23505',
        '  message: duplicate key value violates unique constraint "PK_HubPorts"',
        '  table: HubPorts',
        '  constraint: PK_HubPorts',
        '  statement: insert into "HubPorts" select * from "HubPorts" where "Name" <> ? limit ?',
      ],
      'a statement of the test itself fails': [
        '  sqlState: 23502',
        expect.stringMatching(
          /^ {2}message: null value in column "\w+" of relation "HubPorts" violates not-null/,
        ),
        '  table: HubPorts',
        expect.stringMatching(/^ {2}column: \w+$/),
        '  statement: insert into "HubPorts" ("Id", "Name") values (gen_random_uuid(), $1)',
      ],
    })
    expect([line, ...explained.map(([text]) => text)].filter((text) => text.includes('Private'))).toEqual([])
  },
)

/** What vitest prints of a run that fails, on the databases of this run. */
async function outputOf(config: string): Promise<string> {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', config]
  return promisify(execFile)(process.execPath, words, { cwd: root, env: process.env }).then(
    ({ stdout }) => {
      throw new Error(`It did not fail:\n${stdout}`)
    },
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stripVTControlCharacters(stdout + stderr),
  )
}
