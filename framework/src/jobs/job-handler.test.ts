import { expect, test } from 'vitest'
import { nextTime, RecurringJob } from './job-handler.js'

test.each([
  ['30 2 * * *', 'UTC', '2026-11-21T10:00:00Z', '2026-11-22T02:30:00.000Z'],
  ['30 2 * * *', 'Europe/Berlin', '2026-11-21T10:00:00Z', '2026-11-22T01:30:00.000Z'],
  ['30 2 * * *', 'Europe/Berlin', '2026-07-21T10:00:00Z', '2026-07-22T00:30:00.000Z'],
  ['0 9 * * 1-5', 'Asia/Shanghai', '2026-11-21T10:00:00Z', '2026-11-23T01:00:00.000Z'],
  ['*/10 * * * *', 'UTC', '2026-11-21T10:00:00Z', '2026-11-21T10:10:00.000Z'],
  ['*/5 * * * * *', 'UTC', '2026-11-21T10:00:01Z', '2026-11-21T10:00:05.000Z'],
])("'%s' in %s is due after %s at %s", (cron, timeZone, after, due) => {
  expect(nextTime({ cron, timeZone }, new Date(after)).toISOString()).toBe(due)
})

test.each([
  ['61 * * * *', 'UTC'],
  ['tomorrow', 'UTC'],
  ['0 0 30 2 *', 'UTC'],
  ['0 0 * * *', 'Europe/Atlantis'],
])("'%s' in %s stops the start with the method's name", (cron, timeZone) => {
  class Report {}
  expect(() => RecurringJob(cron, timeZone)(Report.prototype, 'write')).toThrow(
    `Report.write: '${cron}' in '${timeZone}'`,
  )
})
