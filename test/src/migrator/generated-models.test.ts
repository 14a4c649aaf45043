import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, ensurePostgres } from '@keel/embedded-postgres'
import {
  compareModels,
  createDatabase,
  describeChange,
  dropDatabase,
  findDrift,
  type ModelSnapshot,
  migrationSql,
  modelSnapshot,
  readLiveSchema,
} from '@keel/framework/data'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sizeOf } from '../support/size.js'
import { entitiesOf, models, snapshotOf } from './generated-models.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const database = 'keel_test_generated_models'
/** Pairs of models that are brought to a real database. */
const pairs = sizeOf(15, 300)
let server: EmbeddedPostgres
let client: pg.Client

beforeAll(async () => {
  server = await ensurePostgres({ directory: `${root}.keel/test` })
  await dropDatabase(server, database)
  await createDatabase(server, database)
  client = new pg.Client({ connectionString: server.urlOf(database) })
  await client.connect()
}, 60_000)
afterAll(async () => {
  await client.end()
  await dropDatabase(server, database)
  await server.stop()
})

const none: ModelSnapshot = { tables: [] }
const differences = (from: ModelSnapshot, to: ModelSnapshot): string[] =>
  compareModels(from, to).map(describeChange)

test('a model that did not change reports no change, declared anew or read from its file', () => {
  fc.assert(
    fc.property(models, (model) => {
      const snapshot = modelSnapshot(entitiesOf(model))
      const again = modelSnapshot(entitiesOf(model).toReversed())
      const stored = JSON.parse(JSON.stringify(snapshot)) as ModelSnapshot
      expect([...differences(snapshot, again), ...differences(stored, snapshot)]).toEqual([])
      expect(migrationSql(stored, again)).toBe('')
    }),
    { numRuns: 300 },
  )
})

test('two models differ in what leads from one to the other, told with table and column', () => {
  fc.assert(
    fc.property(models, models, (one, other) => {
      const from = snapshotOf(one)
      const to = snapshotOf(other)
      expect(differences(from, to).length > 0).toBe(migrationSql(from, to) !== '')
      for (const line of differences(from, to)) expect(line).toMatch(/^Gen\w+(\.\w+)?: .+ → .+$/)
    }),
    { numRuns: 200 },
  )
})

test(
  `what a migration made is read back as its model, on the way up and on the way down (${pairs} pairs)`,
  async () => {
    await fc.assert(
      fc.asyncProperty(models, models, async (one, other) => {
        const first = snapshotOf(one)
        const second = snapshotOf(other)
        await client.query('drop schema public cascade; create schema public')
        await client.query(migrationSql(none, first))
        await expectSchema(first)
        await client.query(migrationSql(first, second))
        await expectSchema(second)
        await client.query(migrationSql(second, first))
        await expectSchema(first)
        await client.query(migrationSql(first, none))
        expect((await readLiveSchema(client)).model).toEqual(none)
      }),
      { numRuns: pairs, endOnFailure: true },
    )
  },
  sizeOf(120_000, 3_600_000),
)

async function expectSchema(model: ModelSnapshot): Promise<void> {
  const live = await readLiveSchema(client)
  const tables = live.model.tables.filter(({ name }) => name !== 'KeelTableVersions')
  expect(differences({ tables }, model)).toEqual([])
  expect(await findDrift(client, model)).toEqual({
    differences: [],
    told: [],
    sql: '',
    otherTables: [],
    others: [],
  })
}
