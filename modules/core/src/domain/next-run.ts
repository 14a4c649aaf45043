import { ZoneTimes } from '@keel/framework/spreadsheets'
import type { ExportFrequency } from '../contracts/index.js'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** More than a month has days: a schedule with any date left has one of them among so many. */
const mostDays = 62

/** When something is repeated. Dates are ISO 8601, times of the clock `HH:mm`. */
export interface RunTimes {
  readonly frequency: keyof typeof ExportFrequency
  readonly timeOfDay: string
  /** IANA name. */
  readonly timeZone: string
  /** ISO day of the week, Monday is 1; of weekly schedules. */
  readonly dayOfWeek?: number | null | undefined
  /** 1 to 31; the last day of shorter months. Of monthly schedules. */
  readonly dayOfMonth?: number | null | undefined
  readonly startDate?: string | null | undefined
  readonly endDate?: string | null | undefined
}

/**
 * The first run after an instant; null when there is none left. Each local date has one run at most. A time that the clock leaves out is
 * moved forward by as much, of a time that it shows twice the first one counts (domain model, section 9.2).
 */
export function nextRun(times: RunTimes, after: Date): Date | null {
  const zone = new ZoneTimes(times.timeZone)
  const [hours = 0, minutes = 0] = times.timeOfDay.split(':').map(Number)
  const local = zone.clockTime(after).getTime()
  // The day before: its time may have been moved behind midnight.
  const first = Math.max(local - mod(local, dayMs) - dayMs, startOf(times.startDate))
  for (let day = first, looked = 0; looked < mostDays; day += dayMs, looked++) {
    const date = new Date(day)
    if (times.endDate && date.toISOString().slice(0, 10) > times.endDate) return null
    if (!isRunDay(times, date)) continue
    const run = zone.instantOf(new Date(day + (hours * 60 + minutes) * minuteMs))
    if (run > after) return run
  }
  return null
}

/** The next runs after an instant, in order; fewer when the schedule ends before. */
export function nextRuns(times: RunTimes, after: Date, count: number): Date[] {
  const runs: Date[] = []
  for (let last = after; runs.length < count; ) {
    const run = nextRun(times, last)
    if (!run) break
    runs.push(run)
    last = run
  }
  return runs
}

/** The latest run that was due by now, of a schedule that was due at an instant: after a downtime it alone is made up for. */
export function latestMissed(times: RunTimes, due: Date, now: Date): Date {
  let last = due
  // The last two months have a run of every schedule.
  const from = new Date(Math.max(due.getTime(), now.getTime() - mostDays * dayMs))
  for (let next = nextRun(times, from); next !== null && next <= now; next = nextRun(times, next)) last = next
  return last
}

function isRunDay({ frequency, dayOfWeek, dayOfMonth }: RunTimes, date: Date): boolean {
  switch (frequency) {
    case 'Daily':
      return true
    case 'Weekly':
      return (date.getUTCDay() || 7) === dayOfWeek
    case 'Monthly': {
      const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
      return date.getUTCDate() === Math.min(dayOfMonth ?? 1, last)
    }
  }
}

const startOf = (date: string | null | undefined): number =>
  date ? Date.parse(`${date}T00:00:00Z`) : Number.NEGATIVE_INFINITY

const mod = (value: number, by: number): number => ((value % by) + by) % by
