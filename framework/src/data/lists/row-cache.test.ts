import { expect, test } from 'vitest'
import { RowStorage } from './row-cache.js'

const rowsOf = (storage: RowStorage): Parameters<RowStorage['keep']>[0] => {
  const rows: Parameters<RowStorage['keep']>[0] = new Map()
  storage.keep(rows, 'first', '1', '"the first, with an ä"')
  return rows
}

test('rows are kept within 48 MB, and those that were written first make room', () => {
  const storage = new RowStorage()
  const rows = rowsOf(storage)
  const text = 'x'.repeat(100_000)
  for (let id = 0; id < 1000; id += 1) storage.keep(rows, String(id), '1', text)
  expect(rows.size * text.length).toBeLessThan(48 * 1024 * 1024)
  expect(rows.size * text.length).toBeGreaterThan(45 * 1024 * 1024)
  expect([rows.has('first'), rows.has('0'), rows.has('999')]).toEqual([false, false, true])
})

test('of small rows no more are kept than a map holds without growing', () => {
  const storage = new RowStorage()
  const rows = rowsOf(storage)
  for (let id = 0; id < 30_000; id += 1) storage.keep(rows, String(id), '1', '{}')
  expect(rows.size).toBeLessThanOrEqual(16_384)
  expect(rows.size).toBeGreaterThan(15_900)
})

test('whoever holds a row that made room reads it still', () => {
  const storage = new RowStorage()
  const rows = rowsOf(storage)
  const held = storage.keep(rows, 'held', '1', '"held"')
  for (let id = 0; id < 30_000; id += 1) storage.keep(rows, String(id), '1', '{"other":1}')
  expect(rows.has('held')).toBe(false)
  expect(held.toString()).toBe('"held"')
})

test('a row that was written anew does not go with its old version', () => {
  const storage = new RowStorage()
  const rows = rowsOf(storage)
  for (let id = 0; id < 1000; id += 1) storage.keep(rows, String(id), '1', '{}')
  storage.keep(rows, 'first', '2', '"anew"')
  for (let id = 0; id < 15_700; id += 1) storage.keep(rows, `other ${id}`, '1', '{}')
  expect(rows.has('0')).toBe(false)
  expect(rows.get('first')?.xmin).toBe('2')
})

test('a row larger than the pieces of memory is answered and not kept', () => {
  const storage = new RowStorage()
  const rows = rowsOf(storage)
  const text = 'ä'.repeat(600_000)
  expect(storage.keep(rows, 'large', '1', text).toString()).toBe(text)
  expect(rows.has('large')).toBe(false)
})
