import { ZoneTimes } from '@keel/framework/spreadsheets'

const longest = 200

/** The name of a file, without its ending: set, time by the clock of the schedule, and its name as far as file systems take it. */
export function exportFileName(
  { entitySet, name, timeZone }: { entitySet: string; name: string; timeZone: string },
  time: Date,
): string {
  const clock = new ZoneTimes(timeZone).clockTime(time).toISOString()
  const stamp = `${clock.slice(0, 10).replaceAll('-', '')}-${clock.slice(11, 16).replace(':', '')}`
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
  return [entitySet, stamp, safe].filter(Boolean).join('_').slice(0, longest)
}
