import { system, withAmbient } from '@keel/framework'
import { type Database, Databases, ReferenceSets, RowRules } from '@keel/framework/data'
import {
  EntityModel,
  ODataQueries,
  parseQueryOptions,
  parseResourcePath,
  queryPairs,
  type ReadResult,
} from '@keel/framework/odata'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { sizeOf } from '../support/size.js'
import { applyQueries, entityQueries, expandedGroups, type GeneratedQuery } from './generated-queries.js'
import { makeWorld, type World } from './world.js'

const runs = sizeOf(200, 5000)
const long = 30_000 + runs * 300

let app: App
let world: World
let queries: ODataQueries
let statements = 0

beforeAll(async () => {
  // Statements are counted: the planner is not asked for the cost of each before it.
  app = await startApp(undefined, { 'OData:MaxPlanCost': '0' })
  world = await makeWorld(app)
  const { host } = app
  queries = new ODataQueries(
    new EntityModel(host.application.modules),
    countedDatabases(host.get(Databases)),
    host.get(RowRules),
    host.get(ReferenceSets),
    host.application,
  )
})
afterAll(() => app.close())

/** The same databases, but we hear of every statement. */
function countedDatabases(databases: Databases): Databases {
  return Object.create(databases, {
    of: {
      value: (entity: Parameters<Databases['of']>[0]) =>
        Object.create(databases.of(entity), {
          queryForCaller: {
            value: (...args: Parameters<Database['queryForCaller']>) => {
              statements++
              return databases.of(entity).queryForCaller(...args)
            },
          },
        }),
    },
  })
}

async function read(url: string): Promise<ReadResult> {
  const [path = '', query = ''] = url.split('?')
  return withAmbient({ correlationId: '', principal: system, culture: 'en' }, () =>
    queries.read({
      path,
      query,
      parse: (path, query) => ({
        path: parseResourcePath(path),
        options: parseQueryOptions(queryPairs(query)),
      }),
      format: { metadata: 'none', ieee754: false, prefix: '@odata.', root: 'http://localhost/odata/' },
    }),
  )
}

async function answerTo(url: string): Promise<{ value: unknown[]; count?: number }> {
  const { text = [], count } = await read(url)
  const value = JSON.parse(Buffer.concat(text).toString()) as unknown[]
  return count === undefined ? { value } : { value, count: Number(count) }
}

/** Groups come in no promised order, and averages with more digits than a double has. */
function unordered({ value, count }: { value: readonly unknown[]; count?: number }) {
  const rounded = (_name: string, item: unknown) =>
    typeof item === 'number' ? Number(item.toPrecision(10)) : item
  const rows = value.map((row) => JSON.stringify(sorted(row), rounded)).sort()
  return { rows, count }
}

function sorted(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item
  return Object.fromEntries(
    Object.entries(item)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, sorted(value)]),
  )
}

const assertAll = (
  arbitrary: fc.Arbitrary<GeneratedQuery>,
  count: number,
  check: (query: GeneratedQuery) => Promise<void>,
) => fc.assert(fc.asyncProperty(arbitrary, check), { numRuns: count })

test(
  'generated queries for entities are answered as a slow evaluation of the rows answers them, also when their rows are kept',
  () =>
    assertAll(entityQueries, runs, async ({ url, evaluate }) => {
      const expected = evaluate(world)
      for (let turn = 0; turn < 3; turn++) expect(await answerTo(url)).toEqual(expected)
    }),
  long,
)

test(
  'generated queries with $apply are answered as a slow evaluation of the rows answers them',
  () =>
    assertAll(applyQueries, Math.ceil(runs / 4), async ({ url, evaluate }) => {
      expect(unordered(await answerTo(url))).toEqual(unordered(evaluate(world)))
    }),
  long,
)

test(
  'generated queries with $apply inside of $expand are answered as a slow evaluation of the rows answers them',
  () =>
    assertAll(expandedGroups, Math.ceil(runs / 4), async ({ url, evaluate }) => {
      expect(await answerTo(url)).toEqual(evaluate(world))
    }),
  long,
)

test(
  'every query with expands is one statement, and at most one more for rows of a page that are not kept yet',
  async () => {
    await assertAll(
      entityQueries.filter(({ expands }) => expands > 0 && expands <= 3),
      Math.max(50, Math.min(300, runs)),
      async ({ url }) => {
        for (let turn = 0; turn < 3; turn++) {
          statements = 0
          await read(url)
          expect(statements).toBeLessThanOrEqual(2)
        }
      },
    )
  },
  long,
)
