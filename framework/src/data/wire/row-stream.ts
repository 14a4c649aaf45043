import { LimitReachedError } from '../../contracts/errors.js'
import type { LentConnection } from './lent-connection.js'
import type { Statement, TextRow } from './statement.js'
import { TextQuery } from './text-query.js'

/** The size of a piece. Wide rows are fetched fewer at a time. */
const pieceCharacters = 256 * 1024
const firstPieceRows = 100
const mostPieceRows = 5000
/** Time that the reader of a piece has beside what its size gives. */
const graceMs = 5000

/** How long a stream may keep its connection. */
export interface StreamLimits {
  /** In all. */
  readonly timeoutMs: number
  /** A reader who takes less loses the connection. */
  readonly minBytesPerSecond: number
}

/**
 * The rows of a statement, piece by piece, through a cursor on a connection that is lent for it: at most one piece is in
 * memory, and nothing is read ahead of whoever takes them. The connection is given back with the last piece, when the loop is left early, and while a reader takes too long:
 * the next piece is an error then. A connection that breaks, and the end of the time given, end it with an error too.
 */
export async function* rowStream(
  connection: LentConnection,
  statement: Statement,
  { timeoutMs, minBytesPerSecond }: StreamLimits,
): AsyncGenerator<readonly TextRow[], void, undefined> {
  const deadline = performance.now() + timeoutMs
  const cursor = new Cursor(connection)
  let late: NodeJS.Timeout | undefined
  try {
    await cursor.open(statement)
    for (let wanted = firstPieceRows; ; ) {
      const rows = await cursor.fetch(wanted)
      const isLast = rows.length < wanted
      const size = charactersOf(rows)
      if (isLast) await cursor.close()
      else late = setTimeout(() => void cursor.close(), graceMs + (size * 1000) / minBytesPerSecond)
      if (rows.length) yield rows
      clearTimeout(late)
      if (isLast) return
      if (cursor.isClosed)
        throw new LimitReachedError('The answer was taken too slowly.', 60, {
          text: { key: 'Stream:TooSlow' },
        })
      if (performance.now() > deadline)
        throw new LimitReachedError('The answer takes too long.', 60, { text: { key: 'Stream:TooLong' } })
      wanted = nextPiece(rows.length, size)
    }
  } finally {
    clearTimeout(late)
    await cursor.close()
  }
}

/**
 * A stream that has begun: it has its connection, and what is wrong with its statement has been thrown. Whoever gets it need not take anything.
 */
export async function begun<T>(
  pieces: AsyncGenerator<T, void, undefined>,
): Promise<AsyncGenerator<T, void, undefined>> {
  const first = await pieces.next()
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* pieces
    } finally {
      await pieces.return()
    }
  })()
}

/** A cursor on a connection that is lent for it. */
class Cursor {
  private closing: Promise<void> | undefined

  constructor(private readonly connection: LentConnection) {}

  get isClosed(): boolean {
    return this.closing !== undefined
  }

  async open({ text, values }: Statement): Promise<void> {
    await this.connection.client.query('begin read only')
    await this.rowsOf({ text: `declare rows no scroll cursor for ${text}`, values })
  }

  fetch(count: number): Promise<readonly TextRow[]> {
    return this.rowsOf({ text: `fetch ${count} from rows`, values: [] })
  }

  /** Gives the connection back, once. */
  close(): Promise<void> {
    this.closing ??= this.giveBack()
    return this.closing
  }

  private async giveBack(): Promise<void> {
    const { connection } = this
    if (!connection.isBroken) await connection.client.query('rollback').catch(connection.breaks)
    connection.release()
  }

  private rowsOf(statement: Statement): Promise<readonly TextRow[]> {
    return new TextQuery(statement).runOn(this.connection.client)
  }
}

function charactersOf(rows: readonly TextRow[]): number {
  let characters = 0
  for (const row of rows) for (const value of row) characters += value?.length ?? 0
  return characters
}

function nextPiece(rows: number, characters: number): number {
  const fitting = Math.floor((rows * pieceCharacters) / Math.max(characters, 1))
  return Math.min(Math.max(fitting, 1), mostPieceRows)
}
