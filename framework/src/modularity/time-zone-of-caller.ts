import { ambient } from './ambient.js'
import type { Application } from './application.js'
import { PlatformSettings } from './platform-settings.js'
import { timeZoneNames } from './time-zone.js'

/** The IANA name of the time zone that the caller at hand has chosen; UTC where none is set, or none that exists. */
export async function timeZoneOfCaller({ settings }: Pick<Application, 'settings'>): Promise<string> {
  const { timeZone, principal } = ambient()
  if (timeZone) return timeZone
  const { name } = PlatformSettings.TimeZone
  const set = settings.definitionOf(name) ? await settings.valueOf(name, principal.userId) : null
  return timeZoneNames(set).iana ?? 'UTC'
}
