import { performance } from 'node:perf_hooks'
import type { Logger } from '../../modularity/logging.js'

/** Work that waits in a table, which is polled. */
export interface WorkLoopOptions {
  /** The name of the work in the log. */
  readonly name: string
  /** Does the waiting work; returns true when there may be more. */
  readonly work: () => Promise<boolean>
  /** The longest pause between two polls, in ms. */
  readonly pollMs: number
  /**
   * The least time in ms between the starts of two polls, unless the first leaves work behind: all wakes
   * within it share one poll. None when not given.
   */
  readonly restMs?: number
  /** The longest pause after failures, in ms; half a minute when not given. */
  readonly longestPauseMs?: number
  readonly logger: Logger
}

const longestPauseAfterFailureMs = 30_000

/**
 * Polls for work when it is woken, and after a pause. One poll at a time; a failure is logged and tried
 * again, with growing pauses.
 */
export class WorkLoop {
  private running: Promise<void> | undefined
  private isStopped = true
  private isWoken = false
  private failures = 0
  private endPause: (() => void) | undefined
  private endRest: (() => void) | undefined

  constructor(private readonly options: WorkLoopOptions) {}

  start(): void {
    if (!this.isStopped) return
    this.isStopped = false
    this.running = this.run()
  }

  /** Wakes the loop: there may be work. Returns at once. */
  wake(): void {
    this.isWoken = true
    if (this.failures === 0) this.endPause?.()
  }

  /** Ends after the poll under way. */
  async stop(): Promise<void> {
    this.isStopped = true
    this.endPause?.()
    this.endRest?.()
    await this.running
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.isWoken = false
      const startedAt = performance.now()
      if (await this.look()) continue
      await this.rest(startedAt)
      if (!this.isWoken && !this.isStopped) await this.pause()
    }
  }

  private async rest(startedAt: number): Promise<void> {
    const ms = (this.options.restMs ?? 0) - (performance.now() - startedAt)
    if (ms <= 0 || this.isStopped) return
    await wait(ms, (end) => {
      this.endRest = end
    })
    this.endRest = undefined
  }

  private async look(): Promise<boolean> {
    const { name, work, logger } = this.options
    try {
      const hasMore = await work()
      if (this.failures) logger.info({ failures: this.failures }, `${name} works again`)
      this.failures = 0
      return hasMore
    } catch (error) {
      this.failures += 1
      // Of failures in a row the 1st, 2nd, 4th, 8th … are logged: a database may be unreachable for an hour.
      if ((this.failures & (this.failures - 1)) === 0 && !this.isStopped)
        logger.warn({ err: error, failures: this.failures }, `${name} failed, it will be tried again`)
      this.isWoken = false
      return false
    }
  }

  private async pause(): Promise<void> {
    const { pollMs, longestPauseMs = longestPauseAfterFailureMs } = this.options
    const backOff = this.failures ? 250 * 2 ** Math.min(this.failures, 8) : 0
    const ms = this.failures ? Math.min(backOff, longestPauseMs) : pollMs
    await wait(ms, (end) => {
      this.endPause = end
    })
    this.endPause = undefined
  }
}

/** Resolves after a time, or as soon as the function that `begun` gets is called. */
function wait(ms: number, begun: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    begun(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
