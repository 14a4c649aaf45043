import type pg from 'pg'
import { ByteQuery, type ByteRow } from './byte-rows.js'
import type { Statement } from './connections.js'

interface Waiting {
  readonly statement: Statement
  readonly since: number
  readonly done: (error: Error | undefined, rows: readonly ByteRow[]) => void
}

/** Errors after which a connection is as good as before: what was asked was wrong, or took too long. */
const harmless = /^(21|22|42|54|57014)/
/** How long a connection that nobody needs is kept from the pool. */
const idleMs = 1000

/**
 * Runs statements on the connections of a pool, a few at a time and the others in the order in which they came. A connection that is done
 * goes on with the next one at once; it goes back to the pool when none has come for a while.
 */
export class QueryLanes {
  private readonly waiting: Waiting[] = []
  private readonly idle: Lane[] = []
  private open = 0
  private timer: NodeJS.Timeout | undefined

  /** @param pool of `ByteClient`s @param waitMs after this time in line a statement is given up */
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
      const done = (error: Error | undefined, rows: readonly ByteRow[]) =>
        error ? reject(error) : resolve(rows)
      const turn = { statement, since: Date.now(), done }
      this.timer ??= setInterval(() => this.tidy(), idleMs).unref()
      const lane = this.idleLane()
      if (lane) lane.run(turn)
      else {
        this.waiting.push(turn)
        if (this.open < this.lanes) this.openLane()
      }
    })
  }

  /** Ends the pool, after the statements that run. */
  async end(): Promise<void> {
    clearInterval(this.timer)
    for (const lane of this.idle.splice(0)) this.close(lane)
    await this.pool.end()
  }

  private idleLane(): Lane | undefined {
    let lane = this.idle.pop()
    while (lane?.isBroken) {
      this.close(lane)
      lane = this.idle.pop()
    }
    return lane
  }

  private openLane(): void {
    this.open += 1
    this.pool.connect((error, client) => {
      if (client && !error) {
        this.next(new Lane(client, (lane) => this.next(lane)))
        return
      }
      this.open -= 1
      this.waiting.shift()?.done(error ?? new Error('The pool gave no connection'), [])
      if (this.waiting.length && this.open === 0) this.openLane()
    })
  }

  private next(lane: Lane): void {
    const turn = lane.isBroken ? undefined : this.waiting.shift()
    if (turn) lane.run(turn)
    else if (lane.isBroken || this.pool.ending) this.close(lane)
    else this.idle.push(lane)
  }

  private close(lane: Lane): void {
    this.open -= 1
    lane.close()
    if (this.waiting.length && this.open < this.lanes) this.openLane()
  }

  /** Lets connections go that nobody needs, and gives up statements that waited for too long. */
  private tidy(): void {
    const now = Date.now()
    while (this.waiting[0] && now - this.waiting[0].since >= this.waitMs)
      this.waiting.shift()?.done(new Error('timeout exceeded when trying to connect'), [])
    // The one that was used last is at the end.
    while (this.idle[0] && (this.idle[0].isBroken || now - this.idle[0].usedAt >= idleMs))
      this.close(this.idle.shift() as Lane)
    if (this.open || this.waiting.length) return
    clearInterval(this.timer)
    this.timer = undefined
  }
}

/** A connection that is lent. */
class Lane {
  usedAt = Date.now()
  private broken: Error | undefined

  constructor(
    private readonly client: pg.PoolClient,
    private readonly free: (lane: Lane) => void,
  ) {
    // While it is lent the pool does not listen to it: a connection that breaks then would end the process.
    client.on('error', this.notice)
  }

  get isBroken(): boolean {
    return this.broken !== undefined
  }

  run({ statement, done }: Waiting): void {
    const query = new ByteQuery(statement, (error, rows) => {
      if (error && !harmless.test((error as { code?: string }).code ?? '')) this.broken ??= error
      this.usedAt = Date.now()
      done(error, rows)
      this.free(this)
    })
    this.client.query(query as unknown as pg.Submittable)
  }

  close(): void {
    this.client.off('error', this.notice)
    this.client.release(this.broken)
  }

  private readonly notice = (error: Error): void => {
    this.broken = error
  }
}
