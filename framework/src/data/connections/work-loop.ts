import type { Logger } from '../../modularity/logging.js'

/** Work that waits in a table and is looked for again and again. */
export interface WorkLoopOptions {
  /** What is done, in the log. */
  readonly name: string
  /** Does what is there; answers true when there may be more at once. */
  readonly work: () => Promise<boolean>
  /** The longest pause between two looks, in ms. */
  readonly pollMs: number
  /** The longest pause after failures, in ms; half a minute when not given. */
  readonly longestPauseMs?: number
  readonly logger: Logger
}

const longestPauseAfterFailureMs = 30_000

/** Looks for work whenever it is woken, and now and then by itself. One look at a time; a failure is logged and tried again, later each time. */
export class WorkLoop {
  private running: Promise<void> | undefined
  private isStopped = true
  private isWoken = false
  private failures = 0
  private endPause: (() => void) | undefined

  constructor(private readonly options: WorkLoopOptions) {}

  start(): void {
    if (!this.isStopped) return
    this.isStopped = false
    this.running = this.run()
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    this.isWoken = true
    if (this.failures === 0) this.endPause?.()
  }

  /** Ends after the look at hand. */
  async stop(): Promise<void> {
    this.isStopped = true
    this.endPause?.()
    await this.running
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.isWoken = false
      if (!(await this.look()) && !this.isWoken && !this.isStopped) await this.pause()
    }
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
      // A database that is away for an hour is one story, not a thousand lines.
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
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.endPause = undefined
  }
}
