import { readLiveSchema } from '@keel/framework/data'
import { type AnalysedStatement, analyseStatements } from '@keel/migrator/analysis'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MigratedDatabase } from './migrator-process.js'
import { corpus, corpusTables } from './statement-corpus.js'

let database: MigratedDatabase
let client: pg.Client
/** What is said of each statement of the corpus, knowing the tables. */
let analysed: AnalysedStatement[]

beforeAll(async () => {
  database = await MigratedDatabase.create('keel_test_lock_analysis')
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(corpusTables)
  const { model } = await readLiveSchema(client)
  analysed = await Promise.all(
    corpus.map(async ({ sql }) => (await analyseStatements(sql, { model }))[0] as AnalysedStatement),
  )
}, 60_000)
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('every dangerous statement of the corpus is found, with what it destroys and rewrites, and no harmless one is blamed', () => {
  const said = analysed.map(({ text, isDangerous, destroys, rewrites }) => ({
    sql: text,
    dangerous: isDangerous,
    ...(destroys && { destroys: true }),
    ...(rewrites && { rewrites: true }),
  }))
  expect(corpus.length).toBeGreaterThanOrEqual(40)
  expect(said).toEqual(corpus)
})

test('the locks that are foretold are the ones that PostgreSQL shows', async () => {
  // Of a block with branches not all is run, one statement names a table that is not there, and the rest can't be taken back.
  const others = /^do .*\b(then|loop)\b|Logs2|^drop (schema|database)/s
  const inside = analysed.filter(
    ({ text, outsideTransaction, isUnseen }) => !outsideTransaction && !isUnseen && !others.test(text),
  )
  const seen: { text: string; locks: Record<string, string> }[] = []
  for (const { text, locks } of inside)
    seen.push({
      text,
      locks: await locksOf(
        text,
        locks.map(({ table }) => table),
      ),
    })
  const foretold = inside.map(({ text, locks }) => ({
    text,
    locks: Object.fromEntries(locks.map(({ table, mode }) => [table, mode])),
  }))
  expect(seen).toEqual(foretold)
  expect(inside.length).toBeGreaterThan(60)
}, 60_000)

/** Runs a statement, looks at the strongest lock on each table that was there before, and takes it back. */
async function locksOf(text: string, foretold: readonly string[]): Promise<Record<string, string>> {
  await client.query('begin')
  try {
    const { rows: tables } = await client.query<{ oid: number; name: string; kind: string }>(
      `select oid, relname as name, relkind as kind from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm')`,
    )
    await client.query(text)
    const { rows } = await client.query<{ relation: number; mode: string }>(
      `select relation, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'
        order by array_position($1::text[], mode)`,
      [modes],
    )
    return Object.fromEntries(
      rows.flatMap(({ relation, mode }) => {
        const table = tables.find(({ oid }) => oid === relation)
        // A view that goes with a cascade is told as lost, not as locked; and who only reads is in nobody's way.
        const isNoted = table?.kind === 'r' && mode !== 'AccessShareLock'
        return table && (isNoted || foretold.includes(table.name)) ? [[table.name, mode]] : []
      }),
    )
  } finally {
    await client.query('rollback')
  }
}

test('the locks that statements outside of a transaction ask for are the ones that are foretold', async () => {
  const outside = analysed.filter(({ outsideTransaction, locks }) => outsideTransaction && locks.length > 0)
  const asked: string[] = []
  for (const { text } of outside) asked.push(await lockAskedFor(text))
  expect(asked).toEqual(outside.map(({ locks }) => `${locks[0]?.table} ${locks[0]?.mode}`))
  expect(outside).toHaveLength(4)
}, 60_000)

/** What a statement asks for first that others keep it from; it never gets it. */
async function lockAskedFor(text: string): Promise<string> {
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await client.query('begin; lock table "Orders", "Logs" in share update exclusive mode')
  try {
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = other.query(text).catch((error: Error) => error.message)
    const waiting = `select c.relname || ' ' || l.mode as lock from pg_locks l join pg_class c on c.oid = l.relation
       where l.pid = $1 and not l.granted`
    await expect
      .poll(async () => (await client.query(waiting, [rows[0]?.pid])).rowCount, { timeout: 20_000 })
      .toBe(1)
    const { rows: locks } = await client.query<{ lock: string }>(waiting, [rows[0]?.pid])
    await client.query('select pg_cancel_backend($1)', [rows[0]?.pid])
    await ended
    return locks[0]?.lock ?? ''
  } finally {
    await client.query('rollback')
    await other.end()
  }
}

const modes = [
  'AccessShareLock',
  'RowShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
]
