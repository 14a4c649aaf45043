import { expect, test } from 'vitest'
import { NotificationMail } from '../contracts/index.js'
import { mailTime } from './mail-time.js'

const berlin = { quietFrom: '22:00', quietUntil: '06:30', digestTime: '07:00', timeZone: 'Europe/Berlin' }
const at = (now: string, mail = NotificationMail.AtOnce, wishes: object = {}) =>
  mailTime(new Date(now), mail, { ...berlin, ...wishes })?.toISOString()

test.each([
  ['2026-11-25T12:00:00.000Z', '2026-11-25T12:00:00.000Z'],
  ['2026-11-25T20:59:59.000Z', '2026-11-25T20:59:59.000Z'],
  ['2026-11-25T21:00:00.000Z', '2026-11-26T05:30:00.000Z'],
  ['2026-11-26T05:29:00.000Z', '2026-11-26T05:30:00.000Z'],
  ['2026-11-26T05:30:00.000Z', '2026-11-26T05:30:00.000Z'],
  // The night in which the clock goes back.
  ['2027-10-30T21:00:00.000Z', '2027-10-31T05:30:00.000Z'],
])(
  'a notification of %s is mailed at %s by a person whose quiet hours are the night in Berlin',
  (now, due) => {
    expect(at(now)).toBe(due)
  },
)

test('quiet hours can lie within a day, or be none', () => {
  const siesta = { quietFrom: '13:00', quietUntil: '15:00' }
  expect(at('2026-11-25T12:30:00.000Z', NotificationMail.AtOnce, siesta)).toBe('2026-11-25T14:00:00.000Z')
  expect(at('2026-11-25T23:30:00.000Z', NotificationMail.AtOnce, siesta)).toBe('2026-11-25T23:30:00.000Z')
  const none = { quietFrom: null, quietUntil: null }
  expect(at('2026-11-25T23:30:00.000Z', NotificationMail.AtOnce, none)).toBe('2026-11-25T23:30:00.000Z')
})

test('a digest waits for its time, and for the end of quiet hours that it falls into', () => {
  expect(at('2026-11-25T05:00:00.000Z', NotificationMail.Digest)).toBe('2026-11-25T06:00:00.000Z')
  expect(at('2026-11-25T06:00:00.000Z', NotificationMail.Digest)).toBe('2026-11-26T06:00:00.000Z')
  const early = { digestTime: '04:00' }
  expect(at('2026-11-25T20:00:00.000Z', NotificationMail.Digest, early)).toBe('2026-11-26T05:30:00.000Z')
})

test('a kind that only the inbox gets is never mailed', () => {
  expect(at('2026-11-25T12:00:00.000Z', NotificationMail.None)).toBeUndefined()
})
