const minuteMs = 60_000
/** Zones change their offset at a quarter of an hour, so that one offset holds for each of them. */
const quarterMs = 15 * minuteMs
const mostOffsets = 10_000

/** Points in time as the clocks of a time zone show them. */
export class ZoneTimes {
  private readonly format: Intl.DateTimeFormat | undefined
  private readonly offsets = new Map<number, number>()

  /** @param zone IANA name; throws a `RangeError` for others */
  constructor(zone: string) {
    this.format =
      zone === 'UTC'
        ? undefined
        : new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  }

  /** ISO 8601 with the offset of the zone: `2026-11-22T11:30:00.000+01:00`, with `Z` for none. */
  text(instant: Date): string {
    const offsetMs = this.offsetMs(instant.getTime())
    // ISO 8601 has no seconds in offsets, which local mean time of the 19th century has.
    if (offsetMs === 0 || offsetMs % minuteMs) return instant.toISOString()
    const minutes = Math.abs(offsetMs) / minuteMs
    const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
    const local = new Date(instant.getTime() + offsetMs).toISOString().slice(0, -1)
    return `${local}${offsetMs < 0 ? '-' : '+'}${digits.join(':')}`
  }

  /** The time of the clock, as the instant at which a clock in UTC shows it. */
  clockTime(instant: Date): Date {
    return new Date(instant.getTime() + this.offsetMs(instant.getTime()))
  }

  /** The instant of a clock time. Of an hour that the clock shows twice the first one; one that it leaves out is moved forward by as much. */
  instantOf(clockTime: Date): Date {
    const local = clockTime.getTime()
    const dayMs = 24 * 60 * minuteMs
    const before = local - this.offsetMs(local - dayMs)
    if (before + this.offsetMs(before) === local) return new Date(before)
    const after = local - this.offsetMs(local + dayMs)
    return new Date(after + this.offsetMs(after) === local ? after : before)
  }

  private offsetMs(ms: number): number {
    if (!this.format || Number.isNaN(ms)) return 0
    const quarter = Math.floor(ms / quarterMs)
    let offset = this.offsets.get(quarter)
    if (offset === undefined) {
      offset = offsetOf(this.format, quarter * quarterMs)
      if (this.offsets.size === mostOffsets) this.offsets.clear()
      this.offsets.set(quarter, offset)
    }
    return offset
  }
}

/** `GMT+01:00` → 3,600,000. */
function offsetOf(format: Intl.DateTimeFormat, ms: number): number {
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /^GMT([+-])(\d+)(?::(\d+))?(?::(\d+))?$/.exec(name) ?? []
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -offsetMs : offsetMs
}
