import { createHash, randomFillSync } from 'node:crypto'

/** RFC 9562 namespace of every name Keel turns into an id. Changing it changes the id of every reference row. */
const keelNamespace = Buffer.from('5c0b7f2e4d1a5e839a6c3f9d2b71e804', 'hex')

const counterLimit = 0x1000

let lastMs = 0
let counter = 0

/** Random bytes for many ids: asking for a few costs as much as asking for all of them. */
const pool = Buffer.allocUnsafe(4096)
let used = pool.length

/**
 * A new id for a row: UUID version 7, so text, bytes and PostgreSQL all sort it by creation time, and index
 * pages fill from the right. Within one process each id is greater than the one before, also within a
 * millisecond and when the clock steps back.
 */
export function sequentialGuid(): string {
  const random = tenRandomBytes()
  const nowMs = Date.now()
  if (nowMs > lastMs) {
    lastMs = nowMs
    // Start in the lower half, so that at least 2,048 ids fit before the next millisecond must be borrowed.
    counter = random.readUInt16BE(8) & 0x7ff
  } else if (++counter === counterLimit) {
    lastMs++
    counter = 0
  }
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes.writeUInt16BE(counter, 6)
  random.copy(bytes, 8, 0, 8)
  return format(bytes, 7)
}

/** Used at once: the next call may write over them. */
function tenRandomBytes(): Buffer {
  if (used + 10 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 10
  return pool.subarray(used - 10, used)
}

/**
 * The id that always belongs to `name` (UUID version 5): reference rows have the same id in every database.
 *
 * @example namedGuid('Port:CNSHA')
 */
export function namedGuid(name: string): string {
  const digest = createHash('sha1').update(keelNamespace).update(name, 'utf8').digest()
  return format(digest.subarray(0, 16), 5)
}

function format(bytes: Buffer, version: number): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
