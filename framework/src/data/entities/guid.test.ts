import assert from 'node:assert/strict'
import { test } from 'vitest'
import { namedGuid, sequentialGuid } from './guid.js'

test('sequential ids are distinct and already in order, also within one millisecond', () => {
  const ids = Array.from({ length: 20_000 }, sequentialGuid)
  assert.deepEqual([...new Set(ids)].sort(), ids)
})

test('a sequential id is a version 7 UUID that begins with the time in milliseconds', () => {
  const id = sequentialGuid()
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  assert.ok(Math.abs(ms - Date.now()) < 1_000)
})

test('a name always has the same version 5 UUID', () => {
  assert.equal(namedGuid('Port:CNSHA'), 'bb789875-ebd4-5881-b6c5-4e2d8ce2db5a')
  assert.notEqual(namedGuid('Port:CNSHA'), namedGuid('Port:CNSHG'))
})
