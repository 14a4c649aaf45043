import type pg from 'pg'
import type { LentConnection } from '../wire/lent-connection.js'
import type { ConnectionPool } from './connection-pool.js'
import { FairLine, type Turn } from './fair-line.js'

interface Asked {
  /** Runs the statement, settles its promise, and then calls `done` with the error, if any. */
  readonly run: (client: pg.PoolClient, done: (error?: Error) => void) => void
  /** Rejects the promise of a statement that is not run. */
  readonly refuse: (error: Error) => void
}

/**
 * The callback for the result or error of a statement, called in the tick in which it arrives. With promises
 * instead, results lived long enough to reach V8's old generation, and collecting them cost as much CPU as
 * the rest of the answer.
 */
export type Told<T> = (error: Error | null | undefined, result?: T) => void

/** How long an idle connection stays with the lanes while no other purpose waits for one. */
const idleMs = 1000

/** How callers share the connections that a pool lends for lists. */
export interface LaneLimits {
  /** Statements that run at a time. */
  readonly lanes: number
  /** Of them, those that are known to be slow. */
  readonly slow: number
  /** After this time in line a statement is given up. */
  readonly waitMs: number
}

/**
 * Runs statements on the connections that a pool lends for lists, a few at a time and the others in an order
 * that is fair to their callers ({@link FairLine}). A connection whose statement has ended runs the next one
 * at once. It goes back to the pool when no statement has come for a while, and earlier when others wait for
 * a connection.
 */
export class QueryLanes {
  private readonly line: FairLine<Asked>
  private readonly idle: Lane[] = []
  private open = 0
  private opening = 0
  private timer: NodeJS.Timeout | undefined

  /**
   * @param all the lanes of the process: a caller's slow and unknown statements are counted over all of them
   */
  constructor(
    private readonly pool: ConnectionPool,
    private readonly limits: LaneLimits,
    private readonly all: Set<QueryLanes>,
  ) {
    const isBusyElsewhere = (caller: string): boolean => {
      for (const other of all) if (other !== this && other.line.isBusy(caller)) return true
      return false
    }
    this.line = new FairLine({ all: limits.lanes, slow: limits.slow }, isBusyElsewhere)
    all.add(this)
  }

  /** How many statements wait for a connection. */
  get waitingCount(): number {
    return this.line.waitingCount
  }

  /** Refuses a waiting statement of the caller who has the most; false when this caller has as many. */
  makeRoomFor(caller: string, error: Error): boolean {
    const turn = this.line.makeRoomFor(caller)
    turn?.work.refuse(error)
    return turn !== undefined
  }

  /**
   * @param text the text of the statement, by which its expected time is learnt
   * @param caller the key of the caller whose share is used
   */
  run<T>(text: string, caller: string, send: (client: pg.PoolClient, done: Told<T>) => void): Promise<T> {
    return new Promise((resolve, refuse) => {
      const run: Asked['run'] = (client, done) => {
        const told: Told<T> = (error, result) => {
          if (error) refuse(error)
          else resolve(result as T)
          done(error ?? undefined)
        }
        try {
          send(client, told)
        } catch (error) {
          told(error as Error)
        }
      }
      this.timer ??= setInterval(() => this.tidy(), idleMs).unref()
      this.line.add(caller, text, { run, refuse })
      this.proceed()
    })
  }

  /** Gives connections back that run nothing. */
  giveBackIdle(): void {
    for (const lane of this.idle.splice(0)) this.close(lane)
  }

  /** Leaves the set of lanes, and gives idle connections back. */
  end(): void {
    clearInterval(this.timer)
    this.all.delete(this)
    this.giveBackIdle()
  }

  /** Begins what may begin, on connections that are at hand or made for it. */
  private proceed(): void {
    while (this.waitingCount) {
      const lane = this.idleLane()
      if (!lane) {
        const isRoom = this.opening < this.waitingCount && this.open < this.limits.lanes
        if (isRoom && this.line.isReady) this.openLane()
        return
      }
      const turn = this.line.begin()
      if (!turn) {
        this.idle.push(lane)
        return
      }
      lane.run(turn)
    }
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
    this.opening += 1
    this.pool.lend('list', 0, (error, connection) => {
      this.opening -= 1
      if (connection) {
        const lane = new Lane(connection, this.line, (used) => this.next(used))
        // The pool waits for it, if it ended meanwhile.
        if (this.pool.isEnded) this.close(lane)
        else this.idle.push(lane)
        this.proceed()
        return
      }
      this.open -= 1
      this.line.giveUpOne()?.work.refuse(error ?? new Error('The pool gave no connection'))
      if (this.open === 0) this.proceed()
    })
  }

  private next(lane: Lane): void {
    if (lane.isBroken || this.pool.isShort || this.pool.isEnded) this.close(lane)
    else this.idle.push(lane)
    this.proceed()
    for (const other of this.all) if (other.waitingCount) other.proceed()
  }

  private close(lane: Lane): void {
    this.open -= 1
    lane.close()
  }

  /** Gives idle connections back, and refuses statements that waited for too long. */
  private tidy(): void {
    for (const { work } of this.line.giveUp(performance.now() - this.limits.waitMs))
      work.refuse(new Error('timeout exceeded when trying to connect'))
    const now = Date.now()
    // The one that was used last is at the end.
    while (this.idle[0] && (this.idle[0].isBroken || now - this.idle[0].usedAt >= idleMs))
      this.close(this.idle.shift() as Lane)
    this.proceed()
    if (this.open || this.waitingCount) return
    clearInterval(this.timer)
    this.timer = undefined
  }
}

/** A connection that runs the statements of lists. */
class Lane {
  usedAt = Date.now()

  constructor(
    private readonly connection: LentConnection,
    private readonly line: FairLine<Asked>,
    private readonly free: (lane: Lane) => void,
  ) {}

  get isBroken(): boolean {
    return this.connection.isBroken
  }

  run(turn: Turn<Asked>): void {
    turn.work.run(this.connection.client, (error) => {
      if (error) this.connection.judge(error)
      this.usedAt = Date.now()
      this.line.end(turn)
      this.free(this)
    })
  }

  close(): void {
    this.connection.release()
  }
}
