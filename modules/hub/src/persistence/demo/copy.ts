import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { DatabaseSession } from '@keel/framework/data'
import { from as copyFrom } from 'pg-copy-streams'
import type { DemoTable, DemoValue } from './demo-table.js'

/** Large enough that the cost of a message vanishes, small enough that rows do not pile up in memory. */
const chunkLength = 128 * 1024

/**
 * Writes all rows of `table` with one COPY, in a transaction of its own unless the session has one open.
 * Waits whenever the server falls behind. `onProgress` hears how many rows were sent so far.
 */
export async function copyRows(
  session: DatabaseSession,
  table: DemoTable,
  onProgress: (done: number) => void,
): Promise<void> {
  if (table.columns.length === 0) return
  const columns = table.columns.map(quoted).join(', ')
  const stream = session.query(copyFrom(`copy ${quoted(table.table)} (${columns}) from stdin`))
  const done = finished(stream)
  // The server may refuse a row while we write; that failure is told by writeRows, and must not count as
  // unhandled.
  done.catch(() => undefined)
  try {
    await writeRows(stream, table, onProgress)
  } catch (error) {
    // Ends the COPY on the server, so that the session can be used again.
    stream.destroy()
    throw error
  }
  stream.end()
  await done
}

async function writeRows(
  stream: Writable,
  table: DemoTable,
  onProgress: (done: number) => void,
): Promise<void> {
  let chunk = ''
  let rows = 0
  for (const row of table.rows) {
    chunk += copyLine(row)
    rows++
    if (chunk.length < chunkLength) continue
    if (!stream.write(chunk)) await once(stream, 'drain')
    chunk = ''
    onProgress(rows)
  }
  stream.write(chunk)
  onProgress(rows)
}

/** One row in the text format of COPY. */
export function copyLine(row: readonly DemoValue[]): string {
  let line = copyText(row[0] ?? null)
  for (let index = 1; index < row.length; index++) line += `\t${copyText(row[index] ?? null)}`
  return `${line}\n`
}

function copyText(value: DemoValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value instanceof Date) return timestamp(value.getTime())
  return escaped(`{${value.map((element) => `"${element.replace(/["\\]/g, '\\$&')}"`).join(',')}}`)
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(text: string): string {
  return /[\\\n\r\t]/.test(text)
    ? text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character)
    : text
}

const minuteMs = 60_000
const minutesPerDay = 1_440
const dayTexts = new Map<number, string>()
const minuteTexts = Array.from(
  { length: minutesPerDay },
  (_, minute) =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`,
)

/** Most times are whole minutes of few days; then their parts are looked up instead of written anew. */
function timestamp(time: number): string {
  if (time % minuteMs !== 0) return new Date(time).toISOString()
  const minutes = time / minuteMs
  const day = Math.floor(minutes / minutesPerDay)
  let dayText = dayTexts.get(day)
  if (dayText === undefined) {
    dayText = new Date(day * minutesPerDay * minuteMs).toISOString().slice(0, 10)
    dayTexts.set(day, dayText)
  }
  return `${dayText} ${minuteTexts[minutes - day * minutesPerDay]}+00`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
