import type pg from 'pg'
import { type ByteClient, ByteQuery, type ByteRow } from './byte-rows.js'
import type { Statement } from './connections.js'

interface Waiting {
  readonly statement: Statement
  readonly since: number
  readonly done: (error: Error | undefined, rows: readonly ByteRow[]) => void
}

/** Errors after which a connection is as good as before: what was asked was wrong, or took too long. */
const harmless = /^(21|22|42|54|57014)/

/**
 * Runs statements on the connections of a pool, a few at a time and the others in the order in which they came. A connection that is done
 * goes on with the next one at once, and back to the pool when none is left.
 */
export class QueryLanes {
  private readonly waiting: Waiting[] = []
  private open = 0
  private sweep: NodeJS.Timeout | undefined

  /** @param pool of {@link ByteClient}s @param waitMs after this time in line a statement is given up */
  constructor(
    private readonly pool: pg.Pool,
    private readonly lanes: number,
    private readonly waitMs: number,
  ) {}

  /** How many statements wait for a connection. */
  get waitingCount(): number {
    return this.waiting.length
  }

  run(statement: Statement): Promise<readonly ByteRow[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({
        statement,
        since: Date.now(),
        done: (error, rows) => (error ? reject(error) : resolve(rows)),
      })
      if (this.open < this.lanes) this.openLane()
      this.sweep ??= this.sweepLater(this.waitMs)
    })
  }

  private openLane(): void {
    this.open += 1
    this.pool.connect((error, client) => {
      if (error || !client) {
        this.open -= 1
        this.waiting.shift()?.done(error ?? new Error('The pool gave no connection'), [])
        if (this.waiting.length && this.open === 0) this.openLane()
        return
      }
      this.serve(client as unknown as ByteClient & pg.PoolClient)
    })
  }

  private serve(client: ByteClient & pg.PoolClient): void {
    let broken: Error | undefined
    const notice = (error: Error): void => {
      broken = error
    }
    const close = (): void => {
      this.open -= 1
      client.off('error', notice)
      client.release(broken)
      if (this.waiting.length && this.open < this.lanes) this.openLane()
    }
    const next = (): void => {
      const turn = broken ? undefined : this.waiting.shift()
      if (!turn) {
        close()
        return
      }
      const query = new ByteQuery(turn.statement, (error, rows) => {
        if (error && !harmless.test((error as { code?: string }).code ?? '')) broken ??= error
        turn.done(error, rows)
        next()
      })
      client.query(query as unknown as pg.Submittable)
    }
    // While it is lent the pool does not listen to it: a connection that breaks then would end the process.
    client.on('error', notice)
    next()
  }

  private sweepLater(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const now = Date.now()
      while (this.waiting[0] && now - this.waiting[0].since >= this.waitMs)
        this.waiting.shift()?.done(new Error('timeout exceeded when trying to connect'), [])
      const [oldest] = this.waiting
      this.sweep = oldest && this.sweepLater(Math.max(this.waitMs - (now - oldest.since), 1))
    }, ms).unref()
  }
}
