/**
 * Windows' names of time zones by the IANA zone that Unicode's CLDR calls each one's own (windowsZones,
 * territory 001), where freight moves.
 */
const windowsNames: Readonly<Record<string, string>> = {
  UTC: 'UTC',
  'Africa/Cairo': 'Egypt Standard Time',
  'Africa/Casablanca': 'Morocco Standard Time',
  'Africa/Johannesburg': 'South Africa Standard Time',
  'Africa/Lagos': 'W. Central Africa Standard Time',
  'Africa/Nairobi': 'E. Africa Standard Time',
  'America/Anchorage': 'Alaskan Standard Time',
  'America/Bogota': 'SA Pacific Standard Time',
  'America/Buenos_Aires': 'Argentina Standard Time',
  'America/Caracas': 'Venezuela Standard Time',
  'America/Chicago': 'Central Standard Time',
  'America/Denver': 'Mountain Standard Time',
  'America/Halifax': 'Atlantic Standard Time',
  'America/Los_Angeles': 'Pacific Standard Time',
  'America/New_York': 'Eastern Standard Time',
  'America/Phoenix': 'US Mountain Standard Time',
  'America/Santiago': 'Pacific SA Standard Time',
  'America/Sao_Paulo': 'E. South America Standard Time',
  'America/St_Johns': 'Newfoundland Standard Time',
  'Asia/Baghdad': 'Arabic Standard Time',
  'Asia/Bangkok': 'SE Asia Standard Time',
  'Asia/Calcutta': 'India Standard Time',
  'Asia/Colombo': 'Sri Lanka Standard Time',
  'Asia/Dhaka': 'Bangladesh Standard Time',
  'Asia/Dubai': 'Arabian Standard Time',
  'Asia/Jerusalem': 'Israel Standard Time',
  'Asia/Karachi': 'Pakistan Standard Time',
  'Asia/Riyadh': 'Arab Standard Time',
  'Asia/Seoul': 'Korea Standard Time',
  'Asia/Shanghai': 'China Standard Time',
  'Asia/Singapore': 'Singapore Standard Time',
  'Asia/Taipei': 'Taipei Standard Time',
  'Asia/Tehran': 'Iran Standard Time',
  'Asia/Tokyo': 'Tokyo Standard Time',
  'Asia/Vladivostok': 'Vladivostok Standard Time',
  'Atlantic/Reykjavik': 'Greenwich Standard Time',
  'Australia/Adelaide': 'Cen. Australia Standard Time',
  'Australia/Brisbane': 'E. Australia Standard Time',
  'Australia/Darwin': 'AUS Central Standard Time',
  'Australia/Perth': 'W. Australia Standard Time',
  'Australia/Sydney': 'AUS Eastern Standard Time',
  'Europe/Berlin': 'W. Europe Standard Time',
  'Europe/Bucharest': 'GTB Standard Time',
  'Europe/Budapest': 'Central Europe Standard Time',
  'Europe/Istanbul': 'Turkey Standard Time',
  'Europe/Kiev': 'FLE Standard Time',
  'Europe/London': 'GMT Standard Time',
  'Europe/Minsk': 'Belarus Standard Time',
  'Europe/Moscow': 'Russian Standard Time',
  'Europe/Paris': 'Romance Standard Time',
  'Europe/Warsaw': 'Central European Standard Time',
  'Pacific/Auckland': 'New Zealand Standard Time',
  'Pacific/Honolulu': 'Hawaiian Standard Time',
}

/** A time zone by both of its names; null for what is not known. */
export interface TimeZoneNames {
  readonly iana: string | null
  readonly windows: string | null
}

/** The names of a time zone that was set by either. One that does not exist has none, as ABP ignores it. */
export function timeZoneNames(set: string | null): TimeZoneNames {
  if (!set) return { iana: null, windows: null }
  const [byWindows] = Object.entries(windowsNames).find(([, windows]) => windows === set) ?? []
  const iana = byWindows ?? set
  const canonical = canonicalZone(iana)
  return canonical === undefined
    ? { iana: null, windows: null }
    : { iana, windows: windowsNames[iana] ?? windowsNames[canonical] ?? null }
}

/** The name that ICU prefers, e.g. `Asia/Calcutta` for `Asia/Kolkata`. */
function canonicalZone(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** A time zone as a list offers it: `Europe/Berlin (UTC+01:00)` for `Europe/Berlin`. */
export interface TimeZone {
  readonly name: string
  readonly value: string
}

/** Writes the offset of a zone. Making one costs a tenth of a millisecond, and there are some 400. */
const offsetFormats = new Map<string, Intl.DateTimeFormat>()

/** Every time zone that can be set, by its IANA name, with its offset at an instant. */
export function timeZones(at = new Date()): TimeZone[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((value) => ({
    name: `${value} (${offsetOf(value, at)})`,
    value,
  }))
}

function offsetOf(zone: string, at: Date): string {
  const format =
    offsetFormats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  offsetFormats.set(zone, format)
  const offset = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return offset === 'GMT' ? 'UTC+00:00' : offset.replace('GMT', 'UTC')
}
