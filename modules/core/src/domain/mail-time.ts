import { ZoneTimes } from '@keel/framework/spreadsheets'
import { NotificationMail } from '../contracts/index.js'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** When a person wants mails; times of the clock, `HH:mm`. */
export interface MailWishes {
  readonly quietFrom: string | null
  readonly quietUntil: string | null
  readonly digestTime: string
  /** IANA name. */
  readonly timeZone: string
}

/** The instant from which on a notification may be mailed; undefined for one that is not mailed. */
export function mailTime(now: Date, mail: NotificationMail, wishes: MailWishes): Date | undefined {
  if (mail === NotificationMail.None) return undefined
  const zone = new ZoneTimes(wishes.timeZone)
  return afterQuietHours(
    mail === NotificationMail.Digest ? nextAt(now, wishes.digestTime, zone) : now,
    wishes,
    zone,
  )
}

/** The end of the quiet hours that an instant lies in; the instant itself outside of them. */
function afterQuietHours(instant: Date, { quietFrom, quietUntil }: MailWishes, zone: ZoneTimes): Date {
  if (quietFrom === null || quietUntil === null || quietFrom === quietUntil) return instant
  const time = zone.clockTime(instant).toISOString().slice(11, 16)
  const isQuiet =
    quietFrom < quietUntil ? time >= quietFrom && time < quietUntil : time >= quietFrom || time < quietUntil
  return isQuiet ? nextAt(instant, quietUntil, zone) : instant
}

/** The first instant after another at which the clock of a zone shows a time. */
function nextAt(after: Date, time: string, zone: ZoneTimes): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const local = zone.clockTime(after).getTime()
  const today = local - (local % dayMs) + (hours * 60 + minutes) * minuteMs
  const first = zone.instantOf(new Date(today))
  return first > after ? first : zone.instantOf(new Date(today + dayMs))
}
