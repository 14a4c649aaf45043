import { createHash, randomFillSync, randomUUID } from 'node:crypto'

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
  fillSequentialGuid(bytes)
  return format(bytes)
}

/** Writes the sixteen bytes of a {@link sequentialGuid}, for ids that are never seen as text. */
export function fillSequentialGuid(target: Uint8Array): void {
  if (used + randomPerId > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const nowMs = Date.now()
  if (nowMs > lastMs) {
    lastMs = nowMs
    // Start in the lower half, so that at least 2,048 ids fit before the next millisecond must be borrowed.
    counter = pool.readUInt16BE(used + 8) & 0x7ff
  } else if (++counter === counterLimit) {
    lastMs++
    counter = 0
  }
  const high = Math.floor(lastMs / 0x1_0000)
  target[0] = high >>> 24
  target[1] = high >>> 16
  target[2] = high >>> 8
  target[3] = high
  target[4] = lastMs >>> 8
  target[5] = lastMs
  target[6] = counter >>> 8
  target[7] = counter
  for (let index = 0; index < 8; index++) target[8 + index] = pool[used + index] as number
  used += randomPerId
  stamp(target, 7)
}

/** A value that tells one version of a row from the next: 32 hexadecimal digits, as ABP's. */
export function newStamp(): string {
  // Node keeps random bytes for these, where `randomBytes` asks the system each time.
  return randomUUID().replaceAll('-', '')
}

/** Eight for the id, two for the counter to start at. */
const randomPerId = 10
/** Where ids are put together, one after the other. */
const bytes = new Uint8Array(16)

/**
 * The id that always belongs to `name` (UUID version 5): reference rows have the same id in every database.
 *
 * @example namedGuid('Port:CNSHA')
 */
export function namedGuid(name: string): string {
  const digest = createHash('sha1').update(keelNamespace).update(name, 'utf8').digest()
  stamp(digest, 5)
  return format(digest)
}

/** Where the text of an id is put together: characters in a buffer are faster than pieces of text. */
const characters = Buffer.from('00000000-0000-0000-0000-000000000000', 'latin1')
/** The places of the sixteen bytes in it. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const digits = Buffer.from('0123456789abcdef', 'latin1')

function format(id: Uint8Array): string {
  for (let index = 0; index < 16; index++) {
    const byte = id[index] as number
    const place = places[index] as number
    characters[place] = digits[byte >> 4] as number
    characters[place + 1] = digits[byte & 0x0f] as number
  }
  return characters.toString('latin1')
}

/** RFC 9562, sections 4.1 and 4.2. */
function stamp(id: Uint8Array, version: number): void {
  id[6] = ((id[6] as number) & 0x0f) | (version << 4)
  id[8] = ((id[8] as number) & 0x3f) | 0x80
}
