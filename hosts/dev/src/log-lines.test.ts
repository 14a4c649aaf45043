import { describe, expect, test } from 'vitest'
import { formatLogLine, isWarning } from './log-lines.js'

const time = new Date(2026, 10, 20, 9, 5, 7).toISOString()

describe('a log line', () => {
  test.each([
    [
      'shows its values',
      { level: 'info', msg: 'listening', url: 'http://localhost:4000' },
      '09:05:07 info  listening url=http://localhost:4000',
    ],
    [
      'hides who wrote it',
      { level: 'warn', msg: 'slow', pid: 1, hostname: 'h', application: 'api' },
      '09:05:07 warn  slow',
    ],
    [
      'quotes what has blanks',
      { level: 30, msg: 'a', note: 'two words', none: '' },
      '09:05:07 info  a note="two words" none=""',
    ],
    [
      'shows lists and objects as JSON',
      { level: 'debug', msg: 'a', ids: [1, 2], of: { b: 1 } },
      '09:05:07 debug a ids=[1,2] of={"b":1}',
    ],
    [
      'ends with the stack',
      { level: 50, msg: 'a', err: { message: 'boom', stack: 'Error: boom\n    at x' } },
      '09:05:07 error a\nError: boom\n    at x',
    ],
    [
      'tells of a failed statement',
      {
        level: 50,
        msg: 'a',
        err: {
          stack: 'Error: boom',
          database: { sqlState: '23502', table: 'AbpUsers', statement: 'insert $1' },
        },
      },
      '09:05:07 error a\nError: boom\nThe database refused a statement.\n  sqlState: 23502\n  table: AbpUsers\n  statement: insert $1',
    ],
  ])('%s', (_, entry, shown) => {
    expect(formatLogLine(JSON.stringify({ ...entry, time }), false)).toBe(shown)
  })

  test.each(['plain text', '{"a":1}', '{ not JSON'])('that is none stays as it is: %s', (line) => {
    expect(formatLogLine(line, false)).toBe(line)
  })

  test('has colours on a terminal only', () => {
    const line = JSON.stringify({ level: 'error', time, msg: 'a' })
    expect(formatLogLine(line, true)).toContain('\u001b[31merror')
    expect(formatLogLine(line, false)).not.toContain('\u001b')
  })

  test('is a warning from level warn on', () => {
    const lines = ['info', 'warn', 'error', 40].map((level) => JSON.stringify({ level, time, msg: 'a' }))
    expect([...lines, 'warn'].map(isWarning)).toEqual([false, true, true, true, false])
  })
})
