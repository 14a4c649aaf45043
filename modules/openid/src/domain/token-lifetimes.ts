import type { TokenLifetimes } from '../contracts/index.js'

/** The names of a client's lifetimes in the settings of its row, as OpenIddict has them. */
const settingNames: Readonly<Record<keyof TokenLifetimes, string>> = {
  accessTokenLifetime: 'tkn_lft:act',
  authorizationCodeLifetime: 'tkn_lft:auc',
  deviceCodeLifetime: 'tkn_lft:dvc',
  identityTokenLifetime: 'tkn_lft:idt',
  refreshTokenLifetime: 'tkn_lft:reft',
  userCodeLifetime: 'tkn_lft:usrc',
}

const names = Object.keys(settingNames) as (keyof TokenLifetimes)[]

/** The lifetimes in the settings of a client's row, in seconds; null for missing or unreadable ones. */
export function lifetimesOf(settings: string | null): TokenLifetimes {
  const values = settingsOf(settings)
  return Object.fromEntries(
    names.map((name) => [name, secondsOf(values[settingNames[name]])]),
  ) as unknown as TokenLifetimes
}

/** The settings with these lifetimes; whatever else they hold stays. Null when nothing is left. */
export function withLifetimes(settings: string | null, lifetimes: TokenLifetimes): string | null {
  const values = { ...settingsOf(settings) }
  for (const name of names) {
    const seconds = lifetimes[name]
    if (seconds === null) delete values[settingNames[name]]
    else values[settingNames[name]] = timeSpanOf(seconds)
  }
  return Object.keys(values).length ? JSON.stringify(values) : null
}

function settingsOf(settings: string | null): Record<string, unknown> {
  return settings ? (JSON.parse(settings) as Record<string, unknown>) : {}
}

/** Seconds of a .NET time span: `[d.]hh:mm[:ss[.fffffff]]`, or days alone. */
function secondsOf(value: unknown): number | null {
  const [, days, hours, minutes, seconds] =
    (typeof value === 'string' &&
      /^(?:(\d{1,8})\.)?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d{1,7})?)?$/.exec(value)) ||
    (typeof value === 'string' && /^(\d{1,8})$/.exec(value)) ||
    []
  const total = [days, hours, minutes, seconds].reduce(
    (sum, part = '0', index) => sum + Number(part) * ([86_400, 3600, 60, 1][index] as number),
    0,
  )
  return total > 0 ? total : null
}

/** A .NET time span in its invariant form `c`. */
function timeSpanOf(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const parts = [Math.floor((seconds % 86_400) / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':')
  return days ? `${days}.${time}` : time
}
