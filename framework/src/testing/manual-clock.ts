import { Clock } from '../modularity/clock.js'

/**
 * A clock that stands still until it is advanced, so that a test sees the end of what lasts for days. It begins at the system's time:
 * what the database and other processes write meanwhile is not far off.
 * @example
 * const clock = new ManualClock()
 * const host = await startTestHost(ApiHost, { server, templates, clock })
 * clock.advance({ minutes: 15 })
 */
export class ManualClock extends Clock {
  private passedMs = 0

  constructor(private readonly start: Date = new Date()) {
    super()
  }

  override get nowMs(): number {
    return this.start.getTime() + this.passedMs
  }

  override get elapsedMs(): number {
    return this.nowMs
  }

  /** Lets time pass; never less than none. */
  advance({ days = 0, hours = 0, minutes = 0, seconds = 0 }: TimeSpan): void {
    const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
    if (!(ms >= 0)) throw new RangeError('A clock does not go back')
    this.passedMs += ms
  }
}

/** How long something takes: the sum of its parts. */
export interface TimeSpan {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
}
