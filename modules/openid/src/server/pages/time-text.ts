import { ambient } from '@keel/framework'

/** A time in the reader's language; in UTC, because a page without script does not know their time zone. */
export function timeText(time: Date): string {
  const format = new Intl.DateTimeFormat(ambient().culture, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return `${format.format(new Date(time))} UTC`
}
