import { ApiHost } from '@keel/api-host'
import { AuditLoggingPermissions } from '@keel/audit-logging/contracts'
import { AutoApiController, KeelModule, Module } from '@keel/framework'
import {
  AppService,
  ConcurrencyError,
  Dto,
  op,
  remoteService,
  ValidationError,
  z,
} from '@keel/framework/contracts'
import { type NewRow, RowsRefusedError, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { Authenticated } from '@keel/framework/security'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { logOf, newCorrelationId, tracked } from '../auditing/audit-logs.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { hubOf, portId } from '../support/hub-rows.js'
import { Crate, CrateStore, CratesModule, CrateWitness, cratesTable } from './crates.js'

class CrateInput extends Dto({ code: z.string().trim().min(2), quantity: z.int().optional() }) {}
class WriteInput extends Dto({
  how: z.enum(['insert', 'update', 'upsert']),
  audit: z.enum(['count', 'rows']),
  rows: z.array(z.record(z.string(), z.unknown())),
}) {}
class WrittenDto extends Dto({ inserted: z.int(), updated: z.int() }) {}
abstract class CrateAppService extends AppService(remoteService('Test', 'test'), 'CrateAppService', {
  write: op(WriteInput).returns(WrittenDto),
}) {}

/** Writes in the name of a caller, within a request that is audited. */
@AutoApiController(CrateAppService)
@Authenticated()
class CrateService implements CrateAppService {
  constructor(private readonly crates: CrateStore) {}

  async write({ how, audit, rows }: WriteInput): Promise<WrittenDto> {
    const options = { audit, events: 'batch' } as const
    const given = rows as (NewRow<Crate> & { id: string })[]
    if (how === 'insert') return this.crates.insertMany(given, options)
    if (how === 'update') return this.crates.updateMany(given, options)
    return this.crates.upsertMany(given, { ...options, by: ['code'] })
  }
}

@Module({ dependsOn: [ApiHost, CratesModule], services: [CrateService] })
class HostWithCrates extends KeelModule {}

const inBatch = { audit: 'count', events: 'batch' } as const
let app: App
let crates: CrateStore
let witness: CrateWitness
let caller: AppCaller
let other: AppCaller
let reader: AppCaller

beforeAll(async () => {
  app = await startApp(HostWithCrates)
  await hubOf(app).query(sql`${{ texts: [cratesTable], values: [] }}`)
  crates = app.host.get(CrateStore)
  witness = app.host.get(CrateWitness)
  caller = await app.as({})
  other = await app.as({})
  reader = await app.as({ permissions: [AuditLoggingPermissions.AuditLogs] })
})
afterAll(() => app?.close())
beforeEach(async () => {
  await hubOf(app).execute(sql`delete from "TestCrates"`)
  witness.heard.length = 0
})

const stored = (code: string) =>
  hubOf(app)
    .query(sql`select * from "TestCrates" where "Code" = ${code}`)
    .then(([row]) => row)
const all = () =>
  hubOf(app).query<{ Code: string; Quantity: number }>(
    sql`select "Code", "Quantity" from "TestCrates" order by "Code"`,
  )

async function write(who: AppCaller, how: string, rows: readonly object[], audit = 'count') {
  const correlationId = newCorrelationId()
  const body = JSON.stringify({ how, audit, rows })
  const response = await who.fetch('/api/test/crate/write', tracked(correlationId, { method: 'POST', body }))
  // biome-ignore lint/suspicious/noExplicitAny: answers and errors
  return { status: response.status, body: (await response.json()) as any, correlationId }
}

async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(RowsRefusedError)
  return (error as RowsRefusedError).rows.map(({ index, column, code }) => [index, column, code])
}

const rowOfAllTypes = {
  quantity: 7,
  weight: -1.5e-7,
  price: '-123456789.0120',
  isFragile: true,
  serial: '-9007199254740993',
  packedOn: '1969-12-31',
  readyTime: new Date('2026-11-23T10:11:12.345Z'),
  portId: portId('NLRTM'),
  seals: ['a', 'ü,"}', ''],
  numbers: [1, null, -2],
  contents: { tea: [1, 'ß'] },
  note: 'Tab\tand line\n',
  extraProperties: { colour: 'red' },
}
const differingRows: readonly NewRow<Crate>[] = [
  rowOfAllTypes,
  {},
  { price: '0' },
  { serial: '9223372036854775807' },
  { price: '10000', readyTime: new Date('1901-02-03T04:05:06Z') },
  { price: '0.0001', numbers: [] },
  { price: '99999999999999.9999', seals: ['null', '\\'] },
  { price: '1.5', packedOn: '2400-02-29', contents: 'null' },
]

/** Expects rows with codes from `first` + 0 on to be stored as {@link differingRows} are when each is written alone. */
async function expectStoredAsSingle(first: string) {
  const varying = { Id: 0, Code: 0, Note: 0, ConcurrencyStamp: 0, CreationTime: 0 }
  for (const [index, row] of differingRows.entries()) {
    await crates.insert({ ...row, code: `S${index}`, note: null })
    expect({ ...(await stored(`${first}${index}`)), ...varying }).toEqual({
      ...(await stored(`S${index}`)),
      ...varying,
    })
  }
}

test('rows with values of all types are stored as a single write stores them', async () => {
  await crates.insertMany(
    differingRows.map((one, index) => ({ ...one, code: `C${index}` })),
    inBatch,
  )
  await expectStoredAsSingle('C')
  const [first] = await crates.where(sql`t."Code" = 'C0'`)
  expect(first?.note).toBe(rowOfAllTypes.note)
  expect(first?.concurrencyStamp).toMatch(/^[0-9a-f]{32}$/)
  expect(first?.creationTime).toBeInstanceOf(Date)
})

test('rows of one call that are written at once are stored, and each told of, as single writes are', async () => {
  const codes = differingRows.map((_, index) => `E${index}`)
  const added = await crates.insertEach(
    differingRows.map((one, index) => ({ ...one, code: codes[index] ?? '' })),
  )
  expect(added.map(({ code }) => code)).toEqual(codes)
  expect(witness.heard).toEqual(codes.map((code) => `created ${code}`))
  expect((await stored('E0'))?.Note).toBe(rowOfAllTypes.note)
  await expectStoredAsSingle('E')
  expect(await crates.insertEach([])).toEqual([])
})

test('rows of one call that are written at once are all refused with one of them', async () => {
  await crates.insert({ code: 'taken' })
  const refused = (row: NewRow<Crate>) => crates.insertEach([{ code: 'first' }, row, { code: 'last' }])
  await expect(refused({ code: 'taken' })).rejects.toMatchObject({ code: 'Test:CrateExists' })
  await expect(refused({ code: 'much too long' })).rejects.toThrow('too long')
  await expect(refused({ code: 'none', quantity: 0 })).rejects.toThrow(ValidationError)
  expect((await all()).map(({ Code }) => Code)).toEqual(['taken'])
})

test('rows may come from an async iterable', async () => {
  async function* stream() {
    for (let index = 0; index < 25_000; index++) yield { code: `N${index}`, note: `Note ${index}` }
  }
  expect(await crates.insertMany(stream(), inBatch)).toEqual({ inserted: 25_000, updated: 0 })
  const [found] = await hubOf(app).query<{ n: string; ids: string }>(
    sql`select count(*)::text as n, count(distinct "Id")::text as ids from "TestCrates"`,
  )
  expect(found).toEqual({ n: '25000', ids: '25000' })
})

test('every row at fault is named with its place, its column and its code, and nothing is written', async () => {
  await crates.insert({ code: 'there', note: 'Same' })
  const rows: NewRow<Crate>[] = [
    { code: 'fine' },
    { code: 'there' },
    { code: 'twice' },
    { code: 'twice' },
    { code: 'checked', quantity: 0 },
    { code: 'lost', portId: '00000000-0000-4000-8000-000000000001' },
    { quantity: 5 },
    { code: 'much too long' },
    { code: 'noted', note: 'SAME' },
    { code: 'typed', quantity: 1.5, price: 'cheap' },
  ]
  expect(await refusal(crates.insertMany(rows, inBatch))).toEqual([
    [1, 'code', 'Test:CrateExists'],
    [3, 'code', 'Test:CrateExists'],
    [4, 'quantity', 'Validation:OutOfRange'],
    [5, 'portId', 'Validation:NoSuchEntity'],
    [6, 'code', 'Validation:Required'],
    [7, 'code', 'Validation:Length'],
    [8, undefined, 'Keel:AlreadyExists'],
    [9, 'quantity', 'Validation:OutOfRange'],
    [9, 'price', 'Validation:Decimal'],
  ])
  expect(await all()).toEqual([{ Code: 'there', Quantity: 1 }])
})

test('an id that is there already is refused, or its row is kept', async () => {
  const { id } = await crates.insert({ code: 'first' })
  const rows = [{ id, code: 'other' }, { code: 'first' }, { code: 'second' }]
  expect(await refusal(crates.insertMany(rows, inBatch))).toEqual([
    [0, 'id', 'Keel:AlreadyExists'],
    [1, 'code', 'Test:CrateExists'],
  ])
  expect(await crates.insertMany(rows, { ...inBatch, existing: 'keep' })).toEqual({ inserted: 1, updated: 0 })
  expect((await all()).map(({ Code }) => Code)).toEqual(['first', 'second'])
})

test('rows are checked by the input of a contract', async () => {
  const rows = [{ code: ' AB ' }, { code: 'x' }, { code: 'CD', quantity: 'many' as unknown as number }]
  const refused = await refusal(crates.insertMany(rows, { ...inBatch, input: CrateInput }))
  expect(refused.map(([index, column]) => [index, column])).toEqual([
    [1, 'code'],
    [2, 'quantity'],
  ])
  await crates.insertMany(rows.slice(0, 1), { ...inBatch, input: CrateInput })
  expect((await all()).map(({ Code }) => Code)).toEqual(['AB'])
})

test('a change of many rows writes what each row gives, with new stamps, and leaves what is the same', async () => {
  const made = []
  for (const code of ['a', 'b', 'c', 'd']) made.push(await crates.insert({ code, quantity: 2, note: code }))
  const [a, b, c, d] = made as [Crate, Crate, Crate, Crate]
  const written = await crates.updateMany(
    [
      { id: a.id, quantity: 3 },
      { id: b.id, note: null, concurrencyStamp: b.concurrencyStamp },
      { id: c.id, quantity: 2 },
      { id: d.id, quantity: 4, note: 'D' },
    ],
    inBatch,
  )
  expect(written).toEqual({ inserted: 0, updated: 3 })
  const values = async (row: Crate) => {
    const now = await crates.get(row.id)
    return [
      now.quantity,
      now.note,
      now.concurrencyStamp !== row.concurrencyStamp,
      now.lastModificationTime !== null,
    ]
  }
  expect([await values(a), await values(b), await values(c), await values(d)]).toEqual([
    [3, 'a', true, true],
    [2, null, true, true],
    [2, 'c', false, false],
    [4, 'D', true, true],
  ])
})

test('a change names rows that are not there, given twice, or changed since', async () => {
  const a = await crates.insert({ code: 'a' })
  const b = await crates.insert({ code: 'b' })
  const rows = [
    { id: a.id, quantity: 2, concurrencyStamp: 'old' },
    { id: b.id, quantity: 2 },
    { id: b.id, quantity: 3 },
    { id: sequentialGuid(), quantity: 2 },
    { id: 'none', quantity: 2 },
  ]
  expect(await refusal(crates.updateMany(rows, inBatch))).toEqual([
    [0, 'concurrencyStamp', 'AbpDbConcurrencyErrorMessage'],
    [2, 'id', 'Keel:AlreadyExists'],
    [3, 'id', 'Validation:NoSuchEntity'],
    [4, 'id', 'Validation:NoSuchEntity'],
  ])
  expect((await all()).map(({ Quantity }) => Quantity)).toEqual([1, 1])
})

test('rows may exchange their keys, and a key that a third row has is refused', async () => {
  const a = await crates.insert({ code: 'a' })
  const b = await crates.insert({ code: 'b' })
  await crates.insert({ code: 'c' })
  expect(
    await refusal(
      crates.updateMany(
        [
          { id: a.id, code: 'x' },
          { id: b.id, code: 'c' },
        ],
        inBatch,
      ),
    ),
  ).toEqual([[1, 'code', 'Test:CrateExists']])
  expect((await all()).map(({ Code }) => Code)).toEqual(['a', 'b', 'c'])
})

test('an upsert changes the rows that are there by their key and adds the others', async () => {
  const a = await crates.insert({ code: 'a', quantity: 2, note: 'kept' })
  const rows = [{ code: 'a', quantity: 3 }, { code: 'b' }, { code: 'c', quantity: 4, note: 'new' }]
  expect(await crates.upsertMany(rows, { ...inBatch, by: ['code'] })).toEqual({ inserted: 2, updated: 1 })
  expect(await all()).toEqual([
    { Code: 'a', Quantity: 3 },
    { Code: 'b', Quantity: 1 },
    { Code: 'c', Quantity: 4 },
  ])
  expect((await crates.get(a.id)).note).toBe('kept')
  expect(await crates.upsertMany(rows, { ...inBatch, by: ['code'] })).toEqual({ inserted: 0, updated: 0 })
  const twice = [{ code: 'd' }, { code: 'd' }, { code: 'a' }, { code: 'a' }]
  expect(await refusal(crates.upsertMany(twice, { ...inBatch, by: ['code'] }))).toEqual([
    [1, 'code', 'Test:CrateExists'],
    [3, 'id', 'Keel:AlreadyExists'],
  ])
})

test('listeners hear of each row, or of all at once, as the writer says', async () => {
  await crates.insertMany([{ code: 'a' }, { code: 'b' }], { audit: 'count', events: 'rows' })
  const [a] = await crates.where(sql`t."Code" = 'a'`)
  await crates.updateMany([{ id: a?.id ?? '', quantity: 5 }], { audit: 'count', events: 'rows' })
  expect(witness.heard).toEqual(['created a', 'created b', 'updated a: 1 to 5'])
  witness.heard.length = 0
  await crates.insertMany([{ code: 'c' }, { code: 'd' }], inBatch)
  await crates.updateMany([{ id: a?.id ?? '', quantity: 6 }], inBatch)
  expect(witness.heard).toEqual(['Created 2', 'Updated 1'])
})

test('a caller changes no rows that are hidden from them, and adds rows in their name', async () => {
  expect((await write(caller, 'insert', [{ code: 'mine' }])).body).toEqual({ inserted: 1, updated: 0 })
  const mine = await stored('mine')
  expect(mine?.CreatorId).toBe(caller.userId)
  const refused = await write(other, 'update', [{ id: mine?.Id, quantity: 2 }])
  expect(refused.status).toBe(400)
  expect(refused.body.error.validationErrors).toEqual([
    { message: '[0].id: there is no such entity', members: ['[0].id'] },
  ])
  const conflict = await write(other, 'upsert', [{ code: 'yours' }, { code: 'mine', quantity: 9 }])
  expect(conflict.body.error.validationErrors).toMatchObject([{ members: ['[1].code'] }])
  expect((await write(caller, 'update', [{ id: mine?.Id, quantity: 2 }])).body).toEqual({
    inserted: 0,
    updated: 1,
  })
  expect((await stored('mine'))?.LastModifierId).toBe(caller.userId)
})

test.each(['updateMany', 'updateEveryWhere'] as const)(
  'of two transactions that wait for each other in %s one goes on, and the other is a conflict',
  async (how) => {
    const [one, other] = [await crates.insert({ code: 'one' }), await crates.insert({ code: 'other' })]
    const change = async ({ id }: Crate): Promise<void> => {
      if (how === 'updateMany') await crates.updateMany([{ id, quantity: 2 }], inBatch)
      else await crates.updateEveryWhere(sql`t."Id" = ${id}`, { quantity: 2 })
    }
    let waiting = 0
    let goOn = () => {}
    const bothHaveOne = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const inOrder = (first: Crate, second: Crate) =>
      UnitOfWork.run(async () => {
        await change(first)
        if (++waiting === 2) goOn()
        await bothHaveOne
        await change(second)
      })
    const results = await Promise.allSettled([inOrder(one, other), inOrder(other, one)])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(results.find((result) => result.status === 'rejected')?.reason).toBeInstanceOf(ConcurrencyError)
  },
)

test('the audit log has one entry with the number of rows, or one for each, as the writer says', async () => {
  const rows = ['a', 'b', 'c'].map((code) => ({ code, quantity: 2 }))
  const counted = await logOf(reader, (await write(caller, 'insert', rows)).correlationId)
  expect(counted.entityChanges).toHaveLength(1)
  expect(counted.entityChanges?.[0]).toMatchObject({
    entityId: '*',
    changeType: 0,
    propertyChanges: [{ propertyName: 'Count', newValue: '3' }],
  })
  const changes = rows.map(({ code }) => ({ code, quantity: 3 }))
  const listed = await logOf(reader, (await write(caller, 'upsert', changes, 'rows')).correlationId)
  expect(listed.entityChanges).toHaveLength(3)
  expect(listed.entityChanges?.[0]).toMatchObject({
    changeType: 1,
    propertyChanges: [{ propertyName: 'Quantity', originalValue: '2', newValue: '3' }],
  })
})
