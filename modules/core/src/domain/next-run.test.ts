import { ZoneTimes } from '@keel/framework/spreadsheets'
import { Cron } from 'croner'
import { expect, test } from 'vitest'
import { latestMissed, nextRun, nextRuns, type RunTimes } from './next-run.js'

const daily = (timeOfDay: string, timeZone: string): RunTimes => ({ frequency: 'Daily', timeOfDay, timeZone })
const weekly = (dayOfWeek: number, timeOfDay: string, timeZone: string): RunTimes => ({
  ...{ frequency: 'Weekly', dayOfWeek, timeOfDay, timeZone },
})
const monthly = (dayOfMonth: number, timeOfDay: string, timeZone: string): RunTimes => ({
  ...{ frequency: 'Monthly', dayOfMonth, timeOfDay, timeZone },
})
const at = (text: string) => new Date(text)

// Domain model, section 9.2.
test.each([
  [daily('02:30', 'Europe/Berlin'), '2027-03-27T01:30:00Z', '2027-03-28T01:30:00Z'],
  [daily('02:30', 'Europe/Berlin'), '2027-03-28T01:30:00Z', '2027-03-29T00:30:00Z'],
  [daily('02:30', 'Europe/Berlin'), '2027-10-30T00:30:00Z', '2027-10-31T00:30:00Z'],
  [daily('02:30', 'Europe/Berlin'), '2027-10-31T00:30:00Z', '2027-11-01T01:30:00Z'],
  [daily('02:15', 'America/New_York'), '2027-03-13T07:15:00Z', '2027-03-14T07:15:00Z'],
  [daily('01:30', 'America/New_York'), '2027-11-06T05:30:00Z', '2027-11-07T05:30:00Z'],
  [weekly(1, '07:00', 'Europe/London'), '2026-11-23T07:00:00Z', '2026-11-30T07:00:00Z'],
  [monthly(31, '06:00', 'Asia/Shanghai'), '2027-01-30T22:00:00Z', '2027-02-27T22:00:00Z'],
  [monthly(31, '06:00', 'Asia/Shanghai'), '2028-01-30T22:00:00Z', '2028-02-28T22:00:00Z'],
  [monthly(31, '06:00', 'Asia/Shanghai'), '2027-03-30T22:00:00Z', '2027-04-29T22:00:00Z'],
])('%o runs after %s at %s', (times, after, next) => {
  expect(nextRun(times, at(after))).toEqual(at(next))
})

test('a schedule runs from its first day to its last one', () => {
  const times = { ...daily('08:00', 'UTC'), startDate: '2027-05-10', endDate: '2027-05-12' }
  expect(nextRuns(times, at('2026-01-01T00:00:00Z'), 5)).toEqual(
    ['2027-05-10', '2027-05-11', '2027-05-12'].map((date) => at(`${date}T08:00:00Z`)),
  )
  expect(nextRun(times, at('2027-05-12T08:00:00Z'))).toBeNull()
})

test('a monthly schedule that begins behind its day runs in the next month', () => {
  const times = { ...monthly(5, '08:00', 'UTC'), startDate: '2027-05-06' }
  expect(nextRun(times, at('2027-01-01T00:00:00Z'))).toEqual(at('2027-06-05T08:00:00Z'))
})

test('of runs that were missed the latest one is made up for', () => {
  const times = daily('08:00', 'UTC')
  const due = at('2026-01-01T08:00:00Z')
  expect(latestMissed(times, due, at('2026-01-01T08:00:30Z'))).toEqual(due)
  expect(latestMissed(times, due, at('2026-11-20T07:59:00Z'))).toEqual(at('2026-11-19T08:00:00Z'))
})

/** Zones with gaps of an hour, of half an hour, at midnight, and one without any. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Kolkata',
]

/** The same schedule as a cron expression. */
function cronOf({ frequency, timeOfDay, dayOfWeek, dayOfMonth }: RunTimes): string {
  const [hours, minutes] = timeOfDay.split(':').map(Number)
  const day = dayOfMonth === 31 ? 'L' : dayOfMonth
  const days = { Daily: '* * *', Weekly: `* * ${dayOfWeek}`, Monthly: `${day} * *` }[frequency]
  return `${minutes} ${hours} ${days}`
}

/** A time that the clock leaves out: croner takes the first instant behind the gap, the domain model moves the time by as much as the gap has. */
function isMoved({ timeOfDay, timeZone }: RunTimes, actual: Date | null, expected: Date | null): boolean {
  if (!actual || !expected) return false
  const laterMs = actual.getTime() - expected.getTime()
  const clock = new ZoneTimes(timeZone).clockTime(actual).toISOString().slice(11, 16)
  return clock !== timeOfDay && laterMs > 0 && laterMs < 3_600_000
}

test('schedules run when croner says so', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const count = process.env.KEEL_TEST_LONG ? 20_000 : 600
  const differing: unknown[] = []
  for (let index = 0; index < count; index++) {
    const timeZone = zones[random(zones.length)] ?? 'UTC'
    const timeOfDay = `0${random(4)}:${random(2) ? '30' : '15'}`
    const times = [
      daily(timeOfDay, timeZone),
      weekly(random(7) + 1, timeOfDay, timeZone),
      monthly(random(4) ? random(28) + 1 : 31, timeOfDay, timeZone),
    ][random(3)] as RunTimes
    // In the days around changes of the clock as often as in all others.
    const near = ['2027-03-13', '2027-03-27', '2027-04-03', '2027-09-04', '2027-10-30', '2027-11-06'][
      random(6)
    ]
    const base = random(2) ? at(`${near}T00:00:00Z`) : at('2026-01-01T00:00:00Z')
    const after = new Date(base.getTime() + random(random(2) ? 3 * 1440 : 1000 * 1440) * 60_000)
    const expected = new Cron(cronOf(times), { timezone: timeZone, paused: true }).nextRun(after)
    const actual = nextRun(times, after)
    if (actual?.getTime() !== expected?.getTime() && !isMoved(times, actual, expected))
      differing.push({ times, after, actual, expected })
  }
  expect(differing).toEqual([])
})
