import type pg from 'pg'
import { UnavailableError } from '../contracts/errors.js'
import type { Statement, TextRow } from './connections.js'
import { TextQuery } from './text-query.js'

/** What a piece should hold: rows are fetched as many at a time as that takes, few of wide ones. */
const pieceCharacters = 256 * 1024
const firstPieceRows = 100
const mostPieceRows = 5000

/**
 * The rows of a statement, piece by piece, through a cursor on a connection of its own: at most one piece is in memory, and nothing is read
 * ahead of whoever takes them. Leaving the loop early closes the cursor. A connection that breaks, and the end of the time given, end it with
 * an error.
 */
export async function* rowStream(
  pool: pg.Pool,
  { text, values }: Statement,
  timeoutMs: number,
): AsyncGenerator<readonly TextRow[], void, undefined> {
  const deadline = performance.now() + timeoutMs
  const client = await pool.connect()
  let broken: Error | undefined
  const notice = (error: Error): void => {
    broken = error
  }
  // While it is lent the pool does not listen to it: a connection that breaks then would end the process.
  client.on('error', notice)
  const rowsOf = (statement: Statement) => new TextQuery(statement).runOn(client)
  try {
    await client.query('begin read only')
    await rowsOf({ text: `declare rows no scroll cursor for ${text}`, values })
    let wanted = firstPieceRows
    for (;;) {
      const rows = await rowsOf({ text: `fetch ${wanted} from rows`, values: [] })
      if (rows.length) yield rows
      if (rows.length < wanted) return
      if (performance.now() > deadline) throw new UnavailableError('The answer takes too long.', 60)
      wanted = nextPiece(rows)
    }
  } finally {
    if (!broken) await client.query('rollback').catch(notice)
    client.off('error', notice)
    client.release(broken)
  }
}

function nextPiece(rows: readonly TextRow[]): number {
  let characters = 0
  for (const row of rows) for (const value of row) characters += value?.length ?? 0
  const fitting = Math.floor((rows.length * pieceCharacters) / Math.max(characters, 1))
  return Math.min(Math.max(fitting, 1), mostPieceRows)
}
