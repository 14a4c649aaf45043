import type pg from 'pg'
import { FairLine, type Turn } from './fair-line.js'

interface Asked {
  /** Runs it, tells those who wait for it, and then `done` what went wrong. */
  readonly run: (client: pg.PoolClient, done: (error?: Error) => void) => void
  /** Tells those who wait for it that it is not run. */
  readonly refuse: (error: Error) => void
}

/**
 * How the result of a statement, or its error, is told: by a call, in the tick in which it came. Lanes that went on by promises kept results
 * alive until they were old, and collecting them cost as much as everything else that an answer takes of the host.
 */
export type Told<T> = (error: Error | null | undefined, result?: T) => void

/** Errors after which a connection is as good as before: what was asked was wrong, or took too long. */
const harmless = /^(21|22|42|54|57014)/
/** How long a connection that nobody needs is kept from the pool. */
const idleMs = 1000

/** The connections of a pool as callers share them. */
export interface LaneLimits {
  /** Statements that run at a time. */
  readonly lanes: number
  /** Of them, those that are known to be slow. */
  readonly slow: number
  /** After this time in line a statement is given up. */
  readonly waitMs: number
}

/**
 * Runs statements on the connections of a pool, a few at a time and the others in an order that is fair to their callers ({@link FairLine}).
 * A connection that is done goes on with the next one at once; it goes back to the pool when none has come for a while.
 */
export class QueryLanes {
  private readonly line: FairLine<Asked>
  private readonly idle: Lane[] = []
  private open = 0
  private opening = 0
  private timer: NodeJS.Timeout | undefined

  /** @param all of the process: what is slow or new of a caller counts in all of them together */
  constructor(
    private readonly pool: pg.Pool,
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

  /**
   * @param text the statement's: what it costs is learnt by it
   * @param caller whose share it is
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

  /** Ends the pool, after the statements that run. */
  async end(): Promise<void> {
    clearInterval(this.timer)
    this.all.delete(this)
    for (const lane of this.idle.splice(0)) this.close(lane)
    await this.pool.end()
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
    this.pool.connect((error, client) => {
      this.opening -= 1
      if (client && !error) {
        this.next(new Lane(client, this.line, (lane) => this.next(lane)))
        return
      }
      this.open -= 1
      this.line.giveUpOne()?.work.refuse(error ?? new Error('The pool gave no connection'))
      if (this.open === 0) this.proceed()
    })
  }

  private next(lane: Lane): void {
    if (lane.isBroken || this.pool.ending) this.close(lane)
    else this.idle.push(lane)
    this.proceed()
    for (const other of this.all) if (other.waitingCount) other.proceed()
  }

  private close(lane: Lane): void {
    this.open -= 1
    lane.close()
  }

  /** Lets connections go that nobody needs, and gives up statements that waited for too long. */
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

/** A connection that is lent. */
class Lane {
  usedAt = Date.now()
  private broken: Error | undefined

  constructor(
    private readonly client: pg.PoolClient,
    private readonly line: FairLine<Asked>,
    private readonly free: (lane: Lane) => void,
  ) {
    // While it is lent the pool does not listen to it: a connection that breaks then would end the process.
    client.on('error', this.notice)
  }

  get isBroken(): boolean {
    return this.broken !== undefined
  }

  run(turn: Turn<Asked>): void {
    turn.work.run(this.client, (error) => {
      if (error && !harmless.test((error as { code?: string }).code ?? '')) this.broken ??= error
      this.usedAt = Date.now()
      this.line.end(turn)
      this.free(this)
    })
  }

  close(): void {
    this.client.off('error', this.notice)
    this.client.release(this.broken)
  }

  private readonly notice = (error: Error): void => {
    this.broken = error
  }
}
